"""What players ask for that belongs to no table: their identity, their data, their games."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from patchwork.server import presenter, wire
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.cookies import set_cookie
from patchwork.server.http.dependencies import (
    Identified,
    PlayerId,
    Sender,
    ServerPlayers,
    ServerServices,
)
from patchwork.server.http.errors import refusals
from patchwork.server.http.limits import count_account_request
from patchwork.server.players import export, identity
from patchwork.server.players.identity import Credential
from patchwork.server.players.players import Players
from patchwork.server.store import Urgency

_PAGE = 50
"""Games on a page of a player's list; docs/protocol.md says so."""

router = APIRouter(prefix="/api", tags=["players"], responses=refusals(400, 403, 413, 422, 503))


@router.post("/me", responses=refusals(429))
async def become_a_player(player: PlayerId) -> wire.Me:
    """Returns the sender's id; a new browser receives its cookie."""
    return wire.Me(player=player)


@router.post("/tokens", status_code=201, responses=refusals(429))
async def make_a_token(players: ServerPlayers) -> wire.Token:
    """Creates a new player for a bot, which sends the token with each request."""
    return _token(players, players.newcomer())


def _token(players: Players, credential: Credential) -> wire.Token:
    return wire.Token(token=players.token_of(credential), player=credential.player)


@router.get(
    "/me/data",
    response_class=StreamingResponse,
    responses={200: {"model": wire.Data}, **refusals(429)},
)
async def get_own_data(
    request: Request, services: ServerServices, credential: Identified
) -> StreamingResponse:
    """Returns everything that is kept about the sender: names, and games move by move."""
    if credential is not None:
        count_account_request(request)
    player = credential.player if credential else None
    headers = {"Content-Disposition": 'attachment; filename="patchwork.json"'}
    parts = await export.own_data(services.store, player)
    return StreamingResponse(parts, media_type="application/json", headers=headers)


@router.get("/keeping")
async def tell_how_long_games_are_kept(services: ServerServices) -> wire.Keeping:
    """Returns how long games are kept, as the operator of the server has set it."""
    settings = services.settings
    return wire.Keeping(
        unfinished=settings.keep_unfinished_days or None,
        finished=settings.keep_finished_days or None,
    )


@router.post("/me/revoke", responses=refusals(429))
async def revoke_own_tokens(
    request: Request, response: Response, players: ServerPlayers, revoke: wire.Revoke
) -> wire.Me | wire.Token:
    """Invalidates all cookies, tokens and links of the sender, and gives out a new one."""
    try:
        credential = players.read(request.headers)
        if credential is None:
            raise PermissionError("the sender is unknown")
        count_account_request(request)
        credential = await players.revoke(credential, revoke.id)
    except PermissionError as error:
        raise Refusal(Code.FORBIDDEN, str(error)) from error
    if identity.bearer_token(request.headers) is not None:
        return _token(players, credential)
    set_cookie(request, response, credential)
    return wire.Me(player=credential.player)


@router.delete("/me", responses=refusals(429))
async def forget_a_player(
    request: Request, response: Response, players: ServerPlayers, credential: Identified
) -> wire.Forgotten:
    """Takes the sender out of all games, and invalidates all of the sender's tokens."""
    player = None
    if credential is not None:
        count_account_request(request)
        player = (await players.merging.family_of(credential.player)).head
        try:
            await players.forget(credential)
        except PermissionError as error:
            raise Refusal(Code.FORBIDDEN, str(error)) from error
    if identity.bearer_token(request.headers) is None:
        set_cookie(request, response, None)
    return wire.Forgotten(player=player)


@router.get("/me/games")
async def list_own_games(
    services: ServerServices,
    requester: Sender,
    before: Annotated[int | None, Query(ge=0, lt=2**53)] = None,
    running: bool | None = None,
) -> wire.Games:
    """Lists the sender's games, running, finished or both, the latest first."""
    if requester.player is None:
        return wire.Games(games=[], more=None)
    found = await services.store.games_of(
        *requester.ids, limit=_PAGE + 1, before=before, running=running
    )
    page, more = found[:_PAGE], None
    if len(found) > _PAGE:
        # Changes in the same millisecond, such as a game's and its rematch's, share a page.
        following = found[_PAGE].updated
        page, more = [game for game in page if game.updated > following], following + 1
    now = services.clock.now()
    return wire.Games(games=[presenter.summary(game, now) for game in page], more=more)


@router.get("/me/games/running")
async def list_running_games(
    services: ServerServices,
    requester: Sender,
    after: Annotated[str | None, Query(pattern=Urgency.PATTERN)] = None,
) -> wire.RunningGames:
    """Lists the sender's running games: those that wait for the sender first, by the time left."""
    if requester.player is None:
        return wire.RunningGames(games=[], more=None)
    last = None if after is None else Urgency.parse(after)
    found = await services.store.running_games_of(*requester.ids, limit=_PAGE + 1, after=last)
    page, now = found[:_PAGE], services.clock.now()
    return wire.RunningGames(
        games=[presenter.summary(game, now) for game in page],
        more=str(Urgency.of(page[-1])) if len(found) > _PAGE else None,
    )
