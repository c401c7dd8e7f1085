"""Carrying on as another player keeps one's own games: both become one."""

import asyncio
import re

import pytest

from patchwork.server.engines.pool import EnginePool
from patchwork.server.players import players
from patchwork.server.store import merges
from patchwork.server.store.store import Store
from server.support.fake_time import asynchronous
from server.support.friends import at, eventually, refusal
from server.support.live_server import Visitor, serving
from server.support.stored_games import opened
from server.support.two_devices import (
    carry_on,
    cookie_of,
    devices,
    game_between,
    games,
    link_of,
    me,
    merged,
    prospect,
    undo,
)

# Both pasts become one


@asynchronous
async def test_all_games_of_both_are_listed_and_playable_on_both_devices(database: str) -> None:
    async with devices(database) as met:
        over = (await met.phone.open("screen"))["table"]["id"]
        assert (await met.phone.act(over, "abort")).is_success
        both = sorted([met.laptop_game, met.phone_game, over])
        await carry_on(met.phone, met.laptop)
        assert await me(met.phone) == await me(met.laptop)
        for device in (met.laptop, met.phone):
            assert await games(device) == both
            assert await games(device, running="true") == sorted([met.laptop_game, met.phone_game])
            assert await games(device, running="false") == [over]
            for game in (met.laptop_game, met.phone_game):
                assert (await device.look(game))["you"] == [0]
        for device, game in ((met.laptop, met.phone_game), (met.phone, met.laptop_game)):
            assert (await device.act(game, "move", move="A")).is_success
            async with device.live(game) as live, met.friend.live(game) as friend:
                assert (live.state["you"], friend.state["you"]) == ([0], [1])
                await friend.play("A")
                await live.receive("event")
                assert (await live.act("resign"))["t"] == "ack"
        assert await games(met.friend) == sorted([met.laptop_game, met.phone_game])


@asynchronous
async def test_other_devices_and_programs_with_the_old_credentials_come_along(
    database: str,
) -> None:
    async with devices(database) as met, at(met.phone, met.address) as tablet:
        await carry_on(met.phone, met.laptop)
        assert cookie_of(tablet) == cookie_of(met.phone)
        assert (await tablet.look(met.laptop_game))["you"] == [0]
        assert await games(tablet) == await games(met.laptop)
        bearer = {"Authorization": f"Bearer {cookie_of(tablet)}"}
        async with Visitor(met.address, **bearer) as program:
            assert (await program.act(met.laptop_game, "move", move="A")).is_success


@asynchronous
async def test_a_game_opened_after_the_merge_belongs_to_the_maker_of_the_link(
    sqlite_database: str,
) -> None:
    async with devices(sqlite_database) as met:
        await carry_on(met.phone, met.laptop)
        game = (await met.phone.open("friend"))["table"]["id"]
        joined = await met.laptop.join(game, "Me again")
        assert joined["you"] == [0], "it is one's own game, so there is nothing to join"
        assert joined["status"]["seats"][1]["taken"] is False
        await undo(met.phone)
        assert (await met.laptop.look(game))["you"] == [0]
        assert (await met.phone.look(game))["you"] == []


@asynchronous
async def test_a_move_whose_answer_was_lost_may_be_repeated_after_the_merge(
    sqlite_database: str,
) -> None:
    async with devices(sqlite_database) as met:
        sent = {"seq": 2, "id": "lost", "move": "A"}
        first = (await met.phone.act(met.phone_game, "move", **sent)).json()
        await carry_on(met.phone, met.laptop)
        for device in (met.phone, met.laptop):
            assert (await device.act(met.phone_game, "move", **sent)).json() == first


@asynchronous
async def test_the_logs_of_the_games_do_not_change(database: str) -> None:
    async def stored() -> str:
        async with opened(database) as store:
            return repr([game async for game in store.games()])

    async with devices(database) as met:
        before = await stored()
        await carry_on(met.phone, met.laptop)
        assert await stored() == before
        assert (await met.laptop.act(met.phone_game, "move", move="A")).is_success
        laptop = await me(met.laptop)
        async with opened(database) as store:
            game = await store.load(met.phone_game)
        assert game is not None
        assert laptop not in repr(game), "who moved is the player who has the seat"


