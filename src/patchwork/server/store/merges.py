"""Which players count as another one: they carried on as that player, and kept their games.

The logs of games say who played under which id, and do not change. What a merge changes is whose
ids these are, so it can be undone.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import delete, exists, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from patchwork.server.store import revocations
from patchwork.server.store.schema import games, merges, seats

MOST = 32
"""Players who may count as one, so that nobody makes requests expensive."""

_PAGE = 500
"""Changes read at a time, so that memory is bounded."""


@dataclass(frozen=True, slots=True)
class Merge:
    """A player who counts as another one."""

    number: int
    """Higher than that of every earlier merge."""
    player: str
    into: str
    at: int


@dataclass(frozen=True, slots=True)
class Family:
    """All players who count as one."""

    head: str
    """As whom they count."""
    merges: tuple[Merge, ...] = ()
    """What connects them, the newest first."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all of them; that of the head comes first."""
        return (self.head, *(merge.player for merge in self.merges))

    def ids_from(self, player: str) -> tuple[str, ...]:
        """Returns the ids of all of them; that of one of them comes first."""
        return (player, *(each for each in self.ids if each != player))

    def latest(self, player: str) -> Merge | None:
        """Returns the newest of the merges through which one of them counts as the head."""
        into = {merge.player: merge for merge in self.merges}
        way: list[Merge] = []
        while player in into:
            way.append(into[player])
            player = into[player].into
        return max(way, key=lambda merge: merge.number, default=None)


@dataclass(frozen=True, slots=True)
class Change:
    """A player counts as another one from now on, or no longer."""

    number: int
    player: str
    undone: bool


@dataclass(frozen=True, slots=True)
class GameCounts:
    """How many games somebody has."""

    running: int
    finished: int


class TooManyMerged(Exception):
    """More players would count as one than is allowed."""


class Opponents(Exception):
    """Players who sit at a running game as opponents cannot become one."""


async def family_of(connection: AsyncConnection, player: str) -> Family:
    """Returns all players who count as one with a player."""
    known, new, found = {player}, {player}, dict[str, Merge]()
    while new:
        related = or_(merges.c.player.in_(new), merges.c.into.in_(new))
        rows = await connection.execute(select(merges).where(merges.c.into.is_not(None), related))
        new = set()
        for row in rows:
            found[row.player] = Merge(row.number, row.player, row.into, row.at)
            new |= {row.player, row.into} - known
        known |= new
    (head,) = known - found.keys()
    newest = sorted(found.values(), key=lambda merge: merge.number, reverse=True)
    return Family(head, tuple(newest))


async def newest(connection: AsyncConnection) -> int:
    """Returns the number of the last change."""
    return await connection.scalar(select(func.max(merges.c.number))) or 0


async def since(connection: AsyncConnection, number: int) -> list[Change]:
    """Returns the next changes after a number."""
    query = select(merges).where(merges.c.number > number).order_by(merges.c.number).limit(_PAGE)
    rows = await connection.execute(query)
    return [Change(row.number, row.player, undone=row.into is None) for row in rows]


async def merge(
    connection: AsyncConnection, keys: Mapping[str, str], player: str, into: str, at: int
) -> Change | None:
    """Makes a player, and all who count as that one, count as another player.

    Args:
        connection: of a transaction.
        keys: what the tokens of both must contain.
        player: who is merged.
        into: as whom they count from now on.
        at: the time.

    Returns:
        The change; None if they count as one already.

    Raises:
        PermissionError: one of the keys has been revoked.
        Opponents: both have a seat at the same running game.
        TooManyMerged: too many would count as one.
    """
    await revocations.lock(connection)
    await _check(connection, keys)
    family, other = await family_of(connection, player), await family_of(connection, into)
    if family.head == other.head:
        return None
    if len(family.ids) + len(other.ids) > MOST:
        raise TooManyMerged(f"{MOST} players count as one already")
    if await games_between(connection, family.ids, other.ids):
        raise Opponents("they play against each other")
    return await _write(connection, family.head, into, at)


async def undo(
    connection: AsyncConnection,
    keys: Mapping[str, str],
    player: str,
    number: int,
    at: int,
    *,
    after: int,
) -> Change | None:
    """Undoes a merge if it is the latest through which a player counts as another one.

    Args:
        connection: of a transaction.
        keys: what the tokens of the player must contain.
        player: the player.
        number: of the merge.
        at: the time.
        after: the time after which the merge must have been made.

    Returns:
        The change; None if there is none.

    Raises:
        PermissionError: the key has been revoked.
    """
    await revocations.lock(connection)
    await _check(connection, keys)
    latest = (await family_of(connection, player)).latest(player)
    if latest is None or latest.number != number or latest.at <= after:
        return None
    return await _write(connection, latest.player, None, at)


async def forget(connection: AsyncConnection, players: Collection[str]) -> None:
    """Deletes what is known about how some players count."""
    await connection.execute(delete(merges).where(merges.c.player.in_(players)))


async def games_between(
    connection: AsyncConnection, players: Collection[str], others: Collection[str]
) -> list[str]:
    """Returns the running games in which some players have seats, and so have some others."""
    theirs = seats.alias()
    query = (
        select(seats.c.game)
        .join(theirs, theirs.c.game == seats.c.game)
        .join(games, games.c.id == seats.c.game)
        .where(seats.c.player.in_(players), theirs.c.player.in_(others), games.c.ending.is_(None))
    )
    return list(await connection.scalars(query.order_by(seats.c.game).distinct()))


async def count_games(connection: AsyncConnection, players: Collection[str]) -> GameCounts:
    """Returns how many games some players have."""
    own = exists().where(seats.c.game == games.c.id, seats.c.player.in_(players))
    running = func.count().filter(games.c.ending.is_(None))
    row = (
        await connection.execute(select(running, func.count()).select_from(games).where(own))
    ).one()
    return GameCounts(running=row[0], finished=row[1] - row[0])


async def _check(connection: AsyncConnection, keys: Mapping[str, str]) -> None:
    for player, key in keys.items():
        found = await revocations.key_of(connection, player)
        if (found.text if found else "") != key:
            raise PermissionError("the token has been revoked")


async def _write(connection: AsyncConnection, player: str, into: str | None, at: int) -> Change:
    number = max(await newest(connection) + 1, at)
    row = {"player": player, "number": number, "into": into, "at": at}
    own = merges.c.player == player
    if await connection.scalar(select(merges.c.player).where(own)) is None:
        await connection.execute(insert(merges), row)
    else:
        await connection.execute(update(merges).where(own).values(row))
    return Change(number, player, undone=into is None)
