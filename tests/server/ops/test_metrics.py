"""Metrics for Prometheus, whose number clients cannot inflate."""

import asyncio

import httpx
from fastapi import FastAPI

from patchwork.server.game.events import Kind
from patchwork.server.game.refusals import Code
from patchwork.server.ops.metrics import CONTENT_TYPE, CountRequests, Metrics


def test_all_metrics_are_exported() -> None:
    metrics = Metrics()
    metrics.events_stored.labels(Kind.MOVE).inc()
    metrics.refused.labels(Code.STALE).inc(2)
    metrics.sockets.inc()
    metrics.tables.set(3)
    metrics.thinkers_queued.set(4)
    metrics.thinkers_working.set_function(lambda: 5)
    with metrics.commit_seconds.time(), metrics.thought_seconds.time():
        pass
    metrics.thought_waits.labels(8).observe(0.2)
    metrics.thoughts_cut.labels(8).inc()
    lines = metrics.text().splitlines()
    for line in (
        'patchwork_events_stored_total{kind="move"} 1.0',
        'patchwork_refused_total{code="stale"} 2.0',
        "patchwork_sockets 1.0",
        "patchwork_tables 3.0",
        "patchwork_thinkers_queued 4.0",
        "patchwork_thinkers_working 5.0",
        "patchwork_commit_seconds_count 1.0",
        "patchwork_thought_seconds_count 1.0",
        'patchwork_thought_wait_seconds_count{level="8"} 1.0',
        'patchwork_thoughts_cut_total{level="8"} 1.0',
    ):
        assert line in lines
    assert CONTENT_TYPE.startswith("text/plain")


def test_servers_do_not_share_metrics() -> None:
    first, second = Metrics(), Metrics()
    first.sockets.inc()
    assert "patchwork_sockets 0.0" in second.text()


def test_requests_are_counted_by_route_not_by_address() -> None:
    app, metrics = FastAPI(), Metrics()

    @app.get("/games/{game}")
    def game(game: str) -> str:
        return game

    async def ask() -> None:
        transport = httpx.ASGITransport(CountRequests(app, metrics))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            await client.get("/games/a")
            await client.get("/games/b")
            await client.get("/nowhere/1")
            await client.request("BREW", "/nowhere/2")

    asyncio.run(ask())
    lines = [line for line in metrics.text().splitlines() if line.startswith("patchwork_http_")]
    counted = {line for line in lines if "_created" not in line}
    assert counted == {
        'patchwork_http_requests_total{method="GET",route="/games/{game}",status="200"} 2.0',
        'patchwork_http_requests_total{method="GET",route="other",status="404"} 1.0',
        'patchwork_http_requests_total{method="other",route="other",status="404"} 1.0',
    }
