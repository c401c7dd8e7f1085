"""Attacks on a running server: forged, foreign or oversized input changes nothing."""

import asyncio
import html
import json
import logging
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

import patchwork as pw
from patchwork.server.app import create_app
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.names import cleaned
from patchwork.server.http import dependencies
from patchwork.server.settings import Settings
from patchwork.server.store import Store, Unavailable
from patchwork.server.tables.registry import Tables
from server.support.fake_time import asynchronous
from server.support.friends import Friends, friends, live_url, refusal, table_unchanged
from server.support.live_server import Json, Visitor, serving
from support.waiting import PATIENCE

EVIL = "https://evil.org"
NEW: Json = {"opponent": "friend"}


async def raw(address: str, sent: str) -> bytes:
    """Returns everything the server answers to some bytes."""
    url = httpx.URL(address)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(sent.encode())
    async with asyncio.timeout(PATIENCE):
        answer = await reader.read()
    writer.close()
    return answer


# Clients cannot set the state


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
async def test_clients_cannot_send_a_state(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, table_unchanged(met), met.ann.live(met.game) as ann:
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
async def test_every_action_of_a_spectator_is_refused(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database) as met,
        Visitor(met.address) as stranger,
        Visitor(met.address) as known,
        table_unchanged(met),
    ):
        await known.http.post("/api/me")
        for eve in (stranger, known):
            async with eve.live(met.game) as watching:
                assert watching.state["you"] == []
                for action in ACTIONS:
                    refusal(await eve.act(met.game, **action), 403, "not-seated")
                    assert (await watching.act(**action))["code"] == "not-seated"
            refusal(
                await eve.http.post(f"/api/tables/{met.game}/hint", json={"t": "hint", "id": "h"}),
                403,
                "no-help",
            )
            refusal(
                await eve.http.post(f"/api/tables/{met.game}/join", json={}), 409, "seats-taken"
            )


@asynchronous
async def test_moves_for_the_opponent_or_after_the_end_are_refused(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database) as met,
        met.bob.live(met.game) as bob,
        met.ann.live(met.game) as ann,
    ):
        async with table_unchanged(met):
            refusal(await met.bob.act(met.game, "move", move="A"), 409, "not-your-turn")
            assert (await bob.act("move", move="A"))["code"] == "not-your-turn"
            assert (await bob.act("accept"))["code"] == "not-asked"
        await ann.play("A")
        assert (await ann.act("undo"))["t"] == "ack"
        async with table_unchanged(met):
            assert (await ann.act("accept"))["code"] == "not-asked", (
                "nobody may accept their own request"
            )
        assert (await ann.act("resign"))["t"] == "ack"
        async with table_unchanged(met):
            for action in ACTIONS[:-1]:
                for visitor in (met.ann, met.bob):
                    refusal(await visitor.act(met.game, **action), 409, "over")


@asynchronous
async def test_a_replayed_action_is_not_applied_again(sqlite_database: str) -> None:
    async with (
        friends(sqlite_database) as met,
        met.ann.live(met.game) as ann,
        met.bob.live(met.game) as bob,
    ):
        sent: Json = {"t": "move", "id": "once", "seq": 2, "move": "A"}
        first = await ann.act(**sent)
        async with table_unchanged(met):
            for again in (sent, {**sent, "seq": 3}, {"t": "resign", "id": "once", "seq": 3}):
                assert await ann.act(**again) == first
            assert (await bob.act(**sent))["code"] == "stale", "another player's message"
            assert (await ann.act(**{**sent, "id": "twice"}))["code"] == "stale"


# Headers


