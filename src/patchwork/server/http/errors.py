"""How requests are refused: always with a ``refused`` message, and the status of its code."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from patchwork.rules.setup import SetupError
from patchwork.server import presenter, wire
from patchwork.server.game.names import Reserved
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.limits import TooMany
from patchwork.server.http.pages import not_found_page
from patchwork.server.store import Unavailable
from patchwork.server.tables.table import NoSuchGame

HANDLED = (Refusal, NoSuchGame, Unavailable, RequestValidationError, HTTPException)
"""The exceptions that ``refuse`` answers."""

_STATUS = {
    Code.MALFORMED: 422,
    Code.NOT_SEATED: 403,
    Code.ILLEGAL_MOVE: 422,
    Code.NO_HELP: 403,
    Code.FORBIDDEN: 403,
    Code.RESERVED_NAME: 422,
    Code.BAD_CIRCLE: 422,
    Code.NO_SUCH_TABLE: 404,
    Code.NO_SUCH_PLY: 404,
    Code.NOT_FOUND: 404,
    Code.TOO_MANY: 429,
    Code.BUSY: 503,
    Code.UNAVAILABLE: 503,
}
_CONFLICT = 409
"""The status of all other codes: what the state of the game does not allow."""


def status_of(code: Code) -> int:
    """Returns the HTTP status of a refusal."""
    return _STATUS.get(code, _CONFLICT)


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Returns how the OpenAPI document describes the refusals of an operation."""
    return {status: {"model": wire.Refused} for status in statuses}


async def refuse(request: Request, error: Exception) -> Response:
    """Returns the answer to a request that failed; a lost browser receives a page instead."""
    refusal: Refusal
    headers: Mapping[str, str] | None = None
    match error:
        case TooMany():
            refusal, headers = error, error.headers
        case Refusal():
            refusal = error
        case NoSuchGame():
            if (page := not_found_page(request)) is not None:
                return page
            refusal = Refusal(Code.NO_SUCH_TABLE, "there is no such table")
        case Unavailable():
            refusal = presenter.unavailable(error)
        case RequestValidationError():
            cause = error.errors()[0].get("ctx", {}).get("error")
            refusal = Refusal(_code(cause), problem(error.errors()))
        case HTTPException():
            if error.status_code == 404 and (page := not_found_page(request)) is not None:
                return page
            code = Code.MALFORMED if error.status_code == 400 else Code.NOT_FOUND
            refusal = Refusal(code, str(error.detail))
            headers = error.headers
        case _:
            raise error
    status = error.status_code if isinstance(error, HTTPException) else status_of(refusal.code)
    body = presenter.refused(refusal).model_dump_json()
    return Response(body, status, headers, media_type="application/json")


def _code(cause: object) -> Code:
    """Returns the code for a message that is refused because of an exception, if there is one."""
    match cause:
        case Reserved():
            return Code.RESERVED_NAME
        case SetupError():
            return Code.BAD_CIRCLE
        case _:
            return Code.MALFORMED


def problem(errors: Sequence[Mapping[str, Any]]) -> str:
    """Returns the first of the errors that pydantic found in a message, in short."""
    where = ".".join(map(str, errors[0]["loc"]))
    return f"{where}: {errors[0]['msg']}" if where else str(errors[0]["msg"])
