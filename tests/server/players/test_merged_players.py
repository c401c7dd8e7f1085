"""What revoking, deleting and exporting mean for players who became one."""

from patchwork.server.players.identity import COOKIE
from server.support.fake_time import asynchronous
from server.support.friends import at, refusal
from server.support.live_server import Visitor
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
    undo,
)


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
