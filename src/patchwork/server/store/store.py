"""The store: all that the server reads from and writes to its database."""

from __future__ import annotations

import asyncio
import secrets as randomness
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import groupby
from typing import Any

from sqlalchemy import Row, Select, insert, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from patchwork.server.game.events import Event, GameStatus
from patchwork.server.game.match import first_seated
from patchwork.server.game.terms import DAY
from patchwork.server.store import merges, migrations, records, removing, revocations
from patchwork.server.store.database import address, connect, prepare, sqlite_path, translated
from patchwork.server.store.merges import Change, Family, GameCounts
from patchwork.server.store.removing import Cursor, Cutoffs
from patchwork.server.store.revocations import Key, Revocation
from patchwork.server.store.schema import events, games, seats, secrets
from patchwork.server.store.stored import (
    Conflict,
    Listed,
    StoredGame,
    event_of,
    status_of,
    terms_of,
)
from patchwork.server.store.urgency import Urgency, running_games
from patchwork.server.store.writer import NewEvent, NewGame, Writer

_EXPORT_PAGE = 50
"""Games that an export holds in memory at a time."""
_WHOLE_GAMES = 10
"""Games with their logs that are read for a player at a time, or deleted in one transaction: few
enough that moves do not have to wait for long."""
_SCANNED = 100
"""Games or records that are checked at a time for being too old."""
_SECRET_BYTES = 32
"""As many as the hash that signs (HMAC-SHA256)."""
_SIGNING = "signing"
"""The name of the secret."""


