"""What handlers of requests ask for: the parts of the server, and who sent the request."""

from typing import Annotated, cast

from fastapi import Depends, Request, Response
from starlette.requests import HTTPConnection

from patchwork.server.engines.fair_queue import Requester
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.cookies import renew_cookie, set_cookie
from patchwork.server.ops.limits import address_key
from patchwork.server.players.identity import Credential, unix_time
from patchwork.server.players.players import Players
from patchwork.server.services import Services
from patchwork.server.tables.registry import Tables


def services_of(connection: HTTPConnection) -> Services:
    """Returns the services of the server that received a request."""
    return cast(Services, connection.app.state.services)


def tables_of(connection: HTTPConnection) -> Tables:
    """Returns the tables of the server that received a request."""
    return cast(Tables, connection.app.state.tables)


def players_of(connection: HTTPConnection) -> Players:
    """Returns the players of the server that received a request."""
    return cast(Players, connection.app.state.players)


def address_of(connection: HTTPConnection) -> str:
    """Returns what the sender of a request is counted by."""
    return address_key(connection.client.host if connection.client else "")


async def identify(request: Request, response: Response) -> Credential | None:
    """Returns what identifies the sender, and renews the cookie of a browser."""
    try:
        credential = await players_of(request).recognise(request.headers)
    except PermissionError as error:
        raise Refusal(Code.FORBIDDEN, str(error)) from error
    renew_cookie(request, response, credential)
    return credential


async def carried(connection: HTTPConnection, token: str) -> Credential:
    """Returns who made a carry link.

    Raises:
        Refusal: it is not valid, or not any more.
    """
    credential = await players_of(connection).carried(token, unix_time())
    if credential is None:
        raise Refusal(Code.FORBIDDEN, "the link is not from this server, or has expired")
    return credential


Identified = Annotated[Credential | None, Depends(identify)]
"""What identifies the sender; None if the sender is unknown."""


async def identify_or_register(
    request: Request, response: Response, credential: Identified
) -> Credential:
    """Returns what identifies the sender; an unknown one becomes a player."""
    if credential is None:
        credential = players_of(request).newcomer()
        set_cookie(request, response, credential)
    return credential


Registered = Annotated[Credential, Depends(identify_or_register)]
"""What identifies the sender, who becomes a player if unknown."""


async def requester_of(request: Request, credential: Identified) -> Requester:
    """Returns who sends a request, and from where."""
    return await players_of(request).requester(credential, address_of(request))


async def registered_requester_of(request: Request, credential: Registered) -> Requester:
    """Returns who sends a request, and from where; an unknown sender becomes a player."""
    return await players_of(request).requester(credential, address_of(request))


Sender = Annotated[Requester, Depends(requester_of)]
RegisteredSender = Annotated[Requester, Depends(registered_requester_of)]


async def player_of(requester: RegisteredSender) -> str:
    """Returns the player who sends a request; an unknown one becomes a player."""
    assert requester.player is not None
    return requester.player


PlayerId = Annotated[str, Depends(player_of)]
ServerServices = Annotated[Services, Depends(services_of)]
ServerTables = Annotated[Tables, Depends(tables_of)]
ServerPlayers = Annotated[Players, Depends(players_of)]
