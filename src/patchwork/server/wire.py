"""Everything that crosses the wire, over HTTP or over a table's socket.

The one definition of the messages: the server reads and writes nothing else, the OpenAPI document
and the types of the page come from here, and ``docs/protocol.md`` is checked against it. A client
needs no rules: each position says what is allowed and what would come of it.

All times are milliseconds. Spaces of a quilt are numbered 9 * row + column from the top left. A set
of spaces is a string of 81 characters, ``1`` for each space that belongs to it, ``0`` for others.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from patchwork.notation.record import Termination
from patchwork.rules.moves import Reason
from patchwork.rules.position import Phase
from patchwork.rules.setup import SEEDS
from patchwork.server.game import names
from patchwork.server.game.events import Kind
from patchwork.server.game.refusals import Code
from patchwork.server.game.terms import Opponent

VERSION: Final = 1
"""Of the live messages; rises when a client that knows the old one could misunderstand."""

Seat = Annotated[int, Field(ge=0, le=1)]
Spaces = Annotated[str, StringConstraints(pattern="^[01]{81}$")]
_PLAIN = r"^[^\x00-\x1f\x7f-\x9f]*$"
Text = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=_PLAIN)]
"""Any text without control characters, which not every database stores."""
Name = Annotated[
    str,
    StringConstraints(max_length=names.LONGEST, strip_whitespace=True),
    AfterValidator(names.cleaned),
]
"""Any text, of which only what can be seen is kept; it is never read as markup."""


def _with_tag(schema: dict[str, Any]) -> None:
    if "t" in schema["properties"]:
        schema["required"] = ["t", *schema.get("required", ())]


class Message(BaseModel):
    """A message holds what is declared and nothing else; if it has a tag, that is not left out."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_with_tag)


# What a client asks for


class Action(Message):
    """Something a player does at a table."""

    id: Text
    """Chosen by the client; an action repeated under its id happens once."""
    seq: Annotated[int, Field(ge=0, lt=2**31)]
    """The number of the last event the client knew."""


class Move(Action):
    """Plays a move, as in the notation: ``A``, ``Lc4``, ``17Bc4``."""

    t: Literal["move"] = "move"
    move: Annotated[str, StringConstraints(max_length=16)]


class Begin(Action):
    """Says who last used a needle and therefore begins."""

    t: Literal["begin"] = "begin"
    first: Seat


class Undo(Action):
    """Takes the last own decision back, or asks the other player for it."""

    t: Literal["undo"] = "undo"


class Accept(Action):
    """Lets the other player take the decision back."""

    t: Literal["accept"] = "accept"


class Decline(Action):
    """Does not."""

    t: Literal["decline"] = "decline"


class Resign(Action):
    """Gives the game up."""

    t: Literal["resign"] = "resign"


class Abort(Action):
    """Ends a game that has hardly begun, without a winner."""

    t: Literal["abort"] = "abort"


class Claim(Action):
    """Claims the win from a player who is gone."""

    t: Literal["claim"] = "claim"


class Flag(Action):
    """Says that the other player's time is over; the server also sees it by itself."""

    t: Literal["flag"] = "flag"


class Rematch(Action):
    """Wishes another game, or agrees to one, with seats swapped."""

    t: Literal["rematch"] = "rematch"
    circle: Literal["same", "new"] = "new"


AnyAction = Move | Begin | Undo | Accept | Decline | Resign | Abort | Claim | Flag | Rematch


class Ping(Message):
    """Keeps the socket alive; answered by ``pong``."""

    t: Literal["ping"] = "ping"


class Sync(Message):
    """Asks for the whole state, after a gap in the numbers of events."""

    t: Literal["sync"] = "sync"


class Leave(Message):
    """Says that the player leaves on purpose."""

    t: Literal["leave"] = "leave"


class AskHint(Message):
    """Asks for good moves; only against the computer."""

    t: Literal["hint"] = "hint"
    id: Text


FromClient = Annotated[AnyAction | Ping | Sync | Leave | AskHint, Field(discriminator="t")]
PostedAction = Annotated[AnyAction, Field(discriminator="t")]


def _tagged(message: AskHint) -> AskHint:
    if "t" not in message.model_fields_set:
        raise ValueError("the tag t is missing")
    return message


PostedHint = Annotated[AskHint, AfterValidator(_tagged)]
"""Where nothing else is expected, and the tag is not needed to tell what it is."""


# Creating and joining


class ClockTerms(Message):
    """Minutes for the game and seconds more for each decision, or days for each decision."""

    minutes: Annotated[float, Field(ge=0.25, le=180)] | None = None
    increment: Annotated[int, Field(ge=0, le=180)] = 0
    """Seconds."""
    days: Annotated[int, Field(ge=1, le=14)] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.minutes is None) == (self.days is None) or (self.days and self.increment):
            raise ValueError("a clock has minutes, perhaps with an increment, or days")
        return self


