"""Games to read: analyses, replays, records, pictures and QR codes, made once for all who ask."""

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from patchwork.engine.analysis import Limit
from patchwork.notation.errors import NotationError
from patchwork.notation.moves import parse_move
from patchwork.notation.record import Record
from patchwork.render import preview
from patchwork.render.svg import table as drawing
from patchwork.rules.game import Game
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Position
from patchwork.rules.setup import Setup, SetupError
from patchwork.rules.timeboard import EDITION_BY_NAME
from patchwork.server import presenter, wire
from patchwork.server.caching import conditional
from patchwork.server.engines.pool import Busy, Failed
from patchwork.server.game import record
from patchwork.server.game.match import Match
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.cookies import base_url
from patchwork.server.http.dependencies import (
    Sender,
    ServerServices,
    ServerTables,
    services_of,
    tables_of,
)
from patchwork.server.http.errors import refusals
from patchwork.server.http.limits import count_document
from patchwork.server.http.qr import qr_code
from patchwork.server.sharing.bitmap import CannotDraw, png
from patchwork.server.store import StoredGame

_ANALYSIS = Limit(time=1.0)
"""As long as level 8 thinks."""
_ANALYSIS_LINES = 3
_ANALYSIS_COST = 10
"""Documents that an analysis counts as: it occupies an engine for a second."""
_PREVIEW_COST = 5
"""Documents that a preview counts as: it takes about as long as so many pictures."""
_JSON, _PNG, _SVG = "application/json", "image/png", "image/svg+xml"

router = APIRouter(prefix="/api", responses=refusals(400, 403, 413, 422, 503))


@router.get(
    "/tables/{game}/analysis",
    tags=["tables"],
    response_model=wire.Thought,
    responses={**conditional.UNCHANGED, **refusals(404, 409, 429)},
)
async def analyse_a_game(
    request: Request,
    services: ServerServices,
    tables: ServerTables,
    requester: Sender,
    game: str,
    ply: Annotated[int, Query(ge=0, le=1000)],
) -> Response:
    """Returns what the engine thinks of the position after so many moves of a finished game."""
    stored = await tables.table(game).stored_game()

    def before() -> None:
        _position_to_analyse(stored, ply)
        count_document(request, _ANALYSIS_COST)

    async def analyse() -> bytes:
        position = _position_to_analyse(stored, ply)
        try:
            analysis = await services.engines.analyse(
                game, position, requester, limit=_ANALYSIS, lines=_ANALYSIS_LINES, urgent=False
            )
        except (Busy, Failed) as error:
            raise Refusal(Code.BUSY, str(error)) from error
        return presenter.thought(analysis).model_dump_json().encode()

    key = ("analysis", game, ply)
    body = await services.documents.read(key, hash(stored.events), analyse, before)
    return conditional.answer(request.headers, body, {}, _JSON)


def _position_to_analyse(stored: StoredGame, ply: int) -> Position:
    """Returns the position after so many moves of a finished game.

    Raises:
        Refusal: the game is not over, or nobody has to decide in that position.
    """
    match = Match(stored.terms, stored.events)
    if match.ending is None:
        raise Refusal(Code.NO_HELP, "only finished games are analysed")
    positions = match.game.positions() if match.game else ()
    if ply >= len(positions) or positions[ply].outcome is not None:
        raise Refusal(Code.NO_SUCH_PLY, f"there is nothing to decide after {ply} moves")
    return positions[ply]


@router.get(
    "/tables/{game}/replay",
    tags=["replays"],
    response_model=wire.Replay,
    responses={**conditional.UNCHANGED, **refusals(404, 429)},
)
async def replay_a_game(request: Request, game: str) -> Response:
    """Returns every position of a game, running or finished."""

    def write(stored: StoredGame) -> str:
        return presenter.replay(_record(stored)).model_dump_json()

    return await _document(request, game, "replay", write, _JSON)


@router.post("/positions", tags=["replays"], responses=refusals(429))
async def try_a_line(services: ServerServices, request: Request, line: wire.Line) -> wire.Reached:
    """Returns where a line leads and what can be played there; nothing is stored."""
    if line.since is None:
        return presenter.reached(play_line(line))
    count_document(request)
    return await services.background.run(lambda: presenter.reached(play_line(line), line.since))


