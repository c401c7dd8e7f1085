"""Answers that are not sent again to a client that has them already."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Self

from starlette.datastructures import Headers
from starlette.responses import Response

ASK_AGAIN = "no-cache"
"""Of an answer that may be kept, but not used before it is known to be still the same."""


@dataclass(frozen=True, slots=True)
class Body:
    """What is sent, and a name for just these bytes."""

    content: bytes
    etag: str

    @classmethod
    def of(cls, content: bytes) -> Self:
        """Returns a body with its name."""
        return cls(content, f'"{sha256(content).hexdigest()[:32]}"')


def answer(asked: Headers, body: Body, headers: Mapping[str, str], media_type: str) -> Response:
    """Returns a body with some headers, or 304 and the same headers to a client that has it.

    Args:
        asked: the headers of the request.
        body: what is asked for.
        headers: of both kinds of answer.
        media_type: of the body.
    """
    headers = {"Cache-Control": ASK_AGAIN, **headers, "ETag": body.etag}
    if _named(asked) & {body.etag, "*"}:
        return Response(status_code=304, headers=headers)
    return Response(body.content, headers=headers, media_type=media_type)


def _named(asked: Headers) -> set[str]:
    """Returns the names in If-None-Match, of which weak ones count as well (RFC 9110, 13.1.2)."""
    lines = ",".join(asked.getlist("if-none-match"))
    return {name.strip().removeprefix("W/") for name in lines.split(",")}