class NewTable(Message):
    """A table to be opened."""

    opponent: Opponent
    level: Annotated[int, Field(ge=1, le=8)] = 4
    """Of the computer."""
    seat: Seat | Literal["random"] = 0
    """Where its creator sits."""
    first: Seat | Literal["random", "needle"] = 0
    """Who begins; ``needle``: the players are asked who last used one."""
    edition: Literal["classic", "revised"] = "classic"
    seed: Annotated[int, Field(ge=0, lt=SEEDS)] | None = None
    """Of the circle of patches; any if not given."""
    clock: ClockTerms | None = None
    name: Name = ""
    other_name: Name = ""
    """Of the second player before the same screen."""


class Join(Message):
    """Takes the free seat."""

    name: Name = ""


# What a table looks like


class SeatView(Message):
    """Who sits where."""

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
    """All patches at the beginning, clockwise from the neutral token."""


class Ending(Message):
    """How a game ended."""

    reason: Termination
    winner: Seat | None
    scores: tuple[int, int] | None
    tie_break: bool
    """The scores were equal, and who came home first won."""


class Clocks(Message):
    """What both seats have left at the moment of sending, and whose clock runs."""

    left: tuple[int, int]
    running: Seat | None


class Status(Message):
    """What changes with events, besides the position."""

    seq: int
    """The number of the last event."""
    seats: tuple[SeatView, SeatView]
    first: Seat | None
    """Who began; None: it has yet to be said who last used a needle."""
    asking: Seat | None
    """The seat that would like to take a decision back."""
    clocks: Clocks | None
    ending: Ending | None
    rematch: list[Seat]
    """The seats that would play again."""
    next: str | None
    """The id of the next game of these players."""


class Effect(Message):
    """What a move would do, as far as that does not depend on where a patch is placed."""

    space: int
    """Where the token lands."""
    income: int
    """Buttons paid at income lines."""
    buttons: int
    """What the player then has."""
    leather: bool
    """Whether a leather patch is taken and is to be placed next."""
    next: Seat | None
    """Who decides next; None: the game is over."""
    score: int
    """The player's points if the game ended then, without the 7 x 7 tile that the place may win."""


class Orientation(Message):
    """A way to turn a patch, and where it then fits."""

    letter: str
    """Of the notation; a purchase is patch, letter and space, such as ``17Bc4``."""
    rows: list[str]
    """Its shape, ``#`` and ``.``."""
    places: Spaces
    """Where the top-left corner of its box may lie."""
    tile: Spaces | None
    """Those of the places that win the 7 x 7 tile; None: none does."""


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
    """One player's side of the table."""

    buttons: int
    income: int
    time: int
    score: int
    layout: list[tuple[int | None, list[int]]]
    """What lies on the quilt in the order placed: patch, or null for leather, and its spaces."""


class PositionView(Message):
    """A position and all that a client needs to know to play from it."""

    turn: Seat
    """Who decides; when the game is over, who moved last."""
    phase: Phase
    players: tuple[PlayerView, PlayerView]
    circle: list[int]
    """The patches left, clockwise from the neutral token; the first three are on offer."""
    leather: list[int]
    """The lines that still hold a leather patch."""
    tile: Seat | None
    first_home: Seat | None
    text: str
    """The position in the notation."""
    advance: Effect | None
    offers: list[Offer]
    """Empty while leather is to be placed and when the game is over."""
    leather_choice: LeatherChoice | None


class EventView(Message):
    """An event of the log."""

    seq: int
    kind: Kind
    seat: Seat
    at: int
    data: str


# What the server says


class State(Message):
    """The whole table; the first message of every connection."""

    t: Literal["state"] = "state"
    v: Literal[1] = VERSION
    table: TableView
    you: list[Seat]
    """The seats of the one who asks; empty for those who watch."""
    status: Status
    moves: list[tuple[Seat, str]]
    """Those that stand: who decided, and the move in the notation."""
    position: PositionView | None
    """None until both seats are taken and it is known who begins."""


class Happened(Message):
    """An event, right after it was stored, and what it changed."""

    t: Literal["event"] = "event"
    v: Literal[1] = VERSION
    event: EventView
    status: Status
    position: PositionView | None
    """None where the position stays as it was."""


class Ack(Message):
    """The action of this id is stored as the event of this number."""

    t: Literal["ack"] = "ack"
    v: Literal[1] = VERSION
    id: str
    seq: int


class Refused(Message):
    """What was asked for did not happen, and nothing has changed."""

    t: Literal["refused"] = "refused"
    v: Literal[1] = VERSION
    id: str | None
    """Of the action, where it could be read."""
    code: Code
    detail: str
    """English for programmers; people are told by the code."""
    reason: Reason | None = None
    """Why the rules refuse the move."""
    state: State | None = None


