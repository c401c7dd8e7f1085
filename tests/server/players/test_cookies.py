"""Credentials of clients: cookies, bearer tokens, and carry links to another device."""

import re
from http.cookies import SimpleCookie
from time import monotonic

import pytest
from websockets.asyncio.client import connect

from patchwork.server.engines.pool import EnginePool
from patchwork.server.http import dependencies
from patchwork.server.http.api import carrying
from patchwork.server.players.identity import Credential, Signer, carry_token, token_of, unix_time
from patchwork.server.wire import Refused
from server.support.fake_time import asynchronous
from server.support.friends import at, friends, refusal
from server.support.live_server import Visitor, serving

# Cookies


@asynchronous
async def test_a_cookie_identifies_its_player_after_a_restart(database: str) -> None:
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:
        player = (await ann.http.post("/api/me")).json()["player"]
        assert (await ann.http.post("/api/me")).json()["player"] == player
        async with Visitor(address) as bob:
            assert (await bob.http.post("/api/me")).json()["player"] != player
        game = (await ann.open())["table"]["id"]
    async with serving(database, EnginePool(0)) as address, at(ann, address) as ann:
        assert (await ann.http.post("/api/me")).json()["player"] == player
        assert (await ann.look(game))["you"] == [0]


@pytest.mark.parametrize(
    ("settings", "secure"),
    [
        ({}, False),
        ({"public_url": "https://quilts.example"}, True),
        ({"public_url": "http://quilts.example"}, False),
        ({"public_url": "https://quilts.example", "secure_cookies": "false"}, False),
        ({"secure_cookies": "true"}, True),
    ],
)
@asynchronous
async def test_the_cookie_has_its_security_attributes(
    sqlite_database: str, settings: dict[str, str], secure: bool
) -> None:
    async with (
        serving(sqlite_database, EnginePool(0), **settings) as address,
        Visitor(address) as ann,
    ):
        answer = await ann.http.post("/api/me")
        cookie = SimpleCookie(answer.headers["set-cookie"])["patchwork"]
        assert cookie["httponly"] is True
        assert cookie["samesite"].lower() == "lax"
        assert cookie["path"] == "/"
        assert int(cookie["max-age"]) >= 365 * 24 * 60 * 60
        assert bool(cookie["secure"]) == secure
        assert "patchwork" not in answer.text
        again = await ann.http.post("/api/me", headers={"Cookie": f"patchwork={cookie.value}"})
        assert "set-cookie" not in again.headers, "a valid cookie is not replaced"


