"""Players' data: they can download it, delete it, and revoke stolen credentials."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from patchwork.notation.record import Record
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.terms import DAY
from patchwork.server.players import players
from patchwork.server.players.identity import COOKIE, Signer
from patchwork.server.wire import Data
from server.support.fake_time import Time, asynchronous
from server.support.friends import at, eventually, friends, refusal
from server.support.live_server import Json, Live, Visitor, serving
from server.support.stored_games import opened

REVOCATION_ID = "the id of a revocation"


def copy_of(visitor: Visitor, address: str) -> Visitor:
    """Returns a thief with the visitor's cookie."""
    return at(visitor, address)


async def revoke(visitor: Visitor, revocation_id: str = REVOCATION_ID) -> Json:
    answer = await visitor.http.post("/api/me/revoke", json={"id": revocation_id})
    assert answer.is_success, answer.text
    body: Json = answer.json()
    return body


async def close_code(live: Live) -> int:
    """Reads a socket to its end, and returns the close code."""
    async with asyncio.timeout(60):
        async for _ in live.socket:
            pass
    code = live.socket.close_code
    assert code is not None
    return code


async def everything_stored(database: str) -> str:
    """Returns a text with everything stored about all games."""
    async with opened(database) as store:
        return repr([game async for game in store.games()])


# Cookies are renewed


@asynchronous
async def test_a_cookie_is_renewed_once_a_day_when_it_is_used(
    sqlite_database: str, time: Time
) -> None:
    async with friends(sqlite_database) as met:
        first = met.ann.http.cookies[COOKIE]
        for path in ("/api/me/games", f"/api/tables/{met.game}"):
            assert "set-cookie" not in (await met.ann.http.get(path)).headers
        time.passed += DAY / 1000
        renewed = await met.ann.http.get("/api/me/games")
        assert "Max-Age=34560000" in renewed.headers["set-cookie"]
        assert met.ann.http.cookies[COOKIE] != first
        assert "set-cookie" not in (await met.ann.http.get("/api/me/games")).headers
        assert (await met.ann.look(met.game))["you"] == [0]
        for path in ("/", "/style.css", "/healthz"):
            assert "set-cookie" not in (await met.bob.http.get(path)).headers
        async with met.bob.live(met.game) as bob:
            assert bob.socket.response is not None
            assert "Max-Age=34560000" in bob.socket.response.headers["set-cookie"]
            assert bob.state["you"] == [1]


@asynchronous
async def test_a_cookie_in_the_old_format_is_renewed_but_a_token_is_not(
    sqlite_database: str,
) -> None:
    secret = "s" * 32
    async with serving(sqlite_database, EnginePool(0), secret=secret) as address:
        old = Signer(secret.encode()).sign("player", "somebody")
        async with Visitor(address, Cookie=f"{COOKIE}={old}") as ann:
            answer = await ann.http.post("/api/me")
            assert answer.json() == {"player": "somebody"}
            assert COOKIE in answer.headers["set-cookie"]
        async with Visitor(address, Authorization=f"Bearer {old}") as bot:
            assert "set-cookie" not in (await bot.http.post("/api/me")).headers


# Revoking


@asynchronous
async def test_revoking_locks_out_all_other_copies_at_once(database: str) -> None:
    async with friends(database) as met, copy_of(met.ann, met.address) as thief:
        link = (await met.ann.http.post("/api/me/carry-link")).json()["url"]
        async with thief.live(met.game) as live, met.bob.live(met.game) as bob:
            assert live.state["you"] == [0]
            player = (await met.ann.http.post("/api/me")).json()["player"]
            assert await revoke(met.ann) == {"player": player}
            assert await close_code(live) == 1001
            assert (await thief.look(met.game))["you"] == []
            assert (await thief.http.get("/api/me/games")).json()["games"] == []
            refusal(await thief.act(met.game, "resign"), 403, "not-seated")
            refusal(await thief.http.post(link), 403, "forbidden")
            assert (await met.ann.look(met.game))["you"] == [0]
            assert (await met.ann.act(met.game, "move", move="A")).is_success
            await bob.receive("event")
            assert (await bob.act("undo"))["t"] == "refused"


