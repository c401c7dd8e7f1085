"""Metrics for operators, in the format of Prometheus."""

from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_TYPE = CONTENT_TYPE_LATEST

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_COMMIT_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Bounds of the histogram, from a fast disk to one that is far too slow."""
_THOUGHT_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Bounds of the histogram; level 8 takes a second unless others are waiting."""


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        known: dict[str, Any] = {"namespace": "patchwork", "registry": self.registry}
        self.sockets = Gauge("sockets", "Sockets open at tables.", **known)
        self.streams = Gauge("streams", "Streams of events open at tables.", **known)
        self.tables = Gauge("tables", "Tables in memory.", **known)
        self.thinkers_queued = Gauge("thinkers_queued", "Thoughts that wait.", **known)
        self.thinkers_working = Gauge("thinkers_working", "Thoughts being thought.", **known)
        self.events_stored = Counter("events_stored", "Events committed.", ["kind"], **known)
        self.refused = Counter("refused", "What was refused, by code.", ["code"], **known)
        self.commit_seconds = Histogram(
            "commit_seconds", "Time until an event was committed.", buckets=_COMMIT_SECONDS, **known
        )
        self.thought_seconds = Histogram(
            "thought_seconds", "Time until a thought was there.", buckets=_THOUGHT_SECONDS, **known
        )
        self.thought_waits = Histogram(
            "thought_wait_seconds",
            "Time until the computer began to think of a move.",
            ["level"],
            buckets=_THOUGHT_SECONDS,
            **known,
        )
        self.thoughts_cut = Counter(
            "thoughts_cut",
            "Moves for which the computer had less time than usual.",
            ["level"],
            **known,
        )
        self.http_requests = Counter(
            "http_requests", "Requests answered.", ["method", "route", "status"], **known
        )
        ProcessCollector(registry=self.registry)

    def text(self) -> str:
        """Returns all metrics, in the format that Prometheus reads."""
        return generate_latest(self.registry).decode()


class CountRequests:
    """Middleware that counts answers by method, route and status."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on and counts the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                # Any other part of the request as a label would let clients fill the memory.
                route = getattr(scope.get("route"), "path", "other")
                method = scope["method"] if scope["method"] in _METHODS else "other"
                self._metrics.http_requests.labels(method, route, message["status"]).inc()
            await send(message)

        await self.app(scope, receive, counting)
