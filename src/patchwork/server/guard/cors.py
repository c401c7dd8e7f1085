"""What browsers are told about pages of other origins that may use the API (CORS)."""

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import Scope

_PREFLIGHT = {
    "Access-Control-Allow-Methods": "DELETE, GET, HEAD, PATCH, POST, PUT",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match",
    "Access-Control-Max-Age": "7200",
}
_READABLE = "Content-Disposition, ETag, Retry-After"
"""Headers that pages may read besides those that they always may."""


class Cors:
    """Tells browsers that the pages of some origins may read answers, and nothing of others."""

    def __init__(self, origins: Collection[str]) -> None:
        self._origins = origins

    def preflight(self, scope: Scope) -> Response | None:
        """Returns the answer to a browser that asks whether a page may send a request."""
        headers = Headers(scope=scope)
        asks = scope["method"] == "OPTIONS" and "access-control-request-method" in headers
        if not asks or headers.get("origin") not in self._origins:
            return None
        return Response(status_code=204, headers=_PREFLIGHT)

    def mark(self, scope: Scope, answer: MutableHeaders) -> None:
        """Adds to the headers of an answer what they say to the browser."""
        if not self._origins:
            return
        answer.add_vary_header("Origin")
        origin = Headers(scope=scope).get("origin", "")
        if origin in self._origins:
            answer["Access-Control-Allow-Origin"] = origin
            answer["Access-Control-Allow-Credentials"] = "true"
            answer["Access-Control-Expose-Headers"] = _READABLE
