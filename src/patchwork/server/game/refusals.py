"""Why the server refuses something, as a code that programs can act on."""

from enum import StrEnum

from patchwork.rules.moves import Reason


class Code(StrEnum):
    """Why something was refused."""

    STALE = "stale"
    """Something has happened that the action does not answer; the current state is enclosed."""
    MALFORMED = "malformed"
    NOT_SEATED = "not-seated"
    """Watchers may not act."""
    NOT_YOUR_TURN = "not-your-turn"
    ILLEGAL_MOVE = "illegal-move"
    NOT_BEGUN = "not-begun"
    ALREADY_BEGUN = "already-begun"
    OVER = "over"
    NOT_OVER = "not-over"
    NOTHING_TO_UNDO = "nothing-to-undo"
    ALREADY_ASKED = "already-asked"
    NOT_ASKED = "not-asked"
    TOO_LATE_TO_ABORT = "too-late-to-abort"
    NOT_GONE = "not-gone"
    TIME_LEFT = "time-left"
    SEATS_TAKEN = "seats-taken"
    NO_HELP = "no-help"
    """Hints are given against the computer, analyses of finished games."""
    BUSY = "busy"
    """Too much is being computed; try again later."""
    TOO_MANY = "too-many"
    """A limit is reached; try again later."""
    UNAVAILABLE = "unavailable"
    """The database does not answer; repeat the action later, under the same id."""
    NO_SUCH_TABLE = "no-such-table"
    NOT_FOUND = "not-found"
    """There is nothing at this address, or not for this method."""
    NO_SUCH_PLY = "no-such-ply"
    VERSION = "version"
    """The server does not speak this version of the messages."""
    FORBIDDEN = "forbidden"
    """The request comes from a page of another origin, or carries a credential that is not ours."""
    OPPONENTS = "opponents"
    """The sender plays against the maker of a carry link, so they cannot become one player."""
    RESERVED_NAME = "reserved-name"
    """The name reads like a level of the computer; choose another one."""
    BAD_CIRCLE = "bad-circle"
    """The circle does not hold every patch once, with the smallest at the end."""


class Refusal(Exception):
    """Something is not allowed; nothing has changed."""

    def __init__(self, code: Code, detail: str, reason: Reason | None = None) -> None:
        super().__init__(f"{detail} ({code})")
        self.code = code
        self.detail = detail
        """English, for programmers."""
        self.reason = reason
        """Which rule a move breaks."""