@asynchronous
async def test_reading_sets_no_cookie(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, Visitor(met.address) as eve:
        for path in ("/", f"/tables/{met.game}", f"/api/tables/{met.game}", "/api/me/games"):
            assert "set-cookie" not in (await eve.http.get(path)).headers
        assert "set-cookie" not in (await eve.act(met.game, "resign")).headers


@asynchronous
async def test_a_forged_cookie_identifies_nobody(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        genuine = met.ann.http.cookies["patchwork"]
        player, _, signature = genuine.rpartition(".")
        for forged in (
            player,
            f"{player}.",
            f"{player}.{signature[:-2]}",
            f"x{genuine}",
            token_of(Signer(b"another secret"), Credential(player)),
            "",
            '"',
        ):
            async with Visitor(met.address, Cookie=f"patchwork={forged}") as eve:
                assert (await eve.look(met.game))["you"] == []
                refusal(await eve.act(met.game, "resign"), 403, "not-seated")


@asynchronous
async def test_other_cookies_of_the_host_are_ignored(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        own = f"patchwork={met.ann.http.cookies['patchwork']}"
        for others in (
            "{own}; a=b",
            'x={{"a": 1}}; {own}',
            "{own}; y=[1, 2]; z",
            "c@d=1; {own}",
            "; ;{own};;",
        ):
            async with Visitor(met.address, Cookie=others.format(own=own)) as ann:
                assert (await ann.look(met.game))["you"] == [0], others


@asynchronous
async def test_a_new_secret_invalidates_all_cookies(sqlite_database: str) -> None:
    async with friends(sqlite_database, secret="x" * 32) as met:
        pass
    for secret, you in (("x" * 32, [0]), ("y" * 32, [])):
        async with (
            serving(sqlite_database, EnginePool(0), secret=secret) as address,
            at(met.ann, address) as ann,
        ):
            assert (await ann.look(met.game))["you"] == you


# Bearer tokens


@asynchronous
async def test_a_bot_plays_with_a_token(database: str) -> None:
    async with friends(database) as met, Visitor(met.address) as nobody:
        made = await nobody.http.post("/api/tokens")
        assert made.status_code == 201
        assert "set-cookie" not in made.headers
        bearer = {"Authorization": f"Bearer {made.json()['token']}"}
        async with Visitor(met.address, **bearer) as bot:
            assert (await bot.http.post("/api/me")).json() == {"player": made.json()["player"]}
            game = (await bot.open("screen"))["table"]["id"]
            assert "patchwork" not in bot.http.cookies
            assert (await bot.act(game, "move", move="A")).is_success
            async with bot.live(game, **bearer) as live:
                assert live.state["you"] == [0, 1]
            listed = (await bot.http.get("/api/me/games")).json()["games"]
            assert [listing["id"] for listing in listed] == [game]


@asynchronous
async def test_an_invalid_bearer_token_is_refused(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        for wrong in ("Bearer x", "bearer", "BEARER a.b", "Bearer é"):
            async with Visitor(met.address) as eve:
                header = [(b"Authorization", wrong.encode())]
                for answer in (
                    await eve.http.get(f"/api/tables/{met.game}", headers=header),
                    await eve.http.post("/api/me", headers=header),
                ):
                    refusal(answer, 403, "forbidden")
        address = met.address.replace("http", "ws", 1)
        async with connect(
            f"{address}/api/tables/{met.game}/live",
            additional_headers={"Authorization": "Bearer x"},
        ) as socket:
            assert Refused.model_validate_json(await socket.recv()).code == "forbidden"
            await socket.wait_closed()
            assert socket.close_code == 1008


# Carry links


@asynchronous
async def test_a_carry_link_signs_in_another_device(database: str) -> None:
    async with friends(database) as met, Visitor(met.address) as phone:
        link = (await met.ann.http.post("/api/me/carry-link")).json()
        assert link["url"].startswith(f"{met.address}/carry/")
        assert link["qr"].startswith("<svg ")
        assert "<script" not in link["qr"]
        assert 9 * 60_000 < link["expires"] - unix_time() <= 10 * 60_000
        page = await phone.http.get(link["url"])
        assert page.headers["content-type"].startswith("text/html")
        assert '<form method="post">' in page.text
        assert "set-cookie" not in page.headers, "opening the link changes nothing"
        assert (await phone.look(met.game))["you"] == []
        carried = await phone.http.post(link["url"], headers={"Origin": met.address})
        assert carried.status_code == 303
        assert "HttpOnly" in carried.headers["set-cookie"]
        assert (await phone.look(met.game))["you"] == [0]
        assert (await phone.act(met.game, "move", move="A")).is_success
        assert (await met.ann.look(met.game))["you"] == [0], "the first device keeps its seat"


@asynchronous
async def test_a_browser_can_submit_the_form_of_a_carry_link(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, Visitor(met.address) as phone:
        link = (await met.ann.http.post("/api/me/carry-link")).json()["url"]
        page = await phone.http.get(link)
        # With the referrer policy "no-referrer", browsers send "null" as the origin of a form.
        policies = [page.headers["referrer-policy"]]
        policies += re.findall('<meta name="referrer" content="([a-z-]+)">', page.text)
        origin = "null" if policies[-1] == "no-referrer" else met.address
        carried = await phone.http.post(link, headers={"Origin": origin})
        assert carried.status_code == 303


@asynchronous
async def test_a_carry_link_uses_the_public_url(sqlite_database: str) -> None:
    async with (
        serving(sqlite_database, EnginePool(0), public_url="https://quilts.example") as address,
        Visitor(address) as ann,
    ):
        link = (await ann.http.post("/api/me/carry-link")).json()
        assert link["url"].startswith("https://quilts.example/carry/")


@asynchronous
async def test_forged_and_expired_carry_links_are_refused(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with friends(sqlite_database, carry_minutes="1") as met, Visitor(met.address) as eve:
        url = (await met.ann.http.post("/api/me/carry-link")).json()["url"]
        token = url.rpartition("/")[2]
        player = (await met.ann.http.post("/api/me")).json()["player"]
        forged = [
            "x",
            token[:-2],
            f"x{token}",
            token.replace(player, f"{player}x"),
            met.ann.http.cookies["patchwork"],
            carry_token(Signer(b"another secret"), Credential(player), unix_time() + 60_000),
        ]
        for wrong in forged:
            for method in ("GET", "POST"):
                answer = await eve.http.request(method, f"/carry/{wrong}")
                refusal(answer, 403, "forbidden")
                assert "set-cookie" not in answer.headers
        assert (await eve.http.get(url)).is_success
        monkeypatch.setattr(dependencies, "unix_time", lambda: unix_time() + 61_000)
        for method in ("GET", "POST"):
            refusal(await eve.http.request(method, url), 403, "forbidden")


@asynchronous
async def test_a_carry_token_is_not_a_bearer_token(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, Visitor(met.address) as eve:
        token = (await met.ann.http.post("/api/me/carry-link")).json()["url"].rpartition("/")[2]
        answer = await eve.http.post("/api/me", headers={"Authorization": f"Bearer {token}"})
        refusal(answer, 403, "forbidden")


@asynchronous
async def test_carry_links_are_limited(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with friends(sqlite_database, carries_per_hour="2") as met:
        for _ in range(2):
            assert (await met.ann.http.post("/api/me/carry-link")).is_success
        refusal(await met.ann.http.post("/api/me/carry-link"), 429, "too-many")
        assert (await met.bob.http.post("/api/me/carry-link")).is_success
        monkeypatch.setattr(carrying, "monotonic", lambda: monotonic() + 3600)
        assert (await met.ann.http.post("/api/me/carry-link")).is_success
