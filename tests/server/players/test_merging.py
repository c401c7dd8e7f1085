"""Carrying on as another player keeps one's own games: both become one, and can part again."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import pytest

from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.terms import DAY
from patchwork.server.players import players
from patchwork.server.players.identity import COOKIE
from patchwork.server.store import merges
from patchwork.server.store.store import Store
from server.support.fake_time import Time, asynchronous
from server.support.friends import at, eventually, refusal
from server.support.live_server import Json, Visitor, serving
from server.support.stored_games import opened


@dataclass(frozen=True)
class Devices:
    """Two devices, each of a player with games of their own, and an opponent of both."""

    address: str
    laptop: Visitor
    phone: Visitor
    friend: Visitor
    laptop_game: str
    phone_game: str
    """Both are running, against the friend; who carries on has seat 0."""


async def game_between(host: Visitor, guest: Visitor) -> str:
    game: str = (await host.open(name="Host", seed=3))["table"]["id"]
    await guest.join(game, "Guest")
    return game


@asynccontextmanager
async def devices(database: str, **settings: str) -> AsyncIterator[Devices]:
    async with (
        serving(database, EnginePool(0), **settings) as address,
        Visitor(address) as laptop,
        Visitor(address) as phone,
        Visitor(address) as friend,
    ):
        games = [await game_between(device, friend) for device in (laptop, phone)]
        yield Devices(address, laptop, phone, friend, *games)


async def link_of(maker: Visitor) -> str:
    link: str = (await maker.http.post("/api/me/carry-link")).json()["url"]
    return link


async def carry_on(device: Visitor, maker: Visitor) -> None:
    """Lets a device carry on as the player of another one."""
    answer = await device.http.post(await link_of(maker))
    assert answer.status_code == 303, answer.text


async def prospect(device: Visitor, maker: Visitor) -> Json:
    path = httpx.URL(await link_of(maker)).path
    answer = await device.http.get(f"/api{path}")
    assert answer.is_success, answer.text
    body: Json = answer.json()
    return body


async def me(visitor: Visitor) -> str:
    player: str = (await visitor.http.post("/api/me")).json()["player"]
    return player


async def games(visitor: Visitor, **query: str) -> list[str]:
    answer = await visitor.http.get("/api/me/games", params=query)
    return sorted(game["id"] for game in answer.json()["games"])


async def merged(visitor: Visitor) -> Json:
    body: Json = (await visitor.http.get("/api/me/merge")).json()
    return body


async def undo(visitor: Visitor) -> httpx.Response:
    number = (await merged(visitor))["undo"]
    return await visitor.http.delete(f"/api/me/merge/{number}")


def cookie_of(visitor: Visitor) -> str:
    cookie = visitor.http.cookies[COOKIE]
    assert isinstance(cookie, str)
    return cookie


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


# What is said beforehand


@asynchronous
async def test_the_prospect_says_what_will_happen_and_changes_nothing(database: str) -> None:
    async with devices(database) as met:
        over = (await met.phone.open("screen"))["table"]["id"]
        await met.phone.act(over, "abort")
        assert await prospect(met.phone, met.laptop) == {
            "outcome": "merge",
            "own": {"running": 1, "finished": 1},
            "maker": {"running": 1, "finished": 0},
            "against": [],
        }
        assert (await met.phone.look(met.laptop_game))["you"] == []
        await carry_on(met.phone, met.laptop)
        for one, other in ((met.phone, met.laptop), (met.laptop, met.phone)):
            said = await prospect(one, other)
            assert (said["outcome"], said["own"]) == ("same", {"running": 2, "finished": 1})
        refusal(await met.phone.http.get("/api/carry/nonsense"), 403, "forbidden")


@asynchronous
async def test_without_a_built_page_the_same_is_said_and_text_from_outside_is_escaped(
    sqlite_database: str,
) -> None:
    async with devices(sqlite_database) as met, Visitor(met.address) as new:
        link = await link_of(met.laptop)
        page = (await met.phone.http.get(link)).text
        assert "This browser has 1 running and 0 finished games." in page
        assert '<form method="post">' in page
        assert "This browser has no games." in (await new.http.get(link)).text
        game = (await met.laptop.open(name="<b>Ann"))["table"]["id"]
        await met.phone.join(game, "Bob")
        page = (await met.phone.http.get(link)).text
        assert f'<a href="/tables/{game}">&lt;b&gt;Ann · Bob</a>' in page
        assert "<form" not in page
        await met.phone.act(game, "abort")
        await carry_on(met.phone, met.laptop)
        page = (await met.phone.http.get(link)).text
        assert "already plays as" in page
        assert "<form" not in page


# Opponents


@asynchronous
async def test_opponents_in_a_running_game_do_not_become_one(database: str) -> None:
    async with devices(database) as met, Visitor(met.address) as tablet:
        await carry_on(tablet, met.laptop)
        game = await game_between(met.laptop, met.phone)
        said = await prospect(met.phone, tablet)
        assert said["outcome"] == "opponents"
        assert [(each["id"], each["you"]) for each in said["against"]] == [(game, [1])]
        cookie = cookie_of(met.phone)
        for _ in range(2):
            refusal(await met.phone.http.post(await link_of(tablet)), 409, "opponents")
        assert cookie_of(met.phone) == cookie
        assert await games(met.phone) == sorted([met.phone_game, game])
        assert (await met.phone.look(game))["you"] == [1]
        assert (await met.phone.act(game, "abort")).is_success
        await carry_on(met.phone, tablet)
        assert await games(tablet) == sorted([met.laptop_game, met.phone_game, game])


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


# Undoing it


@asynchronous
async def test_within_a_day_the_browser_returns_to_its_own_games(database: str, time: Time) -> None:
    async with devices(database) as met, at(met.phone, met.address) as tablet:
        await carry_on(met.phone, met.laptop)
        state = await merged(met.phone)
        assert state["until"] == time.keeper().now() + DAY
        assert (await merged(met.laptop)).items() >= {"players": 2, "undo": None}.items()
        later = (await met.phone.open("screen"))["table"]["id"]
        assert (await met.laptop.act(met.phone_game, "move", move="A")).is_success
        time.passed += 23 * 60 * 60
        async with (
            met.laptop.live(met.phone_game) as laptop,
            met.phone.live(met.laptop_game) as phone,
        ):
            for _ in range(2):  # repeated after a lost answer
                answer = await met.phone.http.delete(f"/api/me/merge/{state['undo']}")
                assert answer.json() == {"players": 1, "undo": None, "until": None}
            await laptop.socket.wait_closed()
            await phone.socket.wait_closed()
        for device in (met.phone, tablet):
            assert await games(device) == [met.phone_game]
            assert (await device.look(met.laptop_game))["you"] == []
        assert await games(met.laptop) == sorted([met.laptop_game, later])
        assert (await met.laptop.look(met.phone_game))["you"] == []
        refusal(await met.laptop.act(met.phone_game, "resign"), 403, "not-seated")
        assert (await met.friend.act(met.phone_game, "move", move="A")).is_success
        assert (await met.phone.act(met.phone_game, "resign")).is_success
        await carry_on(met.phone, met.laptop)
        assert len(await games(met.phone)) == 3


@asynchronous
async def test_after_a_day_it_stays(sqlite_database: str, time: Time) -> None:
    async with devices(sqlite_database) as met:
        await carry_on(met.phone, met.laptop)
        number = (await merged(met.phone))["undo"]
        time.passed += DAY / 1000
        assert await merged(met.phone) == {"players": 2, "undo": None, "until": None}
        assert (await met.phone.http.delete(f"/api/me/merge/{number}")).json()["players"] == 2
        assert len(await games(met.phone)) == 2


@asynchronous
async def test_undoing_repeatedly_never_undoes_an_earlier_merge(sqlite_database: str) -> None:
    async with devices(sqlite_database) as met, Visitor(met.address) as tablet:
        await game_between(tablet, met.friend)
        await carry_on(met.phone, met.laptop)
        await carry_on(met.laptop, tablet)
        state = await merged(met.phone)
        assert state["players"] == 3
        for _ in range(3):
            answer = await met.phone.http.delete(f"/api/me/merge/{state['undo']}")
            assert answer.json()["players"] == 2
        assert await games(met.phone) == await games(met.laptop)


@asynchronous
async def test_a_stolen_cookie_gains_nothing_by_undoing(sqlite_database: str) -> None:
    async with devices(sqlite_database) as met, at(met.laptop, met.address) as thief:
        await carry_on(met.phone, met.laptop)
        number = (await merged(met.phone))["undo"]
        for cookie in (cookie_of(thief), "forged"):
            async with Visitor(met.address, Cookie=f"{COOKIE}={cookie}") as eve:
                answer = await eve.http.delete(f"/api/me/merge/{number}")
                assert answer.is_success
                assert "set-cookie" not in answer.headers
        assert len(await games(met.phone)) == 2, "only the browser that was merged can undo it"
        async with at(met.phone, met.address) as other_thief:
            assert "set-cookie" not in (await undo(other_thief)).headers
            assert await games(other_thief) == [met.phone_game], "who undoes it loses the rest"


# Revoking and deleting


@asynchronous
async def test_revoking_locks_out_everybody_under_all_ids(database: str) -> None:
    async with devices(database) as met, at(met.phone, met.address) as old:
        await carry_on(met.phone, met.laptop)
        laptop = await me(met.laptop)
        link = await link_of(met.laptop)
        revoked = await met.phone.http.post("/api/me/revoke", json={"id": "x" * 16})
        assert revoked.json() == {"player": laptop}
        for device in (met.laptop, old):
            assert await games(device) == []
            refusal(await device.act(met.laptop_game, "resign"), 403, "not-seated")
            refusal(await device.http.post(link), 403, "forbidden")
        assert await games(met.phone) == sorted([met.laptop_game, met.phone_game])
        state = await merged(met.phone)
        assert (state["players"], state["undo"]) == (2, None), "nobody is left to part from"
        async with Visitor(met.address, Cookie=f"{COOKIE}={cookie_of(old)}") as again:
            await again.http.post("/api/me/revoke", json={"id": "x" * 16})
            assert cookie_of(again) == cookie_of(met.phone), "the answer is given again"
        refusal(
            await met.laptop.http.post("/api/me/revoke", json={"id": "z" * 16}), 403, "forbidden"
        )


@asynchronous
async def test_deleting_deletes_both_pasts(database: str) -> None:
    async with devices(database) as met:
        phone, laptop = await me(met.phone), await me(met.laptop)
        own = await game_between(met.laptop, met.phone)
        await met.phone.act(own, "abort")
        await carry_on(met.phone, met.laptop)
        answer = await met.phone.http.request("DELETE", "/api/me")
        assert answer.json() == {"player": laptop}
        for game in (met.laptop_game, met.phone_game, own):
            state = await met.friend.look(game)
            assert state["status"]["seats"][0]["name"] == ""
            assert state["status"]["ending"] is not None
        assert await games(met.laptop) == []
        refusal(await met.laptop.act(met.laptop_game, "rematch"), 403, "not-seated")
    async with opened(database) as store:
        stored = repr([game async for game in store.games()])
        assert phone not in stored
        assert laptop not in stored
        assert (await store.family_of(phone)).ids == (phone,)


@asynchronous
async def test_after_undoing_a_deletion_concerns_one_of_them_only(sqlite_database: str) -> None:
    async with devices(sqlite_database) as met:
        await carry_on(met.phone, met.laptop)
        await undo(met.phone)
        await met.laptop.http.request("DELETE", "/api/me")
        assert await games(met.phone) == [met.phone_game]
        assert (await met.phone.act(met.phone_game, "move", move="A")).is_success


@asynchronous
async def test_a_deleted_player_cannot_be_brought_back_by_undoing(sqlite_database: str) -> None:
    async with devices(sqlite_database) as met:
        await carry_on(met.phone, met.laptop)
        number = (await merged(met.phone))["undo"]
        cookie = cookie_of(met.phone)
        await met.laptop.http.request("DELETE", "/api/me")
        async with Visitor(met.address, Cookie=f"{COOKIE}={cookie}") as phone:
            answer = await phone.http.delete(f"/api/me/merge/{number}")
            assert answer.json() == {"players": 1, "undo": None, "until": None}
            assert await games(phone) == []


@asynchronous
async def test_the_data_of_a_player_has_all_ids_games_and_merges(sqlite_database: str) -> None:
    async with devices(sqlite_database) as met:
        phone, laptop = await me(met.phone), await me(met.laptop)
        await carry_on(met.phone, met.laptop)
        data = (await met.laptop.http.get("/api/me/data")).json()
        assert data["player"] == laptop
        assert [(each["player"], each["into"]) for each in data["merges"]] == [(phone, laptop)]
        assert sorted(game["id"] for game in data["games"]) == await games(met.phone)
        assert [game["you"] for game in data["games"]] == [[0], [0]]


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