def play_line(line: wire.Line) -> Game:
    """Returns the game after the moves of a line.

    Raises:
        Refusal: the circle is not one of the edition, or a move cannot be played.
    """
    edition = EDITION_BY_NAME[line.edition]
    try:
        game = Game(Setup(tuple(line.circle), edition, line.first))
    except SetupError as error:
        raise Refusal(Code.MALFORMED, str(error)) from error
    for number, text in enumerate(line.moves, 1):
        try:
            game.push(parse_move(game.position, text))
        except NotationError as error:
            detail = f"move {number}: {error}"
            raise Refusal(Code.ILLEGAL_MOVE, detail, error.reason) from error
    return game


@router.get(
    "/tables/{game}/record",
    tags=["tables"],
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **conditional.UNCHANGED, **refusals(404, 429)},
)
async def download_the_record(request: Request, game: str) -> Response:
    """Returns the game in the notation, to keep, to replay or to share."""

    def write(stored: StoredGame) -> str:
        return _record(stored).format()

    headers = {"Content-Disposition": f'attachment; filename="{game}{record.SUFFIX}"'}
    return await _document(request, game, "record", write, "text/plain", headers)


def _record(stored: StoredGame) -> Record:
    return record.record(stored.id, stored.created, Match(stored.terms, stored.events))


@router.get(
    "/tables/{game}/picture",
    tags=["tables"],
    response_class=Response,
    responses={200: {"content": {_SVG: {}}}, **conditional.UNCHANGED, **refusals(404, 409, 429)},
)
async def draw_a_table(request: Request, game: str) -> Response:
    """Returns a picture of the table."""
    return await _document(request, game, "picture", _picture, _SVG)


def _picture(stored: StoredGame) -> str:
    game = Match(stored.terms, stored.events).game
    if game is None:
        raise Refusal(Code.NOT_BEGUN, "the game has not begun")
    return drawing(game.position, (game.layout(0), game.layout(1)))


@router.get(
    "/tables/{game}/preview",
    tags=["tables"],
    response_class=Response,
    responses={200: {"content": {_PNG: {}}}, **conditional.UNCHANGED, **refusals(404, 429)},
)
async def draw_a_preview(request: Request, game: str) -> Response:
    """Returns a picture of the quilts, or of the patches before the game, for messengers."""
    return await _document(request, game, "preview", _preview, _PNG, cost=_PREVIEW_COST)


def _preview(stored: StoredGame) -> bytes:
    match = Match(stored.terms, stored.events)
    if match.game is None:
        return _bitmap(preview.patches(stored.terms.circle))
    layouts = match.game.layout(0), match.game.layout(1)
    return _bitmap(preview.quilts(match.game.position, layouts, match.status().winner))


@router.get(
    "/preview",
    tags=["health"],
    response_class=Response,
    responses={200: {"content": {_PNG: {}}}, **conditional.UNCHANGED, **refusals(429)},
)
async def draw_all_patches(request: Request) -> Response:
    """Returns a picture of all patches, for messengers."""
    services = services_of(request)
    body = await services.documents.read(
        "preview",
        None,
        lambda: services.background.run(lambda: _bitmap(preview.patches(range(len(PATCHES))))),
        lambda: count_document(request, _PREVIEW_COST),
    )
    return conditional.answer(request.headers, body, {}, _PNG)


def _bitmap(drawing: str) -> bytes:
    try:
        return png(drawing)
    except CannotDraw as error:
        raise Refusal(Code.BUSY, str(error)) from error


@router.get(
    "/tables/{game}/qr",
    tags=["tables"],
    response_class=Response,
    responses={200: {"content": {_SVG: {}}}, **conditional.UNCHANGED, **refusals(404, 429)},
)
async def draw_the_link(request: Request, game: str) -> Response:
    """Returns the link of the table as a QR code."""
    url = f"{base_url(request)}/tables/{game}"
    return await _document(request, game, url, lambda stored: qr_code(url), _SVG)


async def _document(
    request: Request,
    game: str,
    kind: str,
    write: Callable[[StoredGame], str | bytes],
    media_type: str,
    headers: Mapping[str, str] | None = None,
    cost: int = 1,
) -> Response:
    """Answers with a document about a game, made in the background unless it is in the cache."""
    services = services_of(request)
    stored = await tables_of(request).table(game).stored_game()

    def content() -> bytes:
        written = write(stored)
        return written.encode() if isinstance(written, str) else written

    body = await services.documents.read(
        (kind, game),
        hash(stored.events),
        lambda: services.background.run(content),
        lambda: count_document(request, cost),
    )
    return conditional.answer(request.headers, body, headers or {}, media_type)
