"""Deletes games that are older than the operator wants to keep them."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, delete, false, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from patchwork.server.store.schema import events, games, seats


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """Games whose last change was before these times are deleted; None keeps them for ever."""

    unfinished: int | None
    finished: int | None

    @property
    def too_old(self) -> ColumnElement[bool]:
        """The condition for deleting a game. One with a running clock ends by itself first."""
        return or_(
            false()
            if self.unfinished is None
            else and_(
                games.c.ending.is_(None),
                games.c.deadline.is_(None),
                games.c.updated < self.unfinished,
            ),
            false()
            if self.finished is None
            else and_(games.c.ending.is_not(None), games.c.updated < self.finished),
        )


@dataclass(frozen=True, slots=True)
class Cursor:
    """The position of a game in the order in which games were opened."""

    created: int
    id: str


async def look(
    connection: AsyncConnection, cutoffs: Cutoffs, after: Cursor | None, count: int
) -> tuple[list[str], Cursor | None]:
    """Returns which of the next games are too old, and where to go on; None at the end."""
    order = (games.c.created, games.c.id)
    query = select(*order, cutoffs.too_old.label("old")).order_by(*order).limit(count)
    if after is not None:
        query = query.where(tuple_(*order) > (after.created, after.id))
    rows = (await connection.execute(query)).all()
    last = Cursor(rows[-1].created, rows[-1].id) if len(rows) == count else None
    return [row.id for row in rows if row.old], last


async def remove(connection: AsyncConnection, cutoffs: Cutoffs, found: list[str]) -> list[str]:
    """Deletes those of some games that are still too old, and returns their ids."""
    query = select(games.c.id).where(games.c.id.in_(found), cutoffs.too_old).order_by(games.c.id)
    old = list(await connection.scalars(query.with_for_update()))
    if old:
        following = update(games).where(games.c.rematch_of.in_(old))
        await connection.execute(following.values(rematch_of=None))
        for table, game in ((events, events.c.game), (seats, seats.c.game), (games, games.c.id)):
            await connection.execute(delete(table).where(game.in_(old)))
    return old
