"""The error for a text that is malformed or breaks the rules."""

from enum import StrEnum

from patchwork.rules.moves import Reason


class Problem(StrEnum):
    """The kind of mistake, for programs and translations."""

    NOT_A_POSITION = "not-a-position"
    IMPOSSIBLE_POSITION = "impossible-position"
    NOT_A_MOVE = "not-a-move"
    ILLEGAL_MOVE = "illegal-move"
    BAD_TAG = "bad-tag"
    MISSING_TAG = "missing-tag"
    UNEXPECTED = "unexpected"
    UNCLOSED = "unclosed"
    TOO_DEEP = "too-deep"
    TOO_LONG = "too-long"
    CUT_OFF = "cut-off"
    CONTRADICTION = "contradiction"
    NOT_ONE_RECORD = "not-one-record"


def check_is_text(text: object) -> None:
    """Checks that an argument is text and not, for example, the bytes of a file.

    Raises:
        TypeError: it is not a ``str``.
    """
    if not isinstance(text, str):
        raise TypeError(f"the text must be a str, not {type(text).__name__}")


class NotationError(ValueError):
    """A text that is malformed or breaks the rules."""

    def __init__(
        self,
        problem: Problem,
        detail: str,
        *,
        line: int | None = None,
        column: int | None = None,
        number: int | None = None,
        reason: Reason | None = None,
    ) -> None:
        super().__init__(problem, detail)
        self.problem = problem
        self.detail = detail
        self.line = line
        """Line of the text, from 1."""
        self.column = column
        """Column of that line, from 1."""
        self.number = number
        """Number of the move in its record, from 1."""
        self.reason = reason
        """Why the rules forbid the move, if they do."""

    def __str__(self) -> str:
        places = (("line", self.line), ("column", self.column), ("move", self.number))
        where = ", ".join(f"{name} {value}" for name, value in places if value is not None)
        return f"{where + ': ' if where else ''}{self.detail} ({self.problem})"
