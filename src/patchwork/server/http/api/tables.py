"""Tables over HTTP, which offers the same as the socket: request by request, or as a stream."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from time import monotonic
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from patchwork.notation.errors import NotationError
from patchwork.notation.moves import read_move
from patchwork.rules.moves import Buy
from patchwork.rules.patches import PATCHES
from patchwork.server import presenter, wire
from patchwork.server.game.match import Match
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.dependencies import (
    Identified,
    PlayerId,
    RegisteredSender,
    Sender,
    ServerPlayers,
    ServerServices,
    ServerTables,
    address_of,
)
from patchwork.server.http.errors import refusals, status_of
from patchwork.server.http.limits import TooMany, counted_game
from patchwork.server.http.requests import action_of
from patchwork.server.tables.subscriber import Subscriber
from patchwork.server.tables.table import Table

_KEEP_ALIVE = 7.0
"""Seconds without news after which a stream sends an empty line; docs/protocol.md says so."""
_RETURN_SECONDS = 3.0
"""Within which a client may open the next stream unnoticed; docs/protocol.md says so."""

_LONGEST_PLAN = 12
"""Purchases that a plan may keep; more would hardly fit on a quilt."""

router = APIRouter(prefix="/api", tags=["tables"], responses=refusals(400, 403, 413, 422, 503))


@router.post("/tables", status_code=201, responses=refusals(429))
async def open_a_table(
    request: Request,
    tables: ServerTables,
    player: PlayerId,
    requester: RegisteredSender,
    new: wire.NewTable,
) -> wire.State:
    """Opens a table: against the computer, for two on one screen, or for a friend by link."""
    with counted_game(request):
        table = await tables.open(new, player)
    return await table.state(requester)


@router.get("/tables/{game}", responses=refusals(404))
async def look_at_a_table(tables: ServerTables, requester: Sender, game: str) -> wire.State:
    """Returns the complete state of a table; anyone who knows its id may look."""
    return await tables.table(game).state(requester)


@router.post("/tables/{game}/join", responses=refusals(404, 409, 429))
async def join_a_table(
    tables: ServerTables, requester: RegisteredSender, game: str, body: wire.Join
) -> wire.State:
    """Takes the free seat; the first to join gets it."""
    return await tables.table(game).join(requester, body.name)


@router.post("/tables/{game}/actions", responses=refusals(404, 409, 429))
async def act_at_a_table(
    tables: ServerTables,
    requester: Sender,
    game: str,
    action: wire.PostedAction,
    request: Request,
    response: Response,
) -> wire.Ack | wire.Refused:
    """Carries out an action, once however often it is repeated, or says why not."""
    quota = partial(counted_game, request)
    reply = await tables.table(game).act(action_of(action), requester, quota)
    if isinstance(reply, wire.Refused):
        response.status_code = status_of(reply.code)
    return reply


@router.get(
    "/tables/{game}/events",
    response_class=StreamingResponse,
    responses={
        200: {"content": {"application/x-ndjson": {}}, "description": "Messages, one a line."},
        **refusals(404, 429),
    },
)
async def stream_a_table(
    request: Request,
    services: ServerServices,
    tables: ServerTables,
    players: ServerPlayers,
    credential: Identified,
    requester: Sender,
    game: str,
) -> StreamingResponse:
    """Streams a table: the complete state, then each message of the socket, one JSON object a line.

    Empty lines keep the connection alive. The stream ends from time to time; open the next one.
    """
    address, streams = address_of(request), services.limiters.streams
    table, subscriber = tables.table(game), Subscriber(requester)
    if not streams.acquire(address):
        raise TooMany("too many streams from this address", _KEEP_ALIVE)
    try:
        await table.subscribe(subscriber)
    except BaseException:
        streams.release(address)
        raise
    await players.disconnect_if_changed(credential, requester)
    release = partial(streams.release, address)
    return _EventStream(table, subscriber, services.settings.silence, release)


class _EventStream(StreamingResponse):
    """What a client receives that follows a table without being able to say anything.

    Sockets have to say something from time to time. A stream ends as often, because only a client
    that opens the next one shows that it has read this one; if it does so at once, it has not been
    away.
    """

    def __init__(
        self, table: Table, subscriber: Subscriber, seconds: float, ended: Callable[[], None]
    ) -> None:
        super().__init__(
            self._lines(seconds),
            headers={"Connection": "close"},  # a client that does not read may not keep it open
            media_type="application/x-ndjson",
        )
        self._table = table
        self._subscriber = subscriber
        self._ended = ended
        self._complete = False
        """Whether the stream ended by itself."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the lines, and cleans up even if not one of them is sent."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()
            leave = partial(self._table.unsubscribe, self._subscriber, on_purpose=False)
            delay = _RETURN_SECONDS if self._complete else 0
            asyncio.get_running_loop().call_later(delay, leave)

    async def _lines(self, seconds: float) -> AsyncIterator[str]:
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            try:
                async with asyncio.timeout(min(_KEEP_ALIVE, left)):
                    text = await self._subscriber.next()
            except TimeoutError:
                text = ""
            if text is None:
                break
            yield f"{text}\n"
        self._complete = True


@router.post("/tables/{game}/hint", responses=refusals(404, 409, 429))
async def ask_for_a_hint(
    tables: ServerTables, requester: Sender, game: str, request: wire.PostedHint
) -> wire.Hint:
    """Returns good moves; only for players against the computer."""
    return await tables.table(game).hint(request.id, requester)


@router.get("/tables/{game}/plan", responses=refusals(404, 409, 429))
async def plan_ahead(
    tables: ServerTables,
    services: ServerServices,
    game: str,
    seat: wire.Seat,
    kept: Annotated[list[wire.MoveText], Query(max_length=_LONGEST_PLAN, default_factory=list)],
    patch: Annotated[int | None, Query(ge=0, lt=len(PATCHES))] = None,
) -> wire.Plan:
    """Returns what would come of purchases that a player thinks of; nothing is stored."""
    stored = await tables.table(game).stored_game()
    buys = [_purchase(text) for text in kept]

    def plan() -> wire.Plan:
        match = Match(stored.terms, stored.events)
        if match.game is None:
            raise Refusal(Code.NOT_BEGUN, "the game has not begun")
        if not match.running:
            raise Refusal(Code.OVER, "the game is over")
        return presenter.plan(match.game.position, match.seq, seat, buys, patch)

    return await services.background.run(plan)


def _purchase(text: str) -> Buy:
    """Returns the purchase that a text describes, possible or not.

    Raises:
        Refusal: it is something else.
    """
    try:
        move = read_move(text)
    except NotationError as error:
        raise Refusal(Code.ILLEGAL_MOVE, str(error), error.reason) from error
    if not isinstance(move, Buy):
        raise Refusal(Code.ILLEGAL_MOVE, f"{text} is not a purchase")
    return move