@asynchronous
async def test_a_browser_that_is_nobody_becomes_the_maker_of_the_link(
    sqlite_database: str,
) -> None:
    async with devices(sqlite_database) as met, Visitor(met.address) as new:
        expected = {"outcome": "adopt", "own": {"running": 0, "finished": 0}}
        assert (await prospect(new, met.laptop)).items() >= expected.items()
        await carry_on(new, met.laptop)
        assert await me(new) == await me(met.laptop)
        assert await merged(new) == {"players": 1, "undo": None, "until": None}


@asynchronous
async def test_chains_and_circles(database: str) -> None:
    async with devices(database) as met, Visitor(met.address) as tablet:
        tablet_game = await game_between(tablet, met.friend)
        everything = sorted([met.laptop_game, met.phone_game, tablet_game])
        await carry_on(tablet, met.phone)
        await carry_on(met.phone, met.laptop)
        ring = (tablet, met.phone, met.laptop)
        for _ in range(2):
            assert len({await me(device) for device in ring}) == 1
            for device in ring:
                assert await games(device) == everything
                assert (await merged(device))["players"] == 3
            await carry_on(met.laptop, tablet)
            await carry_on(met.phone, tablet)
            assert (await prospect(met.laptop, met.phone))["outcome"] == "same"
        await undo(met.phone)
        assert await games(met.laptop) == [met.laptop_game]
        assert await games(tablet) == sorted([met.phone_game, tablet_game])
        await undo(tablet)
        assert await games(tablet) == [tablet_game]
        assert await games(met.phone) == [met.phone_game]


@asynchronous
async def test_two_who_carry_on_as_each_other_at_once_become_one(database: str) -> None:
    async with devices(database) as met:
        links = [await link_of(met.laptop), await link_of(met.phone)]
        answers = await asyncio.gather(
            met.phone.http.post(links[0]), met.laptop.http.post(links[1])
        )
        assert [answer.status_code for answer in answers] == [303, 303]
        assert await me(met.phone) == await me(met.laptop)
        assert await games(met.phone) == sorted([met.laptop_game, met.phone_game])


@asynchronous
async def test_only_so_many_become_one(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merges, "MOST", 2)
    async with devices(sqlite_database) as met, Visitor(met.address) as tablet:
        await carry_on(met.phone, met.laptop)
        await me(tablet)
        refusal(await tablet.http.post(await link_of(met.laptop)), 429, "too-many")
        assert await me(tablet) != await me(met.laptop)


@asynchronous
async def test_a_merge_reaches_other_servers_on_the_database(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "_WATCH_SECONDS", 0.05)
    async with (
        devices(database) as met,
        serving(database, EnginePool(0)) as other,
        at(met.phone, other) as phone,
    ):
        assert (await phone.look(met.laptop_game))["you"] == []
        await carry_on(met.phone, met.laptop)

        async def known() -> bool:
            found: list[int] = (await phone.look(met.laptop_game))["you"]
            return found == [0]

        await eventually(known)
        async with phone.live(met.laptop_game) as live:
            await undo(met.phone)
            await live.socket.wait_closed()
        assert (await phone.look(met.laptop_game))["you"] == []
        assert await games(phone) == [met.phone_game]


