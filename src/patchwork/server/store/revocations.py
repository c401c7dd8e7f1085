"""Which tokens of a player count, and who is to be taken out of games."""

from dataclasses import dataclass

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from patchwork.server.store.schema import revocations

_PAGE = 500
"""As many as are read at a time."""


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What a player's tokens must hold to count; the greater one is the newer one."""

    number: int
    """Of the change that made it; 0: nothing was revoked."""
    text: str


@dataclass(frozen=True, slots=True)
class Revocation:
    """What a player has revoked."""

    number: int
    """Higher than that of every change before."""
    player: str
    key: str
    """What the player's tokens must hold to count."""
    at: int
    erase: bool
    """Whether the player is still to be taken out of games."""


async def key_of(connection: AsyncConnection, player: str, *, locked: bool = False) -> Key | None:
    """Returns what a player's tokens must hold to count; None if nothing was revoked."""
    query = select(revocations.c.number, revocations.c.key).where(revocations.c.player == player)
    row = (await connection.execute(query.with_for_update() if locked else query)).one_or_none()
    return None if row is None else Key(row.number, row.key)


async def newest(connection: AsyncConnection) -> int:
    """Returns the number of the last change."""
    return await connection.scalar(select(func.max(revocations.c.number))) or 0


async def _next(connection: AsyncConnection, at: int) -> int:
    """Returns the number of a change, which is also higher than those that a backup lacks."""
    return max(await newest(connection) + 1, at)


async def since(connection: AsyncConnection, number: int) -> list[Revocation]:
    """Returns the next changes after one."""
    query = select(revocations).where(revocations.c.number > number)
    rows = await connection.execute(query.order_by(revocations.c.number).limit(_PAGE))
    return [Revocation(row.number, row.player, row.key, row.at, row.erase) for row in rows]


async def unfinished(connection: AsyncConnection) -> dict[str, int]:
    """Returns who is still to be taken out of games, and since when."""
    query = select(revocations.c.player, revocations.c.at).where(revocations.c.erase)
    return {row.player: row.at for row in await connection.execute(query)}


async def revoke(
    connection: AsyncConnection, player: str, before: str, key: str, at: int, *, erase: bool
) -> Key | None:
    """Changes what a player's tokens must hold, once; returns what they must hold then.

    Args:
        connection: of a transaction.
        player: the player.
        before: what the tokens have to hold so far.
        key: what they have to hold from now on.
        at: the time.
        erase: whether the player is to be taken out of games.

    Returns:
        None if nothing was changed, since the tokens had to hold something else.
    """
    found = await key_of(connection, player, locked=True)
    if found is not None and found.text == key:
        return found
    if (found.text if found else "") != before:
        return None
    number = await _next(connection, at)
    row = {"player": player, "number": number, "key": key, "at": at, "erase": erase}
    if found is None:
        await connection.execute(insert(revocations), row)
    else:
        own = revocations.c.player == player
        await connection.execute(update(revocations).where(own).values(row))
    return Key(number, key)


async def erased(connection: AsyncConnection, player: str, at: int, *, finished: bool) -> None:
    """Notes that a player was taken out of games, and whether that was the last look."""
    number = await _next(connection, at)
    own = update(revocations).where(revocations.c.player == player)
    await connection.execute(own.values(number=number, erase=not finished))
