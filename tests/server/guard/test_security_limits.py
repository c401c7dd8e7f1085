"""Rate limits: the defaults, and what counts towards them."""

import asyncio
from time import monotonic

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from patchwork.server.engines.pool import EnginePool
from patchwork.server.http import limits, sockets
from patchwork.server.http.api import carrying
from patchwork.server.settings import Settings
from patchwork.server.store import Store, Unavailable
from server.support.fake_time import Time, asynchronous
from server.support.friends import eventually, friends, refusal
from server.support.live_server import Visitor, serving


def test_the_limits_are_on_by_default() -> None:
    default = Settings()
    assert (default.play_messages, default.watch_messages, default.frame_bytes) == (100, 50, 2048)
    assert (default.new_games_per_minute, default.new_games_per_day) == (5, 300)
    assert (default.carries_per_hour, default.carry_minutes) == (3, 10)
    assert default.requests_per_minute == 240
    assert (default.connections, default.connections_per_address) == (4096, 512)


@asynchronous
async def test_carry_links_are_limited_per_player_and_hour(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with friends(sqlite_database, carries_per_hour="3") as met:
        statuses = [(await met.ann.http.post("/api/me/carry-link")).status_code for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        assert (await met.bob.http.post("/api/me/carry-link")).is_success
        later = monotonic() + 60 * 60
        monkeypatch.setattr(carrying, "monotonic", lambda: later)
        assert (await met.ann.http.post("/api/me/carry-link")).is_success


@asynchronous
async def test_new_games_from_one_address_are_limited(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"new_games_per_minute": "5", "new_games_per_day": "7"}
    async with serving(sqlite_database, EnginePool(0), **settings) as address:
        start = monotonic()
        statuses = []
        for minute in range(3):
            monkeypatch.setattr(limits, "monotonic", lambda minute=minute: start + minute * 61)
            for _ in range(6):
                async with Visitor(address) as stranger:  # without a cookie each time
                    answer = await stranger.http.post("/api/tables", json={"opponent": "friend"})
                    statuses.append(answer.status_code)
        assert statuses == 5 * [201] + [429] + 2 * [201] + 4 * [429] + 6 * [429]


@asynchronous
async def test_a_rematch_counts_as_one_new_game(sqlite_database: str, time: Time) -> None:
    async with (
        serving(sqlite_database, EnginePool(0), new_games_per_minute="2") as address,
        Visitor(address) as ann,
    ):
        game = (await ann.open("screen"))["table"]["id"]
        assert (await ann.act(game, "abort")).is_success
        for _ in range(5):
            assert (await ann.act(game, "rematch", id="again")).is_success, "repeated"
            refusal(await ann.act(game, "rematch"), 409, "stale")
        following = (await ann.look(game))["status"]["next"]
        async with ann.live(following) as live:
            refusal(await ann.act(following, "rematch"), 409, "not-over")
            assert (await live.act("abort"))["t"] == "ack"
            refused = await live.act("rematch", id="mine")
            assert (refused["code"], refused["id"]) == ("too-many", "mine")
            refusal(await ann.act(following, "rematch"), 429, "too-many")
            assert live.state["status"]["next"] is None


@asynchronous
async def test_games_that_could_not_be_opened_do_not_count(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch, time: Time
) -> None:
    async def away(*_: object) -> None:
        raise Unavailable("away")

    async with friends(sqlite_database, new_games_per_day="3") as met:
        for _ in range(20):
            refusal(await met.bob.act(met.game, "rematch"), 409, "not-over")
        assert (await met.ann.act(met.game, "abort")).is_success
        assert (await met.ann.act(met.game, "rematch")).is_success, (
            "a rematch request alone opens no game"
        )
        with monkeypatch.context() as patched:
            patched.setattr(Store, "append", away)
            patched.setattr(Store, "create", away)
            for _ in range(5):
                refusal(await met.bob.act(met.game, "rematch", id="b"), 503, "unavailable")
                opening = await met.bob.http.post("/api/tables", json={"opponent": "friend"})
                refusal(opening, 503, "unavailable")
        assert (await met.bob.act(met.game, "rematch", id="b")).is_success
        await met.bob.open("friend")
        opening = await met.bob.http.post("/api/tables", json={"opponent": "friend"})
        refusal(opening, 429, "too-many")


@asynchronous
async def test_simultaneous_requests_do_not_exceed_the_limit(sqlite_database: str) -> None:
    async with (
        serving(sqlite_database, EnginePool(0), new_games_per_day="10") as address,
        Visitor(address) as ann,
    ):
        games = [(await ann.open("screen"))["table"]["id"] for _ in range(6)]
        for game in games:
            assert (await ann.act(game, "abort")).is_success
        answers = await asyncio.gather(*(ann.act(game, "rematch") for game in games))
        assert sorted(answer.status_code for answer in answers) == 4 * [200] + 2 * [429]


@asynchronous
async def test_forwarded_addresses_are_trusted_from_known_proxies_only(
    sqlite_database: str, time: Time
) -> None:
    settings = {"new_games_per_minute": "2"}

    async def statuses(address: str, *forwarded: str) -> list[int]:
        async with Visitor(address) as stranger:
            return [
                (
                    await stranger.http.post(
                        "/api/tables",
                        json={"opponent": "friend"},
                        headers={"X-Forwarded-For": each},
                    )
                ).status_code
                for each in forwarded
            ]

    for trusted in ({}, {"proxies": "192.0.2.1"}):
        async with serving(sqlite_database, EnginePool(0), **settings, **trusted) as address:
            assert await statuses(address, "1.1.1.1", "2.2.2.2", "3.3.3.3") == [201, 201, 429]
    async with serving(sqlite_database, EnginePool(0), proxies="127.0.0.1", **settings) as address:
        one = 2 * ["198.51.100.1"]
        assert await statuses(address, *one, *one) == [201, 201, 429, 429]
        assert await statuses(address, "198.51.100.2") == [201], "another address"
        spoofed = [f"10.0.0.{number}, 198.51.100.1" for number in range(3)]
        assert await statuses(address, *spoofed) == 3 * [429], (
            "the last address is the one added by the proxy"
        )
        network = [f"2001:db8::{number}" for number in range(3)]
        assert await statuses(address, *network) == [201, 201, 429]
        assert 500 not in await statuses(address, "", ",", "x" * 5000, "<script>", "1.1.1.1:80, y")


@asynchronous
async def test_connections_of_an_address_behind_a_proxy_are_limited(sqlite_database: str) -> None:
    async with friends(sqlite_database, proxies="127.0.0.1", connections_per_address="2") as met:

        async def status(address: str) -> int:
            return (await met.ann.http.get("/healthz", headers=headers_of(address))).status_code

        def headers_of(address: str) -> dict[str, str]:
            return {"X-Forwarded-For": address}

        async def has_capacity() -> bool:
            return await status("198.51.100.1") == 200

        events = f"/api/tables/{met.game}/events"
        async with met.ann.http.stream("GET", events, headers=headers_of("198.51.100.1")):
            async with met.bob.live(met.game, **headers_of("198.51.100.1")):
                answer = await met.ann.http.get("/healthz", headers=headers_of("198.51.100.1"))
                refusal(answer, 429, "too-many")
                with pytest.raises(InvalidStatus) as refused:
                    async with met.bob.live(met.game, **headers_of("198.51.100.1")):
                        pass
                assert refused.value.response.status_code == 429
                assert await status("198.51.100.2") == 200
            await eventually(has_capacity)
        await eventually(has_capacity)


@pytest.mark.parametrize(("who", "limit"), [("ann", 100), ("eve", 50)])
@asynchronous
async def test_messages_of_one_socket_are_limited(
    sqlite_database: str, who: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sockets, "monotonic", lambda: 0.0
    )  # all messages count as sent at once, even on a slow machine
    async with (
        friends(sqlite_database, play_messages="100", watch_messages="50") as met,
        Visitor(met.address) as eve,
        {"ann": met.ann, "eve": eve}[who].live(met.game) as loud,
    ):
        for _ in range(limit + 10):
            await loud.send("ping")
        with pytest.raises(ConnectionClosed):
            await loud.receive("bye")
        kinds = [message["t"] for message in loud.received if message["t"] != "presence"]
        assert kinds == ["state", *limit * ["pong"], "refused"]
        assert loud.socket.close_code == 1008
