"""Cross-origin resource sharing (CORS): which pages of other origins may use the API."""

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import Scope

_PREFLIGHT = {
    "Access-Control-Allow-Methods": "DELETE, GET, HEAD, PATCH, POST, PUT",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match",
    "Access-Control-Max-Age": "7200",  # seconds; the most that Chromium allows
}
_READABLE = "Content-Disposition, ETag, Retry-After"
"""Headers that pages may read in addition to those that browsers always allow."""


class Cors:
    """Tells browsers that the pages of some origins may read answers."""

    def __init__(self, origins: Collection[str]) -> None:
        self._origins = origins

    def preflight(self, scope: Scope) -> Response | None:
        """Returns the answer to a preflight request; None for other requests."""
        headers = Headers(scope=scope)
        asks = scope["method"] == "OPTIONS" and "access-control-request-method" in headers
        if not asks or headers.get("origin") not in self._origins:
            return None
        return Response(status_code=204, headers=_PREFLIGHT)

    def mark(self, scope: Scope, answer: MutableHeaders) -> None:
        """Adds the CORS headers to those of an answer."""
        if not self._origins:
            return
        answer.add_vary_header("Origin")
        origin = Headers(scope=scope).get("origin", "")
        if origin in self._origins:
            answer["Access-Control-Allow-Origin"] = origin
            answer["Access-Control-Allow-Credentials"] = "true"
            answer["Access-Control-Expose-Headers"] = _READABLE
