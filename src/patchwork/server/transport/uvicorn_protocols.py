"""uvicorn's protocols with bounds on what a peer may send, and on how long it may not read.

This is the only module that reaches into uvicorn: its two classes extend uvicorn's protocols, whose
methods and attributes are not a public interface. ``protocols`` therefore refuses to run with a
version of uvicorn that it has not been tested with.
``tests/server/transport`` tries each method that is extended here.
"""

import asyncio
import re
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import Any, cast

import uvicorn
from httptools import HttpParserError, HttpParserUpgrade
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

from patchwork.server.guard.guard import LONGEST_BODY
from patchwork.server.ops.limits import Limiter
from patchwork.server.transport.connections import Connections
from patchwork.server.transport.handshakes import HandshakeQueue

_TESTED = (0, 54), (0, 60)
"""The first version of uvicorn that this module works with, and the first that it may not work
with. ``pyproject.toml`` has the same range."""

_REQUEST_SECONDS = 20.0
"""Within which a request has to arrive, head and body, counted from its first byte; the first
request of a connection, from its opening. Apache's mod_reqtimeout begins with the same."""
_READ_SECONDS = 15.0
"""Within which a peer has to read what is sent. Shorter than a request may take, because the system
buffers answers of usual size, so that even slow peers need no time to take them."""
_CLOSE_SECONDS = 5.0
"""Within which a socket has to close once the application is done with it; a round trip is enough.
"""
_HEAD_BYTES = 16 * 1024
"""The longest head of a request; the same as Node.js allows."""
_HEADERS = 100
"""The most headers of a request; the same as Python's own ``http.client`` allows."""
_REQUEST_BYTES = _HEAD_BYTES + 8 * LONGEST_BODY
"""The longest request. A byte of a body that is framed as a chunk of its own takes six bytes on the
wire; eight leave a margin for lengths that are written with leading zeros."""
_PIPELINE = 16
"""Requests that may wait for the answer to an earlier one. Browsers send none ahead."""
_UNSENT_BYTES = 256 * 1024
"""That may wait for a socket whose peer reads slowly and asks for more nevertheless: several times
the longest message."""
_FRAMES, _FRAME_SECONDS = 4096, 20.0
"""How many control frames and parts of messages a socket may send in how many seconds. Whole
messages are limited far more strictly, by the settings; this only has to stop a flood."""
_PIECE_BYTES = 4096
"""How much is parsed before bounds are checked again: a quarter of the longest head."""
_VERSION_HEADER = b"sec-websocket-version"


class UnsupportedUvicorn(RuntimeError):
    """The installed version of uvicorn is not one that this program has been tested with."""


def protocols(
    connections: Connections, handshakes: HandshakeQueue
) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """Returns what uvicorn creates connections with, for HTTP and for WebSockets.

    uvicorn asks for classes, but only calls them.

    Raises:
        UnsupportedUvicorn: the bounds may not hold with the installed version of uvicorn.
    """
    check_uvicorn()
    http = partial(HttpConnection, connections, handshakes)
    websocket = partial(SocketConnection, connections)
    return cast(type[asyncio.Protocol], http), cast(type[asyncio.Protocol], websocket)


def check_uvicorn(version: str = uvicorn.__version__) -> None:
    """Makes sure that a version of uvicorn has the internals that this module extends.

    Raises:
        UnsupportedUvicorn: it may not have them.
    """
    first, beyond = _TESTED
    numbers = tuple(map(int, re.findall("[0-9]+", version)[:2]))
    if not first <= numbers < beyond:
        wanted = f"uvicorn>={first[0]}.{first[1]},<{beyond[0]}.{beyond[1]}"
        raise UnsupportedUvicorn(f"uvicorn {version} is not supported; install '{wanted}'")


