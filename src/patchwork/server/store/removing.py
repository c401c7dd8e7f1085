"""Games that are older than an operator keeps them."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, delete, false, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from patchwork.server.store.schema import events, games, seats


@dataclass(frozen=True, slots=True)
class Age:
    """How old games may be: the moments of the last change before which they are removed."""

    unfinished: int | None
    """None: however old."""
    finished: int | None

    @property
    def too_old(self) -> ColumnElement[bool]:
        """What holds for games that are removed; those in which time runs end by themselves."""
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
class Place:
    """A game, by its place among all in the order in which they were opened."""

    created: int
    id: str


async def look(
    connection: AsyncConnection, age: Age, after: Place | None, count: int
) -> tuple[list[str], Place | None]:
    """Returns which of the next games are too old, and where to go on; None: at the beginning."""
    order = (games.c.created, games.c.id)
    query = select(*order, age.too_old.label("old")).order_by(*order).limit(count)
    if after is not None:
        query = query.where(tuple_(*order) > (after.created, after.id))
    rows = (await connection.execute(query)).all()
    last = Place(rows[-1].created, rows[-1].id) if len(rows) == count else None
    return [row.id for row in rows if row.old], last


async def remove(connection: AsyncConnection, age: Age, found: list[str]) -> list[str]:
    """Removes games with all that belongs to them, and returns which: those still too old."""
    query = select(games.c.id).where(games.c.id.in_(found), age.too_old).order_by(games.c.id)
    old = list(await connection.scalars(query.with_for_update()))
    if old:
        following = update(games).where(games.c.rematch_of.in_(old))
        await connection.execute(following.values(rematch_of=None))
        for table, game in ((events, events.c.game), (seats, seats.c.game), (games, games.c.id)):
            await connection.execute(delete(table).where(game.in_(old)))
    return old
