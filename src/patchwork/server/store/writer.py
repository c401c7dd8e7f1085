"""Group commit: writes that wait at the same time share a transaction and one sync of the disk."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlalchemy import bindparam, case, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from patchwork.server.game.events import Event, GameStatus, Kind
from patchwork.server.store.database import check_in_place, translated
from patchwork.server.store.schema import events, games, seats
from patchwork.server.store.stored import (
    Conflict,
    StoredGame,
    Unavailable,
    event_row,
    game_row,
    seat_rows,
    status_columns,
)

_MOST_WRITES = 256
"""That share a transaction, so that the first of them does not wait too long."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """A new game."""

    game: StoredGame
    status: GameStatus


@dataclass(frozen=True, slots=True)
class NewEvent:
    """The next event of a game, and what is stored along with it."""

    game: str
    event: Event
    status: GameStatus
    following: NewGame | None = None
    """The next game, if the event opens one."""
    forgotten: str | None = None
    """A player who is taken out of the game."""


Write: TypeAlias = NewGame | NewEvent


@dataclass(frozen=True, slots=True)
class _Job:
    write: Write
    done: asyncio.Future[None]

    def fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)

    def succeed(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class Writer:
    """The one task that writes."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._jobs = asyncio.Queue[_Job]()
        self._closed = False
        self._task = asyncio.create_task(self._run(), name="store writer")

    async def write(self, write: Write) -> None:
        """Returns when a write is committed.

        Raises:
            Conflict: the write does not follow what is stored.
            Unavailable: the database does not answer, or refuses to write.
        """
        if self._closed:
            raise Unavailable("the store is closed")
        done = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait(_Job(write, done))
        await done

    async def close(self) -> None:
        """Finishes pending writes, and accepts no more."""
        self._closed = True
        await self._jobs.join()
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self) -> None:
        while True:
            jobs = [await self._jobs.get()]
            while len(jobs) < _MOST_WRITES and not self._jobs.empty():
                jobs.append(self._jobs.get_nowait())
            await self._settle([job for job in jobs if not job.done.cancelled()])
            for _ in jobs:
                self._jobs.task_done()

    async def _settle(self, jobs: list[_Job]) -> None:
        """Does some jobs, in one transaction if possible, and reports the result of each."""
        try:
            with translated():
                async with self._engine.connect() as connection:
                    async with connection.begin():
                        conflicts = await _write(connection, [job.write for job in jobs])
                    check_in_place(connection)
        except Unavailable as error:
            for job in jobs:
                job.fail(Unavailable(*error.args))
        except Exception as error:
            if len(jobs) == 1:
                jobs[0].fail(error)
                return
            for job in jobs:
                await self._settle([job])
        else:
            for job, conflict in zip(jobs, conflicts, strict=True):
                if conflict is None:
                    job.succeed()
                else:
                    job.fail(conflict)


async def _write(connection: AsyncConnection, writes: Sequence[Write]) -> list[Conflict | None]:
    """Does the writes that continue what is stored; returns a conflict for each of the others."""
    seqs = await _locked(connection, [write for write in writes if isinstance(write, NewEvent)])
    new_games: list[NewGame] = []
    new_events: list[NewEvent] = []
    conflicts: list[Conflict | None] = []
    for write in writes:
        conflict = None
        if isinstance(write, NewGame):
            new_games.append(write)
            seqs[write.game.id] = len(write.game.events)
        elif seqs.get(write.game) == write.event.seq - 1:
            new_events.append(write)
            new_games += [write.following] if write.following else []
            seqs[write.game] = write.event.seq
        else:
            conflict = Conflict(
                f"event {write.event.seq} of game {write.game} follows {seqs.get(write.game)}"
            )
        conflicts.append(conflict)
    await _insert(connection, new_games, new_events)
    return conflicts


async def _locked(connection: AsyncConnection, new_events: list[NewEvent]) -> dict[str, int]:
    """Locks some games, and returns how long their logs are."""
    if not new_events:
        return {}
    ids = {new_event.game for new_event in new_events}
    query = select(games.c.id, games.c.seq).where(games.c.id.in_(ids)).order_by(games.c.id)
    rows = await connection.execute(query.with_for_update())
    return {row.id: row.seq for row in rows}


async def _insert(
    connection: AsyncConnection, new_games: list[NewGame], new_events: list[NewEvent]
) -> None:
    logs = [(new_game.game.id, new_game.game.events) for new_game in new_games]
    logs += [(new_event.game, (new_event.event,)) for new_event in new_events]
    steps = (
        (insert(games), [game_row(new_game.game, new_game.status) for new_game in new_games]),
        (insert(seats), [row for game, log in logs for row in seat_rows(game, log)]),
        (insert(events), [event_row(game, event) for game, log in logs for event in log]),
        (
            update(games).where(
                games.c.id == bindparam("game"), games.c.seq == bindparam("before")
            ),
            [
                {
                    "game": new_event.game,
                    "before": new_event.event.seq - 1,
                    "seq": new_event.event.seq,
                    "updated": new_event.event.at,
                    **status_columns(new_event.status),
                }
                for new_event in new_events
            ],
        ),
        *((statement, _forgotten(new_events)) for statement in _FORGETTING),
    )
    for statement, rows in steps:
        if rows:
            await connection.execute(statement, rows)


_FORGETTING = (
    update(events)
    .where(events.c.game == bindparam("log"), events.c.player == bindparam("gone"))
    .values(
        player=None,
        action=None,
        data=case((events.c.kind == Kind.JOIN.value, ""), else_=events.c.data),
    ),
    delete(seats).where(seats.c.game == bindparam("log"), seats.c.player == bindparam("gone")),
)
"""Take a player out of a game: id, name, and the ids of the player's actions."""


def _forgotten(new_events: list[NewEvent]) -> list[dict[str, object]]:
    return [
        {"log": new_event.game, "gone": new_event.forgotten}
        for new_event in new_events
        if new_event.forgotten is not None
    ]
