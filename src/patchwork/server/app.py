"""The application: ``create_app(settings)`` puts the parts together."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

import patchwork
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.clocks import Timekeeper
from patchwork.server.game.names import Reserved
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.guard.guard import Concurrency, Guard
from patchwork.server.guard.head import Heads
from patchwork.server.http.api import api, health, status_of
from patchwork.server.http.pages import add_pages, lost
from patchwork.server.http.sockets import live, problem
from patchwork.server.ops.metrics import Counted, Metrics
from patchwork.server.ops.pacing import Turns
from patchwork.server.players.identity import Signer
from patchwork.server.players.players import Players
from patchwork.server.players.retention import Retention
from patchwork.server.services import Context, Limiters, TooMany
from patchwork.server.settings import Settings
from patchwork.server.store import Store, Unavailable
from patchwork.server.tables import presenter
from patchwork.server.tables.registry import Tables
from patchwork.server.tables.table import House, NoSuchGame


def create_app(settings: Settings, engines: EnginePool | None = None) -> FastAPI:
    """Returns the server as an ASGI application; its lifespan opens and closes the database.

    Args:
        settings: how it is set up.
        engines: what chooses the moves of the computer, if not our engine.
    """
    metrics, turns, engines = Metrics(), Turns(), engines or EnginePool(settings.workers)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store, time = await Store.open(settings.database), Timekeeper()
        watching = asyncio.create_task(time.watch())
        try:
            await engines.start()
            house = House(settings, store, engines, metrics, time.now, time.pauses, turns)
            secret = settings.secret.encode() or await store.secret()
            tables = Tables(house)
            signer = Signer(secret)
            players = Players(house, tables, signer)
            context = Context(house, tables, players, signer, Limiters.of(settings))
            app.state.context = context
            app.state.tables = tables
            retention = Retention(house, tables)
            await players.start()
            tables.start()
            retention.start()
            yield
            await retention.stop()
            await players.stop()
            await tables.stop()
            context.background.stop()
        finally:
            watching.cancel()
            await engines.stop()
            await store.close()

    app = FastAPI(
        title="Patchwork",
        version=patchwork.__version__,
        description="Live tables for two. Sockets are described in docs/protocol.md.",
        lifespan=lifespan,
        docs_url=None,  # their pages load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,  # they would lead to whatever host a request names
    )
    app.state.turns = turns
    app.include_router(api)
    app.include_router(health)
    add_pages(app)
    app.add_api_websocket_route("/api/tables/{game}/live", live)
    for kind in (Refusal, NoSuchGame, Unavailable, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _refused)
    app.add_middleware(Concurrency, settings=settings)
    app.add_middleware(Guard, settings=settings)
    app.add_middleware(Counted, metrics=metrics)
    app.add_middleware(Heads)
    return app


async def _refused(request: Request, error: Exception) -> Response:
    """Answers every request that comes to nothing in the same form; people see the page."""
    refusal: Refusal
    headers: Mapping[str, str] | None = None
    match error:
        case TooMany():
            refusal, headers = error, error.headers
        case Refusal():
            refusal = error
        case NoSuchGame():
            refusal = Refusal(Code.NO_SUCH_TABLE, "there is no such table")
        case Unavailable():
            refusal = presenter.unavailable(error)
        case RequestValidationError():
            cause = error.errors()[0].get("ctx", {}).get("error")
            code = Code.RESERVED_NAME if isinstance(cause, Reserved) else Code.MALFORMED
            refusal = Refusal(code, problem(error.errors()))
        case HTTPException():
            if error.status_code == 404 and (page := lost(request)) is not None:
                return page
            code = Code.MALFORMED if error.status_code == 400 else Code.NOT_FOUND
            refusal = Refusal(code, str(error.detail))
            headers = error.headers
        case _:
            raise error
    status = error.status_code if isinstance(error, HTTPException) else status_of(refusal.code)
    body = presenter.refused(refusal).model_dump_json()
    return Response(body, status, headers, media_type="application/json")
