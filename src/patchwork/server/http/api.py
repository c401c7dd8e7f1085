"""The server over HTTP: the same actions as by socket, and what is asked for only now and then."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from io import BytesIO
from time import monotonic
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import PlainTextResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

import patchwork
from patchwork.engine.analysis import Limit
from patchwork.notation.record import Record
from patchwork.render.svg import table as drawing
from patchwork.rules.position import Position
from patchwork.server import wire
from patchwork.server.caching import conditional
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.engines.pool import Busy, Failed
from patchwork.server.game import record
from patchwork.server.game.match import Match
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import MINUTE
from patchwork.server.http import replays
from patchwork.server.http.requests import action_of
from patchwork.server.ops import metrics
from patchwork.server.players import export, identity
from patchwork.server.players.identity import Credential
from patchwork.server.services import (
    Context,
    TooMany,
    address_of,
    base_url,
    context_of,
    count_copy,
    count_wish,
    counted_game,
    now,
    renew_cookie,
    set_cookie,
)
from patchwork.server.store import Listed, StoredGame
from patchwork.server.tables import presenter
from patchwork.server.tables.listener import Listener
from patchwork.server.tables.table import Table

_KEEP_ALIVE = 7.0
"""Seconds after which a stream without news sends an empty line."""
_RETURN = 3.0
"""Seconds that somebody whose stream has ended may take to open the next one."""
_PAGE = 50
"""Games on a page of a player's list."""
_ANALYSIS = Limit(time=1.0)
_ANALYSIS_COST = 10
"""Copies that an analysis counts as."""
_RECORD_COST = 1024
"""Bytes of a record that is sent, for each of which it counts as a copy."""
_JSON, _SVG = "application/json", "image/svg+xml"

_STATUS = {
    Code.MALFORMED: 422,
    Code.NOT_SEATED: 403,
    Code.ILLEGAL_MOVE: 422,
    Code.NO_HELP: 403,
    Code.FORBIDDEN: 403,
    Code.RESERVED_NAME: 422,
    Code.NO_SUCH_TABLE: 404,
    Code.NO_SUCH_PLY: 404,
    Code.NOT_FOUND: 404,
    Code.TOO_MANY: 429,
    Code.BUSY: 503,
    Code.UNAVAILABLE: 503,
}
"""Of a refusal; what the state of a game does not allow is a conflict with it, 409."""


def status_of(code: Code) -> int:
    """Returns the status of a refusal."""
    return _STATUS.get(code, 409)


def _refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": wire.Refused} for status in statuses}


_KEPT: dict[int | str, dict[str, Any]] = {304: {"description": "What If-None-Match names."}}
"""The answer to a client that has a copy already."""


async def known(request: Request, response: Response) -> Credential | None:
    """Returns how the one who asks is known, if they are; a browser keeps that for longer."""
    try:
        credential = await context_of(request).players.recognise(request.headers)
    except PermissionError as error:
        raise Refusal(Code.FORBIDDEN, str(error)) from error
    renew_cookie(request, response, credential)
    return credential


Known = Annotated[Credential | None, Depends(known)]


async def made_known(request: Request, response: Response, credential: Known) -> Credential:
    """Returns how the one who asks is known; who is new becomes a player."""
    if credential is None:
        credential = context_of(request).players.newcomer()
        set_cookie(request, response, credential)
    return credential


Somebody = Annotated[Credential, Depends(made_known)]


async def who(request: Request, credential: Known) -> Requester:
    """Returns who asks, and from where."""
    return Requester(credential.player if credential else None, address_of(request))


async def somebody(credential: Somebody) -> str:
    """Returns who asks; who is new becomes a player."""
    return credential.player


Player = Annotated[str, Depends(somebody)]
Asking = Annotated[Requester, Depends(who)]
Parts = Annotated[Context, Depends(context_of)]

api = APIRouter(prefix="/api", responses=_refusals(400, 403, 413, 422, 503))
health = APIRouter(tags=["health"], responses=_refusals(400, 413))


@api.post("/me", tags=["players"], responses=_refusals(429))
async def become_a_player(player: Player) -> wire.Me:
    """Tells who asks; a browser that is new gets its cookie."""
    return wire.Me(player=player)


@api.post("/tokens", tags=["players"], status_code=201, responses=_refusals(429))
async def make_a_token(context: Parts) -> wire.Token:
    """Makes a new player for a bot, which sends the token with each request."""
    credential = context.players.newcomer()
    return _token(context, credential)


def _token(context: Context, credential: Credential) -> wire.Token:
    token = identity.token_of(context.signer, credential)
    return wire.Token(token=token, player=credential.player)


