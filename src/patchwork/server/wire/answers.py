"""What the server answers over HTTP only: lists, replays, identities and its own health."""

from __future__ import annotations

from typing import Literal

from patchwork.server.game.terms import Opponent
from patchwork.server.wire.base import ClockTerms, Message, Seat
from patchwork.server.wire.views import Ending, EventView, Orientation, PositionView


class Summary(Message):
    """An entry in the list of a player's games."""

    id: str
    opponent: Opponent
    level: int | None
    edition: str
    you: list[Seat]
    names: tuple[str, str]
    turn: Seat | None
    """Who decides; None if the game has not begun or is over."""
    ending: Ending | None
    left: int | None
    """How long the seat to decide still has, in milliseconds; None without a clock."""
    created: int
    updated: int


class RunningGames(Message):
    """A page of a player's running games, the most urgent first."""

    games: list[Summary]
    more: str | None
    """Ask again with this as ``after``; None if there are no more."""


class Games(Message):
    """A page of a player's games, the latest first."""

    games: list[Summary]
    more: int | None
    """Ask again with this as ``before``; None if there are no more."""


class Branch(Message):
    """A variation of a record: moves that could have been played instead."""

    comment: str
    """The comment before the first move."""
    moves: list[tuple[Seat, str]]
    """Who decided, and the move in the notation."""
    notes: list[Note]


class Note(Message):
    """What a record says about a move."""

    move: int
    """Which move of the game or of the variation, counted from its first, which is 1."""
    annotations: list[int]
    """Numbers as in the notation."""
    comment: str
    variations: list[Branch]
    """What could have been played instead."""


class Replay(Message):
    """A game to go through move by move."""

    names: tuple[str, str]
    """As in a record: ``?`` if unknown, ``level:5`` for the computer."""
    edition: str
    circle: list[int]
    """All patches at the start, clockwise from the neutral token."""
    first: Seat
    ending: Ending | None
    comment: str
    """The comment before the first move."""
    moves: list[tuple[Seat, str]]
    notes: list[Note]
    """Of the moves that have annotations, a comment or variations; a game at a table has none."""
    positions: list[PositionView]
    """The start and the position after each move, without the possible moves."""


class Idea(Message):
    """A purchase that a player thinks of, for now or for later."""

    patch: int
    refused: Literal["taken", "overlaps", "home"] | None
    """Why it will never be possible: the patch is no longer in the circle, it fits nowhere or its
    spaces are covered, or the token has reached the last space before it. Then the rest is 0."""
    purchases: int
    """After how many purchases, at least, the patch is on offer; 0 if it is now."""
    after: list[int]
    """The patches on offer after whose purchase it is on offer next; empty unless one suffices."""
    short: int
    """How many buttons are missing; 0 if none."""
    space: int
    """Where the token would land."""
    buttons: int
    """What the player would have afterwards; negative as long as buttons are missing."""
    income: int
    """Buttons paid at income lines on the way."""
    leather: bool
    """Whether a leather patch would be taken."""


class Plan(Message):
    """What would come of some purchases, made one after the other and without anything else."""

    seq: int
    """The number of the last event."""
    kept: list[Idea]
    """Those that were sent."""
    tried: Idea | None
    """That of the patch to try after them."""
    orientations: list[Orientation]
    """Where the patch to try fits beside the others."""


class KeptRecord(Message):
    """A record that the server keeps."""

    record: str
    """Its id."""


class Reached(Message):
    """Where a line leads."""

    moves: list[tuple[Seat, str]]
    """Who decided, and the move in the notation."""
    position: PositionView
    ending: Ending | None
    """None while the game goes on."""
    positions: list[PositionView]
    """The positions that ``since`` of the line asked for, without the possible moves."""


class Me(Message):
    """The sender of the request."""

    player: str


class Keeping(Message):
    """How many days games are kept after their last event; None means for ever."""

    unfinished: int | None
    finished: int | None


class Forgotten(Message):
    """A player was deleted."""

    player: str | None
    """None if the request came from nobody the server knows."""


class OwnGame(Message):
    """A game of the sender, with everything that is kept of it."""

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


class Merge(Message):
    """A player who counts as another one."""

    player: str
    into: str
    at: int


class Data(Message):
    """Everything that is kept about the sender."""

    player: str | None
    """None if the request came from nobody the server knows."""
    merges: list[Merge]
    """Which ids count as the player's, and since when; the latest first."""
    names: list[str]
    """Those the player has used."""
    games: list[OwnGame]
    """The oldest first."""


class Token(Message):
    """A bot's credential: send it as ``Authorization: Bearer ...``."""

    token: str
    player: str


class CarryLink(Message):
    """A private link; whoever opens it on another device in time becomes the same player there."""

    url: str
    qr: str
    """The link as a QR code, in SVG."""
    expires: int


class GameCounts(Message):
    """How many games a player has."""

    running: int
    finished: int


class Prospect(Message):
    """What opening a carry link and confirming would do for the sender."""

    outcome: Literal["adopt", "merge", "same", "opponents"]
    own: GameCounts
    maker: GameCounts
    """The games of the player who made the link."""
    against: list[Summary]
    """The running games between the two, because of which it is refused."""


class Merged(Message):
    """How many players count as the sender, and what of that the sender can undo."""

    players: int
    """1 if there are no others."""
    undo: int | None
    """The number of the merge that can be undone; None if there is none."""
    until: int | None
    """Until when it can be undone."""


class LocalNetwork(Message):
    """Whether others in the local network can play here."""

    offered: bool
    """Whether the sender, on the server's own machine, may open and close it."""
    open: bool
    addresses: list[str]
    """Where others reach the server, or would if it were open; the best first."""
    qr: str | None
    """The first of them as a QR code, in SVG, while it is open."""


class Health(Message):
    """How the server is."""

    status: Literal["ok"]
    version: str
    engine: Literal["ready", "warming"]