async def every_kind(met: Friends) -> list[httpx.Response]:
    """Returns one answer of every kind."""
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
async def test_forged_hosts_do_not_change_links(sqlite_database: str) -> None:
    forged = {"Host": "evil.org", "X-Forwarded-Host": "evil.org", "Forwarded": "host=evil.org"}
    async with (
        serving(sqlite_database, EnginePool(0), public_url="https://own.org") as address,
        Visitor(address, **forged) as ann,
    ):
        link = (await ann.http.post("/api/me/carry-link")).json()
        assert link["url"].startswith("https://own.org/carry/")
        assert "evil" not in link["qr"]
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        link = (await ann.http.post("/api/me/carry-link", headers={"Host": "own.org:81"})).json()
        assert link["url"].startswith("http://own.org:81/carry/"), (
            "the Host header counts if no public URL is set"
        )
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
async def test_forged_and_expired_carry_links_are_refused(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with friends(sqlite_database) as met, Visitor(met.address) as device:
        made = (await met.ann.http.post("/api/me/carry-link")).json()
        asked = await device.http.get(made["url"])
        assert asked.status_code == 200
        assert "set-cookie" not in asked.headers, "a link alone changes nothing"
        assert met.ann.http.cookies["patchwork"].rpartition(".")[2] not in asked.text
        player, key, expires, signature = made["url"].rpartition("/")[2].split(".")
        for forged in (
            f"{player}.{key}.{int(expires) + 10**6}.{signature}",
            f"{met.bob.http.cookies['patchwork'].partition('.')[0]}.{key}.{expires}.{signature}",
            f"{player}.{expires}.{signature}",
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
        monkeypatch.setattr(dependencies, "unix_time", lambda: made["expires"])
        async with Visitor(met.address) as late:
            for method in ("GET", "POST"):
                refusal(await late.http.request(method, made["url"]), 403, "forbidden")
            assert (await late.look(met.game))["you"] == []


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
    "zig\0zag",
    "zig\nzag",
    "zig\x1b[2Jzag",
    "zig\u202ezag",
    "zig\u2066zag",
    "zig\u2028zag",
    "\x85zigzag\x80",
    "zig\ufffezag",
]
NO_NAMES = ["x" * 41, 7, None, ["a"], {"a": 1}]


@asynchronous
async def test_names_are_text_everywhere(
    sqlite_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("websockets").setLevel(logging.WARNING)
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        plain_game = (await ann.open("screen", name="Ann"))["table"]["id"]
        plain = (await ann.http.get(f"/tables/{plain_game}")).text
        for given in NAMES:
            state = await ann.open("screen", name=given, other_name=given[::-1])
            game, name, other = state["table"]["id"], cleaned(given), cleaned(given[::-1])
            assert [seat["name"] for seat in state["status"]["seats"]] == [name, other]
            listed = (await ann.http.get("/api/me/games")).json()["games"][0]
            assert listed["names"] == [name, other]
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


# Error messages

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
async def test_error_messages_reveal_no_internals(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def gone(*_: Any, **__: Any) -> Any:
        raise Unavailable("sqlite: cannot SELECT from /home/somebody/server.db")

    async with friends(sqlite_database) as met:
        http = met.ann.http
        paths = ("/api/tables/zzzzzzzzzzzz", "/nowhere", "/carry/x", "/api/me/games?before=x")
        texts = [(await http.get(path)).text for path in paths]
        for body in (
            b"{",
            b"\xff",
            b"[" * 9000,
            b'{"opponent": 1}',
            b'{"opponent": "friend", "x": 1}',
        ):
            headers = {"Content-Type": "application/json"}
            texts.append((await http.post("/api/tables", content=body, headers=headers)).text)
        waiting = (await met.ann.open())["table"]["id"]
    monkeypatch.setattr(Store, "load", gone)
    monkeypatch.setattr(Store, "create", gone)
    monkeypatch.setattr(Store, "games_of", gone)
    monkeypatch.setattr(Store, "check", gone)
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        ann.http.cookies = met.ann.http.cookies
        for path in (f"/api/tables/{waiting}", f"/tables/{waiting}", "/api/me/games", "/readyz"):
            answer = await ann.http.get(path)
            refusal(answer, 503, "unavailable")
            texts.append(answer.text)
        answer = await ann.http.post("/api/tables", json=NEW)
        refusal(answer, 503, "unavailable")
        texts.append(answer.text)
        async with connect(live_url(address, waiting)) as socket:
            texts.append(str(await socket.recv()))
            assert json.loads(texts[-1])["code"] == "unavailable"
    for text in texts:
        assert not [word for word in INTERNAL if word in text], text
    assert "cannot SELECT" in caplog.text, "the log names the cause"


# Addresses


@asynchronous
async def test_invalid_table_ids_are_not_found(sqlite_database: str) -> None:
    odd = [
        "zzzzzzzzzzzz",
        "x",
        "ZZZZZZZZZZZZ",
        "%00" * 12,
        "%ff%fe",
        "'--",
        "a" * 9000,
    ]
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        for game in odd:
            table = f"/api/tables/{game}"
            for path in ("", "/events", "/record", "/picture", "/analysis?ply=0"):
                refusal(await ann.http.get(table + path), 404, "no-such-table")
            refusal(await ann.http.get(f"/tables/{game}"), 404, "no-such-table")
            refusal(await ann.http.post(f"{table}/join", json={}), 404, "no-such-table")
            refusal(
                await ann.http.post(f"{table}/hint", json={"t": "hint", "id": "h"}),
                404,
                "no-such-table",
            )
            action = {"t": "resign", "id": "1", "seq": 0}
            refusal(await ann.http.post(f"{table}/actions", json=action), 404, "no-such-table")


@asynchronous
async def test_long_addresses_are_answered(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        for length in (1000, 10_000, 30_000, 60_000):
            long = "a" * length
            answered = {200, 400, 403, 404, 422} if length < 16_000 else {431}
            for path in (f"/{long}", f"/carry/{long}", f"/?{long}", f"/api/me/games?before={long}"):
                answer = await ann.http.get(path)
                assert answer.status_code in answered, path[:20]
                assert len(answer.content) < 2000
        headers = {"Cookie": "patchwork=" + "a" * 10_000}
        assert (await ann.http.get("/api/me/games", headers=headers)).json()["games"] == []


def test_the_openapi_document_names_no_host() -> None:
    assert "servers" not in create_app(Settings()).openapi()
