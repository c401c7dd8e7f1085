"""A server of a few lines, run as a process instead of the real application.

Usage: ``python small_app.py KEY=VALUE ...`` with settings; with ``fail=1`` it cannot start.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from patchwork.server import serving
from patchwork.server.guard.guard import Guard
from patchwork.server.ops.pacing import Pacer
from patchwork.server.settings import Settings

arguments = dict(argument.split("=", 1) for argument in sys.argv[1:])
fail = arguments.pop("fail", "")
sockets: set[WebSocket] = set()


def write_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Tables:
    """Says goodbye to all sockets."""

    async def stop(self) -> None:
        for socket in sockets:
            await socket.send_text("bye")
        await asyncio.sleep(0.05)  # long enough to notice a server that does not wait for this
        write_line("tables stopped")


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    if fail:
        raise LookupError(fail)
    app.state.tables = Tables()
    yield
    write_line("application stopped")


async def seen(request: Request) -> JSONResponse:
    assert request.client is not None
    return JSONResponse({"client": request.client.host, "scheme": request.url.scheme})


async def live(socket: WebSocket) -> None:
    await socket.accept()
    sockets.add(socket)
    try:
        while True:
            await socket.send_text(await socket.receive_text())
    except WebSocketDisconnect:
        sockets.discard(socket)


def create_app(settings: Settings) -> Starlette:
    app = Starlette(
        lifespan=lifespan,
        routes=[Route("/", seen, methods=["GET", "POST"]), WebSocketRoute("/live", live)],
    )
    app.state.pacer = Pacer()
    app.add_middleware(Guard, settings=settings)
    return app


if __name__ == "__main__":
    module = ModuleType("patchwork.server.app")
    module.__dict__["create_app"] = create_app
    sys.modules["patchwork.server.app"] = module
    try:
        serving.serve(
            Settings.read({}, **({"port": "0"} | arguments)),
            browser=False,
            ready=write_line,
        )
    except KeyboardInterrupt:
        sys.exit(130)
    except LookupError as error:
        sys.exit(f"not started: {error}")
    except serving.CannotListen as error:
        sys.exit(f"in use: {error.in_use}; {error}")
