"""Which tokens of a player are valid, and which players are being deleted."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from patchwork.server.store.schema import revocations

_LOCK = 0x7061746369
"""The advisory lock in PostgreSQL; that of migrations is the number before."""
_PAGE = 500
"""Revocations read at a time, so that memory is bounded."""


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What a player's tokens must contain to be valid; newer keys are greater."""

    number: int
    """Of the revocation that made it; 0 if nothing was revoked."""
    text: str


@dataclass(frozen=True, slots=True)
class Revocation:
    """A player's latest revocation."""

    number: int
    """Higher than that of every earlier revocation."""
    player: str
    key: str
    """What the player's tokens must contain to be valid."""
    at: int
    erase: bool
    """Whether the player is being deleted and may still be in games."""


async def lock(connection: AsyncConnection) -> None:
    """Waits until no other transaction changes who the players are; SQLite always does."""
    if connection.dialect.name == "postgresql":
        await connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))


async def key_of(connection: AsyncConnection, player: str) -> Key | None:
    """Returns the key that a player's tokens must contain; None if nothing was revoked."""
    query = select(revocations.c.number, revocations.c.key).where(revocations.c.player == player)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else Key(row.number, row.key)


async def newest(connection: AsyncConnection) -> int:
    """Returns the number of the last revocation."""
    return await connection.scalar(select(func.max(revocations.c.number))) or 0


async def _next(connection: AsyncConnection, at: int) -> int:
    """Returns the next number. It is also higher than those that a restored backup lacks."""
    return max(await newest(connection) + 1, at)


async def since(connection: AsyncConnection, number: int) -> list[Revocation]:
    """Returns the next revocations after a number."""
    query = select(revocations).where(revocations.c.number > number)
    rows = await connection.execute(query.order_by(revocations.c.number).limit(_PAGE))
    return [Revocation(row.number, row.player, row.key, row.at, row.erase) for row in rows]


async def unfinished(connection: AsyncConnection) -> dict[str, int]:
    """Returns the players who may still be in games, and since when they are being deleted."""
    query = select(revocations.c.player, revocations.c.at).where(revocations.c.erase)
    return {row.player: row.at for row in await connection.execute(query)}


async def revoke(
    connection: AsyncConnection,
    player: str,
    before: str,
    key: str,
    at: int,
    *,
    also: Collection[str] = (),
    erase: bool,
) -> dict[str, Key] | None:
    """Changes the key of a player's tokens, unless that has already been done.

    Args:
        connection: of a transaction, with the lock.
        player: the player's id.
        before: the key so far.
        key: the key from now on.
        at: the time.
        also: other players whose keys change with it.
        erase: whether the players are to be deleted.

    Returns:
        The new keys, by player; None if nothing was changed because the key was not ``before``.
    """
    found = await key_of(connection, player)
    if found is not None and found.text == key:
        return {player: found}
    if (found.text if found else "") != before:
        return None
    return {each: await _write(connection, each, key, at, erase=erase) for each in (player, *also)}


async def _write(
    connection: AsyncConnection, player: str, key: str, at: int, *, erase: bool
) -> Key:
    number = await _next(connection, at)
    row = {"player": player, "number": number, "key": key, "at": at, "erase": erase}
    if await key_of(connection, player) is None:
        await connection.execute(insert(revocations), row)
    else:
        own = revocations.c.player == player
        await connection.execute(update(revocations).where(own).values(row))
    return Key(number, key)


async def erased(connection: AsyncConnection, player: str, at: int, *, finished: bool) -> None:
    """Notes that a player was taken out of games, and whether for the last time."""
    await lock(connection)
    number = await _next(connection, at)
    own = update(revocations).where(revocations.c.player == player)
    await connection.execute(own.values(number=number, erase=not finished))
