"""The protocols of uvicorn, with bounds on what a peer may send, and on how long it may not read.

This is the one place that reaches into uvicorn: both classes extend its protocols, whose methods
and attributes are no public interface. ``tests/server/test_transport.py`` tries each of them.
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import Any, cast

from httptools import HttpParserError, HttpParserUpgrade
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

from patchwork.server.guard.guard import LONGEST_BODY
from patchwork.server.ops.limits import Limiter
from patchwork.server.transport.connections import Connections
from patchwork.server.transport.handshakes import Handshakes

_REQUEST = 20.0
"""Seconds in which a request has to come, head and body, from its first byte; the first one from
the opening of the connection."""
_READING = 15.0
"""Seconds in which what is sent has to be read."""
_FAREWELL = 5.0
"""Seconds that a socket has for closing once the application is done with it."""
_LONGEST_HEAD = 16 * 1024
_HEADERS = 100
_LONGEST_REQUEST = _LONGEST_HEAD + 8 * LONGEST_BODY
"""Bytes on the wire, where each byte of a body may be framed as a chunk of its own."""
_PIPELINE = 16
"""Requests that may wait for the answer to an earlier one."""
_UNSENT = 256 * 1024
"""Bytes that may wait for a socket that reads slowly, if it asks for more nevertheless."""
_FRAMES = 4096
_WINDOW = 20.0
"""Seconds in which frames that are no messages, or parts of some, are counted."""
_VERSION = b"sec-websocket-version"
_PIECE = 4096
"""Bytes that are parsed before bounds are looked at again."""


def protocols(
    places: Connections, handshakes: Handshakes
) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """Returns what uvicorn makes connections with, for HTTP and for sockets.

    It wants classes, but only calls them.
    """
    http, socket = partial(HttpConnection, places, handshakes), partial(SocketConnection, places)
    return cast(type[asyncio.Protocol], http), cast(type[asyncio.Protocol], socket)


class _Deadline:
    """Does something unless it is stopped in time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
        self._loop = loop
        self._action = action
        self._timer: asyncio.TimerHandle | None = None

    def start(self, seconds: float) -> None:
        """Lets the time run, if it does not yet."""
        if self._timer is None:
            self._timer = self._loop.call_later(seconds, self._expire)

    def stop(self) -> None:
        """Stops the time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        self._timer = None
        self._action()


class _ReadInTime(asyncio.Protocol):
    """A connection that ends when what it sends is not read; before one of uvicorn's classes."""

    transport: asyncio.Transport
    _places: Connections
    _host: str
    _reading: _Deadline

    def pause_writing(self) -> None:
        """Waits until what was sent is read."""
        super().pause_writing()
        self._reading.start(_READING)

    def resume_writing(self) -> None:
        """Goes on."""
        self._reading.stop()
        super().resume_writing()

    def _unread(self) -> None:
        self._places.refused("what is sent is not read", self._host)
        self.transport.abort()


