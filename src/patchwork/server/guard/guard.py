"""Refuses requests that come from foreign pages, too often or too long.

The address and the scheme of a request are those of the connection. Behind proxies, uvicorn has
already replaced them by what trusted proxies report (``serving``).
"""

from asyncio import sleep
from collections.abc import Callable
from math import ceil
from time import monotonic

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchwork.server.game.refusals import Code
from patchwork.server.guard.cors import Cors
from patchwork.server.guard.turnstile import Turnstile
from patchwork.server.ops.limits import ConcurrencyLimiter, Limiter, address_key
from patchwork.server.settings import Settings, origin_of
from patchwork.server.wire import Refused

LONGEST_BODY = 64 * 1024
"""Bytes. The longest request is a record with comments; a finished game takes about 1 KiB."""
_WRITE_SECONDS = 60
"""In which requests that change something are counted; the settings say how many are allowed."""
_READ_SECONDS = 10
"""In which other requests are counted, and for which such a request may be delayed."""

_UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
_HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "font-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    ),
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    # Keeps private links private. With no-referrer, browsers would hide the origin of our forms.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_NO_STORE = "no-store"
_HSTS = "max-age=31536000"
"""One year, the usual minimum."""


class Guard:
    """Middleware that refuses bad requests and adds security headers to all answers."""

    def __init__(
        self, app: ASGIApp, settings: Settings, clock: Callable[[], float] = monotonic
    ) -> None:
        self.app = app
        self._origins = {*settings.origins, settings.public_url} - {""}
        self._cors = Cors(settings.origins)
        self._limiter = Limiter(settings.requests_per_minute, _WRITE_SECONDS)
        self._reads = Limiter(settings.reads, _READ_SECONDS)
        self._turnstile = Turnstile()
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        match scope["type"]:
            case "http":
                await self._http(scope, receive, self._with_headers(scope, send))
            case "websocket" if answer := self._unwelcome(scope) or _bad_host(scope):
                await _answer(answer, scope, receive, self._with_headers(scope, send))
            case _:
                await self.app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            found = await self._admitted(scope, receive)
        except ClientDisconnect:
            return
        if isinstance(found, Response):
            await found(scope, receive, send)
            return
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, _again(found, receive), sending)
        except Exception:
            if not started:
                await Response("Internal Server Error", 500)(scope, receive, send)
            raise

    async def _admitted(self, scope: Scope, receive: Receive) -> bytes | Response:
        """Returns the body of a request that may pass, or the answer to one that may not."""
        refusal, reads = self._refusal(scope), scope["method"] not in _UNSAFE
        if refusal is not None or reads:
            await self._turnstile.wait()  # requests of players go first
        if refusal is None and reads:
            refusal = await self._paced(scope)
        return refusal or await _body(receive)

    def _refusal(self, scope: Scope) -> Response | None:
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > LONGEST_BODY:
            return _too_long()
        unwelcome = self._unwelcome(scope) if scope["method"] in _UNSAFE else None
        return unwelcome or _bad_host(scope) or self._cors.preflight(scope)

    async def _paced(self, scope: Scope) -> Response | None:
        """Delays a request that only reads, or refuses it if the delay would be too long."""
        key, now = _address(scope), self._clock()
        wait = self._reads.delay(key, now, _READ_SECONDS)
        if wait is None:
            return _too_many(self._reads.wait(key, now))
        if wait:
            await sleep(wait)
        return None

    def _unwelcome(self, scope: Scope) -> Response | None:
        """Returns the answer to a request that comes from a foreign page, or too often."""
        if self._foreign(scope):
            return _foreign_page()
        key, now = _address(scope), self._clock()
        if not self._limiter.allow(key, now):
            return _too_many(self._limiter.wait(key, now))
        return None

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"].endswith("http.response.start"):
                answer = MutableHeaders(scope=message)
                answer.update(_HEADERS)
                if scope["scheme"] in ("https", "wss"):
                    answer["Strict-Transport-Security"] = _HSTS
                if message["status"] >= 400:
                    answer["Cache-Control"] = _NO_STORE  # an error may soon be gone
                elif scope["path"].startswith("/api/"):
                    answer.setdefault("Cache-Control", _NO_STORE)  # it depends on who asks
                self._cors.mark(scope, answer)
            await send(message)

        return sending

    def _foreign(self, scope: Scope) -> bool:
        """Returns whether the browser says that a page of another origin sent the request."""
        headers = Headers(scope=scope)
        origins = headers.getlist("origin")
        if not origins:
            return headers.get("sec-fetch-site") == "cross-site"
        if len(origins) > 1:
            return True
        scheme = {"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"])
        try:
            own = origin_of(f"{scheme}://{headers.get('host', '')}")
        except ValueError:
            own = None
        return origins[0] != own and origins[0] not in self._origins


class Concurrency:
    """Middleware that limits how much an address does at a time; open sockets count, too.

    Connections are already limited by ``transport``. But a proxy connects for many addresses, and
    only its requests say for which.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._running = ConcurrencyLimiter(settings.connections_per_address)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        key = _address(scope)
        if not self._running.acquire(key):
            answer = _refused(429, Code.TOO_MANY, "too many requests at a time from this address")
            await _answer(answer, scope, receive, send)
            return
        try:
            await self.app(scope, receive, send)
        finally:
            self._running.release(key)


def _address(scope: Scope) -> str:
    """Returns what the sender of a request is counted by."""
    return address_key(scope["client"][0] if scope.get("client") else "")


async def _answer(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers a request instead of the application."""
    if scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
        await answer(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1008})


def _bad_host(scope: Scope) -> Response | None:
    """Returns the answer to a request with a bad Host header, from which links would be made."""
    hosts = Headers(scope=scope).getlist("host")
    try:
        named = [origin_of(f"http://{host}") for host in hosts]
    except ValueError:
        named = []
    if len(hosts) == len(named) < 2:
        return None
    return _refused(400, Code.MALFORMED, "the Host header is invalid")


async def _body(receive: Receive) -> bytes | Response:
    """Returns the body of a request, or a refusal if it is longer than it may be."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > LONGEST_BODY:
            return _too_long()
    return body


def _again(body: bytes, receive: Receive) -> Receive:
    """Returns a function that receives a body that has been read already."""
    received = False

    async def receiving() -> Message:
        nonlocal received
        if received:
            return await receive()
        received = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving


def _refused(status: int, code: Code, detail: str) -> Response:
    refusal = Refused(id=None, code=code, detail=detail)
    return Response(refusal.model_dump_json(), status, media_type="application/json")


def _too_many(wait: float) -> Response:
    response = _refused(429, Code.TOO_MANY, "too many requests from this address")
    response.headers["Retry-After"] = str(max(1, ceil(wait)))
    return response


def _foreign_page() -> Response:
    return _refused(403, Code.FORBIDDEN, "the request comes from a page of another origin")


def _too_long() -> Response:
    response = _refused(413, Code.MALFORMED, f"a body has at most {LONGEST_BODY} bytes")
    response.headers["Connection"] = "close"  # the rest of the body is not read
    return response