@asynchronous
async def test_a_bot_gets_a_new_token(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as bot:
        made = (await bot.http.post("/api/tokens")).json()
        bot.http.headers["Authorization"] = f"Bearer {made['token']}"
        game = (await bot.open("screen"))["table"]["id"]
        renewed = await revoke(bot)
        assert renewed["player"] == made["player"]
        refusal(await bot.http.post("/api/me"), 403, "forbidden")
        bot.http.headers["Authorization"] = f"Bearer {renewed['token']}"
        assert (await bot.look(game))["you"] == [0, 1]


@asynchronous
async def test_only_the_same_revocation_may_be_repeated_with_the_old_cookie(
    sqlite_database: str,
) -> None:
    async with friends(sqlite_database) as met:
        old = met.ann.http.cookies[COOKIE]
        await revoke(met.ann)
        new = met.ann.http.cookies[COOKIE]
        async with Visitor(met.address, Cookie=f"{COOKIE}={old}") as again:
            refusal(
                await again.http.post("/api/me/revoke", json={"id": "x" * 16}), 403, "forbidden"
            )
            await revoke(again)
            assert again.http.cookies[COOKIE] == new
        assert (await met.ann.look(met.game))["you"] == [0]
        await revoke(met.ann)
        assert met.ann.http.cookies[COOKIE] != new, (
            "a second revocation with the same id makes a new cookie"
        )
        assert (await met.ann.look(met.game))["you"] == [0]
        async with Visitor(met.address, Cookie=f"{COOKIE}={old}") as late:
            refusal(
                await late.http.post("/api/me/revoke", json={"id": REVOCATION_ID}), 403, "forbidden"
            )
        async with Visitor(met.address) as nobody:
            refusal(
                await nobody.http.post("/api/me/revoke", json={"id": REVOCATION_ID}),
                403,
                "forbidden",
            )


@asynchronous
async def test_a_revocation_reaches_other_servers_on_the_database(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "_WATCH_SECONDS", 0.05)
    async with friends(database) as met, serving(database, EnginePool(0)) as other_server:
        async with copy_of(met.ann, other_server) as thief, thief.live(met.game) as live:
            assert live.state["you"] == [0]
            await revoke(met.ann)
            assert await close_code(live) == 1001
            assert (await thief.look(met.game))["you"] == []
        async with at(met.ann, other_server) as ann:
            assert (await ann.look(met.game))["you"] == [0]
    async with serving(database, EnginePool(0)) as later, at(met.ann, later) as ann:
        assert (await ann.look(met.game))["you"] == [0]


@asynchronous
async def test_revocations_hold_even_if_the_cache_is_full(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "_CACHED_KEYS", 1)
    async with friends(sqlite_database) as met, copy_of(met.ann, met.address) as thief:
        await revoke(met.ann)
        for _ in range(2):
            assert (await met.bob.look(met.game))["you"] == [1]
            assert (await thief.look(met.game))["you"] == []
            assert (await met.ann.look(met.game))["you"] == [0]


# Deleting a player


@asynchronous
async def test_deleting_a_player_removes_them_from_all_games(database: str) -> None:
    async with friends(database, {"name": "Annabel"}) as met:
        player = (await met.ann.http.post("/api/me")).json()["player"]
        cookie = met.ann.http.cookies[COOKIE]
        alone = (await met.ann.open("screen", name="Annabel", other_name="Belinda"))["table"]["id"]
        waiting = (await met.ann.open(name="Annabel"))["table"]["id"]
        assert (await met.ann.act(met.game, "move", move="A")).is_success
        assert (await met.bob.act(met.game, "move", move="A")).is_success
        async with met.ann.live(met.game) as ann, met.bob.live(met.game) as bob:
            left = await met.ann.http.request("DELETE", "/api/me")
            assert left.json() == {"player": player}
            assert COOKIE not in met.ann.http.cookies
            assert await close_code(ann) == 1001
            while bob.state["status"]["seats"][0]["name"]:
                await bob.receive("event", "state")
            assert bob.state["status"]["ending"]["reason"] == "resigned"
            assert bob.state["status"]["ending"]["winner"] == 1
            assert bob.state["status"]["seats"][0] == {
                "name": "",
                "taken": True,
                "computer": False,
            }
            answer = await bob.act("rematch")
            assert (answer["t"], answer["code"]) == ("refused", "not-begun")
        for game, ending in ((alone, "aborted"), (waiting, "aborted")):
            state = await met.bob.look(game)
            assert state["status"]["ending"]["reason"] == ending
            assert [seat["name"] for seat in state["status"]["seats"]] == ["", ""]
        async with Visitor(met.address, Cookie=f"{COOKIE}={cookie}") as thief:
            assert (await thief.http.get("/api/me/games")).json()["games"] == []
            assert (await thief.look(met.game))["you"] == []
            again = await thief.http.request("DELETE", "/api/me")
            assert again.json() == {"player": None}, "the player has been deleted already"
        record = Record.parse((await met.bob.http.get(f"/api/tables/{met.game}/record")).text)
        assert record.players == ("?", "Bob")
        (listed,) = (await met.bob.http.get("/api/me/games")).json()["games"]
        assert listed["names"] == ["", "Bob"]
    stored = await everything_stored(database)
    for word in ("Annabel", "Belinda", player):
        assert word not in stored
    assert "Bob" in stored
    if "://" not in database:
        contents = Path(database).read_bytes()
        assert b"Annabel" not in contents
        assert player.encode() in contents, "the id is kept as revoked, but in no game"
    async with opened(database) as store:
        assert await store.games_of(player, limit=1) == []
        assert await store.names_of(player) == []


@asynchronous
async def test_deleting_a_player_does_not_change_the_time_of_their_games(
    sqlite_database: str,
) -> None:
    async with friends(sqlite_database) as met:
        assert (await met.ann.act(met.game, "abort")).is_success
        before = (await met.bob.http.get("/api/me/games")).json()["games"][0]["updated"]
        assert (await met.ann.http.request("DELETE", "/api/me")).is_success
        after = (await met.bob.http.get("/api/me/games")).json()["games"][0]
        assert (after["updated"], after["names"]) == (before, ["", "Bob"])


@asynchronous
async def test_a_deletion_is_completed_after_a_restart(
    database: str, monkeypatch: pytest.MonkeyPatch, time: Time
) -> None:
    monkeypatch.setattr(players, "_TIDY_SECONDS", 0.05)
    async with friends(database) as met:
        player = (await met.ann.http.post("/api/me")).json()["player"]
    async with opened(database) as store:  # recorded, but not yet carried out
        await store.revoke(player, "", "another", time.keeper().now(), erase=True)
        assert await store.games_of(player, limit=1)
    time.passed += 61
    async with serving(database, EnginePool(0)) as address, at(met.bob, address) as bob:

        async def forgotten() -> bool:
            return not (await bob.look(met.game))["status"]["seats"][0]["name"]

        await eventually(forgotten)
    async with opened(database) as store:
        assert await store.games_of(player, limit=1) == []


@asynchronous
async def test_a_deletion_reaches_other_servers_on_the_database(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "_WATCH_SECONDS", 0.05)
    async with (
        friends(database) as met,
        serving(database, EnginePool(0)) as other_server,
        at(met.bob, other_server) as away,
        away.live(met.game) as bob,
    ):
        assert bob.state["status"]["seats"][0]["name"] == "Ann"
        assert (await met.ann.http.request("DELETE", "/api/me")).is_success
        while bob.state["status"]["seats"][0]["name"]:
            await bob.receive("event", "state")


@asynchronous
async def test_foreign_pages_can_neither_revoke_nor_delete(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        evil = {"Origin": "https://evil.org"}
        refusal(await met.ann.http.request("DELETE", "/api/me", headers=evil), 403, "forbidden")
        answer = await met.ann.http.post("/api/me/revoke", json={"id": REVOCATION_ID}, headers=evil)
        refusal(answer, 403, "forbidden")
        assert (await met.ann.look(met.game))["you"] == [0]


# Downloading the data


@asynchronous
async def test_players_can_download_all_their_data(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patchwork.server.store.store._WHOLE_GAMES", 2)
    async with friends(database, {"name": "Ann ]}"}) as met:
        others = [
            (await met.ann.open(opponent, name="Änne"))["table"]["id"]
            for opponent in ("screen", "friend", "computer")
        ]
        assert (await met.ann.act(met.game, "move", move="A")).is_success
        answer = await met.ann.http.get("/api/me/data")
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["content-disposition"].startswith("attachment")
        data = Data.model_validate_json(answer.content)
        assert data.player == (await met.ann.http.post("/api/me")).json()["player"]
        assert data.names == ["Ann ]}", "Änne"]
        assert sorted(game.id for game in data.games) == sorted([met.game, *others])
        (game,) = [game for game in data.games if game.id == met.game]
        assert (game.you, game.names) == ([0], ("Ann ]}", "Bob"))
        assert [event.kind for event in game.events] == ["join", "join", "move"]
        assert Record.parse(game.record).tags["Game"] == met.game
        bob = (await met.bob.http.post("/api/me")).json()["player"]
        assert bob not in answer.text, "other players' ids are private"
        async with Visitor(met.address) as nobody:
            empty = await nobody.http.get("/api/me/data")
            assert empty.json() == {"player": None, "merges": [], "names": [], "games": []}
            assert "set-cookie" not in empty.headers


@asynchronous
async def test_downloads_of_all_data_are_limited(
    sqlite_database: str,
) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        await ann.http.post("/api/me")
        answers: list[Any] = [await ann.http.get("/api/me/data") for _ in range(21)]
        assert [answer.status_code for answer in answers] == [200] * 20 + [429]
        refusal(answers[-1], 429, "too-many")
        assert json.loads(answers[0].text)["games"] == []