class Presence(Message):
    """Who is connected."""

    t: Literal["presence"] = "presence"
    v: Literal[1] = VERSION
    present: tuple[bool, bool]
    claim: tuple[int | None, int | None]
    """For a seat that is gone, in how many milliseconds the other may claim the win."""
    watchers: int


class Thinking(Message):
    """The computer is at it, or waits for others to be done."""

    t: Literal["thinking"] = "thinking"
    v: Literal[1] = VERSION
    waiting: int
    """How many other thoughts come first; 0: it thinks."""
    part: float | None = None
    """Of its usual time, how much it has, so that all have some; None while it waits."""


class Variation(Message):
    """A line of play and what it is worth."""

    moves: list[str]
    win: float
    """Probability that ``seat`` of the thought wins."""
    margin: float
    """Points by which it is expected to win."""


class Thought(Message):
    """What the engine thinks of a position."""

    seat: Seat
    """The seat to decide, whose chances these are."""
    move: str
    win: float
    margin: float
    exact: bool
    """Proven, not estimated."""
    lines: list[Variation]


class Hint(Message):
    """The answer to a request for a hint."""

    t: Literal["hint"] = "hint"
    v: Literal[1] = VERSION
    id: str
    seq: int
    """The last event when it was asked for."""
    thought: Thought


class Pong(Message):
    """The answer to ``ping``; another number than the client's last shows a gap."""

    t: Literal["pong"] = "pong"
    v: Literal[1] = VERSION
    seq: int


class Bye(Message):
    """The server stops; come back after so long."""

    t: Literal["bye"] = "bye"
    v: Literal[1] = VERSION
    retry: int


FromServer = Annotated[
    State | Happened | Ack | Refused | Presence | Thinking | Hint | Pong | Bye,
    Field(discriminator="t"),
]


# Lists and identities, over HTTP only


class Summary(Message):
    """A line in the list of a player's games."""

    id: str
    opponent: Opponent
    level: int | None
    edition: str
    you: list[Seat]
    names: tuple[str, str]
    turn: Seat | None
    """Who decides; None: nobody, it has not begun or is over."""
    ending: Ending | None
    created: int
    updated: int


class Games(Message):
    """A page of a player's games, the latest first."""

    games: list[Summary]
    more: int | None
    """Ask again with this as ``before``; None: these were all."""


class Replay(Message):
    """A game to look through, move by move."""

    names: tuple[str, str]
    """As in a record: ``?`` if unknown, ``level:5`` for the computer."""
    edition: str
    circle: list[int]
    """All patches at the beginning, clockwise from the neutral token."""
    first: Seat
    ending: Ending | None
    moves: list[tuple[Seat, str]]
    positions: list[PositionView]
    """The beginning and the position after each move, without what could be done in it."""


class Line(Message):
    """A game as far as it is played or thought of, from its beginning."""

    edition: Literal["classic", "revised"] = "classic"
    circle: Annotated[list[int], Field(min_length=33, max_length=33)]
    """All patches at the beginning, clockwise from the neutral token."""
    first: Seat = 0
    moves: Annotated[
        list[Annotated[str, StringConstraints(max_length=16)]], Field(max_length=120)
    ] = []
    """In the notation."""


class Reached(Message):
    """Where a line leads."""

    moves: list[tuple[Seat, str]]
    """Who decided, and the move in the notation."""
    position: PositionView
    ending: Ending | None
    """None while the game goes on."""


class Me(Message):
    """Who asks."""

    player: str


class Keeping(Message):
    """How long games are kept after the last event, in days; None: for ever."""

    unfinished: int | None
    finished: int | None


class Revoke(Message):
    """Makes all that one was recognised by worthless."""

    id: Annotated[str, StringConstraints(min_length=16, max_length=64, pattern=_PLAIN)]
    """Random, chosen by the client; who had no answer asks again under the same id."""


class Forgotten(Message):
    """Somebody is not known any more."""

    player: str | None
    """Who that was; None: nobody asked."""


class OwnGame(Message):
    """A game of the one who asks, with all that is kept of it."""

    id: str
    created: int
    opponent: Opponent
    level: int | None
    edition: str
    clock: ClockTerms | None
    you: list[Seat]
    names: tuple[str, str]
    ending: Ending | None
    events: list[EventView]
    record: str
    """The game in the notation."""


class Data(Message):
    """All that is kept of the one who asks."""

    player: str | None
    """None: nobody is known who asks like this."""
    names: list[str]
    """Those under which they have played."""
    games: list[OwnGame]
    """The oldest first."""


class Token(Message):
    """A bot's credential: send it as ``Authorization: Bearer ...``."""

    token: str
    player: str


class CarryLink(Message):
    """A private link to carry on on another device; whoever opens it in time is the same player."""

    url: str
    qr: str
    """The link as a QR code, in SVG."""
    expires: int


class Health(Message):
    """How the server is."""

    status: Literal["ok"]
    version: str
    engine: Literal["ready", "warming"]
