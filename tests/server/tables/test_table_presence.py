"""Presence at live tables, and claiming the win from an absent player."""

from typing import Any

import pytest

from patchwork.server.engines.pool import EnginePool
from patchwork.server.store import Store, Unavailable
from patchwork.server.tables import table
from server.support.fake_time import Time, asynchronous
from server.support.friends import both_moved, eventually, friends, measured, presence, until
from server.support.live_server import Visitor, serving


@asynchronous
async def test_presence_counts_players_tabs_and_spectators(
    sqlite_database: str, time: Time
) -> None:
    async with friends(sqlite_database) as met, met.ann.live(met.game) as ann:
        messages = await presence(ann, present=[True, False])
        assert messages["claim"] == [None, 300_000]
        async with met.bob.live(met.game):
            assert (await presence(ann, present=[True, True]))["claim"] == [None, None]
            async with met.bob.live(met.game):
                await presence(ann)
                async with Visitor(met.address) as eve, eve.live(met.game):
                    await presence(ann, watchers=1)
                await presence(ann, watchers=0)
            assert (await presence(ann))["present"] == [True, True], "another tab is still open"
        messages = await presence(ann, present=[True, False])
        assert messages["claim"] == [None, 300_000]
        assert (await ann.act("claim"))["code"] == "not-gone"
        async with met.bob.live(met.game):
            await presence(ann, present=[True, True])


@asynchronous
async def test_the_win_is_claimed_from_a_player_who_left(database: str, time: Time) -> None:
    async with (
        friends(database, gone_left="1", gone_lost="60") as met,
        met.ann.live(met.game) as ann,
    ):
        async with met.bob.live(met.game) as bob:
            await both_moved(met)
            await presence(ann, present=[True, True])
            await bob.send("leave")
            await bob.socket.wait_closed()
            assert bob.socket.close_code == 1000
        assert (await presence(ann, present=[True, False]))["claim"] == [None, 1000]
        assert (await ann.act("claim"))["code"] == "not-gone"
        time.passed = 1
        assert (await ann.act("claim"))["t"] == "ack"
        ending = ann.state["status"]["ending"]
        assert (ending["reason"], ending["winner"]) == ("left", 0)


@asynchronous
async def test_the_win_is_claimed_from_a_player_who_lost_connection(
    database: str, time: Time
) -> None:
    async with (
        friends(database, gone_left="60", gone_lost="0.05") as met,
        met.ann.live(met.game) as ann,
    ):
        async with met.bob.live(met.game) as bob:
            await both_moved(met)
            await presence(ann, present=[True, True])
            bob.socket.transport.abort()
        await presence(ann, present=[True, False])
        time.passed = 0.5
        assert (await met.ann.act(met.game, "claim")).is_success
        assert (await until(ann, 5))["status"]["ending"]["reason"] == "left"


@asynchronous
async def test_a_game_that_somebody_left_before_moving_is_cancelled(
    sqlite_database: str, time: Time
) -> None:
    async with (
        friends(sqlite_database, gone_left="1") as met,
        met.ann.live(met.game) as ann,
    ):
        await ann.play("A")
        async with met.bob.live(met.game) as bob:
            await bob.send("leave")
        await presence(ann, present=[True, False])
        time.passed = 1
        assert (await ann.act("claim"))["t"] == "ack"
        ending = ann.state["status"]["ending"]
        assert (ending["reason"], ending["winner"]) == ("aborted", None)


@asynchronous
async def test_the_win_cannot_be_claimed_from_a_player_who_came_back(
    sqlite_database: str, time: Time
) -> None:
    async with friends(sqlite_database) as met, met.ann.live(met.game) as ann:
        async with met.bob.live(met.game) as bob:
            await presence(ann, present=[True, True])
            await bob.send("leave")
        await presence(ann, present=[True, False])
        time.passed = 60 * 60
        async with met.bob.live(met.game):
            assert (await ann.act("claim"))["code"] == "not-gone"


@asynchronous
async def test_the_grace_period_begins_when_a_player_joins(
    sqlite_database: str, time: Time
) -> None:
    async with (
        serving(sqlite_database, EnginePool(0), gone_lost="0.15") as address,
        Visitor(address) as ann,
        Visitor(address) as bob,
    ):
        game = (await ann.open())["table"]["id"]
        async with ann.live(game) as live:
            time.passed = 1.6
            await bob.join(game)
            await until(live, 2)
            assert (await presence(live, present=[True, False]))["claim"] == [None, 1500]
            assert (await live.act("claim"))["code"] == "not-gone"


@asynchronous
async def test_a_spectator_who_joins_is_present(sqlite_database: str, time: Time) -> None:
    async with (
        serving(sqlite_database, EnginePool(0), gone_lost="0.05") as address,
        Visitor(address) as ann,
        Visitor(address) as bob,
    ):
        game = (await ann.open())["table"]["id"]
        await bob.http.post("/api/me")
        async with ann.live(game) as live, bob.live(game):
            await presence(live, present=[True, False], watchers=1)
            await bob.join(game)
            await presence(live, present=[True, True], watchers=0)
            time.passed = 0.6
            assert (await live.act("claim"))["code"] == "not-gone"


@asynchronous
async def test_the_grace_period_begins_with_the_game(sqlite_database: str, time: Time) -> None:
    async with (
        friends(sqlite_database, {"first": "needle"}, gone_lost="0.15") as met,
        met.ann.live(met.game) as ann,
    ):
        assert (await presence(ann))["claim"] == [None, None]
        time.passed = 1.6
        assert (await met.ann.act(met.game, "begin", first=0)).is_success
        await until(ann, 3)
        assert (await presence(ann))["claim"] == [None, 1500]
        assert (await ann.act("claim"))["code"] == "not-gone"
        time.passed = 3.2
        assert (await ann.act("claim"))["t"] == "ack"


@asynchronous
async def test_a_player_who_leaves_during_an_outage_is_absent_afterwards(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> None:
        raise Unavailable("away")

    async with friends(sqlite_database) as met, met.ann.live(met.game) as ann:

        async def alone() -> bool:
            return await measured(met.ann, "sockets") == 1

        with monkeypatch.context() as patched:
            # The server does not retry in the meantime.
            patched.setattr(table, "_RETRY_SECONDS", 60 * 60.0)
            async with met.bob.live(met.game):
                await presence(ann, present=[True, True])
                patched.setattr(Store, "append", fail)
                assert (await ann.act("move", move="A"))["code"] == "unavailable"
            await eventually(alone)
        await ann.play("A")
        assert ann.seq == 3
        # Presence is sent once the database has answered, possibly before the move is acknowledged.
        messages = [message for message in ann.received if message["t"] == "presence"]
        if messages[-1]["present"] != [True, False]:
            await presence(ann, present=[True, False])
