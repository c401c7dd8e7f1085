"""Peers that speak HTTP and WebSocket byte by byte, and a server for them."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from time import monotonic
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from patchwork.server.guard.guard import Guard
from patchwork.server.ops.pacing import Pacer
from patchwork.server.serving import Server
from patchwork.server.settings import Settings
from server.support.live_server import hosting

PATIENCE = 60.0
FLOOD = 16 << 20
"""Bytes after which a test concludes that an endless request is not refused."""
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
KEY = b64encode(bytes(range(16)))
MASK = b"\x01\x02\x03\x04"


class Application:
    """An application with a few routes; ``ended`` is set when an endless answer has ended."""

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
        """Does nothing: this application has no tables to stop."""

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
    """A running server."""

    def __init__(self, application: Application, address: str, server: Server) -> None:
        self.application = application
        self.server = server
        self.peers: list[Peer] = []
        self._port = int(address.rpartition(":")[2])

    @property
    def connected(self) -> int:
        return len(self.server.connections)

    async def peer(self, sent: bytes = b"", host: str = "127.0.0.1") -> "Peer":
        """Returns a peer that has connected and sent some bytes."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self._port, local_addr=(host, 0)
        )
        writer.write(sent)
        self.peers.append(Peer(reader, writer))
        return self.peers[-1]

    async def socket(self, path: bytes = b"/live") -> "Peer":
        """Returns a peer that has opened a WebSocket."""
        peer = await self.peer(upgrade(path))
        assert (await peer.head()).startswith(b"HTTP/1.1 101 ")
        return peer

    def only(self) -> Any:
        """Returns the only open connection."""
        (connection,) = self.server.server_state.connections
        return connection


class Peer:
    """A connection to a server, as bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def head(self) -> bytes:
        """Reads up to the next empty line."""
        async with asyncio.timeout(PATIENCE):
            return await self.reader.readuntil(b"\r\n\r\n")

    async def rest(self) -> bytes:
        """Reads until the server closes the connection."""
        found = b""
        async with asyncio.timeout(PATIENCE):
            with suppress(ConnectionError):
                while part := await self.reader.read(1 << 16):
                    found += part
        self.writer.transport.abort()
        return found

    async def frame(self) -> tuple[int, bytes]:
        """Returns opcode and payload of the next frame, after checking it against RFC 6455."""
        async with asyncio.timeout(PATIENCE):
            first, length = await self.reader.readexactly(2)
            assert first & 0xF0 == 0x80, "whole, and no reserved bits"
            assert length < 0x80, "servers do not mask"
            if length >= 126:
                length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8))
            return first & 0xF, await self.reader.readexactly(length)

    async def closing(self) -> int | None:
        """Reads up to the close frame, which must be the last one, and returns its code."""
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
        running = Host(application, address, server)
        try:
            yield running
        finally:
            for peer in running.peers:
                peer.writer.transport.abort()


async def eventually(condition: Callable[[], object]) -> None:
    """Returns as soon as a condition holds."""
    end = monotonic() + PATIENCE
    while not condition():
        assert monotonic() < end, "the condition never holds"
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
    """Returns the reasons of refusals in the server's log."""
    return [record.getMessage().removeprefix("refused: ") for record in caplog.records]
