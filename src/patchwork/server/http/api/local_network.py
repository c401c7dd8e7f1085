"""Opening the server to the local network, for browsers on the machine that it runs on.

Only ``patchwork`` without a command offers this (``serving``). A page from elsewhere must not be
able to open the server, not even one whose name leads to this machine; so the host and the origin
have to be this machine's own, and the connection has to come from here, without a proxy in between.
"""

from typing import cast

from fastapi import APIRouter, Request
from starlette.requests import HTTPConnection

from patchwork.server import wire
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.errors import refusals
from patchwork.server.http.qr import qr_code
from patchwork.server.settings import is_loopback
from patchwork.server.transport.local_network import LocalNetwork

_PROXIED = ("forwarded", "x-forwarded-for", "via")
"""Headers of requests that a proxy has passed on."""

router = APIRouter(prefix="/api", tags=["network"], responses=refusals(400, 403, 413, 422))


@router.get("/local-network")
async def look_at_the_local_network(request: Request) -> wire.LocalNetwork:
    """Returns whether others in the local network can play here, and whether it can be changed."""
    network = _offered(request)
    return _NOT_OFFERED if network is None else await _view(network)


@router.post("/local-network", responses=refusals(429))
async def open_to_the_local_network(request: Request) -> wire.LocalNetwork:
    """Lets others in the local network play here; only for browsers on this machine."""
    network = _changeable(request)
    await network.open()
    return await _view(network)


@router.delete("/local-network", responses=refusals(429))
async def close_to_the_local_network(request: Request) -> wire.LocalNetwork:
    """Keeps others in the local network out again; only for browsers on this machine."""
    network = _changeable(request)
    network.close()
    return await _view(network)


_NOT_OFFERED = wire.LocalNetwork(offered=False, open=False, addresses=[], qr=None)


async def _view(network: LocalNetwork) -> wire.LocalNetwork:
    urls = network.urls
    return wire.LocalNetwork(
        offered=True,
        open=bool(urls),
        addresses=urls or await network.possible_urls(),
        qr=qr_code(f"{urls[0]}/") if urls else None,
    )


def _offered(connection: HTTPConnection) -> LocalNetwork | None:
    """Returns the network if the sender may look at it; None for everyone who is not here."""
    hosts = [connection.url.hostname or ""]
    hosts += [where[0] for where in (connection.client, connection.scope.get("server")) if where]
    here = len(hosts) == 3 and all(map(is_loopback, hosts))
    if not here or any(name in connection.headers for name in _PROXIED):
        return None
    return cast(LocalNetwork | None, connection.app.state.local_network)


def _changeable(request: Request) -> LocalNetwork:
    """Returns the network if the sender may open and close it.

    Raises:
        Refusal: the sender is not a page of this server on this machine.
    """
    network = _offered(request)
    own = f"{request.url.scheme}://{request.url.netloc}"
    if network is None or request.headers.getlist("origin") != [own]:
        raise Refusal(Code.FORBIDDEN, "only for the page of this server on its own machine")
    return network
