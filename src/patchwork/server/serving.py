"""Runs the server: listens, reports when it is ready, and stops without losing anything."""

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable, Collection, Mapping
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
from patchwork.server.transport.local_network import LocalNetwork
from patchwork.server.transport.uvicorn_protocols import protocols

_SHUTDOWN_SECONDS = 10
"""That tables have to finish their writes, and after that, connections to close."""
_PING_SECONDS = 20
"""Between pings of a WebSocket, and for an answer; uvicorn's defaults."""
_KEEP_ALIVE_SECONDS = 75
"""For which an idle connection is kept. Proxies keep theirs for 60 seconds by default, so that they
are the ones to close them: otherwise a request could meet a connection that is being closed."""
_BACKLOG = 2048
"""Connections that may wait to be accepted; uvicorn's default."""
_SWITCH_SECONDS = 0.0005
"""After which Python lets another thread run. The default is ten times as long, and the event loop
would have to wait for it whenever the background thread is busy."""

_log = logging.getLogger(__name__)


class CannotListen(Exception):
    """The address or the port cannot be used."""

    def __init__(self, settings: Settings, error: OSError) -> None:
        self.host = settings.host
        self.port = settings.port
        self.in_use = error.errno == errno.EADDRINUSE
        self.detail = error.strerror or str(error)
        super().__init__(f"cannot listen on {self.host} port {self.port}: {self.detail}")


def serve(
    settings: Settings, *, browser: bool, ready: Callable[[str], None], openable: bool = False
) -> None:
    """Serves until the process is terminated (SIGTERM) or interrupted (SIGINT).

    Args:
        settings: how the server is set up.
        browser: whether to open the page in a browser, if there is one.
        openable: whether the page, on this machine, may open the server to the local network.
        ready: called with the address of the server as soon as it answers.

    Raises:
        CannotListen: the address or the port cannot be used.
        KeyboardInterrupt: it was interrupted, and has stopped properly.
        UnsupportedUvicorn: another version of uvicorn is needed.
        Exception: whatever kept the application from starting, or was raised by ``ready``.
    """
    logs.configure(settings.log_format, settings.log_level)
    sys.setswitchinterval(_SWITCH_SECONDS)

    def announce(url: str) -> None:
        gc.freeze()  # what exists now stays; collecting it again and again would delay moves
        ready(url)
        if browser and _has_browser(os.environ):
            # With some browsers, the call returns only when they are closed.
            Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    with ExitStack() as stack:
        listening = [stack.enter_context(closing(made)) for made in _listen(settings)]

        from patchwork.server.app import create_app

        port = listening[0].getsockname()[1]
        url = _url(settings.host, port)
        app = create_app(settings)
        server = Server(app, settings, lambda: announce(url))
        if openable:
            app.state.local_network = LocalNetwork(server, port)
        try:
            server.run(listening)
        except SystemExit:  # uvicorn exits if the application does not start
            if server.failure is None:
                raise
    if server.failure is not None:
        raise server.failure
    if server.interrupted:
        raise KeyboardInterrupt


class Server(uvicorn.Server):
    """uvicorn's server, which closes the tables before it closes connections.

    It also keeps the exception because of which it could not start.
    """

    def __init__(self, app: Any, settings: Settings, ready: Callable[[], None]) -> None:
        self.connections = Connections(settings)
        http, ws = protocols(self.connections, HandshakeQueue(app.state.pacer))
        super().__init__(
            uvicorn.Config(
                self._watched(app),
                http=http,
                interface="asgi3",
                lifespan="on",
                ws=ws,
                ws_max_size=settings.frame_bytes,
                ws_per_message_deflate=False,
                ws_ping_interval=_PING_SECONDS,
                ws_ping_timeout=_PING_SECONDS,
                proxy_headers=bool(settings.proxies),
                forwarded_allow_ips=list(settings.proxies),
                server_header=False,
                access_log=False,
                log_config=None,
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
            )
        )
        self.interrupted = False
        self.failure: Exception | None = None
        self._app = app
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts, and reports when requests are answered."""
        await super().startup(sockets)
        if self.started:
            _log.info("ready")
            try:
                self._ready()
            except Exception as error:
                self.failure = error
                self.should_exit = True

    async def listen(self, address: str, port: int) -> None:
        """Accepts connections at another IPv4 address.

        Raises:
            OSError: the address or the port cannot be used.
        """

        def connection() -> asyncio.Protocol:
            return self.config.http_protocol_class(  # type: ignore[call-arg]
                config=self.config,
                server_state=self.server_state,
                app_state=self.lifespan.state,
            )

        loop = asyncio.get_running_loop()
        bound = _bound(socket.AF_INET, (address, port))
        self.servers.append(await loop.create_server(connection, sock=bound, backlog=_BACKLOG))

    def stop_listening(self, addresses: Collection[str]) -> None:
        """Accepts no more connections at some addresses, and closes those that came there."""
        for server in self.servers.copy():
            if any(each.getsockname()[0] in addresses for each in server.sockets):
                server.close()
                self.servers.remove(server)
        for connection in list(self.server_state.connections):
            if connection.transport.get_extra_info("sockname")[0] in addresses:
                connection.shutdown()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accepts no more connections, closes the tables, then everything else."""
        _log.info("stopping")
        for server in self.servers:
            server.close()
        try:
            async with asyncio.timeout(_SHUTDOWN_SECONDS):
                await self._app.state.tables.stop()
        except Exception:
            _log.exception("the tables could not be closed properly")
        await super().shutdown(sockets)
        _log.info("stopped")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stops the server; a second interrupt stops it at once.

        uvicorn would raise the signal again at the end, so that a proper stop would look like a
        crash.
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
    """Returns listening sockets, one for each address of the host."""
    made: list[socket.socket] = []
    port = settings.port
    try:
        addresses = socket.getaddrinfo(
            settings.host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, _, _, _, address in dict.fromkeys(addresses):
            made.append(_bound(family, (address[0], port, *address[2:])))
            made[-1].listen(_BACKLOG)
            port = made[-1].getsockname()[1]
    except OSError as error:
        for each in made:
            each.close()
        raise CannotListen(settings, error) from error
    return made


def _bound(family: int, address: tuple[Any, ...]) -> socket.socket:
    """Returns a socket that has the address but does not listen yet."""
    # asyncio sends small messages at once only if the protocol is given.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # on Windows it would let two servers share a port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
    except OSError:
        made.close()
        raise
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


def _has_browser(environment: Mapping[str, str]) -> bool:
    """Returns whether there is a browser that opens a window."""
    windows = sys.platform in ("darwin", "win32") or any(
        environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    try:
        # A GenericBrowser may run in the terminal, and would take over ours.
        return windows and type(webbrowser.get()) is not webbrowser.GenericBrowser
    except webbrowser.Error:
        return False