@api.get(
    "/me/data",
    tags=["players"],
    response_class=StreamingResponse,
    responses={200: {"model": wire.Data}, **_refusals(429)},
)
async def get_own_data(request: Request, context: Parts, requester: Asking) -> StreamingResponse:
    """Returns all that is kept of the one who asks: names, and games move by move."""
    if requester.player is not None:
        count_wish(request)
    headers = {"Content-Disposition": 'attachment; filename="patchwork.json"'}
    parts = await export.own_data(context.house.store, requester.player)
    return StreamingResponse(parts, media_type="application/json", headers=headers)


@api.get("/keeping", tags=["players"])
async def tell_how_long_games_are_kept(context: Parts) -> wire.Keeping:
    """Tells how long games are kept, as those who run the server have set it."""
    settings = context.settings
    return wire.Keeping(
        unfinished=settings.keep_unfinished_days or None,
        finished=settings.keep_finished_days or None,
    )


@api.post("/me/revoke", tags=["players"], responses=_refusals(429))
async def revoke_own_tokens(
    request: Request, response: Response, context: Parts, wish: wire.Revoke
) -> wire.Me | wire.Token:
    """Makes all cookies, tokens and links of the one who asks worthless, and gives a new one."""
    try:
        credential = identity.credential_of(context.signer, request.headers)
        if credential is None:
            raise PermissionError("nobody asks")
        count_wish(request)
        credential = await context.players.revoke(credential, wish.id)
    except PermissionError as error:
        raise Refusal(Code.FORBIDDEN, str(error)) from error
    if identity.bearer_token(request.headers) is not None:
        return _token(context, credential)
    set_cookie(request, response, credential)
    return wire.Me(player=credential.player)


@api.delete("/me", tags=["players"], responses=_refusals(429))
async def forget_a_player(
    request: Request, response: Response, context: Parts, credential: Known
) -> wire.Forgotten:
    """Takes the one who asks out of all games, and makes all their tokens worthless."""
    if credential is not None:
        count_wish(request)
        try:
            await context.players.forget(credential)
        except PermissionError as error:
            raise Refusal(Code.FORBIDDEN, str(error)) from error
    if identity.bearer_token(request.headers) is None:
        set_cookie(request, response, None)
    return wire.Forgotten(player=credential.player if credential else None)


@api.get("/me/games", tags=["players"])
async def list_own_games(
    context: Parts,
    requester: Asking,
    before: Annotated[int | None, Query(ge=0, lt=2**53)] = None,
    running: bool | None = None,
) -> wire.Games:
    """Lists the games of the one who asks, running, finished or both, the latest first."""
    if requester.player is None:
        return wire.Games(games=[], more=None)
    found = await context.house.store.games_of(
        requester.player, limit=_PAGE + 1, before=before, running=running
    )
    page, more = found[:_PAGE], None
    if len(found) > _PAGE:
        # What happened in the same millisecond, as games and their rematches do, stays together.
        following = found[_PAGE].updated
        page, more = [game for game in page if game.updated > following], following + 1
    return wire.Games(games=[_summary(game) for game in page], more=more)


def _summary(game: Listed) -> wire.Summary:
    return wire.Summary(
        id=game.id,
        opponent=game.terms.opponent,
        level=game.terms.level,
        edition=game.terms.edition.name,
        you=list(game.seats),
        names=game.names,
        turn=game.status.turn,
        ending=presenter.ending(game.status),
        created=game.created,
        updated=game.updated,
    )


@api.post("/me/carry-link", tags=["players"], responses=_refusals(429))
async def make_a_carry_link(
    request: Request, context: Parts, credential: Somebody
) -> wire.CarryLink:
    """Makes a private link, and its QR code, to carry on on another device."""
    if not context.limiters.carries.allow(credential.player, monotonic()):
        raise Refusal(Code.TOO_MANY, "too many links in an hour")
    expires = now() + context.settings.carry_minutes * MINUTE
    token = identity.carry_token(context.signer, credential, expires)
    url = f"{base_url(request)}/carry/{token}"
    return wire.CarryLink(url=url, qr=_qr_code(url), expires=expires)


def _qr_code(url: str) -> str:
    picture = BytesIO()
    segno.make(url).save(picture, kind="svg", xmldecl=False, scale=4, light="white")
    return picture.getvalue().decode()


@api.post("/tables", tags=["tables"], status_code=201, responses=_refusals(429))
async def open_a_table(
    request: Request, context: Parts, player: Player, new: wire.NewTable
) -> wire.State:
    """Opens a table against the computer, for two before one screen, or for a friend by link."""
    with counted_game(request):
        table = await context.tables.open(new, player)
    return await table.state(Requester(player, address_of(request)))


