"""What tables and positions look like to a client."""

from __future__ import annotations

from patchwork.notation.record import Termination
from patchwork.rules.moves import Reason
from patchwork.rules.position import Phase
from patchwork.server.game.events import Kind
from patchwork.server.game.terms import Opponent
from patchwork.server.wire.base import ClockTerms, Message, Seat, Spaces

# Tables


class SeatView(Message):
    """Who has a seat."""

    name: str
    taken: bool
    computer: bool


class TableView(Message):
    """What does not change during a game."""

    id: str
    opponent: Opponent
    edition: str
    level: int | None
    clock: ClockTerms | None
    created: int
    circle: list[int]
    """All patches at the start, clockwise from the neutral token."""


class Ending(Message):
    """How a game ended."""

    reason: Termination
    winner: Seat | None
    scores: tuple[int, int] | None
    tie_break: bool
    """Whether the scores were equal, so that the first to reach the centre won."""


class Grace(Message):
    """A clock that waits for the first decision of its seat."""

    seat: Seat
    left: int
    """For how long; then the game ends without a winner."""


class Clocks(Message):
    """The time both seats had left when this was sent, and whose clock is running."""

    left: tuple[int, int]
    running: Seat | None
    """None while no clock runs, not even that of the seat to decide if it has a grace."""
    grace: Grace | None


class Status(Message):
    """What events change, other than the position."""

    seq: int
    """The number of the last event."""
    seats: tuple[SeatView, SeatView]
    first: Seat | None
    """The seat that began; None while the players have not said who last used a needle."""
    asking: Seat | None
    """The seat that asks to take a decision back."""
    clocks: Clocks | None
    ending: Ending | None
    rematch: list[Seat]
    """The seats that want to play again."""
    next: str | None
    """The id of the next game of these players."""


class EventView(Message):
    """An event of the log."""

    seq: int
    kind: Kind
    seat: Seat
    at: int
    data: str


# Positions


class Effect(Message):
    """What a move would do, as far as that does not depend on where the patch is placed."""

    space: int
    """Where the token lands."""
    income: int
    """Buttons paid at income lines on the way."""
    buttons: int
    """What the player has afterwards."""
    leather: bool
    """Whether a leather patch is taken, which is then to be placed next."""
    next: Seat | None
    """Who decides next; None when the game is over."""
    score: int
    """The player's points if the game ended then, without the 7 x 7 tile, which the place of the
    patch may win."""


class Orientation(Message):
    """A way to turn a patch, and where it then fits."""

    letter: str
    """Of the notation: a purchase is written as patch, letter and space, such as ``17Bc4``."""
    rows: list[str]
    """The shape, made of ``#`` and ``.``."""
    places: Spaces
    """Where the top-left corner of its box may be."""
    tile: Spaces | None
    """Those of the places that win the 7 x 7 tile; None if none does."""


class Offer(Message):
    """A patch on offer: why it cannot be taken, or what taking it does and where it fits."""

    patch: int
    refused: Reason | None
    effect: Effect | None
    orientations: list[Orientation]


class LeatherChoice(Message):
    """Where the leather patch may be placed."""

    places: Spaces
    tile: Spaces | None
    next: Seat
    """Who decides next."""


class PlayerView(Message):
    """One player's quilt, buttons and time."""

    buttons: int
    income: int
    time: int
    score: int
    layout: list[tuple[int | None, list[int]]]
    """The patches on the quilt in the order placed: id, or null for leather, and spaces."""


class PositionView(Message):
    """A position and everything a client needs to know to play from it."""

    turn: Seat
    """Who decides; when the game is over, who moved last."""
    phase: Phase
    players: tuple[PlayerView, PlayerView]
    circle: list[int]
    """The patches left, clockwise from the neutral token; the first three are on offer."""
    leather: list[int]
    """The lines of the time board that still hold a leather patch."""
    tile: Seat | None
    first_home: Seat | None
    text: str
    """The position in the notation."""
    advance: Effect | None
    offers: list[Offer]
    """Empty while leather is to be placed and when the game is over."""
    leather_choice: LeatherChoice | None
