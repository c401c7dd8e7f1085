"""What can go wrong with a program in a process of its own."""


class ProtocolError(Exception):
    """A program did not do what its protocol demands; it has been ended."""


class NoAnswer(ProtocolError):
    """A program did not answer in time."""


class WrongMove(ProtocolError):
    """A program answered with an illegal move, or with something that is not a move."""


class NotRunning(ProtocolError):
    """A program could not be started, or has ended."""


class NoAnalysis(Exception):
    """An engine has no answer to a request, however often it is asked; it goes on running."""
