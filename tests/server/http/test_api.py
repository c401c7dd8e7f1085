"""The server over plain HTTP: streams, lists, records, pages and refusals."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

import patchwork as pw
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.match import Match
from patchwork.server.http.api import tables
from patchwork.server.store import Store
from patchwork.server.tables.opening import new_game
from patchwork.server.transport import uvicorn_protocols
from patchwork.server.wire import NewTable, State
from server.support.fake_time import Time, asynchronous
from server.support.friends import at, eventually, friends, measured, presence, refusal
from server.support.live_server import Json, Visitor, serving
from support.waiting import PATIENCE

# Streams


class Stream:
    """The lines received from a table's stream."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.aiter_lines()

    async def line(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return await anext(self._lines)

    async def end(self) -> None:
        """Reads to the end."""
        with contextlib.suppress(StopAsyncIteration):
            while True:
                await self.line()

    async def receive(self, *kinds: str) -> Json:
        while True:
            line = await self.line()
            message: Json = json.loads(line) if line else {"t": ""}
            if message["t"] in kinds:
                return message


@asynccontextmanager
async def stream(visitor: Visitor, game: str) -> AsyncIterator[Stream]:
    async with visitor.http.stream("GET", f"/api/tables/{game}/events") as response:
        assert response.headers["content-type"] == "application/x-ndjson"
        yield Stream(response)


@asynchronous
async def test_a_stream_sends_the_same_messages_as_a_socket(database: str) -> None:
    async with (
        friends(database) as met,
        met.ann.live(met.game) as ann,
        stream(met.bob, met.game) as received,
    ):
        state = await received.receive("state")
        assert state == await met.bob.look(met.game)
        assert (await received.receive("presence"))["present"] == [True, True]
        await ann.play("A")
        event = await received.receive("event")
        assert event == ann.events[0]
        assert (await met.bob.act(met.game, "resign")).is_success
        assert (await received.receive("event"))["event"]["kind"] == "resign"


@asynchronous
async def test_an_idle_stream_sends_empty_lines(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_KEEP_ALIVE", 0.1)
    async with friends(sqlite_database) as met, stream(met.bob, met.game) as received:
        await received.receive("presence")
        assert [await received.line() for _ in range(3)] == ["", "", ""]
        assert (await met.ann.act(met.game, "move", move="A")).is_success
        assert (await received.receive("event"))["event"]["data"] == "A"


@asynchronous
async def test_a_stream_ends_when_the_server_stops(database: str) -> None:
    async with contextlib.AsyncExitStack() as stack:
        async with friends(database) as met:
            ann = await stack.enter_async_context(at(met.ann, met.address))
            received = await stack.enter_async_context(stream(ann, met.game))
            await received.receive("state")
        assert (await received.receive("bye"))["retry"] == 1000
        with pytest.raises(StopAsyncIteration):
            await received.line()


@asynchronous
async def test_a_player_is_present_while_a_stream_is_open(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met, met.ann.live(met.game) as ann:
        assert (await ann.receive("presence"))["present"] == [True, False]
        async with stream(met.bob, met.game):
            assert (await ann.receive("presence"))["present"] == [True, True]
        assert (await ann.receive("presence"))["present"] == [True, False]


@asynchronous
async def test_a_client_that_disconnects_before_the_stream_begins_is_absent(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, loading, resume = Store.load, asyncio.Event(), asyncio.Event()

    async def load_when_resumed(store: Store, game: str) -> Any:
        loading.set()
        await resume.wait()
        return await load(store, game)

    async with friends(sqlite_database) as met:
        pass
    monkeypatch.setattr(Store, "load", load_when_resumed)
    async with serving(sqlite_database, EnginePool(0)) as address, at(met.bob, address) as bob:
        url = httpx.URL(address)
        _, writer = await asyncio.open_connection(url.host, url.port)
        cookie = f"Cookie: patchwork={bob.http.cookies['patchwork']}"
        request = f"GET /api/tables/{met.game}/events HTTP/1.1\r\nHost: x\r\n{cookie}\r\n\r\n"
        writer.write(request.encode())
        await loading.wait()
        try:
            writer.transport.abort()
            await bob.http.get("/healthz")  # by then, the server has noticed the aborted connection
        finally:
            resume.set()
        async with at(met.ann, address) as ann, ann.live(met.game) as live:
            await presence(live, present=[True, False])


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of all streams, which check it often."""
    clock = Clock()
    monkeypatch.setattr(tables, "monotonic", clock)
    monkeypatch.setattr(tables, "_KEEP_ALIVE", 0.01)
    return clock


@asynchronous
async def test_a_player_who_does_not_reopen_an_ended_stream_is_absent(
    sqlite_database: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_RETURN_SECONDS", 0.01)
    async with (
        friends(sqlite_database) as met,
        met.ann.live(met.game) as ann,
        stream(met.bob, met.game) as received,
    ):
        await presence(ann, present=[True, True])
        await received.receive("presence")
        assert await received.line() == ""
        clock.now = 30.0
        await received.end()
        await presence(ann, present=[True, False])


@asynchronous
async def test_a_player_who_reopens_an_ended_stream_stays_present(
    sqlite_database: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_RETURN_SECONDS", 3600.0)
    async with friends(sqlite_database) as met, met.ann.live(met.game) as ann:
        async with stream(met.bob, met.game) as received:
            await presence(ann, present=[True, True])
            clock.now = 30.0
            await received.end()
        async with stream(met.bob, met.game) as received:
            await received.receive("state")
            await ann.play("A")
            await received.receive("event")
        assert (await presence(ann))["present"] == [True, True]


@asynchronous
async def test_a_player_who_does_not_read_the_stream_is_absent(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uvicorn_protocols, "_READ_SECONDS", 0.5)
    expect_reading = uvicorn_protocols._expect_reading
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

    def small_buffer(made: asyncio.Transport) -> None:
        expect_reading(made)
        if made.get_extra_info("peername") == client.getsockname():
            connected = made.get_extra_info("socket")
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)

    monkeypatch.setattr(uvicorn_protocols, "_expect_reading", small_buffer)
    with client:
        async with (
            serving(sqlite_database, EnginePool(0), silence="3600") as address,
            Visitor(address) as ann,
            Visitor(address) as eve,
        ):
            game = (await ann.open("screen", seed=3))["table"]["id"]
            url = httpx.URL(address)
            request = f"GET /api/tables/{game}/events HTTP/1.1\r\nHost: x\r\n"
            request += f"Cookie: patchwork={ann.http.cookies['patchwork']}\r\n\r\n"
            async with eve.live(game) as live:
                client.connect((url.host, url.port))
                client.sendall(request.encode())
                await presence(live, present=[True, True])
                live.received.clear()
                while live.state["status"]["ending"] is None:
                    move = str(live.position.legal_moves()[0])
                    assert (await ann.act(game, "move", move=move)).is_success
                    await live.receive("event")
                while [False, False] not in [each.get("present") for each in live.received]:
                    await live.receive("presence")


@asynchronous
async def test_an_unread_stream_does_not_delay_other_players(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        url = httpx.URL(met.address)
        _, writer = await asyncio.open_connection(url.host, url.port, limit=1)
        writer.write(f"GET /api/tables/{met.game}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await writer.drain()
        async with met.ann.live(met.game) as ann:
            for _ in range(60):
                await ann.send("sync")
                await ann.receive("state")
            await ann.play("A")
        writer.transport.abort()


# Lists


@asynchronous
async def test_the_list_of_games_holds_only_the_players_own(database: str) -> None:
    async with (
        friends(database) as met,
        Visitor(met.address) as eve,
        Visitor(met.address) as stranger,
    ):
        second = (await met.ann.open("screen", name="Ann", other_name="Anton"))["table"]["id"]
        await eve.open()
        assert (await met.ann.act(met.game, "resign")).is_success
        listed = (await met.ann.http.get("/api/me/games")).json()
        assert listed["more"] is None
        assert [game["id"] for game in listed["games"]] == [met.game, second]
        finished, running = listed["games"]
        assert finished["ending"]["reason"] == "resigned"
        assert (finished["names"], finished["you"], finished["turn"]) == (["Ann", "Bob"], [0], None)
        assert (running["names"], running["you"], running["turn"]) == (["Ann", "Anton"], [0, 1], 0)
        bobs = (await met.bob.http.get("/api/me/games")).json()["games"]
        assert [(game["id"], game["you"]) for game in bobs] == [(met.game, [1])]
        assert (await stranger.http.get("/api/me/games")).json() == {"games": [], "more": None}


@asynchronous
async def test_a_long_list_of_games_is_complete_over_its_pages(database: str) -> None:
    async with serving(database, EnginePool(0)) as address, Visitor(address) as ann:
        player = (await ann.http.post("/api/me")).json()["player"]
        store = await Store.open(database)
        try:
            new = NewTable.model_validate({"opponent": "screen"})
            games = [new_game(new, player, 1000 + number // 3) for number in range(120)]
            for game in games:
                await store.create(game, Match(game.terms, game.events).status())
        finally:
            await store.close()
        found: list[Json] = []
        before: Json = {}
        while True:
            page = (await ann.http.get("/api/me/games", params=before)).json()
            assert 0 < len(page["games"]) <= 50
            found += page["games"]
            if page["more"] is None:
                break
            before = {"before": page["more"]}
        assert sorted(game["id"] for game in found) == sorted(game.id for game in games)
        assert [game["updated"] for game in found] == sorted(
            (game.created for game in games), reverse=True
        )
        for wrong in ("x", "-1", "9" * 30):
            refusal(await ann.http.get(f"/api/me/games?before={wrong}"), 422, "malformed")


@asynchronous
async def test_a_list_of_exactly_one_page_has_no_next_page(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        for _ in range(50):
            await ann.open()
        page = (await ann.http.get("/api/me/games")).json()
        assert (len(page["games"]), page["more"]) == (50, None)


# Records and pictures


@asynchronous
async def test_the_record_of_a_game(database: str) -> None:
    async with friends(database, {"clock": {"minutes": 5, "increment": 3}}) as met:
        assert (await met.ann.act(met.game, "move", move="A")).is_success
        for termination in ("unfinished", "resigned"):
            answer = await met.ann.http.get(f"/api/tables/{met.game}/record")
            assert met.game in answer.headers["content-disposition"]
            record = pw.Record.parse(answer.text)
            assert record.players == ("Ann", "Bob")
            assert [str(move) for move in record.game.moves] == ["A"]
            assert record.termination == termination
            assert record.tags["Clock"] == "300+3"
            await met.bob.act(met.game, "resign")
        assert record.winner == 0
        waiting = (await met.ann.open(first="needle"))["table"]["id"]
        record = pw.Record.parse((await met.bob.http.get(f"/api/tables/{waiting}/record")).text)
        assert record.game.moves == ()


@asynchronous
async def test_records_keep_odd_names(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        for name in ('"', "\\", '\\"]', "[x]", "{;}", "  ", "?", "é", "🧵" * 40):
            game = (await ann.open("screen", name=name))["table"]["id"]
            text = (await ann.http.get(f"/api/tables/{game}/record")).text
            assert pw.Record.parse(text).players[0] == (name.strip() or "?")


@asynchronous
async def test_the_picture_of_a_table(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        answer = await met.ann.http.get(f"/api/tables/{met.game}/picture")
        assert answer.headers["content-type"] == "image/svg+xml"
        assert answer.text.startswith("<svg ")
        waiting = (await met.ann.open())["table"]["id"]
        refusal(await met.ann.http.get(f"/api/tables/{waiting}/picture"), 409, "not-begun")
        answer = await met.ann.http.get(f"/api/tables/{waiting}/qr")
        assert answer.headers["content-type"] == "image/svg+xml"
        assert answer.text.startswith("<svg ")
        refusal(await met.ann.http.get("/api/tables/nowherenowhe/qr"), 404, "no-such-table")


# Pages


@asynchronous
async def test_pages_show_names_as_text(sqlite_database: str) -> None:
    evil = "<script>alert(1)</script>"
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        game = (await ann.open("screen", name=evil, other_name='"><img src=x>'))["table"]["id"]
        page = await ann.http.get(f"/tables/{game}")
        assert page.headers["content-type"].startswith("text/html")
        assert "&lt;script&gt;alert(1)" in page.text
        assert "<script" not in page.text
        assert "<img src=x" not in page.text
        assert f'src="/api/tables/{game}/picture"' in page.text
        picture = (await ann.http.get(f"/api/tables/{game}/picture")).text
        assert "<script" not in picture


@asynchronous
async def test_the_start_page_links_to_the_documentation(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        page = await ann.http.get("/")
        assert '<a href="/docs">' in page.text
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert "set-cookie" not in page.headers
        documentation = (await ann.http.get("/docs")).text
        paths = (await ann.http.get("/openapi.json")).json()["paths"]
        for path, operations in paths.items():
            for method in operations:
                assert f"<code>{method.upper()} {path}</code>" in documentation
        assert (await ann.http.get("/style.css")).headers["content-type"].startswith("text/css")


# Refusals


@asynchronous
async def test_all_invalid_requests_are_refused_in_the_same_form(sqlite_database: str) -> None:
    async with friends(sqlite_database) as met:
        http, tables = met.ann.http, f"/api/tables/{met.game}"
        json_header = {"Content-Type": "application/json"}
        refusal(await http.get("/nowhere"), 404, "not-found")
        refusal(await http.get("/api/nowhere"), 404, "not-found")
        refusal(await http.get(f"{tables}/nothing"), 404, "not-found")
        for method, path in (
            ("DELETE", tables),
            ("PUT", f"{tables}/join"),
            ("GET", "/api/tokens"),
            ("POST", "/"),
            ("PATCH", "/healthz"),
        ):
            refusal(await http.request(method, path), 405, "not-found")
        for body in (
            b"",
            b"nonsense",
            b"\xff\xfe",
            b"[]",
            b"null",
            b'{"t": "move"}',
            b'{"t": "ping"}',
            b'{"t": "move", "id": "1", "seq": 2, "move": "A", "more": 1}',
            b'{"t": "move", "id": "1", "seq": 1e400, "move": "A"}',
            b'{"t": "move", "id": "1", "seq": NaN, "move": "A"}',
            b'{"t": "move", "id": "1", "seq": 2, "move": "A", "\\ud800": 1}',
            b'{"t": "move", "id": "\\ud800", "seq": 2, "move": "A"}',
            b'{"t": "move", "id": "\\u0000", "seq": 2, "move": "A"}',
            b'{"a":' * 5000 + b"1" + b"}" * 5000,
            b"[" * 60000,
        ):
            for path in (f"{tables}/actions", f"{tables}/join", f"{tables}/hint", "/api/tables"):
                answer = await http.post(path, content=body, headers=json_header)
                assert answer.status_code in (400, 422), (path, body, answer.text)
                refusal(answer, answer.status_code, "malformed")
        answer = await http.post("/api/tables", content=b"x" * 70_000, headers=json_header)
        refusal(answer, 413, "malformed")
        answer = await http.post(f"{tables}/join", json={}, headers={"Origin": "https://evil.org"})
        refusal(answer, 403, "forbidden")
        refusal(await http.get(f"{tables}/analysis"), 422, "malformed")
        State.model_validate_json((await http.get(tables)).content)
        assert (await met.ann.look(met.game))["status"]["seq"] == 2


@asynchronous
async def test_new_games_are_limited(sqlite_database: str, time: Time) -> None:
    async with (
        serving(sqlite_database, EnginePool(0), new_games_per_minute="3") as address,
        Visitor(address) as ann,
    ):
        for _ in range(3):
            await ann.open()
        answer = await ann.http.post("/api/tables", json={"opponent": "friend"})
        refusal(answer, 429, "too-many")


@asynchronous
async def test_requests_are_limited(sqlite_database: str, time: Time) -> None:
    async with (
        serving(sqlite_database, EnginePool(0), requests_per_minute="3") as address,
        Visitor(address) as ann,
    ):
        for _ in range(3):
            assert (await ann.http.post("/api/me")).is_success
        answer = await ann.http.post("/api/me")
        refusal(answer, 429, "too-many")
        assert int(answer.headers["retry-after"]) > 0
        assert (await ann.http.get("/api/me/games")).is_success, "reads are not limited"


# Health


@asynchronous
async def test_health_and_metrics(database: str) -> None:
    async with friends(database) as met, met.ann.live(met.game) as ann:
        http = met.ann.http
        for path in ("/healthz", "/readyz"):
            answer = (await http.get(path)).json()
            assert answer == {"status": "ok", "version": pw.__version__, "engine": "warming"}
        await ann.play("A")
        await ann.act("accept")
        assert await measured(met.ann, "sockets") == 1
        assert await measured(met.ann, "tables") == 1
        text = (await http.get("/metrics")).text
        assert 'patchwork_events_stored_total{kind="move"} 1.0' in text
        assert 'patchwork_refused_total{code="not-asked"} 1.0' in text
        assert met.game not in text


@asynchronous
async def test_the_health_check_reports_a_ready_engine(sqlite_database: str) -> None:
    async with serving(sqlite_database) as address, Visitor(address) as ann:

        async def warm() -> bool:
            engine: str = (await ann.http.get("/healthz")).json()["engine"]
            return engine == "ready"

        await eventually(warm)
