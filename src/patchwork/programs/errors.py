"""What can go wrong with a program in another process."""


class ProtocolError(Exception):
    """A program violated its protocol and has been ended."""


class NoAnswer(ProtocolError):
    """A program did not answer in time."""


class WrongMove(ProtocolError):
    """A program answered with an illegal move, or with something that is not a move."""


class NotRunning(ProtocolError):
    """A program could not be started, or has ended."""


class NoAnalysis(Exception):
    """An engine cannot answer a request, however often it is asked; it keeps running."""
