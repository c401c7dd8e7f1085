"""Runs the server: listens, tells when it is ready, and stops without losing anything."""

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from ipaddress import ip_address
from threading import Thread
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchwork.server.ops import logs
from patchwork.server.settings import Settings
from patchwork.server.transport.connections import Connections
from patchwork.server.transport.handshakes import HandshakeQueue
from patchwork.server.transport.uvicorn_protocols import protocols

_FAREWELL = 10
"""Seconds that tables have to finish their writes, and then connections to close."""
_PING = 20
_KEEP_ALIVE = 75
"""Seconds; more than proxies keep an idle connection, so that they are the ones to close it."""

_SWITCH = 0.0005
"""Seconds after which Python lets another thread go on; usually ten times as many, for which the
event loop would wait whenever there is something to be done in the background."""

_log = logging.getLogger(__name__)


class CannotListen(Exception):
    """The address or the port is not to be had."""

    def __init__(self, settings: Settings, error: OSError) -> None:
        self.host = settings.host
        self.port = settings.port
        self.in_use = error.errno == errno.EADDRINUSE
        self.detail = error.strerror or str(error)
        super().__init__(f"cannot listen on {self.host} port {self.port}: {self.detail}")


def serve(settings: Settings, *, browser: bool, ready: Callable[[str], None]) -> None:
    """Serves until the process is told to stop (SIGTERM) or interrupted (SIGINT).

    Args:
        settings: how.
        browser: whether to show the page, where there is a browser to show it in.
        ready: is told where players find the server, as soon as it answers.

    Raises:
        CannotListen: the address or the port is not to be had.
        KeyboardInterrupt: it was interrupted, and has stopped in order.
        Exception: what kept the application from starting, or what ``ready`` raised.
    """
    logs.configure(settings.log_format, settings.log_level)
    sys.setswitchinterval(_SWITCH)

    def announce(url: str) -> None:
        gc.freeze()  # what is there now stays; to look through it again would hold up moves
        ready(url)
        if browser and _browser_at_hand(os.environ):
            # Some browsers return only when they are closed.
            Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    with ExitStack() as stack:
        listening = [stack.enter_context(closing(made)) for made in _listen(settings)]

        from patchwork.server.app import create_app

        url = _url(settings.host, listening[0].getsockname()[1])
        server = Server(create_app(settings), settings, lambda: announce(url))
        try:
            server.run(listening)
        except SystemExit:  # it could not start
            if server.failure is None:
                raise
    if server.failure is not None:
        raise server.failure
    if server.interrupted:
        raise KeyboardInterrupt


class Server(uvicorn.Server):
    """Lets the tables finish before connections are closed, and keeps why it could not start."""

    def __init__(self, app: Any, settings: Settings, ready: Callable[[], None]) -> None:
        self.connections = Connections(settings)
        http, ws = protocols(self.connections, HandshakeQueue(app.state.turns))
        super().__init__(
            uvicorn.Config(
                self._watched(app),
                http=http,
                interface="asgi3",
                lifespan="on",
                ws=ws,
                ws_max_size=settings.frame_bytes,
                ws_per_message_deflate=False,
                ws_ping_interval=_PING,
                ws_ping_timeout=_PING,
                proxy_headers=bool(settings.proxies),
                forwarded_allow_ips=list(settings.proxies),
                server_header=False,
                access_log=False,
                log_config=None,
                timeout_keep_alive=_KEEP_ALIVE,
                timeout_graceful_shutdown=_FAREWELL,
            )
        )
        self.interrupted = False
        self.failure: Exception | None = None
        self._app = app
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts, and tells when requests are answered."""
        await super().startup(sockets)
        if self.started:
            _log.info("ready")
            try:
                self._ready()
            except Exception as error:
                self.failure = error
                self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Takes no new connections, closes the tables, then all else."""
        _log.info("stopping")
        for server in self.servers:
            server.close()
        try:
            async with asyncio.timeout(_FAREWELL):
                await self._app.state.tables.stop()
        except Exception:
            _log.exception("tables could not be closed in order")
        await super().shutdown(sockets)
        _log.info("stopped")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stops; what is said twice is meant at once.

        It is not raised again in the end, as uvicorn does: whoever stops in order has not died.
        """
        self.interrupted |= sig == signal.SIGINT
        self.force_exit |= self.should_exit and sig == signal.SIGINT
        self.should_exit = True

    def _watched(self, app: ASGIApp) -> ASGIApp:
        async def watched(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "lifespan":
                await app(scope, receive, send)
                return

            async def sending(message: Message) -> None:
                if message["type"] == "lifespan.startup.failed":
                    message = {"type": message["type"]}  # the failure itself is raised
                await send(message)

            try:
                await app(scope, receive, sending)
            except Exception as error:
                self.failure = error
                raise

        return watched


def _listen(settings: Settings) -> list[socket.socket]:
    """Returns sockets that listen, on each address that the host has; connections queue up."""
    made: list[socket.socket] = []
    port = settings.port
    try:
        addresses = socket.getaddrinfo(
            settings.host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, _, _, _, address in dict.fromkeys(addresses):
            # Only where the protocol is named does asyncio send small messages at once.
            made.append(socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP))
            if os.name == "posix":  # elsewhere it would let two servers share a port
                made[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                made[-1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            made[-1].bind((address[0], port, *address[2:]))
            made[-1].listen(2048)
            port = made[-1].getsockname()[1]
    except OSError as error:
        for each in made:
            each.close()
        raise CannotListen(settings, error) from error
    return made


def _url(host: str, port: int) -> str:
    """Returns the address for a browser on this machine."""
    try:
        address = ip_address(host)
    except ValueError:
        return f"http://{host}:{port}/"
    if address.is_unspecified:
        address = ip_address("127.0.0.1" if address.version == 4 else "::1")
    return f"http://{address}:{port}/" if address.version == 4 else f"http://[{address}]:{port}/"


def _browser_at_hand(environment: Mapping[str, str]) -> bool:
    """Returns whether there is a browser with a window of its own."""
    windows = sys.platform in ("darwin", "win32") or any(
        environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    try:
        # Those in a terminal are plain ones, and would take over ours.
        return windows and type(webbrowser.get()) is not webbrowser.GenericBrowser
    except webbrowser.Error:
        return False
