"""Writes that wait at the same time are committed together, with one sync of the disk for all."""

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

_LARGEST = 256
"""As many writes as share a transaction."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A new game."""

    game: StoredGame
    status: GameStatus


@dataclass(frozen=True, slots=True)
class Addition:
    """The next event of a game; when it opens the next one, that; who is then taken out."""

    game: str
    event: Event
    status: GameStatus
    following: Opening | None = None
    forgotten: str | None = None


Write: TypeAlias = Opening | Addition


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
        """Returns when it is committed.

        Raises:
            Conflict: it does not follow what is stored.
            Unavailable: the database does not take it.
        """
        if self._closed:
            raise Unavailable("the store is closed")
        done = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait(_Job(write, done))
        await done

    async def close(self) -> None:
        """Finishes what waits and takes nothing more."""
        self._closed = True
        await self._jobs.join()
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self) -> None:
        while True:
            jobs = [await self._jobs.get()]
            while len(jobs) < _LARGEST and not self._jobs.empty():
                jobs.append(self._jobs.get_nowait())
            await self._settle([job for job in jobs if not job.done.cancelled()])
            for _ in jobs:
                self._jobs.task_done()

    async def _settle(self, jobs: list[_Job]) -> None:
        """Writes some jobs, together if that works, and tells each how it went."""
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
    """Writes all that follow what is stored; returns what speaks against the others."""
    seqs = await _locked(connection, [write for write in writes if isinstance(write, Addition)])
    openings: list[Opening] = []
    additions: list[Addition] = []
    conflicts: list[Conflict | None] = []
    for write in writes:
        conflict = None
        if isinstance(write, Opening):
            openings.append(write)
            seqs[write.game.id] = len(write.game.events)
        elif seqs.get(write.game) == write.event.seq - 1:
            additions.append(write)
            openings += [write.following] if write.following else []
            seqs[write.game] = write.event.seq
        else:
            conflict = Conflict(
                f"event {write.event.seq} of game {write.game} follows {seqs.get(write.game)}"
            )
        conflicts.append(conflict)
    await _insert(connection, openings, additions)
    return conflicts


async def _locked(connection: AsyncConnection, additions: list[Addition]) -> dict[str, int]:
    """Returns how long the logs of some games are, and keeps others from adding to them."""
    if not additions:
        return {}
    ids = {addition.game for addition in additions}
    query = select(games.c.id, games.c.seq).where(games.c.id.in_(ids)).order_by(games.c.id)
    rows = await connection.execute(query.with_for_update())
    return {row.id: row.seq for row in rows}


async def _insert(
    connection: AsyncConnection, openings: list[Opening], additions: list[Addition]
) -> None:
    logs = [(opening.game.id, opening.game.events) for opening in openings]
    logs += [(addition.game, (addition.event,)) for addition in additions]
    steps = (
        (insert(games), [game_row(opening.game, opening.status) for opening in openings]),
        (insert(seats), [row for game, log in logs for row in seat_rows(game, log)]),
        (insert(events), [event_row(game, event) for game, log in logs for event in log]),
        (
            update(games).where(
                games.c.id == bindparam("game"), games.c.seq == bindparam("before")
            ),
            [
                {
                    "game": addition.game,
                    "before": addition.event.seq - 1,
                    "seq": addition.event.seq,
                    "updated": addition.event.at,
                    **status_columns(addition.status),
                }
                for addition in additions
            ],
        ),
        *((statement, _forgotten(additions)) for statement in _FORGETTING),
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
"""Take a player out of a game: the id and the name, and what the program called its actions."""


def _forgotten(additions: list[Addition]) -> list[dict[str, object]]:
    return [
        {"log": addition.game, "gone": addition.forgotten}
        for addition in additions
        if addition.forgotten is not None
    ]
