"""Conditional requests: a client that has a document already does not receive it again."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self

from starlette.datastructures import Headers
from starlette.responses import Response

REVALIDATE = "no-cache"
"""Cache-Control of an answer that may be kept, but must be checked before it is used again."""
UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "What If-None-Match names."}}
"""How the OpenAPI document describes the answer to a client that has the document already."""
_ETAG_LENGTH = 32
"""Hexadecimal digits: 128 bits of a hash are enough to tell documents apart."""


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes of a document, and a tag that identifies them."""

    content: bytes
    etag: str

    @classmethod
    def of(cls, content: bytes) -> Self:
        """Returns a body with its tag."""
        return cls(content, f'"{sha256(content).hexdigest()[:_ETAG_LENGTH]}"')


def answer(request: Headers, body: Body, headers: Mapping[str, str], media_type: str) -> Response:
    """Returns the document, or status 304 to a client that has it.

    Args:
        request: the headers of the request.
        body: the document.
        headers: sent with either answer.
        media_type: of the document.
    """
    headers = {"Cache-Control": REVALIDATE, **headers, "ETag": body.etag}
    if _etags(request) & {body.etag, "*"}:
        return Response(status_code=304, headers=headers)
    return Response(body.content, headers=headers, media_type=media_type)


def _etags(request: Headers) -> set[str]:
    """Returns the tags in If-None-Match; weak ones match, too (RFC 9110, 13.1.2)."""
    lines = ",".join(request.getlist("if-none-match"))
    return {name.strip().removeprefix("W/") for name in lines.split(",")}
