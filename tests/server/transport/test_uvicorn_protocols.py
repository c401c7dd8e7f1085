"""What a peer may do to a connection before, between and during requests, on both event loops.

Each method of uvicorn that ``uvicorn_protocols`` extends is tried here, so that a new version of it
that works otherwise is noticed.
"""

import asyncio
import logging
import re
import tomllib
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from hashlib import sha1
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

import h11
import pytest
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from patchwork.server.guard.guard import Guard
from patchwork.server.ops.pacing import Pacer
from patchwork.server.serving import Server
from patchwork.server.settings import Settings
from patchwork.server.transport import uvicorn_protocols
from patchwork.server.transport.uvicorn_protocols import UnsupportedUvicorn, check_uvicorn
from server.support.fake_time import asynchronous
from server.support.live_server import hosting

PATIENCE = 60.0
FLOOD = 16 << 20
"""Bytes after which somebody who sends without end is taken not to be refused."""
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
KEY = b64encode(bytes(range(16)))
MASK = b"\x01\x02\x03\x04"


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a test run on Python's event loop and on the one that is used where there is it."""
    monkeypatch.setattr(asyncio.events, "new_event_loop", request.param)


@pytest.fixture
def errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Makes sure that nothing is written down as an error, say, with a traceback."""
    yield
    for when in ("setup", "call"):
        assert [each for each in caplog.get_records(when) if each.levelno >= logging.ERROR] == []


pytestmark = pytest.mark.usefixtures("loop", "errors")


class Alarms:
    """Deadlines that expire when a test says so."""

    def __init__(self) -> None:
        self.running: dict[Alarm, float] = {}

    def ring(self, seconds: float) -> int:
        """Lets all expire that last so long, and returns how many."""
        due = [each for each, length in self.running.items() if length == seconds]
        for each in due:
            each.stop()
            each.action()
        return len(due)


class Alarm:
    """Stands in for a deadline."""

    def __init__(self, alarms: Alarms, _: object, action: Callable[[], None]) -> None:
        self._alarms = alarms
        self.action = action

    def start(self, seconds: float) -> None:
        self._alarms.running.setdefault(self, seconds)

    def stop(self) -> None:
        self._alarms.running.pop(self, None)


@pytest.fixture
def alarms(monkeypatch: pytest.MonkeyPatch) -> Alarms:
    """The deadlines of all connections, which expire when the test says so."""
    alarms = Alarms()
    monkeypatch.setattr(uvicorn_protocols, "_Deadline", partial(Alarm, alarms))
    return alarms


class Application:
    """A few things that a peer can ask for, and whether one without an end has ended."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.answering = Starlette(
            routes=[
                Route("/", self.answer, methods=["GET", "POST"]),
                Route("/quiet", partial(self.stream, ".", 0.01)),
                Route("/loud", partial(self.stream, "x" * 65536, 0)),
                WebSocketRoute("/live", self.live),
                WebSocketRoute("/live/loud", self.loud),
                WebSocketRoute("/live/short", self.short),
                WebSocketRoute("/live/late", self.late),
            ]
        )
        self.answering.state.tables = self

    async def stop(self) -> None:
        """Stops the tables, of which there are none."""

    async def answer(self, request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    async def stream(self, line: str, pace: float, _: Request) -> Response:
        return StreamingResponse(self.lines(line, pace))

    async def lines(self, line: str, pace: float) -> AsyncIterator[str]:
        try:
            while True:
                yield line
                await asyncio.sleep(pace)
        finally:
            self.ended.set()

    async def live(self, live: WebSocket) -> None:
        await live.accept()
        with suppress(WebSocketDisconnect):
            while True:
                await live.send_text(await live.receive_text())

    async def loud(self, live: WebSocket) -> None:
        await live.accept()
        try:
            while True:
                await live.send_text("x" * 65536)
                await asyncio.sleep(0)
        except WebSocketDisconnect:
            self.ended.set()

    async def short(self, live: WebSocket) -> None:
        await live.accept()
        await live.close(1001)

    async def late(self, live: WebSocket) -> None:
        with suppress(WebSocketDisconnect):
            await live.receive()
            await live.receive()
        self.ended.set()


class Host:
    """A server that runs."""

    def __init__(self, application: Application, address: str, server: Server) -> None:
        self.application = application
        self.server = server
        self.peers: list[Peer] = []
        self._port = int(address.rpartition(":")[2])

    @property
    def connected(self) -> int:
        return len(self.server.connections)

    async def peer(self, sent: bytes = b"", host: str = "127.0.0.1") -> "Peer":
        """Returns somebody who has connected and sent something."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self._port, local_addr=(host, 0)
        )
        writer.write(sent)
        self.peers.append(Peer(reader, writer))
        return self.peers[-1]

    async def socket(self, path: bytes = b"/live") -> "Peer":
        """Returns somebody who has opened a socket."""
        peer = await self.peer(upgrade(path))
        assert (await peer.head()).startswith(b"HTTP/1.1 101 ")
        return peer

    def only(self) -> Any:
        """Returns the only connection there is."""
        (connection,) = self.server.server_state.connections
        return connection


class Peer:
    """A connection to a server, as bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def head(self) -> bytes:
        """Returns what comes up to the next empty line."""
        async with asyncio.timeout(PATIENCE):
            return await self.reader.readuntil(b"\r\n\r\n")

    async def rest(self) -> bytes:
        """Returns what comes until the server ends the connection."""
        found = b""
        async with asyncio.timeout(PATIENCE):
            with suppress(ConnectionError):
                while part := await self.reader.read(1 << 16):
                    found += part
        self.writer.transport.abort()
        return found

    async def frame(self) -> tuple[int, bytes]:
        """Returns opcode and payload of the next frame, which has to be as RFC 6455 wants it."""
        async with asyncio.timeout(PATIENCE):
            first, length = await self.reader.readexactly(2)
            assert first & 0xF0 == 0x80, "whole, and no reserved bits"
            assert length < 0x80, "servers do not mask"
            if length >= 126:
                length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8))
            return first & 0xF, await self.reader.readexactly(length)

    async def closing(self) -> int | None:
        """Returns the code with which the server closes, after which nothing may come."""
        while (found := await self.frame())[0] != 8:
            pass
        assert await self.rest() == b""
        return int.from_bytes(found[1][:2]) if found[1] else None


