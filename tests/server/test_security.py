"""Attacks on a running server: what is forged, foreign, foul or too much changes nothing."""

import asyncio
import hmac
import html
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

import patchwork as pw
from patchwork.server import api, context, pages, seats
from patchwork.server.app import create_app
from patchwork.server.context import now
from patchwork.server.seats import Signer, carry_token, player_token
from patchwork.server.settings import Settings
from patchwork.server.store import Store, Unavailable
from patchwork.server.tables import Tables
from patchwork.server.thinkers import Thinkers
from server.company import Friends, asynchronous, friends, refusal
from server.playing import Json, Visitor, serving

SECRET = "a secret of thirty-two characters"
EVIL = "https://evil.org"
NEW: Json = {"opponent": "friend"}


@asynccontextmanager
async def untouched(met: Friends) -> AsyncIterator[None]:
    """Makes sure that a table is afterwards as it was."""
    before = await met.ann.look(met.game)
    yield
    assert await met.ann.look(met.game) == before


async def raw(address: str, sent: str) -> bytes:
    """Returns all that is answered to some bytes."""
    url = httpx.URL(address)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(sent.encode())
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    return answer


def live_url(address: str, game: str) -> str:
    return f"{address}/api/tables/{game}/live".replace("http", "ws", 1)


# The server decides


FORGED: list[Json] = [
    {"state": {"position": None}},
    {"position": "anything"},
    {"seat": 1},
    {"player": "somebody"},
    {"you": [0, 1]},
    {"at": 0},
    {"clocks": [1, 1]},
    {"v": 1},
]


@asynchronous
async def test_nobody_sends_a_state(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, untouched(met), met.ann.live(met.game) as ann:
        for forged in FORGED:
            assert (await ann.act("move", move="A", **forged))["code"] == "malformed"
            refusal(await met.ann.act(met.game, "move", move="A", **forged), 422, "malformed")
            answer = await met.ann.http.put(f"/api/tables/{met.game}", json=forged)
            refusal(answer, 405, "not-found")
            answer = await met.ann.http.post("/api/tables", json={**NEW, "edition": "", **forged})
            refusal(answer, 422, "malformed")


ACTIONS: list[Json] = [
    {"t": "move", "move": "A"},
    {"t": "begin", "first": 0},
    *({"t": t} for t in ("undo", "accept", "decline", "resign", "abort", "claim", "flag")),
    {"t": "rematch"},
]


@asynchronous
async def test_who_watches_may_do_nothing(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database) as met,
        Visitor(met.address) as stranger,
        Visitor(met.address) as known,
        untouched(met),
    ):
        await known.http.post("/api/me")
        for eve in (stranger, known):
            async with eve.live(met.game) as watching:
                assert watching.state["you"] == []
                for action in ACTIONS:
                    refusal(await eve.act(met.game, **action), 403, "not-seated")
                    assert (await watching.act(**action))["code"] == "not-seated"
            refusal(
                await eve.http.post(f"/api/tables/{met.game}/hint", json={"id": "h"}),
                403,
                "no-help",
            )
            refusal(
                await eve.http.post(f"/api/tables/{met.game}/join", json={}), 409, "seats-taken"
            )


@asynchronous
async def test_nobody_moves_for_the_other_or_after_the_end(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database) as met,
        met.bob.live(met.game) as bob,
        met.ann.live(met.game) as ann,
    ):
        async with untouched(met):
            refusal(await met.bob.act(met.game, "move", move="A"), 409, "not-your-turn")
            assert (await bob.act("move", move="A"))["code"] == "not-your-turn"
            assert (await bob.act("accept"))["code"] == "not-asked"
        await ann.play("A")
        assert (await ann.act("undo"))["t"] == "ack"
        async with untouched(met):
            assert (await ann.act("accept"))["code"] == "not-asked", "nobody answers themselves"
        assert (await ann.act("resign"))["t"] == "ack"
        async with untouched(met):
            for action in ACTIONS[:-1]:
                for visitor in (met.ann, met.bob):
                    refusal(await visitor.act(met.game, **action), 409, "over")


