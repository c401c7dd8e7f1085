"""What requests need: made when the server starts, found through the application."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from math import ceil
from time import monotonic, time
from typing import cast

from starlette.requests import HTTPConnection
from starlette.responses import Response

from patchwork.server.caching.background import Background
from patchwork.server.caching.copies import Copies
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.ops.limits import Limiter, Places, address_key
from patchwork.server.players import identity
from patchwork.server.players.identity import Credential, Signer
from patchwork.server.players.players import Players
from patchwork.server.settings import Settings
from patchwork.server.tables.registry import Tables
from patchwork.server.tables.table import House

_WISHES = 20
"""Of an address in an hour: to have all that is kept, to revoke all tokens, to be forgotten."""


def now() -> int:
    """Returns the time in milliseconds since 1970."""
    return int(time() * 1000)


class TooMany(Refusal):
    """A limit is reached, for some time."""

    def __init__(self, detail: str, wait: float) -> None:
        super().__init__(Code.TOO_MANY, detail)
        self.headers = {"Retry-After": str(max(1, ceil(wait)))}


@dataclass(frozen=True, slots=True)
class Limiters:
    """How often strangers may do what costs something."""

    games_per_minute: Limiter
    games_per_day: Limiter
    carries: Limiter
    copies: Limiter
    streams: Places
    wishes: Limiter
    """What players ask for that has to do with all their games."""

    @classmethod
    def of(cls, settings: Settings) -> "Limiters":
        """Returns those of the settings."""
        return cls(
            Limiter(settings.new_games_per_minute, 60),
            Limiter(settings.new_games_per_day, 24 * 60 * 60),
            Limiter(settings.carries_per_hour, 60 * 60),
            Limiter(settings.copies_per_minute, 60),
            Places(settings.streams),
            Limiter(_WISHES, 60 * 60),
        )


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of a running server."""

    house: House
    tables: Tables
    players: Players
    signer: Signer
    limiters: Limiters
    background: Background = field(default_factory=Background)
    copies: Copies = field(default_factory=Copies)

    @property
    def settings(self) -> Settings:
        """How the server is set up."""
        return self.house.settings


def context_of(connection: HTTPConnection) -> Context:
    """Returns the parts of the server that received a request."""
    return cast(Context, connection.app.state.context)


def address_of(connection: HTTPConnection) -> str:
    """Returns what the sender of a request is counted by."""
    return address_key(connection.client.host if connection.client else "")


@contextmanager
def counted_game(connection: HTTPConnection) -> Iterator[None]:
    """Counts a game that the sender of a request opens, by playing again, too.

    It is counted before it is opened, so that requests at the same time do not get round the limit,
    and not any more if that fails.

    Raises:
        Refusal: there are too many from this address.
    """
    limiters, key, seconds = context_of(connection).limiters, address_of(connection), monotonic()
    with ExitStack() as stack:
        for limiter in (limiters.games_per_minute, limiters.games_per_day):
            if not limiter.allow(key, seconds):
                raise Refusal(Code.TOO_MANY, "too many new games from this address")
            stack.callback(limiter.give_back, key)
        yield
        stack.pop_all()


def count_copy(connection: HTTPConnection, cost: int = 1) -> None:
    """Counts a copy that is made for the sender of a request, or what costs as much as several.

    Raises:
        TooMany: there are too many for this address.
    """
    limiter = context_of(connection).limiters.copies
    address, seconds = address_of(connection), monotonic()
    if not limiter.allow(address, seconds, cost):
        wait = limiter.wait(address, seconds)
        raise TooMany("too much is made for this address", wait)


def count_wish(connection: HTTPConnection) -> None:
    """Counts what a player asks for that has to do with all their games.

    Raises:
        Refusal: there is too much of it from this address.
    """
    limiter = context_of(connection).limiters.wishes
    if not limiter.allow(address_of(connection), monotonic()):
        raise Refusal(Code.TOO_MANY, "too many requests of this kind from this address")


def base_url(connection: HTTPConnection) -> str:
    """Returns where players reach the server."""
    url = connection.url
    scheme = {"ws": "http", "wss": "https"}.get(url.scheme, url.scheme)
    return context_of(connection).settings.public_url or f"{scheme}://{url.netloc}"


def set_cookie(
    connection: HTTPConnection, response: Response, credential: Credential | None
) -> None:
    """Lets a browser keep who it is; None: nobody."""
    context = context_of(connection)
    secure = context.settings.secure_cookies
    response.set_cookie(
        identity.COOKIE,
        "" if credential is None else identity.token_of(context.signer, credential),
        max_age=0 if credential is None else identity.COOKIE_SECONDS,
        httponly=True,
        samesite="lax",
        secure=base_url(connection).startswith("https") if secure is None else secure,
    )


def renew_cookie(
    connection: HTTPConnection, response: Response, credential: Credential | None
) -> None:
    """Lets a browser keep its cookie for longer, once a day; programs have none."""
    if credential is None or identity.bearer_token(connection.headers) is not None:
        return
    renewed = context_of(connection).players.of_today(credential)
    if renewed != credential:
        set_cookie(connection, response, renewed)