@api.get("/tables/{game}", tags=["tables"], responses=_refusals(404))
async def look_at_a_table(context: Parts, requester: Asking, game: str) -> wire.State:
    """Tells all about a table; everybody who knows its id may look."""
    return await context.tables.table(game).state(requester)


@api.post("/tables/{game}/join", tags=["tables"], responses=_refusals(404, 409, 429))
async def join_a_table(context: Parts, player: Player, game: str, body: wire.Join) -> wire.State:
    """Takes the free seat; the first to come has it."""
    return await context.tables.table(game).join(player, body.name)


@api.post("/tables/{game}/actions", tags=["tables"], responses=_refusals(404, 409, 429))
async def act_at_a_table(
    context: Parts,
    requester: Asking,
    game: str,
    action: wire.PostedAction,
    request: Request,
    response: Response,
) -> wire.Ack | wire.Refused:
    """Does what a player asks for, once however often it is repeated, or says why not."""
    opening = partial(counted_game, request)
    answer = await context.tables.table(game).act(action_of(action), requester, opening)
    if isinstance(answer, wire.Refused):
        response.status_code = status_of(answer.code)
    return answer


@api.get(
    "/tables/{game}/events",
    tags=["tables"],
    response_class=StreamingResponse,
    responses={
        200: {"content": {"application/x-ndjson": {}}, "description": "Messages, one a line."},
        **_refusals(404, 429),
    },
)
async def stream_a_table(
    request: Request, context: Parts, credential: Known, requester: Asking, game: str
) -> StreamingResponse:
    """Streams a table: the whole state, then each message as by socket, one JSON object a line.

    Empty lines keep the connection alive. It ends now and then, and who reads opens the next one.
    """
    address, streams = address_of(request), context.limiters.streams
    table, listener = context.tables.table(game), Listener(requester)
    if not streams.take(address):
        raise TooMany("too many streams from this address", _KEEP_ALIVE)
    try:
        await table.enter(listener)
    except BaseException:
        streams.leave(address)
        raise
    context.players.check(credential)
    return _Stream(table, listener, context.settings.silence, partial(streams.leave, address))