class Store:
    """Keeps games. What a method has written when it returns survives the end of the process.

    Each method raises ``Unavailable`` when the database does not answer.
    """

    def __init__(self, reading: AsyncEngine, writing: AsyncEngine) -> None:
        self._reading = reading
        self._writing = writing
        self._writer = Writer(writing)

    @classmethod
    async def open(cls, url: str) -> Store:
        """Opens a database, creates it if necessary, and migrates it to the newest schema.

        Args:
            url: ``postgresql://…``, ``sqlite:///path`` or the path of an SQLite database.

        Raises:
            ValueError: the URL is none of these.
            UnknownVersion: the database was written by a newer version of the program.
            Unavailable: it cannot be opened.
        """
        place = address(url)
        path = sqlite_path(place)
        with translated():
            if path is not None:
                await asyncio.to_thread(prepare, path)
            reading = connect(place)
            try:
                await migrations.run(reading)
            except BaseException:
                await reading.dispose()
                raise
        return cls(reading, connect(place, writing=True))

    async def close(self) -> None:
        """Finishes pending writes and closes the database."""
        await self._writer.close()
        await self._reading.dispose()
        await self._writing.dispose()

    async def create(self, game: StoredGame, status: GameStatus) -> None:
        """Adds a game with its first events; returns when it is committed.

        Raises:
            Conflict: there is a game with this id, or another rematch of the same game.
            Unavailable: the database does not answer, or refuses to write.
        """
        await self._writer.write(NewGame(game, status))

    async def append(
        self,
        game: str,
        event: Event,
        status: GameStatus,
        following: tuple[StoredGame, GameStatus] | None = None,
        forgotten: str | None = None,
    ) -> None:
        """Adds an event to a game's log; returns when it is committed.

        Args:
            game: its id.
            event: the next event.
            status: of the game after the event.
            following: the next game, if the event opens one; stored with the event or not at all.
            forgotten: a player who is taken out of the log and the seats along with the event.

        Raises:
            Conflict: another server has stored an event, or the action is stored already.
            Unavailable: the database does not answer, or refuses to write.
        """
        next_game = NewGame(*following) if following else None
        await self._writer.write(NewEvent(game, event, status, next_game, forgotten))

    async def load(self, game: str) -> StoredGame | None:
        """Returns the game with this id; None if there is none."""
        async with self._connection() as connection:
            rows = (await connection.execute(select(games).where(games.c.id == game))).all()
            found = await _with_logs(connection, rows)
        return found[0] if found else None

    async def games_of(
        self, *players: str, limit: int, before: int | None = None, running: bool | None = None
    ) -> list[Listed]:
        """Returns the games of a player, the latest change first.

        Args:
            players: all ids of the player.
            limit: how many at most.
            before: only those whose last change was before this time.
            running: only those that have not ended, or only those that have.
        """
        own = select(seats.c.game).where(seats.c.player.in_(players))
        query = select(games).where(games.c.id.in_(own))
        if before is not None:
            query = query.where(games.c.updated < before)
        if running is not None:
            ended = games.c.ending.is_not(None)
            query = query.where(~ended if running else ended)
        query = query.order_by(games.c.updated.desc(), games.c.id).limit(limit)
        async with self._connection() as connection:
            return await _list(connection, query, players)

    async def running_games_of(
        self, *players: str, limit: int, after: Urgency | None = None
    ) -> list[Listed]:
        """Returns the next running games of a player, the most urgent first.

        Args:
            players: all ids of the player.
            limit: how many at most.
            after: the last game of the previous call.
        """
        async with self._connection() as connection:
            return await _list(connection, running_games(players, limit, after), players)

    async def games_between(self, players: Sequence[str], others: Sequence[str]) -> list[Listed]:
        """Returns the running games of a player against another one; both are all their ids."""
        async with self._connection() as connection:
            found = await merges.games_between(connection, players, others)
            query = select(games).where(games.c.id.in_(found)).order_by(games.c.updated.desc())
            return await _list(connection, query, players)

    async def count_games(self, *players: str) -> GameCounts:
        """Returns how many games a player has, given all ids of the player."""
        async with self._connection() as connection:
            return await merges.count_games(connection, players)

    async def whole_games_of(self, *players: str, after: Cursor | None = None) -> list[StoredGame]:
        """Returns the next games of a player with their logs, the oldest first; none at the end.

        Args:
            players: all ids of the player.
            after: the last game of the previous call.
        """
        own = select(seats.c.game).where(seats.c.player.in_(players))
        order = (games.c.created, games.c.id)
        query = select(games).where(games.c.id.in_(own)).order_by(*order).limit(_WHOLE_GAMES)
        if after is not None:
            query = query.where(tuple_(*order) > (after.created, after.id))
        async with self._connection() as connection:
            return await _with_logs(connection, (await connection.execute(query)).all())

    async def names_of(self, *players: str) -> list[str]:
        """Returns the names under which a player has played, given all ids of the player."""
        query = select(seats.c.name).where(seats.c.player.in_(players), seats.c.name != "")
        async with self._connection() as connection:
            return list(await connection.scalars(query.distinct().order_by(seats.c.name)))

    async def computer_to_move(self) -> list[str]:
        """Returns the games with days per move in which the computer has to decide."""
        return await self._ids((games.c.turn == games.c.computer) & games.c.clock.like("%d"))

    async def overdue(self, now: int) -> list[str]:
        """Returns the unfinished games in which time is up."""
        return await self._ids(games.c.deadline <= now)

    async def key_of(self, player: str) -> Key:
        """Returns the key that a player's tokens must contain to be valid."""
        async with self._connection() as connection:
            return await revocations.key_of(connection, player) or Key(0, "")

    async def newest_revocation(self) -> int:
        """Returns the number of the last revocation."""
        async with self._connection() as connection:
            return await revocations.newest(connection)

    async def revocations_since(self, number: int) -> list[Revocation]:
        """Returns the next revocations after a number."""
        async with self._connection() as connection:
            return await revocations.since(connection, number)

    async def to_erase(self) -> dict[str, int]:
        """Returns the players who may still be in games, and since when they are being deleted."""
        async with self._connection() as connection:
            return await revocations.unfinished(connection)

    async def revoke(
        self, player: str, before: str, key: str, at: int, *, erase: bool = False
    ) -> dict[str, Key] | None:
        """Changes the key that the tokens of a player, and of all who count as one, must contain.

        Args:
            player: the player's id.
            before: the key so far.
            key: the key from now on.
            at: the time.
            erase: whether they are to be deleted.

        Returns:
            The new keys, by player; None if nothing was changed because the key was not ``before``.
        """
        try:
            async with self._change() as connection:
                await revocations.lock(connection)
                family = await merges.family_of(connection, player)
                also = [each for each in family.ids if each != player]
                changed = await revocations.revoke(
                    connection, player, before, key, at, also=also, erase=erase
                )
                if erase and changed is not None:
                    await merges.forget(connection, family.ids)
                return changed
        except Conflict:  # another server took the number, perhaps for the same revocation
            return await self.revoke(player, before, key, at, erase=erase)

    async def family_of(self, player: str) -> Family:
        """Returns all players who count as one with a player."""
        async with self._connection() as connection:
            return await merges.family_of(connection, player)

    async def newest_merge(self) -> int:
        """Returns the number of the last change to who counts as whom."""
        async with self._connection() as connection:
            return await merges.newest(connection)

    async def merges_since(self, number: int) -> list[Change]:
        """Returns the next changes after a number."""
        async with self._connection() as connection:
            return await merges.since(connection, number)

    async def merge(
        self, keys: Mapping[str, str], player: str, into: str, at: int
    ) -> Change | None:
        """Makes a player count as another one; see ``merges.merge``."""
        async with self._change() as connection:
            return await merges.merge(connection, keys, player, into, at)

    async def undo_merge(
        self, keys: Mapping[str, str], player: str, number: int, at: int, *, after: int
    ) -> Change | None:
        """Undoes a merge; see ``merges.undo``."""
        async with self._change() as connection:
            return await merges.undo(connection, keys, player, number, at, after=after)

    async def erased(self, player: str, at: int, *, finished: bool) -> None:
        """Notes that a player was taken out of games, and whether for the last time."""
        try:
            async with self._change() as connection:
                await revocations.erased(connection, player, at, finished=finished)
        except Conflict:
            await self.erased(player, at, finished=finished)

    async def remove_old(
        self, cutoffs: Cutoffs, after: Cursor | None
    ) -> tuple[list[str], Cursor | None]:
        """Deletes those of the next games that are too old.

        Args:
            cutoffs: how old games may be.
            after: where to go on; None to start with the oldest game.

        Returns:
            The games that were deleted, and where to go on; None at the end.
        """
        async with self._connection() as connection:
            found, last = await removing.look(connection, cutoffs, after, _SCANNED)
        removed: list[str] = []
        for start in range(0, len(found), _WHOLE_GAMES):
            async with self._change() as connection:
                part = found[start : start + _WHOLE_GAMES]
                removed += await removing.remove(connection, cutoffs, part)
        return removed, last

    async def keep_record(self, text: str, now: int) -> None:
        """Keeps the canonical text of a record under its id."""
        with suppress(Conflict):  # it is kept already
            async with self._change() as connection:
                await records.add(connection, text, now)

    async def record(self, record: str) -> str | None:
        """Returns the text of a record; None if it is not kept."""
        async with self._connection() as connection:
            found = await records.read(connection, record)
        return found and found[0]

    async def open_record(self, record: str, now: int) -> str | None:
        """Returns the text of a record, and notes that it was opened; None if it is not kept."""
        async with self._connection() as connection:
            found = await records.read(connection, record)
        if found is None:
            return None
        text, opened = found
        if now - opened > DAY:  # a write for each reader would be too many
            async with self._change() as connection:
                await records.note_opening(connection, record, now)
        return text

    async def remove_old_records(self, before: int) -> int:
        """Deletes some of the records last opened before a time; returns how many."""
        async with self._change() as connection:
            return await records.remove(connection, before, _SCANNED)

    async def secret(self) -> bytes:
        """Returns the secret that identities are signed with; the first call creates it."""
        query = select(secrets.c.value).where(secrets.c.name == _SIGNING)
        async with self._connection() as connection:
            value = await connection.scalar(query)
        if value is None:
            try:
                async with self._change() as connection:
                    value = randomness.token_bytes(_SECRET_BYTES)
                    row = {"name": _SIGNING, "value": value}
                    await connection.execute(insert(secrets), row)
            except Conflict:  # another process has just created it
                return await self.secret()
        assert isinstance(value, bytes)
        return value

    async def check(self) -> None:
        """Returns if the database answers."""
        async with self._connection() as connection:
            await connection.execute(select(games.c.id).limit(1))

    async def games(self) -> AsyncIterator[StoredGame]:
        """Yields all games, the oldest first."""
        order = tuple_(games.c.created, games.c.id)
        query = select(games).order_by(games.c.created, games.c.id).limit(_EXPORT_PAGE)
        page: list[StoredGame] | None = None
        while page is None or len(page) == _EXPORT_PAGE:
            rest = query if page is None else query.where(order > (page[-1].created, page[-1].id))
            async with self._connection() as connection:
                page = await _with_logs(connection, (await connection.execute(rest)).all())
            for game in page:
                yield game

    async def _ids(self, condition: Any) -> list[str]:
        running = games.c.ending.is_(None)
        async with self._connection() as connection:
            found = await connection.scalars(select(games.c.id).where(running, condition))
            return list(found)

    @asynccontextmanager
    async def _change(self) -> AsyncIterator[AsyncConnection]:
        with translated():
            async with self._writing.begin() as connection:
                yield connection

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncConnection]:
        with translated():
            async with self._reading.connect() as connection:
                yield connection


