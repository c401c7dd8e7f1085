"""The disk is full, or the database is read-only or down: no event is lost, and play resumes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import asyncpg
import pytest
from sqlalchemy import event
from sqlalchemy.pool import Pool

from patchwork.engine import Analysis
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.events import Event
from patchwork.server.store import Store, StoredGame, Unavailable
from server.support.fake_time import Time
from server.support.friends import answers, eventually
from server.support.full_disk import small_disk
from server.support.live_server import GREEDY, Json, Live, Visitor, serving
from server.support.postgres import Cluster
from server.support.retrying_client import allowed_move

REFUSALS = 50
"""How often a player retries during an outage."""

Step = Callable[[], Awaitable[None]]


class Outage:
    """A failure of the database that a test begins and ends."""

    def __init__(self, database: str, begin: Step, end: Step) -> None:
        self.database = database
        self.begin = begin
        self.end = end


@contextmanager
def pragmas(database: str, broken: str, sound: str) -> Iterator[Outage]:
    """Yields an outage that sets a pragma on all connections, with which SQLite refuses writes."""
    pragma = sound

    def set_pragma(connection: Any, _: object, __: object) -> None:
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    async def begin() -> None:
        nonlocal pragma
        pragma = broken

    async def end() -> None:
        nonlocal pragma
        pragma = sound

    event.listen(Pool, "checkout", set_pragma)
    try:
        yield Outage(database, begin, end)
    finally:
        event.remove(Pool, "checkout", set_pragma)


@pytest.fixture
def full(sqlite_database: str) -> Iterator[Outage]:
    """A database that must not grow, which SQLite reports as a full disk."""
    with pragmas(sqlite_database, "max_page_count = 1", "max_page_count = 1000000") as outage:
        yield outage


@pytest.fixture
def read_only(sqlite_database: str) -> Iterator[Outage]:
    """A read-only database."""
    with pragmas(sqlite_database, "query_only = ON", "query_only = OFF") as outage:
        yield outage


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Outage]:
    """A disk on which no file can grow."""
    with small_disk(tmp_path / "disk") as disk:

        async def begin() -> None:
            disk.fill()

        async def end() -> None:
            disk.clear()

        yield Outage(str(disk.folder / "server.db"), begin, end)


@pytest.fixture
def stopped(postgres: Cluster, postgres_database: str) -> Outage:
    """PostgreSQL is shut down, and started again."""

    async def begin() -> None:
        await asyncio.to_thread(postgres.stop)

    async def end() -> None:
        await asyncio.to_thread(postgres.start)

    return Outage(postgres_database, begin, end)


@pytest.fixture
def crashed(postgres: Cluster, postgres_database: str) -> Outage:
    """PostgreSQL crashes, and recovers."""

    async def begin() -> None:
        await asyncio.to_thread(postgres.stop, crash=True)

    async def end() -> None:
        await asyncio.to_thread(postgres.start)

    return Outage(postgres_database, begin, end)


@pytest.fixture(params=["full", "full_disk", "read_only", "stopped", "crashed"])
def outage(request: pytest.FixtureRequest) -> Outage:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Outage)
    return found


@asynccontextmanager
async def friends_at_a_table(address: str, **terms: Any) -> AsyncIterator[tuple[str, Live, Live]]:
    async with Visitor(address) as ann, Visitor(address) as bob:
        game = (await ann.open("friend", seed=3, **terms))["table"]["id"]
        await bob.join(game)
        async with ann.live(game) as first, bob.live(game) as second:
            yield game, first, second


async def wait_for_event(live: Live, seq: int) -> None:
    """Waits until a client has received an event."""
    while live.seq < seq:
        await live.receive("event", "state")


async def play_random_move(players: tuple[Live, Live], action: str) -> Json:
    """Plays a random move for the seat to move, and returns the answer."""
    seq = max(live.seq for live in players)
    for live in players:
        await wait_for_event(live, seq)
    live = players[players[0].state["position"]["turn"]]
    move = allowed_move(live.state["position"], Random(seq))
    return await live.act("move", id=action, move=move)


async def stored(database: str, game: str) -> tuple[Event, ...]:
    store = await Store.open(database)
    try:
        found = await store.load(game)
    finally:
        await store.close()
    assert isinstance(found, StoredGame)
    return found.events


def test_play_is_refused_during_an_outage_and_resumes_afterwards(outage: Outage) -> None:
    async def test() -> None:
        async with (
            serving(outage.database) as address,
            friends_at_a_table(address) as (game, ann, bob),
            Visitor(address) as carl,
        ):
            players = (ann, bob)
            acknowledged: dict[str, int] = {}
            for number in range(4):
                answer = await play_random_move(players, f"{number:064}")
                acknowledged[answer["id"]] = answer["seq"]
            await outage.begin()
            # A full database may have room for a few more events.
            for number in range(4, 40):
                answer = await play_random_move(players, f"{number:064}")
                if answer["t"] == "refused":
                    break
                acknowledged[answer["id"]] = answer["seq"]
            assert (answer["t"], answer["code"]) == ("refused", "unavailable"), answer
            refused = answer["id"]
            assert max(ann.seq, bob.seq) == max(acknowledged.values())
            for _ in range(40):
                opening = await carl.http.post("/api/tables", json={"opponent": "friend"})
                if opening.status_code != 201:
                    break
            assert (opening.status_code, opening.json()["code"]) == (503, "unavailable")
            for _ in range(REFUSALS):
                answer = await play_random_move(players, refused)
                assert (answer["t"], answer["code"]) == ("refused", "unavailable"), answer
            await outage.end()

            async def stored_now() -> bool:
                nonlocal answer
                answer = await play_random_move(players, refused)
                assert answer["t"] == "ack" or answer["code"] == "unavailable", answer
                stored: bool = answer["t"] == "ack"
                return stored

            await eventually(stored_now)
            acknowledged[refused] = answer["seq"]
            for live in players:
                await wait_for_event(live, answer["seq"])
            assert ann.state["position"] == bob.state["position"]
            answer = await play_random_move(players, "last")
            acknowledged["last"] = answer["seq"]
            await carl.open("friend")
        log = await stored(outage.database, game)
        assert {event.action: event.seq for event in log if event.action} == acknowledged

    asyncio.run(test())


class BlockedEngines(EnginePool):
    """An engine pool that waits for ``proceed`` before it analyses."""

    def __init__(self) -> None:
        super().__init__(1, command=GREEDY)
        self.asked = asyncio.Event()
        self.proceed = asyncio.Event()

    async def analyse(self, *args: Any, **options: Any) -> Analysis:
        self.asked.set()
        await self.proceed.wait()
        return await super().analyse(*args, **options)


async def wait_for_failed_tries(
    live: Live, seq: int, caplog: pytest.LogCaptureFixture, log_message: str
) -> None:
    """Waits until the server has failed twice, or has stored the event after all."""

    async def tried() -> bool:
        await answers(live)
        return live.seq >= seq or sum(log_message in each for each in caplog.messages) >= 2

    await eventually(tried)


def test_the_computer_moves_by_itself_after_an_outage(
    outage: Outage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("patchwork.server.tables.computer._RETRY_SECONDS", 0.05)
    monkeypatch.setattr("patchwork.server.tables.table._RETRY_SECONDS", 0.05)

    async def test() -> None:
        engines = BlockedEngines()
        async with serving(outage.database, engines) as address, Visitor(address) as ann:
            game = (await ann.open("computer", seed=3, seat=1))["table"]["id"]
            async with ann.live(game) as live:
                await engines.asked.wait()
                before = live.seq
                await outage.begin()
                engines.proceed.set()
                await wait_for_failed_tries(live, before + 1, caplog, "the computer cannot move")
                await outage.end()
                # The player sends nothing; the computer retries by itself.
                await wait_for_event(live, before + 1)
        assert (await stored(outage.database, game))[before].player is None

    asyncio.run(test())


def test_the_flag_falls_by_itself_after_an_outage(
    outage: Outage,
    time: Time,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("patchwork.server.tables.table._RETRY_SECONDS", 0.05)

    async def test() -> None:
        async with (
            serving(outage.database) as address,
            friends_at_a_table(address, clock={"minutes": 0.25}) as (game, ann, bob),
        ):
            for action in ("m1", "m2"):
                await play_random_move((ann, bob), action)
            await wait_for_event(ann, bob.seq)
            waiting = 1 - ann.state["position"]["turn"]
            time.passed = 14.5
            # Any action makes the server set its timer for the time that is left.
            assert (await (ann, bob)[waiting].act("undo"))["t"] == "ack"
            seq = max(ann.seq, bob.seq)
            await outage.begin()
            time.passed = 15.5
            await wait_for_failed_tries(ann, seq + 1, caplog, "the table waits for the database")
            await outage.end()
            for live in (ann, bob):
                await wait_for_event(live, seq + 1)
                assert live.state["status"]["ending"]["reason"] == "time"
        assert (await stored(outage.database, game))[seq].kind == "flag"

    asyncio.run(test())


def test_an_event_whose_commit_was_not_confirmed_is_announced(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patchwork.server.tables.table._RETRY_SECONDS", 0.05)
    append = Store.append

    async def append_and_lose_the_answer(store: Store, *args: Any, **options: Any) -> None:
        monkeypatch.setattr(Store, "append", append)
        await append(store, *args, **options)
        raise Unavailable("the connection was lost during COMMIT")

    async def test() -> None:
        async with serving(database) as address, friends_at_a_table(address) as (_, ann, bob):
            monkeypatch.setattr(Store, "append", append_and_lose_the_answer)
            seq = ann.seq
            answer = await play_random_move((ann, bob), "m1")
            assert answer["code"] == "unavailable"
            # The event is announced even if the player does not retry.
            for live in (ann, bob):
                await wait_for_event(live, seq + 1)
            assert ann.state["position"] == bob.state["position"]
            assert await ann.act("move", id="m1", move="A", seq=seq) == {
                "t": "ack",
                "v": 1,
                "id": "m1",
                "seq": seq + 1,
            }

    asyncio.run(test())


def test_play_is_refused_while_postgres_refuses_connections(
    postgres: Cluster, postgres_database: str
) -> None:
    name = postgres_database.rpartition("/")[2]

    async def test() -> None:
        async with (
            serving(postgres_database) as address,
            friends_at_a_table(address) as (game, ann, bob),
        ):
            await execute_on_postgres(postgres, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            await execute_on_postgres(
                postgres,
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
            )
            answer = await play_random_move((ann, bob), "m1")
            assert (answer["t"], answer["code"]) == ("refused", "unavailable")
            async with Visitor(address) as carl:
                response = await carl.http.get(f"/api/tables/{game}")
                assert response.status_code == 503
            await execute_on_postgres(postgres, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
            assert (await play_random_move((ann, bob), "m1"))["t"] == "ack"

    asyncio.run(test())


async def execute_on_postgres(postgres: Cluster, statement: str) -> None:
    connection = await asyncpg.connect(postgres.url("template1"))
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def test_play_is_refused_while_the_database_file_is_moved_away(
    sqlite_database: str, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            serving(sqlite_database) as address,
            friends_at_a_table(address) as (game, ann, bob),
            Visitor(address) as carl,
        ):
            assert (await play_random_move((ann, bob), "m1"))["t"] == "ack"
            Path(sqlite_database).rename(tmp_path / "elsewhere.db")
            answer = await play_random_move((ann, bob), "m2")
            assert (answer["t"], answer["code"]) == ("refused", "unavailable")
            assert (await carl.http.get("/readyz")).status_code == 503
            assert (await carl.http.get("/healthz")).status_code == 200
            opening = await carl.http.post("/api/tables", json={"opponent": "friend"})
            assert (opening.status_code, opening.json()["code"]) == (503, "unavailable")
            (tmp_path / "elsewhere.db").rename(sqlite_database)
            assert (await carl.http.get("/readyz")).status_code == 200
            assert (await play_random_move((ann, bob), "m2"))["t"] == "ack"
        actions = [event.action for event in await stored(sqlite_database, game) if event.action]
        assert actions == ["m1", "m2"]

    asyncio.run(test())