class _Stream(StreamingResponse):
    """What somebody hears who listens to a table and cannot say anything meanwhile.

    Sockets have to say something now and then. A stream ends as often, since only whoever opens the
    next one shows that this one was read; who does so at once has not been away.
    """

    def __init__(
        self, table: Table, listener: Listener, seconds: float, ended: Callable[[], None]
    ) -> None:
        super().__init__(
            self._lines(seconds),
            headers={"Connection": "close"},  # whoever does not read does not keep it either
            media_type="application/x-ndjson",
        )
        self._table = table
        self._listener = listener
        self._ended = ended
        self._sent = False
        """Whether there were no more lines."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the lines; what comes after them is also done where they did not even begin."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()
            leave = partial(self._table.leave, self._listener, on_purpose=False)
            asyncio.get_running_loop().call_later(_RETURN if self._sent else 0, leave)

    async def _lines(self, seconds: float) -> AsyncIterator[str]:
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            try:
                async with asyncio.timeout(min(_KEEP_ALIVE, left)):
                    text = await self._listener.next()
            except TimeoutError:
                text = ""
            if text is None:
                break
            yield f"{text}\n"
        self._sent = True


@api.post("/tables/{game}/hint", tags=["tables"], responses=_refusals(404, 409, 429))
async def ask_for_a_hint(
    context: Parts, requester: Asking, game: str, request: wire.PostedHint
) -> wire.Hint:
    """Tells good moves; only to a player against the computer."""
    return await context.tables.table(game).hint(request, requester)


@api.get(
    "/tables/{game}/analysis",
    tags=["tables"],
    response_model=wire.Thought,
    responses={**_KEPT, **_refusals(404, 409, 429)},
)
async def analyse_a_game(
    request: Request,
    context: Parts,
    requester: Asking,
    game: str,
    ply: Annotated[int, Query(ge=0, le=1000)],
) -> Response:
    """Tells what the engine thinks of the position after so many moves of a finished game."""
    log = await context.tables.table(game).log()

    def before() -> None:
        _decision(log, ply)
        count_copy(request, _ANALYSIS_COST)

    async def think() -> bytes:
        try:
            analysis = await context.house.engines.analyse(
                game, _decision(log, ply), requester, limit=_ANALYSIS, lines=3, urgent=False
            )
        except (Busy, Failed) as error:
            raise Refusal(Code.BUSY, str(error)) from error
        return presenter.thought(analysis).model_dump_json().encode()

    body = await context.copies.read(("analysis", game, ply), hash(log.events), think, before)
    return conditional.answer(request.headers, body, {}, _JSON)


def _decision(log: StoredGame, ply: int) -> Position:
    """Returns the position after so many moves of a finished game, if it is one to decide in."""
    match = Match(log.terms, log.events)
    if match.ending is None:
        raise Refusal(Code.NO_HELP, "only finished games are analysed")
    positions = match.game.positions() if match.game else ()
    if ply >= len(positions) or positions[ply].outcome is not None:
        raise Refusal(Code.NO_SUCH_PLY, f"there is nothing to decide after {ply} moves")
    return positions[ply]


@api.get(
    "/tables/{game}/replay",
    tags=["replays"],
    response_model=wire.Replay,
    responses={**_KEPT, **_refusals(404, 429)},
)
async def replay_a_game(request: Request, game: str) -> Response:
    """Tells every position of a game, running or finished."""
    return await _copy(
        request,
        game,
        "replay",
        lambda log: replays.replay(_record(log)).model_dump_json(),
        _JSON,
    )


@api.post(
    "/replays",
    tags=["replays"],
    responses=_refusals(429),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"text/plain": {"schema": {"type": "string"}}},
        }
    },
)
async def replay_a_record(context: Parts, request: Request) -> wire.Replay:
    """Tells every position of a game whose record is sent; nothing of it is kept."""
    try:
        text = (await request.body()).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal(Code.MALFORMED, "a record is text in UTF-8") from error
    count_copy(request, 1 + len(text) // _RECORD_COST)
    return await context.background.do(lambda: replays.replay(replays.read(text)))


@api.post("/positions", tags=["replays"], responses=_refusals(429))
async def try_a_line(line: wire.Line) -> wire.Reached:
    """Tells where some moves lead and what can be played there; nothing of it is kept."""
    return replays.reach(line)


@api.get(
    "/tables/{game}/record",
    tags=["tables"],
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **_KEPT, **_refusals(404, 429)},
)
async def download_the_record(request: Request, game: str) -> Response:
    """Returns the game in the notation, to keep, to replay or to share."""
    name = f'attachment; filename="{game}{record.SUFFIX}"'
    return await _copy(
        request,
        game,
        "record",
        lambda log: _record(log).format(),
        "text/plain",
        {"Content-Disposition": name},
    )


def _record(log: StoredGame) -> Record:
    return record.record(log.id, log.created, Match(log.terms, log.events))


@api.get(
    "/tables/{game}/picture",
    tags=["tables"],
    response_class=Response,
    responses={200: {"content": {_SVG: {}}}, **_KEPT, **_refusals(404, 409, 429)},
)
async def draw_a_table(request: Request, game: str) -> Response:
    """Returns a picture of the table."""
    return await _copy(request, game, "picture", _picture, _SVG)


def _picture(log: StoredGame) -> str:
    played = Match(log.terms, log.events).game
    if played is None:
        raise Refusal(Code.NOT_BEGUN, "the game has not begun")
    return drawing(played.position, (played.layout(0), played.layout(1)))


@api.get(
    "/tables/{game}/qr",
    tags=["tables"],
    response_class=Response,
    responses={200: {"content": {_SVG: {}}}, **_KEPT, **_refusals(404, 429)},
)
async def draw_the_link(request: Request, game: str) -> Response:
    """Returns the link of the table as a QR code."""
    url = f"{base_url(request)}/tables/{game}"
    return await _copy(request, game, url, lambda log: _qr_code(url), _SVG)


async def _copy(
    request: Request,
    game: str,
    kind: str,
    write: Callable[[StoredGame], str],
    media_type: str,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Answers with something that is written of a game, in the background, once."""
    context = context_of(request)
    log = await context.tables.table(game).log()
    body = await context.copies.read(
        (kind, game),
        hash(log.events),
        lambda: context.background.do(lambda: write(log).encode()),
        lambda: count_copy(request),
    )
    return conditional.answer(request.headers, body, headers or {}, media_type)


@health.get("/healthz")
async def is_it_alive(context: Parts) -> wire.Health:
    """Tells that the server runs."""
    return _health(context)


@health.get("/readyz", responses=_refusals(503))
async def is_it_ready(context: Parts) -> wire.Health:
    """Tells whether the server can take requests: whether its database answers."""
    await context.house.store.check()
    return _health(context)


def _health(context: Context) -> wire.Health:
    return wire.Health(
        status="ok",
        version=patchwork.__version__,
        engine="ready" if context.house.engines.ready else "warming",
    )


@health.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def measure(context: Parts) -> PlainTextResponse:
    """Returns what an operator can measure, for Prometheus."""
    measured = context.house.metrics
    measured.streams.set(context.limiters.streams.taken)
    measured.thinkers_queued.set(context.house.engines.queued)
    measured.thinkers_working.set(context.house.engines.working)
    return PlainTextResponse(measured.text(), media_type=metrics.CONTENT_TYPE)
