"""Limits on what is expensive, counted by the address of the sender."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import ceil
from time import monotonic

from starlette.requests import HTTPConnection

from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.http.dependencies import address_of, services_of


class TooMany(Refusal):
    """A limit is reached, and it is known for how long."""

    def __init__(self, detail: str, wait: float) -> None:
        super().__init__(Code.TOO_MANY, detail)
        self.headers = {"Retry-After": str(max(1, ceil(wait)))}


@contextmanager
def counted_game(connection: HTTPConnection) -> Iterator[None]:
    """Counts a game while it is opened; a rematch counts, too.

    It is counted before it is opened, so that simultaneous requests cannot evade the limit, and no
    longer counts if opening it fails.

    Raises:
        Refusal: there are too many from this address.
    """
    limiters, key, seconds = services_of(connection).limiters, address_of(connection), monotonic()
    with ExitStack() as stack:
        for limiter in (limiters.games_per_minute, limiters.games_per_day):
            if not limiter.allow(key, seconds):
                raise Refusal(Code.TOO_MANY, "too many new games from this address")
            stack.callback(limiter.give_back, key)
        yield
        stack.pop_all()


def count_document(connection: HTTPConnection, cost: int = 1) -> None:
    """Counts a document that is made for the sender, or work that costs as much as several.

    Raises:
        TooMany: there are too many for this address.
    """
    limiter = services_of(connection).limiters.documents
    address, seconds = address_of(connection), monotonic()
    if not limiter.allow(address, seconds, cost):
        wait = limiter.wait(address, seconds)
        raise TooMany("too many documents are made for this address", wait)


def count_record(connection: HTTPConnection) -> None:
    """Counts a record before it is kept.

    Raises:
        TooMany: there are too many from this address.
    """
    limiter = services_of(connection).limiters.records
    address, seconds = address_of(connection), monotonic()
    if not limiter.allow(address, seconds):
        raise TooMany("too many new records from this address", limiter.wait(address, seconds))


def count_account_request(connection: HTTPConnection) -> None:
    """Counts a request that concerns all games of a player.

    Raises:
        Refusal: there are too many from this address.
    """
    limiter = services_of(connection).limiters.account_requests
    if not limiter.allow(address_of(connection), monotonic()):
        raise Refusal(Code.TOO_MANY, "too many requests of this kind from this address")