class _Deadline:
    """Calls a function after some time, unless it is stopped before."""

    def __init__(self, loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
        self._loop = loop
        self._action = action
        self._timer: asyncio.TimerHandle | None = None

    def start(self, seconds: float) -> None:
        """Starts the timer if it is not running."""
        if self._timer is None:
            self._timer = self._loop.call_later(seconds, self._expire)

    def stop(self) -> None:
        """Stops the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        self._timer = None
        self._action()


class _ReadTimeout(asyncio.Protocol):
    """Ends a connection whose peer does not read; a mixin for uvicorn's protocol classes."""

    transport: asyncio.Transport
    _connections: Connections
    _host: str
    _read_deadline: _Deadline

    def pause_writing(self) -> None:
        """Starts the timer: the peer does not read as fast as the server writes."""
        super().pause_writing()
        self._read_deadline.start(_READ_SECONDS)

    def resume_writing(self) -> None:
        """Stops the timer: everything that was sent has been read."""
        self._read_deadline.stop()
        super().resume_writing()

    def _read_timed_out(self) -> None:
        self._connections.refused("the peer does not read", self._host)
        self.transport.abort()


class HttpConnection(_ReadTimeout, HttpToolsProtocol):
    """An HTTP connection. It waits for its turn when it is upgraded to a WebSocket."""

    def __init__(
        self, connections: Connections, handshakes: HandshakeQueue, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._connections = connections
        self._handshakes = handshakes
        self._host = ""
        self._in_head = True
        self._size = 0
        """Bytes received of the current request."""
        self._fault: tuple[HTTPStatus, str] | None = None
        """Why this class stopped the parser."""
        self._answering: RequestResponseCycle | None = None
        self._request_deadline = _Deadline(self.loop, self._request_timed_out)
        self._read_deadline = _Deadline(self.loop, self._read_timed_out)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Registers the connection, or refuses it if there are too many."""
        super().connection_made(transport)
        _expect_reading(transport)
        self._host = self.client[0] if self.client else ""
        if self._connections.admit(self, self._host):
            self._connections.idle(self)
            self._request_deadline.start(_REQUEST_SECONDS)
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Makes room for other connections."""
        self._connections.release(self)
        self._request_deadline.stop()
        self._read_deadline.stop()
        if self._answering is not None and self._answering is not self.cycle:
            # Of several pipelined requests, uvicorn notifies only the last one.
            self._answering.disconnected = True
            self._answering.message_event.set()
        super().connection_lost(exc)

    def evict(self) -> None:
        """Ends the connection to make room for another one."""
        self.transport.abort()

    # Input

    def data_received(self, data: bytes) -> None:
        """Parses input piece by piece, and refuses what exceeds a bound."""
        self._unset_keepalive_if_required()
        for start in range(0, len(data), _PIECE_BYTES):
            if self.transport.is_closing() or not self._parse(data[start : start + _PIECE_BYTES]):
                return

    def _parse(self, piece: bytes) -> bool:
        """Returns whether the connection stays with HTTP."""
        self._request_deadline.start(_REQUEST_SECONDS)
        self._size += len(piece)
        try:
            self.parser.feed_data(piece)
        except HttpParserUpgrade:
            # Servers may ignore upgrades to other protocols: the request is answered as usual.
            if self._should_upgrade():
                self.handle_websocket_upgrade()
            return False
        except HttpParserError:
            self._refuse(*(self._fault or (HTTPStatus.BAD_REQUEST, "not valid HTTP")))
            return False
        if self._in_head and self._size > _HEAD_BYTES:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the head is too long")
        elif self._size > _REQUEST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the request is too long")
        return True

    def on_message_begin(self) -> None:
        """Starts counting the bytes of a request."""
        super().on_message_begin()
        self._in_head = True
        self._request_deadline.start(_REQUEST_SECONDS)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Counts a header; it may also be a trailer after the body."""
        super().on_header(name, value)
        if len(self.headers) > _HEADERS:
            self._stop_parser(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too many headers")

    def on_headers_complete(self) -> None:
        """Refuses the request if too many are waiting already."""
        self._in_head = False
        if len(self.pipeline) >= _PIPELINE:
            self._stop_parser(HTTPStatus.SERVICE_UNAVAILABLE, "too many requests are waiting")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Notes that the request has arrived completely."""
        super().on_message_complete()
        self._size = 0
        self._request_deadline.stop()
        self._connections.busy(self)

    def handle_websocket_upgrade(self) -> None:
        """Hands the connection over to a WebSocket, if this is a valid handshake."""
        valid = self.parser.get_http_version() == "1.1" and self.url.isascii()
        if not valid or not self._idle or self.flow.write_paused:
            self._refuse(HTTPStatus.BAD_REQUEST, "the upgrade is not allowed here")
        elif [value for name, value in self.headers if name == _VERSION_HEADER] != [b"13"]:
            self._refuse(
                HTTPStatus.UPGRADE_REQUIRED,
                "the WebSocket version is not 13",
            )
        else:
            self._request_deadline.stop()
            self.transport.pause_reading()  # until it is its turn
            self._handshakes.wait(self._upgrade)

    def _upgrade(self) -> None:
        if self.transport.is_closing():
            return
        self._connections.release(self)
        self.transport.resume_reading()
        try:
            super().handle_websocket_upgrade()
        except BaseException:  # as the event loop does when `data_received` fails
            self.transport.abort()
            raise

    def _stop_parser(self, status: HTTPStatus, reason: str) -> None:
        """Makes the parser fail, from within one of its callbacks."""
        self._fault = (status, reason)
        raise ValueError(reason)

    def _request_timed_out(self) -> None:
        if self.flow.read_paused:  # the rest may have arrived; uvicorn has not read it yet
            self._request_deadline.start(_REQUEST_SECONDS)
        elif self._size or self.cycle is not None:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the request did not arrive in time")
        else:  # browsers open spare connections
            self.transport.close()

    @property
    def _idle(self) -> bool:
        """Whether there is no request to answer."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def _receiving(self) -> bool:
        """Whether the only request to answer has not arrived completely."""
        return self.cycle.more_body and not self.cycle.response_started and not self.pipeline

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        """Ends the connection, with an answer if the peer can expect one."""
        self._connections.refused(reason, self._host)
        self._request_deadline.stop()
        if self._idle or self._receiving:
            self.transport.write(_final_answer(status))
            self.transport.close()
        else:
            self.transport.abort()

    # Output

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Answers a request for as long as the peer is connected."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            async def sending(message: Message) -> None:
                # Writing to a closing transport is an error, and uvicorn notices only later.
                cycle.disconnected |= self.transport.is_closing()
                await send(message)

            await app(scope, receive, sending)

        self._answering = cycle
        super()._start_asgi_task(cycle, cast(Any, answer))

    def on_response_complete(self) -> None:
        """Waits for the next request, unless one is waiting already."""
        if not self.pipeline:
            self._connections.idle(self)
        super().on_response_complete()


class SocketConnection(_ReadTimeout, WebSocketsSansIOProtocol):
    """A connection that has been upgraded to a WebSocket."""

    def __init__(self, connections: Connections, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connections = connections
        self._host = ""
        self._limiter = Limiter(_FRAMES, _FRAME_SECONDS)
        self._read_deadline = _Deadline(self.loop, self._read_timed_out)
        self._close_deadline = _Deadline(self.loop, lambda: self.transport.abort())
        self._is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Registers the connection again, now as a WebSocket."""
        super().connection_made(transport)
        self._host = self.client[0] if self.client else ""
        self._connections.admit(self, self._host)

    def connection_lost(self, exc: Exception | None) -> None:
        """Makes room for other connections."""
        self._connections.release(self)
        self._read_deadline.stop()
        self._close_deadline.stop()
        self._is_lost = True
        super().connection_lost(exc)

    def evict(self) -> None:
        """Ends the connection to make room for another one."""
        self.transport.abort()

    async def run_asgi(self) -> None:
        """Lets the application serve the socket, then gives the peer little time to close it."""
        try:
            await super().run_asgi()
        finally:
            if not self._is_lost:  # else the timer would keep the connection in memory
                self._close_deadline.start(_CLOSE_SECONDS)

    # Input

    def data_received(self, data: bytes) -> None:
        """Parses input piece by piece, and refuses what is invalid or exceeds a bound."""
        if self.handshake_initiated and not self.handshake_complete:
            self._connections.refused("data before the end of the WebSocket handshake", self._host)
            self.transport.abort()
            return
        for start in range(0, len(data), _PIECE_BYTES):
            super().data_received(data[start : start + _PIECE_BYTES])
            if self.transport.is_closing():
                return
            if self.transport.get_write_buffer_size() > _UNSENT_BYTES:
                self._read_timed_out()
                return
        if not self.handshake_initiated:  # the handshake was refused, perhaps without an answer
            answer = b"".join(self.conn.data_to_send())
            self.transport.write(answer or _final_answer(HTTPStatus.BAD_REQUEST))
            self.transport.close()

    def send_receive_event_to_app(self) -> None:
        """Passes a message on, unless it is text that is not valid UTF-8."""
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self._violation(CloseCode.INVALID_DATA, "a text is not valid UTF-8")
                return
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        """Answers a ping, and counts it."""
        super().handle_ping()
        self._count()

    def handle_pong(self, event: Frame) -> None:
        """Counts the answer to a ping."""
        super().handle_pong(event)
        self._count()

    def handle_cont(self, event: Frame) -> None:
        """Counts a part of a message."""
        super().handle_cont(event)
        self._count()

    def _count(self) -> None:
        if not self.close_sent and not self._limiter.allow(None, monotonic()):
            self._violation(CloseCode.POLICY_VIOLATION, "too many frames")

    def _violation(self, code: CloseCode, reason: str) -> None:
        """Closes the socket with a code that says why."""
        self._connections.refused(reason, self._host)
        self.conn.fail(code, reason)
        self.handle_parser_exception()

    # Output

    async def send(self, message: Any) -> None:
        """Sends a message of the application.

        Raises:
            ClientDisconnected: nothing can be sent any more: the peer has left or was refused.
        """
        await self.writable.wait()
        if self.transport.is_closing():
            self.handshake_complete = True  # or uvicorn would wait for it
            raise ClientDisconnected
        await super().send(message)

    def shutdown(self) -> None:
        """Closes the connection because the server stops."""
        if not self.transport.is_closing():
            super().shutdown()


def _expect_reading(transport: asyncio.Transport) -> None:
    """Has a protocol notified whenever the system cannot take all it sends, until it can again."""
    transport.set_write_buffer_limits(0)
    connected = transport.get_extra_info("socket")
    if connected is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
        # What the system has taken has to reach the peer in time, too.
        with suppress(OSError):  # the connection may be closed already
            milliseconds = int(_READ_SECONDS * 1000)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


def _final_answer(status: HTTPStatus) -> bytes:
    """Returns an answer without a body, after which the connection ends."""
    lines = [f"HTTP/1.1 {status} {status.phrase}", "Content-Length: 0", "Connection: close"]
    if status is HTTPStatus.UPGRADE_REQUIRED:
        lines += ["Upgrade: websocket", "Sec-WebSocket-Version: 13"]
    return "\r\n".join((*lines, "", "")).encode()