@asynccontextmanager
async def host(**settings: str) -> AsyncIterator[Host]:
    application = Application()
    chosen = Settings.read({}, database="unused.db", **settings)
    guarded = Guard(application.answering, chosen)
    application.answering.state.pacer = Pacer()
    guarded.state = application.answering.state  # type: ignore[attr-defined]
    async with hosting(guarded, chosen) as (address, server):
        there = Host(application, address, server)
        try:
            yield there
        finally:
            for peer in there.peers:
                peer.writer.transport.abort()


async def eventually(true: Callable[[], object]) -> None:
    """Returns as soon as something is true."""
    end = monotonic() + PATIENCE
    while not true():
        assert monotonic() < end, "it never comes true"
        await asyncio.sleep(0.01)


def upgrade(path: bytes = b"/live", **headers: bytes | None) -> bytes:
    """Returns a request for a socket, with some headers changed or left out."""
    chosen: dict[bytes, bytes | None] = {
        b"Host": b"x",
        b"Connection": b"keep-alive, Upgrade",
        b"Upgrade": b"WebSocket",
        b"Sec-WebSocket-Version": b"13",
        b"Sec-WebSocket-Key": KEY,
    }
    chosen |= {name.replace("_", "-").encode(): value for name, value in headers.items()}
    lines = [name + b": " + value for name, value in chosen.items() if value is not None]
    return b"\r\n".join((b"GET " + path + b" HTTP/1.1", *lines, b"", b""))


def frame(opcode: int, data: bytes = b"", *, first: int = 0x80, masked: bool = True) -> bytes:
    """Returns a frame of a client; ``first`` are the upper bits of its first byte."""
    length = bytes([len(data)]) if len(data) < 126 else b"\x7e" + len(data).to_bytes(2)
    if masked:
        data = MASK + bytes(byte ^ MASK[index % 4] for index, byte in enumerate(data))
        length = bytes([length[0] | 0x80]) + length[1:]
    return bytes([first | opcode]) + length + data


