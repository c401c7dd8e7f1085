"""Records that users upload: replayed at once, or kept at an address that can be shared."""

from fastapi import APIRouter, Request, Response

from patchwork.notation.errors import NotationError, Problem
from patchwork.notation.record import Line, Record
from patchwork.server import presenter, wire
from patchwork.server.caching import conditional
from patchwork.server.game.record import SUFFIX
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.dependencies import ServerServices
from patchwork.server.http.errors import refusals
from patchwork.server.http.limits import count_document, count_record
from patchwork.server.services import Services
from patchwork.server.store import record_id

LONGEST = 5_000
"""Moves and variations of a record, so that its replay stays short: a game has about 50 moves."""
_DOCUMENT_BYTES = 1024
"""Bytes of a posted record that count as one document; a finished game has about as many."""
_TEXT = {
    "requestBody": {
        "required": True,
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}

router = APIRouter(prefix="/api", tags=["replays"], responses=refusals(400, 403, 413, 422, 503))


@router.post("/replays", responses=refusals(429), openapi_extra=_TEXT)
async def replay_a_record(services: ServerServices, request: Request) -> wire.Replay:
    """Returns every position of a game whose record is sent; nothing is stored."""
    text = await _posted(request)
    return await services.background.run(lambda: presenter.replay(parse_record(text)))


@router.post("/records", responses=refusals(429), openapi_extra=_TEXT)
async def keep_a_record(services: ServerServices, request: Request) -> wire.KeptRecord:
    """Keeps a record, so that it can be replayed and shared; the same one gets the same id."""
    posted = await _posted(request)
    text = await services.background.run(lambda: parse_record(posted).format())
    record, now = record_id(text), services.clock.now()
    if await services.store.open_record(record, now) is None:
        count_record(request)
        await services.store.keep_record(text, now)
    return wire.KeptRecord(record=record)


@router.get(
    "/records/{record}",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **conditional.UNCHANGED, **refusals(404)},
)
async def download_a_record(services: ServerServices, request: Request, record: str) -> Response:
    """Returns a record that is kept."""
    body = conditional.Body.of((await _kept(services, record)).encode())
    headers = {"Content-Disposition": f'attachment; filename="{record}{SUFFIX}"'}
    return conditional.answer(request.headers, body, headers, "text/plain")


@router.get(
    "/records/{record}/replay",
    response_model=wire.Replay,
    responses={**conditional.UNCHANGED, **refusals(404, 429)},
)
async def replay_a_kept_record(services: ServerServices, request: Request, record: str) -> Response:
    """Returns every position of a record that is kept, with its comments and variations."""
    text = await _kept(services, record)

    def write() -> bytes:
        return presenter.replay(Record.parse(text)).model_dump_json().encode()

    body = await services.documents.read(
        ("kept record", record),
        None,  # its text never changes
        lambda: services.background.run(write),
        lambda: count_document(request, _cost(text)),
    )
    return conditional.answer(request.headers, body, {}, "application/json")


async def _kept(services: Services, record: str) -> str:
    text = await services.store.open_record(record, services.clock.now())
    if text is None:
        raise Refusal(Code.NOT_FOUND, "there is no such record")
    return text


async def _posted(request: Request) -> str:
    """Returns the text that a client sent, and counts it."""
    try:
        text = (await request.body()).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal(Code.MALFORMED, "a record is text in UTF-8") from error
    count_document(request, _cost(text))
    return text


def _cost(text: str) -> int:
    """Returns as how many documents a record counts."""
    return 1 + len(text) // _DOCUMENT_BYTES


def parse_record(text: str) -> Record:
    """Returns the record that a client sent.

    Raises:
        Refusal: the text is not a record, or a very long one; the detail has the line and mistake.
    """
    try:
        record = Record.parse(text)
    except NotationError as error:
        raise Refusal(Code.MALFORMED, str(error), error.reason) from error
    if "\0" in text:  # allowed in comments, but not every database can store it
        raise Refusal(Code.MALFORMED, f"a record cannot contain NUL ({Problem.UNEXPECTED})")
    if (found := _length(record.line)) > LONGEST:
        detail = f"{found:,} moves and variations; {LONGEST:,} can be shown ({Problem.TOO_LONG})"
        raise Refusal(Code.MALFORMED, detail)
    return record


def _length(line: Line) -> int:
    """Returns how many moves a line has, together with its variations, which count, too."""
    return len(line.plies) + sum(
        1 + _length(variation) for ply in line.plies for variation in ply.variations
    )
