"""The disk is full, the database cannot be written or is gone: nothing is lost, and it passes."""

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
"""How often a player tries in vain while an outage lasts."""

Step = Callable[[], Awaitable[None]]


class Outage:
    """Something that can be broken and mended."""

    def __init__(self, database: str, breaks: Step, mends: Step) -> None:
        self.database = database
        self.breaks = breaks
        self.mends = mends


@contextmanager
def pragmas(database: str, broken: str, sound: str) -> Iterator[Outage]:
    """SQLite itself refuses to write while a pragma is set on all connections."""
    pragma = sound

    def set_it(connection: Any, _: object, __: object) -> None:
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    async def breaks() -> None:
        nonlocal pragma
        pragma = broken

    async def mends() -> None:
        nonlocal pragma
        pragma = sound

    event.listen(Pool, "checkout", set_it)
    try:
        yield Outage(database, breaks, mends)
    finally:
        event.remove(Pool, "checkout", set_it)


@pytest.fixture
def full(sqlite_database: str) -> Iterator[Outage]:
    """A database that must not grow: SQLite takes that for a full disk."""
    with pragmas(sqlite_database, "max_page_count = 1", "max_page_count = 1000000") as outage:
        yield outage


@pytest.fixture
def read_only(sqlite_database: str) -> Iterator[Outage]:
    """A database that must not be written."""
    with pragmas(sqlite_database, "query_only = ON", "query_only = OFF") as outage:
        yield outage


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Outage]:
    """A disk on which no file can grow."""
    with small_disk(tmp_path / "disk") as disk:

        async def breaks() -> None:
            disk.fill()

        async def mends() -> None:
            disk.clear()

        yield Outage(str(disk.folder / "server.db"), breaks, mends)


@pytest.fixture
def stopped(postgres: Cluster, postgres_database: str) -> Outage:
    """PostgreSQL is shut down, and started again."""

    async def breaks() -> None:
        await asyncio.to_thread(postgres.stop)

    async def mends() -> None:
        await asyncio.to_thread(postgres.start)

    return Outage(postgres_database, breaks, mends)


@pytest.fixture
def crashed(postgres: Cluster, postgres_database: str) -> Outage:
    """PostgreSQL crashes, and recovers."""

    async def breaks() -> None:
        await asyncio.to_thread(postgres.stop, crash=True)

    async def mends() -> None:
        await asyncio.to_thread(postgres.start)

    return Outage(postgres_database, breaks, mends)


@pytest.fixture(params=["full", "full_disk", "read_only", "stopped", "crashed"])
def outage(request: pytest.FixtureRequest) -> Outage:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Outage)
    return found


@asynccontextmanager
async def two_at_a_table(address: str, **terms: Any) -> AsyncIterator[tuple[str, Live, Live]]:
    async with Visitor(address) as ann, Visitor(address) as bob:
        game = (await ann.open("friend", seed=3, **terms))["table"]["id"]
        await bob.join(game)
        async with ann.live(game) as first, bob.live(game) as second:
            yield game, first, second


async def follow(live: Live, seq: int) -> None:
    """Waits until somebody knows of an event."""
    while live.seq < seq:
        await live.receive("event", "state")


async def decide(players: tuple[Live, Live], action: str) -> Json:
    """Lets the one to decide play something, and returns the answer."""
    seq = max(live.seq for live in players)
    for live in players:
        await follow(live, seq)
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


def test_players_are_told_and_go_on_where_they_were(outage: Outage) -> None:
    async def test() -> None:
        async with (
            serving(outage.database) as address,
            two_at_a_table(address) as (game, ann, bob),
            Visitor(address) as carl,
        ):
            players = (ann, bob)
            acknowledged: dict[str, int] = {}
            for number in range(4):
                answer = await decide(players, f"{number:064}")
                acknowledged[answer["id"]] = answer["seq"]
            await outage.breaks()
            # A database that is full may have room for a few more.
            for number in range(4, 40):
                answer = await decide(players, f"{number:064}")
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
                answer = await decide(players, refused)
                assert (answer["t"], answer["code"]) == ("refused", "unavailable"), answer
            await outage.mends()

            async def stored_now() -> bool:
                nonlocal answer
                answer = await decide(players, refused)
                assert answer["t"] == "ack" or answer["code"] == "unavailable", answer
                stored: bool = answer["t"] == "ack"
                return stored

            await eventually(stored_now)
            acknowledged[refused] = answer["seq"]
            for live in players:
                await follow(live, answer["seq"])
            assert ann.state["position"] == bob.state["position"]
            answer = await decide(players, "last")
            acknowledged["last"] = answer["seq"]
            await carl.open("friend")
        log = await stored(outage.database, game)
        assert {event.action: event.seq for event in log if event.action} == acknowledged

    asyncio.run(test())


class Patient(EnginePool):
    """Thinks only when it is let."""

    def __init__(self) -> None:
        super().__init__(1, command=GREEDY)
        self.asked = asyncio.Event()
        self.let = asyncio.Event()

    async def analyse(self, *args: Any, **options: Any) -> Analysis:
        self.asked.set()
        await self.let.wait()
        return await super().analyse(*args, **options)