def reasons(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the server wrote down."""
    return [record.getMessage().removeprefix("refused: ") for record in caplog.records]


# Requests that are too long


@pytest.mark.parametrize(
    ("begin", "repeated", "reason"),
    [
        (b"GET / HTTP/1.1\r\n", b"X-A: b\r\n", "too many headers"),
        (b"GET / HTTP/1.1\r\nX-A: ", b"b", "the head is too long"),
        (b"GET / HTTP/1.1\r\n", b"X", "the head is too long"),
        (b"GET /", b"x", "the head is too long"),
        (b"", b"\r\n", "the head is too long"),
        (b"", b"G", "not valid HTTP"),
        (CHUNKED + b"0\r\n", b"X-A: b\r\n", "too many headers"),
        (CHUNKED + b"0\r\nX-A: ", b"b", "the request is too long"),
        (CHUNKED + b"1;", b"x", "the request is too long"),
        (CHUNKED, b"00000001\r\nx\r\n", "the request is too long"),
        (GET + GET + b"GET / HTTP/1.1\r\nX-A: ", b"b", "the head is too long"),
    ],
)
@asynchronous
async def test_what_never_ends_is_refused(
    begin: bytes, repeated: bytes, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with host() as there:
        peer = await there.peer(begin)
        sent, much = 0, repeated * 4096
        with suppress(ConnectionError):
            while sent < FLOOD and not peer.writer.is_closing():
                peer.writer.write(much)
                await peer.writer.drain()
                sent += len(much)
        assert sent < FLOOD
        await peer.rest()
        await eventually(lambda: there.connected == 0)
        assert reasons(caplog) == [reason]
        assert (await (await there.peer(GET)).head()).startswith(b"HTTP/1.1 200 ")


@asynchronous
async def test_refusals_say_why() -> None:
    async with host() as there:
        for sent, status in (
            (b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 101 + b"\r\n", b"431"),
            (b"GET / HTTP/1.1\r\nX-A: " + b"b" * 21_000 + b"\r\n\r\n", b"431"),
            (b"nonsense\r\n\r\n", b"400"),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01", b"400"),
        ):
            answer = await (await there.peer(sent)).rest()
            assert answer.startswith(b"HTTP/1.1 " + status), answer
            assert b"\r\nConnection: close\r\n" in answer


@asynchronous
async def test_what_is_long_and_not_too_long_is_answered() -> None:
    async with host() as there:
        headers = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 140) for number in range(98))
        peer = await there.peer(b"GET / HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n")
        assert (await peer.head()).startswith(b"HTTP/1.1 200 ")
        peer = await there.peer(CHUNKED + b"1\r\nx\r\n" * (64 << 10) + b"0\r\n\r\n")
        await peer.head()
        assert await peer.reader.readexactly(5) == b"65536"


# Requests that do not come in time


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b""),
        (b"G", b"HTTP/1.1 408 "),
        (b"\r\n", b"HTTP/1.1 408 "),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-A: b", b"HTTP/1.1 408 "),
        (POST + b"Content-Length: 2\r\n\r\nx", b"HTTP/1.1 408 "),
        (CHUNKED + b"1\r\nx\r\n", b"HTTP/1.1 408 "),
    ],
)
@pytest.mark.parametrize("before", [0, 1])
@asynchronous
async def test_half_a_request_is_not_waited_for(
    sent: bytes, answer: bytes, before: int, alarms: Alarms
) -> None:
    async with host() as there:
        peer = await there.peer()
        for _ in range(before):
            peer.writer.write(GET)
            await peer.head()
            await peer.reader.readexactly(1)
        peer.writer.write(sent)
        await eventually(lambda: there.connected and there.only()._size == len(sent))
        rung = alarms.ring(uvicorn_protocols._REQUEST_SECONDS)
        if before and not sent:
            assert rung == 0, "it may be kept for a while"
        else:
            assert rung == 1
            assert (await peer.rest()).startswith(answer)
            assert there.connected == 0


@asynchronous
async def test_answers_may_take_long(alarms: Alarms) -> None:
    async with host() as there:
        peer = await there.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n")
        await peer.head()
        assert alarms.ring(uvicorn_protocols._REQUEST_SECONDS) == 0
        peer.writer.write(POST + b"Content-Length: 1\r\n\r\n")  # the server does not even look
        await eventually(lambda: there.only().flow.read_paused)
        assert alarms.ring(uvicorn_protocols._REQUEST_SECONDS) == 1
        await peer.reader.readexactly(100)


@asynchronous
async def test_time_passes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn_protocols, "_REQUEST_SECONDS", 0.05)
    async with host() as there:
        assert await (await there.peer()).rest() == b""
        assert (await (await there.peer(b"G")).rest())[:13] in (b"HTTP/1.1 408 ", b"")


# Several requests


@asynchronous
async def test_a_few_requests_at_once_are_answered_in_turn() -> None:
    async with host() as there:
        peer = await there.peer(16 * GET)
        for _ in range(16):
            assert (await peer.head()).startswith(b"HTTP/1.1 200 ")
            await peer.reader.readexactly(1)


@asynchronous
async def test_many_at_once_are_not(caplog: pytest.LogCaptureFixture) -> None:
    async with host() as there:
        peer = await there.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n" + 100 * GET)
        await peer.rest()
        await there.application.ended.wait()
        await eventually(lambda: there.connected == 0)
        assert reasons(caplog) == ["too many requests are waiting"]


@asynchronous
async def test_a_stream_ends_with_its_connection_whatever_was_asked_meanwhile() -> None:
    async with host() as there:
        peer = await there.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n" + GET)
        await peer.head()
        peer.writer.transport.abort()
        async with asyncio.timeout(PATIENCE):
            await there.application.ended.wait()


# Too many connections


@asynchronous
async def test_so_many_from_an_address(caplog: pytest.LogCaptureFixture) -> None:
    async with host(connections_per_address="3") as there:
        peers = [await there.peer(GET) for _ in range(3)]
        for peer in peers:
            await peer.head()
        for _ in range(5):
            assert await (await there.peer(GET)).rest() == b""
        assert reasons(caplog) == ["too many connections from this address"]
        await (await there.peer(GET, "127.0.0.2")).head()
        await peers[0].reader.readexactly(1)
        peers[0].writer.write(GET)
        await peers[0].head()
        peers[1].writer.close()
        await eventually(lambda: there.connected == 3)
        await (await there.peer(upgrade())).head()


@asynchronous
async def test_proxies_speak_for_many() -> None:
    async with host(connections_per_address="3", proxies="127.0.0.0/8") as there:
        for _ in range(5):
            await (await there.peer(GET)).head()


@asynchronous
async def test_who_waits_makes_room_and_who_plays_does_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with host(connections="3") as there:
        playing = await there.socket()
        idle, busy = await there.peer(GET), await there.peer()
        await idle.head()
        busy.writer.write(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n")
        await busy.head()
        coming = await there.socket()
        assert await idle.rest() == b"0", "what it had been sent, and then the end"
        assert await (await there.peer(GET)).rest() == b""
        assert reasons(caplog) == ["too many connections"]
        for socket in (playing, coming):
            socket.writer.write(frame(1, b"hello"))
            assert await socket.frame() == (1, b"hello")
        assert there.connected == 3


# Who does not read


@pytest.mark.parametrize(
    "sent", [b"GET /loud HTTP/1.1\r\nHost: x\r\n\r\n", upgrade(b"/live/loud")], ids=["HTTP", "ws"]
)
@asynchronous
async def test_who_does_not_read_is_cut_off(
    sent: bytes, alarms: Alarms, caplog: pytest.LogCaptureFixture
) -> None:
    async with host() as there:
        peer = await there.peer(sent)
        await peer.head()
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await eventually(lambda: alarms.ring(uvicorn_protocols._READ_SECONDS))
        await eventually(lambda: there.connected == 0)
        async with asyncio.timeout(PATIENCE):
            await there.application.ended.wait()
        assert reasons(caplog) == ["the peer does not read"]
        peer.writer.transport.abort()


@asynchronous
async def test_who_reads_again_is_not(alarms: Alarms) -> None:
    async with host() as there:
        peer = await there.peer(b"GET /loud HTTP/1.1\r\nHost: x\r\n\r\n")
        await eventually(lambda: uvicorn_protocols._READ_SECONDS in alarms.running.values())
        while uvicorn_protocols._READ_SECONDS in alarms.running.values():
            await peer.reader.read(1 << 16)
        assert there.connected == 1
        peer.writer.transport.abort()


@asynchronous
async def test_who_only_asks_and_does_not_read_is_cut_off_at_once(
    alarms: Alarms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uvicorn_protocols, "_FRAMES", 1 << 30)
    async with host() as there:
        peer = await there.socket()
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        pings = frame(9, b"x" * 125) * 1000
        with suppress(ConnectionError):
            while not peer.writer.is_closing():
                peer.writer.write(pings)
                await peer.writer.drain()
        await eventually(lambda: there.connected == 0)


@asynchronous
async def test_who_is_sent_away_has_to_go(alarms: Alarms) -> None:
    async with host() as there:
        peer = await there.socket(b"/live/short")
        assert await peer.frame() == (8, b"\x03\xe9")
        await eventually(lambda: alarms.ring(uvicorn_protocols._CLOSE_SECONDS))
        assert await peer.rest() == b""
        assert there.connected == 0


# Sockets: the upgrade


@asynchronous
async def test_the_upgrade_is_as_the_standards_want_it() -> None:
    async with host() as there:
        client = h11.Connection(h11.CLIENT)
        headers = [("Host", "x"), ("Connection", "Upgrade"), ("Upgrade", "websocket")]
        headers += [("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", KEY.decode())]
        request = client.send(h11.Request(method="GET", target="/live", headers=headers))
        assert request is not None
        peer = await there.peer(request)
        client.receive_data(await peer.head())
        answer = client.next_event()
        assert isinstance(answer, h11.InformationalResponse)
        assert answer.status_code == 101
        found = dict(answer.headers)
        assert found[b"upgrade"].lower() == b"websocket"
        assert found[b"connection"].lower() == b"upgrade"
        # RFC 6455, section 4.2.2
        expected = sha1(KEY + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11", usedforsecurity=False)
        assert found[b"sec-websocket-accept"] == b64encode(expected.digest())
        assert not found.keys() & {b"sec-websocket-extensions", b"sec-websocket-protocol"}
        assert not found.keys() & {b"content-length", b"transfer-encoding"}
        peer.writer.write(frame(1, "Knöpfe".encode()))
        assert await peer.frame() == (1, "Knöpfe".encode())


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (upgrade(Sec_WebSocket_Key=None), 400),
        (upgrade(Sec_WebSocket_Key=b"short"), 400),
        (upgrade(Sec_WebSocket_Key=b"?" * 24), 400),
        (upgrade(Sec_WebSocket_Key=KEY + b"\r\nSec-WebSocket-Key: " + KEY), 400),
        (upgrade(Sec_WebSocket_Version=None), 426),
        (upgrade(Sec_WebSocket_Version=b"8"), 426),
        (upgrade(Sec_WebSocket_Version=b"13, 14"), 426),
        (upgrade(Cookie=b"x" * 9000), 431),
        (upgrade().replace(b"GET", b"POST", 1), 405),
        (upgrade().replace(b"1.1", b"1.0", 1), 400),
        (upgrade(Content_Length=b"2") + b"{}", 400),
        (upgrade("/Knöpfe".encode()), 400),
        (upgrade(b"/nowhere"), 403),
        (upgrade(Connection=b"close"), 404),
        (upgrade(Upgrade=b"h2c"), 404),
    ],
)
@asynchronous
async def test_an_upgrade_out_of_order_is_refused(sent: bytes, status: int) -> None:
    async with host() as there:
        peer = await there.peer(sent)
        client = h11.Connection(h11.CLIENT)
        client.send(h11.Request(method="GET", target="/live", headers=[("Host", "x")]))
        client.receive_data(await peer.head())
        answer = client.next_event()
        assert isinstance(answer, h11.Response)
        assert answer.status_code == status
        if status == 426:
            assert dict(answer.headers)[b"sec-websocket-version"] == b"13"
        peer.writer.close()
        await eventually(lambda: there.connected == 0)


@asynchronous
async def test_no_upgrade_in_the_middle_of_an_answer() -> None:
    async with host() as there:
        peer = await there.peer(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n" + upgrade())
        assert b"101" not in await peer.rest()
        async with asyncio.timeout(PATIENCE):
            await there.application.ended.wait()


@asynchronous
async def test_who_speaks_before_the_socket_is_open_is_cut_off() -> None:
    async with host() as there:
        peer = await there.peer(upgrade(b"/live/late"))
        await eventually(lambda: there.connected and hasattr(there.only(), "queue"))
        peer.writer.write(frame(11))
        assert await peer.rest() == b""
        async with asyncio.timeout(PATIENCE):
            await there.application.ended.wait()


# Sockets: frames


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(8, b"\x03\xe8"), 1000),
        (frame(8), None),
        (frame(1, b"x", masked=False), 1002),
        (frame(9, b"x", masked=False), 1002),
        (frame(1, b"x", first=0xC0), 1002),
        (frame(1, b"x", first=0xA0), 1002),
        (frame(1, b"x", first=0x90), 1002),
        (frame(3, b"x"), 1002),
        (frame(11, b"x"), 1002),
        (frame(9, b"x", first=0), 1002),
        (frame(8, b"\x03\xe8", first=0), 1002),
        (frame(9, b"x" * 126), 1002),
        (frame(0, b"x"), 1002),
        (frame(1, b"x", first=0) + frame(1, b"x"), 1002),
        (frame(8, b"x"), 1002),
        (frame(8, b"\x00\x00"), 1002),
        (frame(8, b"\x03\xed"), 1002),
        (frame(8, b"\x03\xe8\xff"), 1007),
        (frame(1, b"\xff\xfe"), 1007),
        (frame(1, b"\xc3", first=0) + frame(0, b"x"), 1007),
        (frame(1, b"x" * 257), 1009),
        (frame(1, b"x" * 200, first=0) + frame(0, b"x" * 57), 1009),
        (b"\x81\xff" + b"\x7f" + b"\xff" * 7 + MASK, 1009),
        (frame(9) * 5000, 1008),
        (frame(10) * 5000, 1008),
        (frame(1, first=0) + frame(0, first=0) * 5000, 1008),
    ],
    ids=count(),
)
@asynchronous
async def test_what_is_no_frame_closes_the_socket_with_the_right_code(
    sent: bytes, code: int | None
) -> None:
    async with host(frame_bytes="256") as there:
        peer = await there.socket()
        peer.writer.write(sent)
        assert await peer.closing() == code
        await eventually(lambda: there.connected == 0)


@asynchronous
async def test_what_is_in_order_is_understood() -> None:
    async with host(frame_bytes="256") as there:
        peer = await there.socket()
        ping = frame(9, b"?")
        peer.writer.write(frame(1, b"\xc3", first=0) + ping + frame(0, b"\xb6"))
        assert await peer.frame() == (10, b"?")
        assert await peer.frame() == (1, "ö".encode())
        peer.writer.write(frame(1, b"x" * 256) + frame(10, b"never asked for") + frame(1))
        assert await peer.frame() == (1, b"x" * 256)
        assert await peer.frame() == (1, b"")


@asynchronous
async def test_nothing_more_is_said_to_whoever_breaks_the_protocol() -> None:
    async with host() as there:
        peer = await there.socket(b"/live/loud")
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await eventually(lambda: not there.only().writable.is_set())
        peer.writer.write(frame(11))
        await eventually(lambda: there.only().close_sent)
        peer.writer.transport.resume_reading()  # type: ignore[attr-defined]
        await peer.rest()
        async with asyncio.timeout(PATIENCE):
            await there.application.ended.wait()


# uvicorn


@pytest.mark.parametrize(
    ("original", "names"),
    [
        (
            HttpToolsProtocol,
            "connection_made connection_lost data_received on_message_begin on_header"
            " on_headers_complete on_message_complete on_response_complete pause_writing"
            " resume_writing handle_websocket_upgrade _start_asgi_task _should_upgrade"
            " _unset_keepalive_if_required",
        ),
        (
            WebSocketsSansIOProtocol,
            "connection_made connection_lost data_received run_asgi send shutdown pause_writing"
            " resume_writing send_receive_event_to_app handle_ping handle_pong handle_cont"
            " handle_parser_exception",
        ),
    ],
)
def test_what_is_extended_is_there(original: type, names: str) -> None:
    assert set(names.split()) <= vars(original).keys()


def test_an_untested_version_of_uvicorn_is_refused() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    wanted = next(
        each for each in project["project"]["optional-dependencies"]["play"] if "uvicorn" in each
    )
    check_uvicorn("0.54.0")
    check_uvicorn("0.59.12rc1")
    for version in ("0.53.9", "0.60.0", "1.0", "0.60.0.dev1", "unknown"):
        with pytest.raises(UnsupportedUvicorn, match=re.escape(f"uvicorn {version}")) as refused:
            check_uvicorn(version)
        assert wanted.split(";")[0] in str(refused.value)