@asynchronous
async def test_an_old_action_sent_again_does_not_happen_again(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        sent: Json = {"t": "move", "id": "once", "seq": 2, "move": "A"}
        first = await ann.act(**sent)
        async with untouched(met):
            for again in (sent, {**sent, "seq": 3}, {"t": "resign", "id": "once", "seq": 3}):
                assert await ann.act(**again) == first
            assert (await bob.act(**sent))["code"] == "stale", "the other's message"
            assert (await ann.act(**{**sent, "id": "twice"}))["code"] == "stale"


# Who one is


@asynchronous
async def test_forged_credentials_are_nobodys(sqlite_database: str) -> None:
    async with friends(sqlite_database, secret=SECRET) as met, untouched(met):
        token = met.ann.http.cookies["patchwork"]
        player = token.rpartition(".")[0]
        signer, foreign = Signer(SECRET.encode()), Signer(b"x" * 32)
        assert player_token(signer, player) == token
        bob = met.bob.http.cookies["patchwork"]
        forgeries = [
            player,
            f"{player}.",
            f"{player}.{bob.rpartition('.')[2]}",
            player_token(foreign, player),
            carry_token(signer, player, 2**53),
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
            if forged != carry_token(signer, player, 2**53):
                refusal(await met.bob.http.post(f"/carry/{forged}"), 403, "forbidden")


@asynchronous
async def test_a_bearer_token_is_a_player_of_its_own(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, Visitor(met.address) as robot:
        made = (await robot.http.post("/api/tokens")).json()
        assert "patchwork" not in robot.http.cookies, "a token is not put into a browser"
        robot.http.headers["Authorization"] = f"Bearer {made['token']}"
        assert (await robot.http.post("/api/me")).json() == {"player": made["player"]}
        game = (await robot.open("screen"))["table"]["id"]
        assert (await robot.act(game, "move", move="A")).is_success
        refusal(await met.ann.act(game, "move", move="A"), 403, "not-seated")
        refusal(await robot.act(met.game, "resign"), 403, "not-seated")


@asynchronous
async def test_cookies_are_kept_from_scripts_and_other_sites(sqlite_database: str) -> None:
    async with serving(sqlite_database, Thinkers(0)) as address, httpx.AsyncClient() as http:
        cookie = (await http.post(f"{address}/api/me")).headers["set-cookie"].lower()
        assert {"httponly", "samesite=lax", "path=/"} <= {
            part.strip() for part in cookie.split(";")
        }
        assert "secure" not in cookie
        assert "domain" not in cookie
        assert "set-cookie" not in (await http.get(f"{address}/api/me/games")).headers
    for settings in (
        {"public_url": "https://patchwork.example"},
        {"secure_cookies": "true"},
        {"proxies": "127.0.0.1"},
    ):
        async with serving(sqlite_database, Thinkers(0), **settings) as address:
            answer = httpx.AsyncClient(headers={"X-Forwarded-Proto": "https"})
            async with answer as http:
                cookie = (await http.post(f"{address}/api/me")).headers["set-cookie"]
                assert "; Secure" in cookie


@asynchronous
async def test_signatures_are_compared_in_constant_time(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(len(other))
        return hmac.compare_digest(one, other)

    class Watched:
        compare_digest = staticmethod(compare)
        digest = staticmethod(hmac.digest)

    async with serving(sqlite_database, Thinkers(0)) as address, Visitor(address) as ann:
        await ann.http.post("/api/me")
        monkeypatch.setattr(seats, "hmac", Watched)
        await ann.http.post("/api/me")
        await ann.http.get("/carry/x.y")
        assert compared == [43, 43]


# Foreign pages


@asynchronous
async def test_foreign_pages_cannot_act_for_their_visitors(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, untouched(met):
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
async def test_no_answer_lets_foreign_pages_read_it(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        for method in ("GET", "OPTIONS"):
            answer = await met.ann.http.request(
                method,
                f"/api/tables/{met.game}",
                headers={"Origin": EVIL, "Access-Control-Request-Method": "POST"},
            )
            assert not [name for name in answer.headers if name.startswith("access-control")]


# Headers


async def every_kind(met: Friends) -> list[httpx.Response]:
    """One answer of every kind."""
    http, table = met.ann.http, f"/api/tables/{met.game}"
    link = (await http.post("/api/me/carry-link")).json()["url"]
    gets = ["/", "/docs", "/style.css", "/openapi.json", "/healthz", "/readyz", "/metrics", link]
    gets += [f"/tables/{met.game}", table, f"{table}/record", f"{table}/picture", "/api/me/games"]
    gets += ["/nowhere", "/api/tables/zzzzzzzzzzzz", f"{table}/analysis", "/carry/x", "/docs/"]
    answers = [await http.get(path) for path in gets]
    answers += [
        await http.post(link),
        await http.delete(table),
        await http.options("/"),
        await http.head("/"),
        await http.post("/api/tables", json={"opponent": "friend"}),
        await http.post("/api/tables", content=b"x" * 70_000),
        await http.post(
            "/api/tables", content=b"\xff", headers={"Content-Type": "application/json"}
        ),
        await http.post("/api/me", headers={"Origin": EVIL}),
        await http.get("/", headers={"Host": "no host"}),
    ]
    async with http.stream("GET", f"{table}/events") as stream:
        answers.append(stream)
    return answers


@asynchronous
async def test_every_kind_of_answer_has_the_security_headers(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with friends(sqlite_database) as met:
        answers = await every_kind(met)
        assert {answer.status_code for answer in answers} == {
            *(200, 201, 303, 400, 403, 404, 405, 413, 422),
        }

        async def broken(*_: Any) -> Any:
            raise RuntimeError("broken at /home/somebody/secret.py")

        monkeypatch.setattr(Tables, "open", broken)
        answers.append(await met.ann.http.post("/api/tables", json={"opponent": "friend"}))
        assert answers[-1].status_code == 500
        assert answers[-1].text == "Internal Server Error"
        for answer in answers:
            headers = answer.headers
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self';"), answer.url
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert headers["referrer-policy"] == "same-origin"
            assert "server" not in headers
            assert "x-powered-by" not in headers
        with pytest.raises(InvalidStatus) as refused:
            await connect(live_url(met.address, met.game), additional_headers={"Origin": EVIL})
        assert refused.value.response.headers["x-content-type-options"] == "nosniff"


# Hosts and links


@asynchronous
async def test_links_lead_where_the_server_says(sqlite_database: str) -> None:
    forged = {"Host": "evil.org", "X-Forwarded-Host": "evil.org", "Forwarded": "host=evil.org"}
    async with (
        serving(sqlite_database, Thinkers(0), public_url="https://own.org") as address,
        Visitor(address, **forged) as ann,
    ):
        link = (await ann.http.post("/api/me/carry-link")).json()
        assert link["url"].startswith("https://own.org/carry/")
        assert "evil" not in link["qr"]
    async with serving(sqlite_database, Thinkers(0)) as address, Visitor(address) as ann:
        link = (await ann.http.post("/api/me/carry-link", headers={"Host": "own.org:81"})).json()
        assert link["url"].startswith("http://own.org:81/carry/"), "where no address is set"
        elsewhere = {"X-Forwarded-Host": "evil.org", "X-Forwarded-Proto": "https"}
        link = (await ann.http.post("/api/me/carry-link", headers=elsewhere)).json()
        assert link["url"].startswith(f"{address}/carry/")
        for host in ("a" * 3000, "u@evil.org", "a/b", 'a"<b>', "[::1", "a b", "a:99999", "a:x", ""):
            for path in ("/api/me/carry-link", "/api/me"):
                refusal(await ann.http.post(path, headers={"Host": host}), 400, "malformed")
            refusal(await ann.http.get("/", headers={"Host": host}), 400, "malformed")
        for hosts in ("Host: own.org\r\nHost: evil.org", "Host: own.org\r\nHost: own.org"):
            sent = f"POST /api/me/carry-link HTTP/1.1\r\n{hosts}\r\nConnection: close\r\n\r\n"
            assert (await raw(address, sent)).startswith(b"HTTP/1.1 400 ")
        assert (await raw(address, "GET /healthz HTTP/1.0\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        moved = await ann.http.get("/docs/", headers={"Host": "evil.org"})
        assert "location" not in moved.headers


@asynchronous
async def test_a_carry_link_is_for_its_player_and_its_time(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with friends(sqlite_database) as met, Visitor(met.address) as device:
        made = (await met.ann.http.post("/api/me/carry-link")).json()
        asked = await device.http.get(made["url"])
        assert asked.status_code == 200
        assert "set-cookie" not in asked.headers, "a link alone changes nothing"
        assert met.ann.http.cookies["patchwork"].rpartition(".")[2] not in asked.text
        player, expires, signature = made["url"].rpartition("/")[2].split(".")
        for forged in (
            f"{player}.{int(expires) + 10**6}.{signature}",
            f"{met.bob.http.cookies['patchwork'].partition('.')[0]}.{expires}.{signature}",
            f"{player}.{signature}",
            f"{player}.{expires}.",
            "<script>",
            "%00",
            "x" * 5000,
        ):
            for method in ("GET", "POST"):
                answer = await device.http.request(method, f"/carry/{forged}")
                refusal(answer, 403, "forbidden")
        assert (await device.http.post(made["url"])).status_code == 303
        assert (await device.look(met.game))["you"] == [0]
        monkeypatch.setattr(pages, "now", lambda: made["expires"])
        async with Visitor(met.address) as late:
            for method in ("GET", "POST"):
                refusal(await late.http.request(method, made["url"]), 403, "forbidden")
            assert (await late.look(met.game))["you"] == []


# Limits


def test_the_limits_are_on_by_default() -> None:
    default = Settings()
    assert (default.play_messages, default.watch_messages, default.frame_bytes) == (100, 50, 2048)
    assert (default.new_games_per_minute, default.new_games_per_day) == (5, 300)
    assert (default.carries_per_hour, default.carry_minutes) == (3, 10)
    assert default.requests_per_minute == 240


@asynchronous
async def test_three_carry_links_an_hour(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with friends(sqlite_database, carries_per_hour="3") as met:
        statuses = [(await met.ann.http.post("/api/me/carry-link")).status_code for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        assert (await met.bob.http.post("/api/me/carry-link")).is_success
        later = now() + 60 * 60 * 1000
        monkeypatch.setattr(api, "now", lambda: later)
        assert (await met.ann.http.post("/api/me/carry-link")).is_success


@asynchronous
async def test_new_games_from_one_address(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {"new_games_per_minute": "5", "new_games_per_day": "7"}
    async with serving(sqlite_database, Thinkers(0), **limits) as address:
        begin = now()
        statuses = []
        for minute in range(3):
            monkeypatch.setattr(context, "now", lambda minute=minute: begin + minute * 61_000)
            for _ in range(6):
                async with httpx.AsyncClient() as stranger:  # without a cookie each time
                    answer = await stranger.post(f"{address}/api/tables", json=NEW)
                    statuses.append(answer.status_code)
        assert statuses == 5 * [201] + [429] + 2 * [201] + 4 * [429] + 6 * [429]


@asynchronous
async def test_playing_again_counts_as_a_new_game(sqlite_database: str) -> None:
    async with (
        serving(sqlite_database, Thinkers(0), new_games_per_minute="3") as address,
        Visitor(address) as ann,
    ):
        game = (await ann.open("screen"))["table"]["id"]
        assert (await ann.act(game, "abort")).is_success
        assert (await ann.act(game, "rematch", id="again")).is_success
        assert (await ann.act(game, "rematch", id="again")).is_success, "repeated"
        following = (await ann.look(game))["status"]["next"]
        async with ann.live(following) as live:
            assert (await live.act("abort"))["t"] == "ack"
            refused = await live.act("rematch", id="mine")
            assert (refused["code"], refused["id"]) == ("too-many", "mine")
            refusal(await ann.act(following, "rematch"), 429, "too-many")
            assert live.state["status"]["next"] is None


@asynchronous
async def test_addresses_are_believed_of_trusted_proxies_only(sqlite_database: str) -> None:
    limits = {"new_games_per_minute": "2"}

    async def statuses(address: str, *forwarded: str) -> list[int]:
        async with httpx.AsyncClient(base_url=address) as http:
            return [
                (
                    await http.post("/api/tables", json=NEW, headers={"X-Forwarded-For": each})
                ).status_code
                for each in forwarded
            ]

    for trusted in ({}, {"proxies": "192.0.2.1"}):
        async with serving(sqlite_database, Thinkers(0), **limits, **trusted) as address:
            assert await statuses(address, "1.1.1.1", "2.2.2.2", "3.3.3.3") == [201, 201, 429]
    async with serving(sqlite_database, Thinkers(0), proxies="127.0.0.1", **limits) as address:
        one = 2 * ["198.51.100.1"]
        assert await statuses(address, *one, *one) == [201, 201, 429, 429]
        assert await statuses(address, "198.51.100.2") == [201], "another one"
        spoofed = [f"10.0.0.{number}, 198.51.100.1" for number in range(3)]
        assert await statuses(address, *spoofed) == 3 * [429], "the proxy's word is the last"
        network = [f"2001:db8::{number}" for number in range(3)]
        assert await statuses(address, *network) == [201, 201, 429]
        assert 500 not in await statuses(address, "", ",", "x" * 5000, "<script>", "1.1.1.1:80, y")


@pytest.mark.parametrize(("who", "limit"), [("ann", 100), ("eve", 50)])
@asynchronous
async def test_messages_of_one_socket(sqlite_database: str, who: str, limit: int) -> None:
    async with (
        friends(sqlite_database, play_messages="100", watch_messages="50") as met,
        Visitor(met.address) as eve,
        {"ann": met.ann, "eve": eve}[who].live(met.game) as loud,
    ):
        for _ in range(limit + 10):
            await loud.send("ping")
        with pytest.raises(ConnectionClosed):
            await loud.receive("bye")
        kinds = [message["t"] for message in loud.heard if message["t"] != "presence"]
        assert kinds == ["state", *limit * ["pong"], "refused"]
        assert loud.socket.close_code == 1008


# Names are text

NAMES = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=x>',
    "' onload='x",
    "</title></p><h1>",
    "&lt;b&gt; &amp;",
    "\\u003cscript\\u003e ${x} {{x}}",
    "javascript:alert(1)",
    "'; DROP TABLE games; --",
    'Robert"] [Result "1',
    "{comment} ; rest",
    "👩‍👩‍👧 🧵🏳️‍🌈",
    "ze\u200bro",
    "שלום عربي",
    "zalgo\u0301\u0302\u0303",
    "%00%0d%0a",
    "x" * 40,
]
NO_NAMES: list[object] = [
    "x" * 41,
    "a\0b",
    "a\nb",
    "a\x1b[2Jb",
    "a\u202eb",
    "a\u2066b",
    "a\u2028b",
    "\x85x\x80",
]
NO_NAMES += ["a\ufffeb", 7, None, ["a"], {"a": 1}]


@asynchronous
async def test_names_are_text_everywhere(
    sqlite_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("websockets").setLevel(logging.WARNING)
    async with serving(sqlite_database, Thinkers(0)) as address, Visitor(address) as ann:
        plain_game = (await ann.open("screen", name="Ann"))["table"]["id"]
        plain = (await ann.http.get(f"/tables/{plain_game}")).text
        for name in NAMES:
            state = await ann.open("screen", name=name, other_name=name[::-1])
            game = state["table"]["id"]
            assert [seat["name"] for seat in state["status"]["seats"]] == [name, name[::-1].strip()]
            listed = (await ann.http.get("/api/me/games")).json()["games"][0]
            assert listed["names"] == [name, name[::-1].strip()]
            page = (await ann.http.get(f"/tables/{game}")).text
            assert html.escape(name) in page
            assert page.count("<") == plain.count("<")
            picture = (await ann.http.get(f"/api/tables/{game}/picture")).text
            assert name not in picture
            record = await ann.http.get(f"/api/tables/{game}/record")
            assert record.headers["content-type"] == "text/plain; charset=utf-8"
            assert "attachment" in record.headers["content-disposition"]
            assert pw.Record.parse(record.text).players[0] == name
        for odd in NO_NAMES:
            table = {"opponent": "screen", "name": odd}
            refusal(await ann.http.post("/api/tables", json=table), 422, "malformed")
    for record_ in caplog.records:
        if record_.name.startswith(("patchwork", "uvicorn")):
            assert not [name for name in NAMES if name in record_.getMessage()]


# What errors tell

INTERNAL = (
    "Traceback",
    "File ",
    ".py",
    "sqlite",
    "SELECT",
    "INSERT",
    "/home",
    "/tmp",
    "sqlalchemy",
)


@asynchronous
async def test_errors_tell_nothing_of_the_inside(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def gone(*_: Any, **__: Any) -> Any:
        raise Unavailable("sqlite: cannot SELECT from /home/somebody/server.db")

    async with friends(sqlite_database) as met:
        http = met.ann.http
        paths = ("/api/tables/zzzzzzzzzzzz", "/nowhere", "/carry/x", "/api/me/games?before=x")
        told = [(await http.get(path)).text for path in paths]
        for body in (
            b"{",
            b"\xff",
            b"[" * 9000,
            b'{"opponent": 1}',
            b'{"opponent": "friend", "x": 1}',
        ):
            headers = {"Content-Type": "application/json"}
            told.append((await http.post("/api/tables", content=body, headers=headers)).text)
        waiting = (await met.ann.open())["table"]["id"]
    monkeypatch.setattr(Store, "load", gone)
    monkeypatch.setattr(Store, "create", gone)
    monkeypatch.setattr(Store, "games_of", gone)
    monkeypatch.setattr(Store, "check", gone)
    async with serving(sqlite_database, Thinkers(0)) as address, Visitor(address) as ann:
        ann.http.cookies = met.ann.http.cookies
        for path in (f"/api/tables/{waiting}", f"/tables/{waiting}", "/api/me/games", "/readyz"):
            answer = await ann.http.get(path)
            refusal(answer, 503, "unavailable")
            told.append(answer.text)
        answer = await ann.http.post("/api/tables", json=NEW)
        refusal(answer, 503, "unavailable")
        told.append(answer.text)
        async with connect(live_url(address, waiting)) as socket:
            told.append(str(await socket.recv()))
            assert json.loads(told[-1])["code"] == "unavailable"
    for text in told:
        assert not [word for word in INTERNAL if word in text], text
    assert "cannot SELECT" in caplog.text, "the operator is told"


# Addresses


@asynchronous
async def test_tables_that_cannot_be_are_not_found(sqlite_database: str) -> None:
    odd = [
        "zzzzzzzzzzzz",
        "x",
        "ZZZZZZZZZZZZ",
        "%00" * 12,
        "%ff%fe",
        "'--",
        "a" * 9000,
    ]
    async with serving(sqlite_database, Thinkers(0)) as address, Visitor(address) as ann:
        for game in odd:
            table = f"/api/tables/{game}"
            for path in ("", "/events", "/record", "/picture", "/analysis?ply=0"):
                refusal(await ann.http.get(table + path), 404, "no-such-table")
            refusal(await ann.http.get(f"/tables/{game}"), 404, "no-such-table")
            refusal(await ann.http.post(f"{table}/join", json={}), 404, "no-such-table")
            refusal(await ann.http.post(f"{table}/hint", json={"id": "h"}), 404, "no-such-table")
            action = {"t": "resign", "id": "1", "seq": 0}
            refusal(await ann.http.post(f"{table}/actions", json=action), 404, "no-such-table")


@asynchronous
async def test_long_addresses_are_answered(sqlite_database: str) -> None:
    async with serving(sqlite_database, Thinkers(0)) as address, Visitor(address) as ann:
        for length in (1000, 30_000, 60_000):
            long = "a" * length
            for path in (f"/{long}", f"/carry/{long}", f"/?{long}", f"/api/me/games?before={long}"):
                answer = await ann.http.get(path)
                assert answer.status_code in (200, 400, 403, 404, 422), path[:20]
                assert len(answer.content) < 2000
        headers = {"Cookie": "patchwork=" + "a" * 50_000}
        assert (await ann.http.get("/api/me/games", headers=headers)).json()["games"] == []


def test_the_document_names_no_host() -> None:
    assert "servers" not in create_app(Settings()).openapi()
