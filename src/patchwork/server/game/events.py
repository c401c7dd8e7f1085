"""What happens in a match. The log of its events, numbered from 1, determines everything else."""

from dataclasses import dataclass, field
from enum import StrEnum

from patchwork.notation.record import Termination
from patchwork.rules.moves import Move


class Kind(StrEnum):
    """The kinds of events, and what ``Event.data`` holds for each."""

    JOIN = "join"
    """A player takes a seat; data: the name."""
    BEGIN = "begin"
    """A player says who last used a needle; data: the seat that begins."""
    MOVE = "move"
    """Data: the move in the notation."""
    ASK = "ask"
    """The seat asks to take its last decision back."""
    DECLINE = "decline"
    """The seat does not allow it."""
    TAKEBACK = "takeback"
    """Moves are taken back; data: how many remain."""
    RESIGN = "resign"
    FLAG = "flag"
    """The seat has run out of time."""
    CLAIM = "claim"
    """The seat claims the win because the other player is gone."""
    ABORT = "abort"
    REMATCH = "rematch"
    """The seat asks for another game; data: ``same`` or ``new``, the circle of patches."""
    NEXT = "next"
    """Another game is opened; data: its id."""
    FORGET = "forget"
    """The player who had the seat, or on one screen both, has been deleted."""


@dataclass(frozen=True, slots=True)
class Event:
    """An entry of a match's log."""

    seq: int
    """Its number in the match, from 1."""
    kind: Kind
    seat: int
    at: int
    """When it happened, in milliseconds since 1970."""
    data: str = ""
    clocks: tuple[int, int] | None = None
    """The time both seats had left afterwards, in games with a clock."""
    player: str | None = None
    """Who did it; None for the computer, the server itself, and deleted players."""
    action: str | None = None
    """The id of the player's action, by which a repeated one is recognised."""
    move: Move | None = field(default=None, compare=False, repr=False)
    """The move that ``data`` describes, if it has just been played: it need not be parsed again."""


@dataclass(frozen=True, slots=True)
class GameStatus:
    """What lists show of a match, stored along with its log, which they need not replay."""

    turn: int | None
    """The seat that has to decide; None: nobody."""
    deadline: int | None
    """When that seat runs out of time; None if it does not."""
    ending: Termination | None
    winner: int | None
    scores: tuple[int, int] | None
    """None until the game is over."""
    tie_break: bool
