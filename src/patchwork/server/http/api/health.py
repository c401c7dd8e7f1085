"""How the server is, for load balancers and Prometheus."""

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse

import patchwork
from patchwork.server import wire
from patchwork.server.http.dependencies import ServerServices
from patchwork.server.http.errors import refusals
from patchwork.server.ops import metrics
from patchwork.server.services import Services

router = APIRouter(tags=["health"], responses=refusals(400, 413))


@router.get("/healthz")
async def is_it_alive(services: ServerServices) -> wire.Health:
    """Says that the server runs."""
    return _health(services)


@router.get("/readyz", responses=refusals(503))
async def is_it_ready(services: ServerServices) -> wire.Health:
    """Says whether the server can handle requests, that is, whether its database answers."""
    await services.store.check()
    return _health(services)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def measure(services: ServerServices) -> PlainTextResponse:
    """Returns metrics for Prometheus."""
    measured = services.metrics
    measured.streams.set(services.limiters.streams.total)
    measured.thinkers_queued.set(services.engines.queued)
    measured.thinkers_working.set(services.engines.working)
    return PlainTextResponse(measured.text(), media_type=metrics.CONTENT_TYPE)


def _health(services: Services) -> wire.Health:
    return wire.Health(
        status="ok",
        version=patchwork.__version__,
        engine="ready" if services.engines.ready else "warming",
    )
