"""The application: ``create_app(settings)`` puts the parts of the server together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

import patchwork
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.clocks import Timekeeper
from patchwork.server.guard.guard import Concurrency, Guard
from patchwork.server.guard.head import HeadRequests
from patchwork.server.http import errors, sockets
from patchwork.server.http.api import (
    carrying,
    health,
    local_network,
    players,
    records,
    tables,
    uploads,
)
from patchwork.server.http.pages import add_pages
from patchwork.server.ops.metrics import CountRequests, Metrics
from patchwork.server.ops.pacing import Pacer
from patchwork.server.players.identity import Signer
from patchwork.server.players.players import Players
from patchwork.server.players.retention import Retention
from patchwork.server.services import Limiters, Services
from patchwork.server.settings import Settings
from patchwork.server.store import Store
from patchwork.server.tables.registry import Tables


def create_app(settings: Settings, engines: EnginePool | None = None) -> FastAPI:
    """Returns the server as an ASGI application; its lifespan opens and closes the database.

    Args:
        settings: how it is set up.
        engines: what chooses the moves of the computer, if not our engine.
    """
    metrics, pacer, engines = Metrics(), Pacer(), engines or EnginePool(settings.workers)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store, clock = await Store.open(settings.database), Timekeeper()
        watching = asyncio.create_task(clock.watch())
        try:
            await engines.start()
            limiters = Limiters.of(settings)
            services = Services(settings, store, engines, metrics, clock, pacer, limiters)
            signer = Signer(settings.secret.encode() or await store.secret())
            app.state.services = services
            app.state.tables = all_tables = Tables(services)
            app.state.players = all_players = Players(services, all_tables, signer)
            retention = Retention(services, all_tables)
            await all_players.start()
            all_tables.start()
            retention.start()
            yield
            await retention.stop()
            await all_players.stop()
            await all_tables.stop()
            services.background.stop()
        finally:
            watching.cancel()
            await engines.stop()
            await store.close()

    app = FastAPI(
        title="Patchwork",
        version=patchwork.__version__,
        description="Live tables for two. Sockets are described in docs/protocol.md.",
        lifespan=lifespan,
        docs_url=None,  # FastAPI's pages load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,  # redirects would lead to whatever host a request names
    )
    app.state.pacer = pacer
    app.state.local_network = None  # unless ``serving`` offers to open it
    for router in (
        players.router,
        carrying.router,
        tables.router,
        records.router,
        uploads.router,
        local_network.router,
        health.router,
    ):
        app.include_router(router)
    add_pages(app)
    app.add_api_websocket_route("/api/tables/{game}/live", sockets.live)
    for kind in errors.HANDLED:
        app.add_exception_handler(kind, errors.refuse)
    app.add_middleware(Concurrency, settings=settings)
    app.add_middleware(Guard, settings=settings)
    app.add_middleware(CountRequests, metrics=metrics)
    app.add_middleware(HeadRequests)
    return app