async def _with_logs(connection: AsyncConnection, rows: Iterable[Row[Any]]) -> list[StoredGame]:
    rows = list(rows)
    query = select(events).where(events.c.game.in_([row.id for row in rows]))
    found = await connection.execute(query.order_by(events.c.game, events.c.seq))
    logs = {
        game: tuple(map(event_of, log)) for game, log in groupby(found, lambda row: str(row.game))
    }
    return [
        StoredGame(row.id, terms_of(row), row.created, logs.get(row.id, ()), row.rematch_of)
        for row in rows
    ]


async def _list(
    connection: AsyncConnection, query: Select[Any], players: Sequence[str]
) -> list[Listed]:
    rows = (await connection.execute(query)).all()
    taken = select(seats).where(seats.c.game.in_([row.id for row in rows]))
    occupants = (await connection.execute(taken.order_by(seats.c.seat))).all()
    return [
        _listed(row, [seat for seat in occupants if seat.game == row.id], players) for row in rows
    ]


def _listed(row: Row[Any], occupants: list[Row[Any]], players: Sequence[str]) -> Listed:
    names = {seat.seat: seat.name for seat in occupants}
    player = first_seated(players, [seat.player for seat in occupants])
    return Listed(
        id=row.id,
        terms=terms_of(row),
        created=row.created,
        updated=row.updated,
        names=(names.get(0, ""), names.get(1, "")),
        seats=tuple(seat.seat for seat in occupants if seat.player == player),
        status=status_of(row),
    )
