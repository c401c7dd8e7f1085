"""What happens in a game. The log of its events, numbered from 1, is the game."""

from dataclasses import dataclass, field
from enum import StrEnum

from patchwork.notation.record import Termination
from patchwork.rules.moves import Move


class Kind(StrEnum):
    """What an event is; where ``Event.data`` says more, what that is."""

    JOIN = "join"
    """Somebody takes a seat; data: the name."""
    BEGIN = "begin"
    """The players have said who last used a needle; data: the seat that begins."""
    MOVE = "move"
    """Data: the move, as in the notation."""
    ASK = "ask"
    """A seat asks to take its last decision back."""
    DECLINE = "decline"
    """The other seat would rather not."""
    TAKEBACK = "takeback"
    """Moves are taken back; data: how many remain."""
    RESIGN = "resign"
    FLAG = "flag"
    """The seat has run out of time."""
    CLAIM = "claim"
    """The seat claims the win, since the other one has left."""
    ABORT = "abort"
    REMATCH = "rematch"
    """The seat would play again; data: ``same`` or ``new``, the circle of patches."""
    NEXT = "next"
    """They do play again; data: the id of the next game."""
    FORGET = "forget"
    """Who sat on the seat, or on both before one screen, is not known any more."""


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a game's log."""

    seq: int
    """Its number in the game, from 1."""
    kind: Kind
    seat: int
    at: int
    """When it happened, in milliseconds since 1970."""
    data: str = ""
    clocks: tuple[int, int] | None = None
    """What both seats had left afterwards, in games with a clock."""
    player: str | None = None
    """Who did it; None for the computer, for the server itself and for who is forgotten."""
    action: str | None = None
    """The id that the player's program gave the action, so that a repeated one is known."""
    move: Move | None = field(default=None, compare=False, repr=False)
    """What ``data`` says of a move that has just been played, so that nobody has to parse it."""


@dataclass(frozen=True, slots=True)
class GameStatus:
    """How a game stands, kept beside its log so that lists need not replay it."""

    turn: int | None
    """The seat that has to decide; None: nobody."""
    deadline: int | None
    """When that seat runs out of time."""
    ending: Termination | None
    winner: int | None
    scores: tuple[int, int] | None
    """When the game is over."""
    tie_break: bool