@asynchronous
async def test_a_family_that_was_read_before_a_merge_is_not_kept(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Store.family_of
    reading, merging = asyncio.Event(), asyncio.Event()

    async def slow(store: Store, player: str) -> merges.Family:
        found = await read(store, player)
        if not reading.is_set():
            reading.set()
            await merging.wait()
        return found

    async with devices(sqlite_database) as met:
        link = await link_of(met.laptop)
        async with serving(sqlite_database, EnginePool(0)) as fresh, at(met.phone, fresh) as phone:
            monkeypatch.setattr(Store, "family_of", slow)
            late = asyncio.create_task(phone.http.get("/api/me/games"))
            await reading.wait()
            assert (await phone.http.post(link.replace(met.address, fresh))).status_code == 303
            merging.set()
            await late
            assert await games(phone) == sorted([met.laptop_game, met.phone_game])


@asynchronous
async def test_merges_hold_even_if_the_cache_is_full(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patchwork.server.players.merging._CACHED", 1)
    async with devices(sqlite_database) as met:
        await carry_on(met.phone, met.laptop)
        for _ in range(2):
            for device in (met.laptop, met.phone):
                assert (await device.look(met.phone_game))["you"] == [0]
            assert (await met.friend.look(met.phone_game))["you"] == [1]


@asynchronous
async def test_a_finished_game_against_oneself_has_one_own_seat_on_each_device(
    sqlite_database: str,
) -> None:
    async with devices(sqlite_database) as met:
        game = await game_between(met.laptop, met.phone)
        await met.phone.act(game, "abort")
        await carry_on(met.phone, met.laptop)
        for device, seat in ((met.laptop, 0), (met.phone, 1)):
            assert (await device.look(game))["you"] == [seat]
            found = (await device.http.get("/api/me/games")).json()["games"]
            assert [each["you"] for each in found if each["id"] == game] == [[seat]]
            data = (await device.http.get("/api/me/data")).json()["games"]
            assert [each["you"] for each in data if each["id"] == game] == [[seat]]
        for path in ("record", "replay", "picture"):
            assert (await met.phone.http.get(f"/api/tables/{game}/{path}")).is_success


# Idempotent and safe


@asynchronous
async def test_accepting_again_after_a_lost_answer_changes_nothing_more(database: str) -> None:
    async with devices(database) as met, Visitor(met.address) as new:
        link = await link_of(met.laptop)
        answers = await asyncio.gather(*(met.phone.http.post(link) for _ in range(3)))
        assert {answer.status_code for answer in answers} == {303}
        first = await merged(met.phone)
        assert (await met.phone.http.post(link)).status_code == 303
        assert await merged(met.phone) == first
        for _ in range(2):
            assert (await new.http.post(link)).status_code == 303
            assert await me(new) == await me(met.laptop)


@asynchronous
async def test_foreign_pages_cannot_merge_or_undo(sqlite_database: str) -> None:
    async with devices(sqlite_database) as met:
        evil = {"Origin": "https://evil.org"}
        link = await link_of(met.laptop)
        refusal(await met.phone.http.post(link, headers=evil), 403, "forbidden")
        assert await games(met.phone) == [met.phone_game]
        await carry_on(met.phone, met.laptop)
        number = (await merged(met.phone))["undo"]
        answer = await met.phone.http.delete(f"/api/me/merge/{number}", headers=evil)
        refusal(answer, 403, "forbidden")
        assert len(await games(met.phone)) == 2


@asynchronous
async def test_a_revoked_link_or_cookie_merges_nothing(sqlite_database: str) -> None:
    async with devices(sqlite_database) as met, at(met.phone, met.address) as thief:
        link = await link_of(met.laptop)
        await met.laptop.http.post("/api/me/revoke", json={"id": "x" * 16})
        refusal(await met.phone.http.post(link), 403, "forbidden")
        await met.phone.http.post("/api/me/revoke", json={"id": "y" * 16})
        await carry_on(thief, met.laptop)
        assert (await merged(met.phone))["players"] == 1, "the thief is nobody, so nobody is merged"


@asynchronous
async def test_accepting_and_undoing_are_limited(sqlite_database: str) -> None:
    async with devices(sqlite_database) as met:
        link = await link_of(met.laptop)
        statuses = []
        for _ in range(11):
            statuses.append((await met.phone.http.post(link)).status_code)
            statuses.append((await undo(met.phone)).status_code)
        assert statuses[:20] == 10 * [303, 200]
        assert statuses[20] == 429
        assert re.search("too many", (await met.phone.http.post(link)).text)
