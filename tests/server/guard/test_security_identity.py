"""Credentials: others cannot forge them, and foreign pages cannot use them."""

import hmac
import json
from dataclasses import replace

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from patchwork.server.engines.pool import EnginePool
from patchwork.server.players import identity
from patchwork.server.players.identity import Signer, carry_token, read_token, token_of
from server.support.fake_time import asynchronous
from server.support.friends import friends, live_url, refusal, table_unchanged
from server.support.live_server import Visitor, serving

SECRET = "a secret of thirty-two characters"
EVIL = "https://evil.org"


@asynchronous
async def test_forged_credentials_identify_nobody(sqlite_database: str) -> None:
    async with friends(sqlite_database, secret=SECRET) as met, table_unchanged(met):
        token = met.ann.http.cookies["patchwork"]
        signer, foreign = Signer(SECRET.encode()), Signer(b"x" * 32)
        credential = read_token(signer, token)
        assert credential is not None
        assert token_of(signer, credential) == token
        player, link = credential.player, carry_token(signer, credential, 2**53)
        bob = met.bob.http.cookies["patchwork"]
        forgeries = [
            player,
            f"{player}.",
            f"{player}.{bob.rpartition('.')[2]}",
            token_of(foreign, credential),
            token_of(signer, replace(credential, key="another")),
            link,
            signer.sign("", player),
            token[:-1],
            token.swapcase(),
        ]
        for forged in forgeries:
            async with Visitor(met.address, Cookie=f"patchwork={forged}") as eve:
                assert (await eve.look(met.game))["you"] == []
                assert (await eve.http.get("/api/me/games")).json()["games"] == []
                refusal(await eve.act(met.game, "resign"), 403, "not-seated")
            bearer = {"Authorization": f"Bearer {forged}"}
            async with Visitor(met.address, **bearer) as eve:
                for path in (f"/api/tables/{met.game}", "/api/me/games"):
                    refusal(await eve.http.get(path), 403, "forbidden")
            async with connect(
                live_url(met.address, met.game), additional_headers=bearer
            ) as socket:
                assert json.loads(await socket.recv())["code"] == "forbidden"
                with pytest.raises(ConnectionClosed):
                    await socket.recv()
                assert socket.close_code == 1008
            if forged != link:
                refusal(await met.bob.http.post(f"/carry/{forged}"), 403, "forbidden")


@asynchronous
async def test_a_bearer_token_belongs_to_a_new_player(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, Visitor(met.address) as robot:
        made = (await robot.http.post("/api/tokens")).json()
        assert "patchwork" not in robot.http.cookies, "asking for a token sets no cookie"
        robot.http.headers["Authorization"] = f"Bearer {made['token']}"
        assert (await robot.http.post("/api/me")).json() == {"player": made["player"]}
        game = (await robot.open("screen"))["table"]["id"]
        assert (await robot.act(game, "move", move="A")).is_success
        refusal(await met.ann.act(game, "move", move="A"), 403, "not-seated")
        refusal(await robot.act(met.game, "resign"), 403, "not-seated")


@asynchronous
async def test_cookies_are_hidden_from_scripts_and_other_sites(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        cookie = (await ann.http.post("/api/me")).headers["set-cookie"].lower()
        assert {"httponly", "samesite=lax", "path=/"} <= {
            part.strip() for part in cookie.split(";")
        }
        assert "secure" not in cookie
        assert "domain" not in cookie
        assert "set-cookie" not in (await ann.http.get("/api/me/games")).headers
    for settings in (
        {"public_url": "https://patchwork.example"},
        {"secure_cookies": "true"},
        {"proxies": "127.0.0.1"},
    ):
        async with (
            serving(sqlite_database, EnginePool(0), **settings) as address,
            Visitor(address, **{"X-Forwarded-Proto": "https"}) as ann,
        ):
            cookie = (await ann.http.post("/api/me")).headers["set-cookie"]
            assert "; Secure" in cookie


@asynchronous
async def test_signatures_are_compared_in_constant_time(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(len(other))
        return hmac.compare_digest(one, other)

    class WatchedHmac:
        compare_digest = staticmethod(compare)
        digest = staticmethod(hmac.digest)

    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        await ann.http.post("/api/me")
        monkeypatch.setattr(identity, "hmac", WatchedHmac)
        await ann.http.post("/api/me")
        await ann.http.get("/carry/x.y")
        assert compared == [43, 43, 43], "a cookie, and a cookie and a link"


# Foreign pages


@asynchronous
async def test_foreign_pages_cannot_act_for_their_visitors(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, table_unchanged(met):
        action = json.dumps({"t": "resign", "id": "1", "seq": 2})
        link = (await met.bob.http.post("/api/me/carry-link")).json()["url"]
        bodies = [
            ("text/plain", action),
            ("application/x-www-form-urlencoded", f"{action[:-1]}, &a=1}}"),
            ("multipart/form-data; boundary=x", f"--x\r\n\r\n{action}\r\n--x--"),
            ("application/json", action),
            ("", action),
        ]
        for origin in (EVIL, "null", f"{met.address}.evil.org"):
            for kind, body in bodies:
                headers = {"Origin": origin, **({"Content-Type": kind} if kind else {})}
                for path in (f"/api/tables/{met.game}/actions", "/api/tables", link, "/api/me"):
                    answer = await met.ann.http.post(path, content=body, headers=headers)
                    refusal(answer, 403, "forbidden")
                    assert "set-cookie" not in answer.headers
            with pytest.raises(InvalidStatus) as refused:
                await connect(
                    live_url(met.address, met.game), additional_headers={"Origin": origin}
                )
            assert refused.value.response.status_code == 403
        answer = await met.ann.http.post(link, headers={"Sec-Fetch-Site": "cross-site"})
        refusal(answer, 403, "forbidden")
        for kind, body in bodies:
            if kind != "application/json":
                headers = {"Content-Type": kind}
                answer = await met.ann.http.post(
                    f"/api/tables/{met.game}/actions", content=body, headers=headers
                )
                refusal(answer, 422, "malformed")
        for headers in ({"Origin": met.address}, {}):
            async with met.ann.live(met.game, **headers) as ann:
                await ann.send("ping")
                await ann.receive("pong")


@asynchronous
async def test_foreign_pages_cannot_read_answers(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        for method in ("GET", "OPTIONS"):
            answer = await met.ann.http.request(
                method,
                f"/api/tables/{met.game}",
                headers={"Origin": EVIL, "Access-Control-Request-Method": "POST"},
            )
            assert not [name for name in answer.headers if name.startswith("access-control")]