class HttpConnection(_ReadInTime, HttpToolsProtocol):
    """A connection that speaks HTTP, and waits for its turn to become a socket."""

    def __init__(
        self, places: Connections, handshakes: Handshakes, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._places = places
        self._handshakes = handshakes
        self._host = ""
        self._in_head = True
        self._size = 0
        """Bytes of the request that is being received."""
        self._fault: tuple[HTTPStatus, str] | None = None
        """Why the parser was stopped."""
        self._answering: RequestResponseCycle | None = None
        self._request = _Deadline(self.loop, self._late)
        self._reading = _Deadline(self.loop, self._unread)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Takes a place, if there is one."""
        super().connection_made(transport)
        _expect_reading(transport)
        self._host = self.client[0] if self.client else ""
        if self._places.admit(self, self._host):
            self._places.waits(self)
            self._request.start(_REQUEST)
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leaves the place to others."""
        self._places.release(self)
        self._request.stop()
        self._reading.stop()
        if self._answering is not None and self._answering is not self.cycle:
            self._answering.disconnected = True  # uvicorn tells the last of several requests only
            self._answering.message_event.set()
        super().connection_lost(exc)

    def evict(self) -> None:
        """Makes room for somebody else."""
        self.transport.abort()

    # What comes

    def data_received(self, data: bytes) -> None:
        """Parses, and refuses what is too much."""
        self._unset_keepalive_if_required()
        for start in range(0, len(data), _PIECE):
            if self.transport.is_closing() or not self._parse(data[start : start + _PIECE]):
                return

    def _parse(self, piece: bytes) -> bool:
        """Returns whether the connection goes on to speak HTTP."""
        self._request.start(_REQUEST)
        self._size += len(piece)
        try:
            self.parser.feed_data(piece)
        except HttpParserUpgrade:
            # Other upgrades need not be granted: the request is answered as if it were for none.
            if self._should_upgrade():
                self.handle_websocket_upgrade()
            return False
        except HttpParserError:
            self._refuse(*(self._fault or (HTTPStatus.BAD_REQUEST, "what comes is not HTTP")))
            return False
        if self._in_head and self._size > _LONGEST_HEAD:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the head is too long")
        elif self._size > _LONGEST_REQUEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the request is too long")
        return True

    def on_message_begin(self) -> None:
        """Begins to count."""
        super().on_message_begin()
        self._in_head = True
        self._request.start(_REQUEST)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Takes a header, also one behind the body."""
        super().on_header(name, value)
        if len(self.headers) > _HEADERS:
            self._stop(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "there are too many headers")

    def on_headers_complete(self) -> None:
        """Takes a head."""
        self._in_head = False
        if len(self.pipeline) >= _PIPELINE:
            self._stop(HTTPStatus.SERVICE_UNAVAILABLE, "too many requests wait for their answers")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Takes a request that is whole."""
        super().on_message_complete()
        self._size = 0
        self._request.stop()
        self._places.works(self)

    def handle_websocket_upgrade(self) -> None:
        """Leaves the connection, and the place, to a socket, if it is in order to open one."""
        spoken = self.parser.get_http_version() == "1.1" and self.url.isascii()
        if not spoken or not self._idle or self.flow.write_paused:
            self._refuse(HTTPStatus.BAD_REQUEST, "the upgrade is out of order")
        elif [value for name, value in self.headers if name == _VERSION] != [b"13"]:
            self._refuse(HTTPStatus.UPGRADE_REQUIRED, "the upgrade is to another version")
        else:
            self._request.stop()
            self.transport.pause_reading()  # until it is its turn
            self._handshakes.wait(self._upgrade)

    def _upgrade(self) -> None:
        if self.transport.is_closing():
            return
        self._places.release(self)
        self.transport.resume_reading()
        try:
            super().handle_websocket_upgrade()
        except BaseException:  # as where it is called when data comes
            self.transport.abort()
            raise

    def _stop(self, status: HTTPStatus, reason: str) -> None:
        """Stops the parser."""
        self._fault = (status, reason)
        raise ValueError(reason)

    def _late(self) -> None:
        if self.flow.read_paused:  # the rest may be there, and is not looked at yet
            self._request.start(_REQUEST)
        elif self._size or self.cycle is not None:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the request does not come in time")
        else:  # browsers open connections in reserve
            self.transport.close()

    @property
    def _idle(self) -> bool:
        """Whether nothing is to be answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def _receiving(self) -> bool:
        """Whether the one thing to be answered has not wholly come."""
        return self.cycle.more_body and not self.cycle.response_started and not self.pipeline

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        """Ends the connection, with an answer where one is due."""
        self._places.refused(reason, self._host)
        self._request.stop()
        if self._idle or self._receiving:
            self.transport.write(_answer(status))
            self.transport.close()
        else:
            self.transport.abort()

    # What goes

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Answers a request, as long as there is somebody to answer."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            async def sending(message: Message) -> None:
                # It would be an error to write now, and nobody has told the request yet.
                cycle.disconnected |= self.transport.is_closing()
                await send(message)

            await app(scope, receive, sending)

        self._answering = cycle
        super()._start_asgi_task(cycle, cast(Any, answer))

    def on_response_complete(self) -> None:
        """Waits for the next request, if none is there already."""
        if not self.pipeline:
            self._places.waits(self)
        super().on_response_complete()


class SocketConnection(_ReadInTime, WebSocketsSansIOProtocol):
    """A connection that has been upgraded to a WebSocket."""

    def __init__(self, places: Connections, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._places = places
        self._host = ""
        self._limiter = Limiter(_FRAMES, _WINDOW)
        self._reading = _Deadline(self.loop, self._unread)
        self._farewell = _Deadline(self.loop, lambda: self.transport.abort())

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Takes the place that the connection had."""
        super().connection_made(transport)
        self._host = self.client[0] if self.client else ""
        self._places.admit(self, self._host)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leaves the place to others."""
        self._places.release(self)
        self._reading.stop()
        self._farewell.stop()
        super().connection_lost(exc)

    def evict(self) -> None:
        """Makes room for somebody else."""
        self.transport.abort()

    async def run_asgi(self) -> None:
        """Lets the application serve the socket, and does not wait long for the peer afterwards."""
        try:
            await super().run_asgi()
        finally:
            self._farewell.start(_FAREWELL)

    # What comes

    def data_received(self, data: bytes) -> None:
        """Parses, and refuses what is out of order or too much."""
        if self.handshake_initiated and not self.handshake_complete:
            self._places.refused("a socket speaks before it is open", self._host)
            self.transport.abort()
            return
        for start in range(0, len(data), _PIECE):
            super().data_received(data[start : start + _PIECE])
            if self.transport.is_closing():
                return
            if self.transport.get_write_buffer_size() > _UNSENT:
                self._unread()
                return
        if not self.handshake_initiated:  # it is told on the way, or not at all
            answer = b"".join(self.conn.data_to_send())
            self.transport.write(answer or _answer(HTTPStatus.BAD_REQUEST))
            self.transport.close()

    def send_receive_event_to_app(self) -> None:
        """Passes a message on if its text is one."""
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self._fail(CloseCode.INVALID_DATA, "a text is not in UTF-8")
                return
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        """Answers a ping."""
        super().handle_ping()
        self._count()

    def handle_pong(self, event: Frame) -> None:
        """Takes the answer to a ping."""
        super().handle_pong(event)
        self._count()

    def handle_cont(self, event: Frame) -> None:
        """Takes a part of a message."""
        super().handle_cont(event)
        self._count()

    def _count(self) -> None:
        if not self.close_sent and not self._limiter.allow(None, monotonic()):
            self._fail(CloseCode.POLICY_VIOLATION, "there are too many frames")

    def _fail(self, code: CloseCode, reason: str) -> None:
        """Ends the connection, and says why."""
        self._places.refused(reason, self._host)
        self.conn.fail(code, reason)
        self.handle_parser_exception()

    # What goes

    async def send(self, message: Any) -> None:
        """Sends a message of the application.

        Raises:
            ClientDisconnected: nothing can be sent any more, since the peer left or is not obeyed.
        """
        await self.writable.wait()
        if self.transport.is_closing():
            self.handshake_complete = True  # nobody waits for it any more
            raise ClientDisconnected
        await super().send(message)

    def shutdown(self) -> None:
        """Closes the connection because the server stops."""
        if not self.transport.is_closing():
            super().shutdown()


def _expect_reading(transport: asyncio.Transport) -> None:
    """Lets a protocol know as soon as something sent cannot be passed on, until all of it is."""
    transport.set_write_buffer_limits(0)
    connected = transport.get_extra_info("socket")
    if connected is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
        # What has been passed on, too, has to get into the peer's buffer in time.
        with suppress(OSError):  # it has gone already
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(_READING * 1000))


def _answer(status: HTTPStatus) -> bytes:
    """Returns an answer after which the connection ends."""
    lines = [f"HTTP/1.1 {status} {status.phrase}", "Content-Length: 0", "Connection: close"]
    if status is HTTPStatus.UPGRADE_REQUIRED:
        lines += ["Upgrade: websocket", "Sec-WebSocket-Version: 13"]
    return "\r\n".join((*lines, "", "")).encode()
