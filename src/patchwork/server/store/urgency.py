"""The order of a player's running games: first those that wait for the player, by the time left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import Select, case, exists, func, select, tuple_

from patchwork.server.store.schema import games, seats
from patchwork.server.store.stored import Listed

_NEVER = 2**53
"""The deadline of a game without a clock."""
_WAITS_FOR_PLAYER, _WAITS_FOR_OTHER, _NOT_BEGUN = range(3)


@dataclass(frozen=True, slots=True)
class Urgency:
    """The place of a game in the order: what it waits for, until when, and what changed last."""

    PATTERN: ClassVar = "^([012])-([0-9]{1,18})-([0-9]{1,18})-([a-z0-9]{1,32})$"
    """Of the text of a place."""

    waits_for: int
    deadline: int
    updated: int
    id: str

    def __str__(self) -> str:
        return f"{self.waits_for}-{self.deadline}-{self.updated}-{self.id}"

    @classmethod
    def parse(cls, text: str) -> Urgency:
        """Returns the place that ``str`` writes.

        Raises:
            ValueError: the text is not a place.
        """
        found = re.fullmatch(cls.PATTERN, text)
        if found is None:
            raise ValueError(f"{text!r} is not a place in a list of games")
        return cls(int(found[1]), int(found[2]), int(found[3]), found[4])

    @classmethod
    def of(cls, game: Listed) -> Urgency:
        """Returns the place of a game in the list of one of its players."""
        turn, deadline = game.status.turn, game.status.deadline
        waits_for = _WAITS_FOR_PLAYER if turn in game.seats else _WAITS_FOR_OTHER
        return cls(
            _NOT_BEGUN if turn is None else waits_for,
            _NEVER if deadline is None else deadline,
            game.updated,
            game.id,
        )


def running_games(players: Sequence[str], limit: int, after: Urgency | None) -> Select[Any]:
    """Returns the query for the next running games of a player, the most urgent first.

    Args:
        players: all ids of the player.
        limit: how many at most.
        after: the last game of the previous query.
    """
    own = select(seats.c.game).where(seats.c.player.in_(players))
    own_turn = exists().where(
        seats.c.game == games.c.id, seats.c.seat == games.c.turn, seats.c.player.in_(players)
    )
    waits_for = case(
        (own_turn, _WAITS_FOR_PLAYER),
        (games.c.turn.is_not(None), _WAITS_FOR_OTHER),
        else_=_NOT_BEGUN,
    )
    deadline = func.coalesce(games.c.deadline, _NEVER)
    order = (waits_for, deadline, -games.c.updated, games.c.id)
    query = select(games).where(games.c.id.in_(own), games.c.ending.is_(None))
    if after is not None:
        place = (after.waits_for, after.deadline, -after.updated, after.id)
        query = query.where(tuple_(*order) > place)
    return query.order_by(*order).limit(limit)
