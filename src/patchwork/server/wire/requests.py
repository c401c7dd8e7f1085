"""What clients send: actions and questions at a table, and the bodies of HTTP requests."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from patchwork.rules.setup import SEEDS, Setup
from patchwork.server.game.terms import Opponent
from patchwork.server.wire.base import (
    PLAIN_TEXT,
    ClockTerms,
    Message,
    MoveText,
    Name,
    Seat,
    Text,
)

# Actions at a table


class Action(Message):
    """Something a player does at a table."""

    id: Text
    """Chosen by the client. An action repeated under its id happens once."""
    seq: Annotated[int, Field(ge=0, lt=2**31)]
    """The number of the last event the client knew."""


class Move(Action):
    """Plays a move in the notation: ``A``, ``Lc4``, ``17Bc4``."""

    t: Literal["move"] = "move"
    move: MoveText


class Begin(Action):
    """Says who last used a needle and therefore begins."""

    t: Literal["begin"] = "begin"
    first: Seat


class Undo(Action):
    """Takes back the player's own last decision, or asks the other player to allow it."""

    t: Literal["undo"] = "undo"


class Accept(Action):
    """Lets the other player take the decision back."""

    t: Literal["accept"] = "accept"


class Decline(Action):
    """Does not let the other player take the decision back."""

    t: Literal["decline"] = "decline"


class Resign(Action):
    """Gives up the game."""

    t: Literal["resign"] = "resign"


class Abort(Action):
    """Ends a game that has hardly begun, without a winner."""

    t: Literal["abort"] = "abort"


class Claim(Action):
    """Claims the win from a player who is gone."""

    t: Literal["claim"] = "claim"


class Flag(Action):
    """Says that the player to move has run out of time; the server also notices by itself."""

    t: Literal["flag"] = "flag"


class Rematch(Action):
    """Asks for another game with seats swapped, or agrees to one."""

    t: Literal["rematch"] = "rematch"
    circle: Literal["same", "new"] = "new"


AnyAction = Move | Begin | Undo | Accept | Decline | Resign | Abort | Claim | Flag | Rematch

# Everything else that is sent over a socket


class Ping(Message):
    """Keeps the socket alive; answered by ``pong``."""

    t: Literal["ping"] = "ping"


class Sync(Message):
    """Asks for the complete state, after a gap in the numbers of events."""

    t: Literal["sync"] = "sync"


class Leave(Message):
    """Says that the player leaves on purpose."""

    t: Literal["leave"] = "leave"


class AskHint(Message):
    """Asks for good moves; only against the computer."""

    t: Literal["hint"] = "hint"
    id: Text


def _check_tag(message: AskHint) -> AskHint:
    if "t" not in message.model_fields_set:
        raise ValueError("the tag t is missing")
    return message


FromClient = Annotated[AnyAction | Ping | Sync | Leave | AskHint, Field(discriminator="t")]
PostedAction = Annotated[AnyAction, Field(discriminator="t")]
PostedHint = Annotated[AskHint, AfterValidator(_check_tag)]
"""Pydantic needs no tag to tell the only message expected here; clients send it all the same."""

# Bodies of HTTP requests


def _check_circle(circle: list[int]) -> list[int]:
    Setup(tuple(circle))  # raises a SetupError, which says what is wrong
    return circle


class NewTable(Message):
    """A request for a new table."""

    opponent: Opponent
    level: Annotated[int, Field(ge=1, le=8)] = 4
    """Of the computer."""
    seat: Seat | Literal["random"] = 0
    """Where its creator sits."""
    first: Seat | Literal["random", "needle"] = 0
    """Who begins. With ``needle``, the players are asked who last used one."""
    edition: Literal["classic", "revised"] = "classic"
    seed: Annotated[int, Field(ge=0, lt=SEEDS)] | None = None
    """Of the circle of patches; random if missing."""
    circle: Annotated[list[int], AfterValidator(_check_circle)] | None = None
    """All patches, clockwise from the neutral token, in place of a seed."""
    clock: ClockTerms | None = None
    name: Name = ""
    other_name: Name = ""
    """Of the second player on one screen."""

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.seed is not None and self.circle is not None:
            raise ValueError("a table has a seed or a circle, not both")
        return self


class Join(Message):
    """Takes the free seat."""

    name: Name = ""


class Line(Message):
    """A game from its start up to some move, played or only considered."""

    edition: Literal["classic", "revised"] = "classic"
    circle: Annotated[list[int], Field(min_length=33, max_length=33)]
    """All patches at the start, clockwise from the neutral token."""
    first: Seat = 0
    moves: Annotated[list[MoveText], Field(max_length=120)] = Field([])
    """In the notation."""
    since: Annotated[int, Field(ge=0, le=120)] | None = None
    """After how many moves the positions begin that are wanted; None if none are."""


class Revoke(Message):
    """Invalidates all cookies, tokens and private links of the sender."""

    id: Annotated[str, StringConstraints(min_length=16, max_length=64, pattern=PLAIN_TEXT)]
    """Random, chosen by the client. A client that gets no answer asks again under the same id."""