async def in_vain(live: Live, seq: int, caplog: pytest.LogCaptureFixture, trouble: str) -> None:
    """Waits until the server has tried something twice in vain, or found room for it."""

    async def tried() -> bool:
        await answers(live)
        return live.seq >= seq or sum(trouble in each for each in caplog.messages) >= 2

    await eventually(tried)


def test_the_computer_goes_on_by_itself(
    outage: Outage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("patchwork.server.tables.computer._RETRY_SECONDS", 0.05)
    monkeypatch.setattr("patchwork.server.tables.table._RETRY_SECONDS", 0.05)

    async def test() -> None:
        engines = Patient()
        async with serving(outage.database, engines) as address, Visitor(address) as ann:
            game = (await ann.open("computer", seed=3, seat=1))["table"]["id"]
            async with ann.live(game) as live:
                await engines.asked.wait()
                before = live.seq
                await outage.breaks()
                engines.let.set()
                await in_vain(live, before + 1, caplog, "the computer cannot move")
                await outage.mends()
                # Who waits says nothing; the computer comes back by itself.
                await follow(live, before + 1)
        assert (await stored(outage.database, game))[before].player is None

    asyncio.run(test())


def test_time_is_over_by_itself(
    outage: Outage,
    time: Time,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("patchwork.server.tables.table._RETRY_SECONDS", 0.05)

    async def test() -> None:
        async with (
            serving(outage.database) as address,
            two_at_a_table(address, clock={"minutes": 0.25}) as (game, ann, bob),
        ):
            await decide((ann, bob), "m1")
            waiting = 1 - ann.state["position"]["turn"]
            time.passed = 14.5
            # Sets the alarm for what is left now.
            assert (await (ann, bob)[waiting].act("undo"))["t"] == "ack"
            seq = max(ann.seq, bob.seq)
            await outage.breaks()
            time.passed = 15.5
            await in_vain(ann, seq + 1, caplog, "the table waits for the database")
            await outage.mends()
            for live in (ann, bob):
                await follow(live, seq + 1)
                assert live.state["status"]["ending"]["reason"] == "time"
        assert (await stored(outage.database, game))[seq].kind == "flag"

    asyncio.run(test())


def test_what_was_stored_without_an_answer_is_told(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patchwork.server.tables.table._RETRY_SECONDS", 0.05)
    append = Store.append

    async def append_and_lose_the_answer(store: Store, *args: Any, **options: Any) -> None:
        monkeypatch.setattr(Store, "append", append)
        await append(store, *args, **options)
        raise Unavailable("the connection was lost during COMMIT")

    async def test() -> None:
        async with serving(database) as address, two_at_a_table(address) as (_, ann, bob):
            monkeypatch.setattr(Store, "append", append_and_lose_the_answer)
            seq = ann.seq
            answer = await decide((ann, bob), "m1")
            assert answer["code"] == "unavailable"
            # Even if the player does not try again.
            for live in (ann, bob):
                await follow(live, seq + 1)
            assert ann.state["position"] == bob.state["position"]
            assert await ann.act("move", id="m1", move="A", seq=seq) == {
                "t": "ack",
                "v": 1,
                "id": "m1",
                "seq": seq + 1,
            }

    asyncio.run(test())


def test_a_postgres_that_refuses_connections_is_unavailable(
    postgres: Cluster, postgres_database: str
) -> None:
    name = postgres_database.rpartition("/")[2]

    async def test() -> None:
        async with (
            serving(postgres_database) as address,
            two_at_a_table(address) as (game, ann, bob),
        ):
            await postgres_does(postgres, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            await postgres_does(
                postgres,
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
            )
            answer = await decide((ann, bob), "m1")
            assert (answer["t"], answer["code"]) == ("refused", "unavailable")
            async with Visitor(address) as carl:
                response = await carl.http.get(f"/api/tables/{game}")
                assert response.status_code == 503
            await postgres_does(postgres, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
            assert (await decide((ann, bob), "m1"))["t"] == "ack"

    asyncio.run(test())


async def postgres_does(postgres: Cluster, statement: str) -> None:
    connection = await asyncpg.connect(postgres.url("template1"))
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def test_a_database_file_that_is_moved_away_is_missed_until_it_is_back(
    sqlite_database: str, tmp_path: Path
) -> None:
    async def test() -> None:
        async with (
            serving(sqlite_database) as address,
            two_at_a_table(address) as (game, ann, bob),
            Visitor(address) as carl,
        ):
            assert (await decide((ann, bob), "m1"))["t"] == "ack"
            Path(sqlite_database).rename(tmp_path / "elsewhere.db")
            answer = await decide((ann, bob), "m2")
            assert (answer["t"], answer["code"]) == ("refused", "unavailable")
            assert (await carl.http.get("/readyz")).status_code == 503
            assert (await carl.http.get("/healthz")).status_code == 200
            opening = await carl.http.post("/api/tables", json={"opponent": "friend"})
            assert (opening.status_code, opening.json()["code"]) == (503, "unavailable")
            (tmp_path / "elsewhere.db").rename(sqlite_database)
            assert (await carl.http.get("/readyz")).status_code == 200
            assert (await decide((ann, bob), "m2"))["t"] == "ack"
        actions = [event.action for event in await stored(sqlite_database, game) if event.action]
        assert actions == ["m1", "m2"]

    asyncio.run(test())
