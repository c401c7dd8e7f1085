"""The cookie that identifies a browser, and the address at which players reach the server."""

from starlette.requests import HTTPConnection
from starlette.responses import Response

from patchwork.server.players import identity
from patchwork.server.players.identity import Credential
from patchwork.server.players.players import Players
from patchwork.server.settings import Settings, is_loopback
from patchwork.server.transport.local_network import LocalNetwork


def base_url(connection: HTTPConnection) -> str:
    """Returns the address at which players reach the server, also those in the local network."""
    if public := _settings(connection).public_url:
        return public
    url = connection.url
    network: LocalNetwork | None = connection.app.state.local_network
    if network is not None and network.urls and is_loopback(url.hostname or ""):
        return network.urls[0]
    scheme = {"ws": "http", "wss": "https"}.get(url.scheme, url.scheme)
    return f"{scheme}://{url.netloc}"


def set_cookie(
    connection: HTTPConnection, response: Response, credential: Credential | None
) -> None:
    """Gives a browser the cookie of a credential; None removes its cookie."""
    secure = _settings(connection).secure_cookies
    response.set_cookie(
        identity.COOKIE,
        "" if credential is None else _players(connection).token_of(credential),
        max_age=0 if credential is None else identity.COOKIE_SECONDS,
        httponly=True,
        samesite="lax",
        secure=base_url(connection).startswith("https") if secure is None else secure,
    )


def renew_cookie(
    connection: HTTPConnection, response: Response, credential: Credential | None
) -> None:
    """Extends the life of a browser's cookie once a day; programs have none."""
    if credential is None or identity.bearer_token(connection.headers) is not None:
        return
    renewed = _players(connection).of_today(credential)
    if renewed != credential:
        set_cookie(connection, response, renewed)


def _settings(connection: HTTPConnection) -> Settings:
    settings: Settings = connection.app.state.services.settings
    return settings


def _players(connection: HTTPConnection) -> Players:
    players: Players = connection.app.state.players
    return players
