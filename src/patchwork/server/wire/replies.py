"""What the server sends over a table's socket or event stream."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from patchwork.rules.moves import Reason
from patchwork.server.game.refusals import Code
from patchwork.server.wire.base import VERSION, Message, Seat
from patchwork.server.wire.views import EventView, PositionView, Status, TableView


class State(Message):
    """The complete table; the first message of every connection."""

    t: Literal["state"] = "state"
    v: Literal[1] = VERSION
    table: TableView
    you: list[Seat]
    """The seats of the client; empty for those who watch."""
    status: Status
    moves: list[tuple[Seat, str]]
    """The moves that stand: who decided, and the move in the notation."""
    position: PositionView | None
    """None until both seats are taken and it is known who begins."""


class Happened(Message):
    """An event that has just been stored, and what it changed."""

    t: Literal["event"] = "event"
    v: Literal[1] = VERSION
    event: EventView
    status: Status
    position: PositionView | None
    """None if it has not changed."""


class Ack(Message):
    """The action with this id is stored as the event with this number."""

    t: Literal["ack"] = "ack"
    v: Literal[1] = VERSION
    id: str
    seq: int


class Refused(Message):
    """The request was refused, and nothing has changed."""

    t: Literal["refused"] = "refused"
    v: Literal[1] = VERSION
    id: str | None
    """Of the action, where it could be read."""
    code: Code
    detail: str
    """English, for programmers; people are shown a text that depends on the code."""
    reason: Reason | None = None
    """Why the rules forbid the move."""
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
    """The computer is thinking about its move, or waiting for its turn to think."""

    t: Literal["thinking"] = "thinking"
    v: Literal[1] = VERSION
    waiting: int
    """How many other searches come first; 0 means that it is thinking."""
    part: float | None = None
    """The fraction of its usual time that it has; None while it waits."""


class Variation(Message):
    """A line of play and what it is worth."""

    moves: list[str]
    win: float
    """The probability that ``seat`` of the thought wins."""
    margin: float
    """The points by which it is expected to win."""


class Thought(Message):
    """What the engine thinks of a position."""

    seat: Seat
    """The seat to decide, for which the figures are given."""
    move: str
    win: float
    margin: float
    exact: bool
    """Proven, not estimated."""
    lines: list[Variation]


class Why(Message):
    """A fact that speaks for a move, and its figure."""

    code: Literal["tile", "hole", "leather", "again", "income", "line"]
    figure: int


class Candidate(Message):
    """Something that the player could do, at the best place, and what it is worth."""

    move: str
    win: float
    """The probability that the player wins."""
    margin: float
    """The points by which the player is expected to win."""
    why: Why | None


class Hint(Message):
    """The answer to a request for a hint."""

    t: Literal["hint"] = "hint"
    v: Literal[1] = VERSION
    id: str
    seq: int
    """The last event at the time of the request."""
    thought: Thought
    candidates: list[Candidate]
    """At most three different things to do, the best first."""


class Pong(Message):
    """The answer to ``ping``; a number other than that of the client's last event shows a gap."""

    t: Literal["pong"] = "pong"
    v: Literal[1] = VERSION
    seq: int


class Bye(Message):
    """The server is stopping; come back after this time."""

    t: Literal["bye"] = "bye"
    v: Literal[1] = VERSION
    retry: int


FromServer = Annotated[
    State | Happened | Ack | Refused | Presence | Thinking | Hint | Pong | Bye,
    Field(discriminator="t"),
]
