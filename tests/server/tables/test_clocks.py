"""Clocks of live tables: which one runs, and what happens when the flag falls."""

import pytest

from patchwork.server.engines.pool import EnginePool
from patchwork.server.tables import registry
from patchwork.server.tables.registry import Tables
from patchwork.server.tables.table import Table
from server.support.fake_time import Time, asynchronous
from server.support.friends import at, both_moved, eventually, friends, until
from server.support.live_server import Visitor, serving


@pytest.fixture(autouse=True)
def frequent_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_ROUND_SECONDS", 0.05)


@pytest.fixture
def no_rounds(monkeypatch: pytest.MonkeyPatch, frequent_rounds: None) -> None:
    """Makes the server scan all tables only once, when it starts."""
    monkeypatch.setattr(registry, "_ROUND_SECONDS", 60 * 60.0)


@pytest.fixture
def no_alarms(monkeypatch: pytest.MonkeyPatch, no_rounds: None) -> None:
    """Keeps the server from noticing by itself that a flag has fallen."""
    monkeypatch.setattr(Table, "_ring", lambda _: None)


QUARTER = {"clock": {"minutes": 0.25}}
"""The shortest clock: 15 seconds."""


async def ended(visitor: Visitor, reason: str = "time") -> bool:
    listed = (await visitor.http.get("/api/me/games")).json()["games"][0]
    return listed["ending"] is not None and listed["ending"]["reason"] == reason


@asynchronous
async def test_the_server_notices_by_itself_that_the_flag_has_fallen(
    database: str, time: Time, no_rounds: None
) -> None:
    async with friends(database, QUARTER) as met, met.bob.live(met.game) as bob:
        await both_moved(met)
        assert (await until(bob, 4))["status"]["clocks"]["running"] == 0
        assert (await bob.act("flag"))["code"] == "time-left"
        time.passed = 14.5
        assert (await bob.act("undo"))["t"] == "ack"
        assert bob.state["status"]["clocks"]["left"][0] == 500
        time.passed = 15
        event = (await bob.receive("event"))["event"]
        assert (event["kind"], event["seat"]) == ("flag", 0)
        status = bob.state["status"]
        assert (status["ending"]["reason"], status["ending"]["winner"]) == ("time", 1)
        assert status["clocks"]["running"] is None


@asynchronous
async def test_a_game_in_which_somebody_never_moves_is_cancelled(
    database: str, time: Time, no_rounds: None
) -> None:
    async with friends(database, QUARTER) as met, met.ann.live(met.game) as ann:
        time.passed = 100
        await ann.play("A")
        clocks = ann.state["status"]["clocks"]
        assert clocks == {
            "left": [15_000, 15_000],
            "running": None,
            "grace": {"seat": 1, "left": 120_000},
        }
        time.passed = 219.5
        assert (await ann.act("undo"))["t"] == "ack"
        assert ann.state["status"]["clocks"]["grace"] == {"seat": 1, "left": 500}
        time.passed = 220
        event = (await ann.receive("event"))["event"]
        assert (event["kind"], event["seat"]) == ("abort", 1)
        ending = ann.state["status"]["ending"]
        assert (ending["reason"], ending["winner"]) == ("aborted", None)


@asynchronous
async def test_a_player_claims_that_the_opponents_flag_has_fallen(
    database: str, time: Time, no_alarms: None
) -> None:
    async with friends(database, QUARTER) as met, met.ann.live(met.game) as ann:
        await both_moved(met)
        assert (await met.bob.act(met.game, "flag")).json()["code"] == "time-left"
        time.passed = 15.1
        assert (await met.bob.act(met.game, "flag")).json()["t"] == "ack"
        await until(ann, 5)
        ending = ann.state["status"]["ending"]
        assert (ending["reason"], ending["winner"]) == ("time", 1)


@asynchronous
async def test_a_move_after_the_flag_falls_is_refused(
    database: str, time: Time, no_alarms: None
) -> None:
    async with friends(database, QUARTER) as met, met.ann.live(met.game) as ann:
        await both_moved(met)
        await until(ann, 4)
        time.passed = 15.1
        late = await ann.act("move", move="A")
        assert late["code"] == "stale"
        assert late["state"]["status"]["ending"]["reason"] == "time"
        assert ann.events[-1]["event"]["kind"] == "flag"


@asynchronous
async def test_the_clock_of_the_seat_to_move_runs(sqlite_database: str, time: Time) -> None:
    terms = {"clock": {"minutes": 1, "increment": 9}}
    async with friends(sqlite_database, terms) as met, met.ann.live(met.game) as ann:
        await both_moved(met)
        await until(ann, 4)
        time.passed = 10
        await ann.play("A")
        clocks = ann.state["status"]["clocks"]
        assert clocks["running"] == 1
        assert clocks["left"] == [68_000, 69_000]


@asynchronous
async def test_the_flag_falls_after_a_restart_even_if_no_player_is_connected(
    database: str, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    wake_tables, rounds = Tables._wake_tables, 0

    async def counted_wake_tables(all_tables: Tables) -> None:
        nonlocal rounds
        await wake_tables(all_tables)
        rounds += 1

    monkeypatch.setattr(Tables, "_wake_tables", counted_wake_tables)
    async with friends(database, QUARTER) as met:
        await both_moved(met)
    time.passed = 16
    async with serving(database, EnginePool(0)) as address, at(met.bob, address) as bob:
        seen = rounds
        await eventually(lambda: rounds >= seen + 2)
        assert not await ended(bob), "the clock did not run while the server was down"
        time.passed = 32
        await eventually(lambda: ended(bob))
        assert (await bob.look(met.game))["status"]["ending"]["winner"] == 1


@asynchronous
async def test_a_daily_clock_runs_while_the_server_is_down(database: str, time: Time) -> None:
    async with friends(database, {"clock": {"days": 1}}) as met:
        await both_moved(met)
    time.passed = 25 * 60 * 60
    async with serving(database, EnginePool(0)) as address, at(met.bob, address) as bob:
        await eventually(lambda: ended(bob))
        assert (await bob.look(met.game))["status"]["ending"]["winner"] == 1


@asynchronous
async def test_a_grace_stands_still_while_the_server_is_down(database: str, time: Time) -> None:
    async with friends(database, QUARTER) as met:
        time.passed = 50
    time.passed = 1000
    async with serving(database, EnginePool(0)) as address, at(met.bob, address) as bob:
        clocks = (await bob.look(met.game))["status"]["clocks"]
        assert clocks["grace"] == {"seat": 0, "left": 120_000}
        time.passed = 1120
        await eventually(lambda: ended(bob, "aborted"))
