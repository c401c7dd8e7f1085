"""Carrying on another device: the private link, what it leads to, and how to go back."""

from time import monotonic
from typing import Annotated

from fastapi import APIRouter, Path, Request

from patchwork.server import wire
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import MINUTE
from patchwork.server.http.cookies import base_url
from patchwork.server.http.dependencies import (
    Identified,
    PlayerId,
    Registered,
    ServerPlayers,
    ServerServices,
    carried,
)
from patchwork.server.http.errors import refusals
from patchwork.server.http.limits import count_account_request
from patchwork.server.http.qr import qr_code
from patchwork.server.players.identity import Credential, unix_time
from patchwork.server.players.merging import UNDO_TIME
from patchwork.server.players.players import Players

router = APIRouter(prefix="/api", tags=["players"], responses=refusals(400, 403, 413, 422, 503))


@router.post("/me/carry-link", responses=refusals(429))
async def make_a_carry_link(
    request: Request,
    services: ServerServices,
    players: ServerPlayers,
    credential: Registered,
    player: PlayerId,
) -> wire.CarryLink:
    """Creates a private link, and its QR code, to play as the same player on another device."""
    if not services.limiters.carry_links.allow(player, monotonic()):
        raise Refusal(Code.TOO_MANY, "too many links in an hour")
    expires = unix_time() + services.settings.carry_minutes * MINUTE
    url = f"{base_url(request)}/carry/{players.carry_token(credential, expires)}"
    return wire.CarryLink(url=url, qr=qr_code(url), expires=expires)


@router.get("/carry/{token}")
async def tell_what_carrying_on_does(
    request: Request, players: ServerPlayers, credential: Identified, token: str
) -> wire.Prospect:
    """Returns what confirming a carry link would do for the sender; changes nothing."""
    maker = await carried(request, token)
    return await players.merging.prospect(credential, maker)


@router.get("/me/merge")
async def tell_what_is_merged(players: ServerPlayers, credential: Identified) -> wire.Merged:
    """Returns how many players count as the sender, and which merge the sender can undo."""
    return await _merged(players, credential)


@router.delete("/me/merge/{number}", responses=refusals(429))
async def undo_a_merge(
    request: Request,
    players: ServerPlayers,
    credential: Identified,
    number: Annotated[int, Path(ge=0, lt=2**53)],
) -> wire.Merged:
    """Undoes a merge of the sender, within a day; another number changes nothing."""
    if credential is not None:
        undoable = await players.merging.undoable(credential.player)
        if undoable is not None and undoable.number == number:
            count_account_request(request)
            try:
                await players.merging.undo(credential, number)
            except PermissionError as error:
                raise Refusal(Code.FORBIDDEN, str(error)) from error
    return await _merged(players, credential)


async def _merged(players: Players, credential: Credential | None) -> wire.Merged:
    if credential is None:
        return wire.Merged(players=1, undo=None, until=None)
    family = await players.merging.family_of(credential.player)
    undoable = await players.merging.undoable(credential.player)
    return wire.Merged(
        players=len(family.ids),
        undo=undoable.number if undoable else None,
        until=undoable.at + UNDO_TIME if undoable else None,
    )
