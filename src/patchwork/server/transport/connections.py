"""How many may be connected, from an address and in all, and what is written down of the others."""

import logging
import sys
from collections import Counter
from contextlib import suppress
from ipaddress import ip_address, ip_network
from time import monotonic
from typing import Protocol

from patchwork.server.ops.limits import Limiter, address_key
from patchwork.server.settings import Settings

if sys.platform != "win32":
    import resource

_RESERVE = 64
"""Descriptors for the database, the listening sockets and whatever else is no connection."""
_EACH_WORKER = 4
_EACH_CONNECTION = 2
"""Descriptors: a connection and the file that is sent over it."""
_MANY = 1 << 20
"""Connections where no limit is set."""
_SILENCE = 60.0
"""Seconds between two entries about the same reason, however many are refused for it."""

_log = logging.getLogger(__name__)


class Evictable(Protocol):
    """A connection that can be ended at once."""

    def evict(self) -> None:
        """Ends it."""


class Connections:
    """Counts the connections of a server; keeps neither more than set nor more than there can be.

    Where all places are taken, whoever has waited longest without a request makes room, so that
    those who say nothing cannot keep others out. Trusted proxies speak for many, and are counted in
    all only.
    """

    def __init__(self, settings: Settings) -> None:
        self._most = places(settings)
        self._per_address = settings.connections_per_address
        self._proxies = [ip_network(proxy) for proxy in settings.proxies]
        self._keys: dict[Evictable, str | None] = {}
        """What each connection is counted by."""
        self._counts = Counter[str | None]()
        self._waiting: dict[Evictable, None] = {}
        """Those that are not at work on a request, the one that waits longest first."""
        self._limiter = Limiter(1, _SILENCE)
        self._unsaid = Counter[str]()

    def __len__(self) -> int:
        return len(self._keys)

    def admit(self, connection: Evictable, host: str) -> bool:
        """Returns whether there is a place for a connection, and if so, counts it.

        Args:
            connection: whose place it is until ``release``.
            host: the address it comes from.
        """
        key = self._key(host)
        if key is not None and 0 < self._per_address <= self._counts[key]:
            self.refused("too many from this address", host)
            return False
        if len(self) >= self._most and not self._make_room():
            self.refused("too many in all", host)
            return False
        self._keys[connection] = key
        self._counts[key] += 1
        return True

    def release(self, connection: Evictable) -> None:
        """Forgets a connection."""
        self._waiting.pop(connection, None)
        if connection in self._keys:
            key = self._keys.pop(connection)
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]

    def waits(self, connection: Evictable) -> None:
        """Notes that a connection begins to wait for a request."""
        if connection in self._keys:
            self._waiting.pop(connection, None)
            self._waiting[connection] = None

    def works(self, connection: Evictable) -> None:
        """Notes that a whole request has come."""
        self._waiting.pop(connection, None)

    def refused(self, reason: str, host: str) -> None:
        """Writes down that a connection is refused, unless that has just been done."""
        self._unsaid[reason] += 1
        if self._limiter.allow(reason, monotonic()):
            count = self._unsaid.pop(reason)
            _log.warning("refused: %s", reason, extra={"address": host, "count": count})

    def _make_room(self) -> bool:
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        self.release(oldest)
        oldest.evict()
        return True

    def _key(self, host: str) -> str | None:
        try:
            address = ip_address(host)
        except ValueError:  # it has gone already
            return None
        if any(address in proxy for proxy in self._proxies):
            return None
        return address_key(host)


def places(settings: Settings) -> int:
    """Returns how many connections there can be, at most as many as set.

    Raises the limit of descriptors as far as needed and allowed. Some are kept back, so that the
    database and the workers have theirs even where strangers take all places.
    """
    wanted = settings.connections or _MANY
    if sys.platform == "win32":  # there is no such limit
        return wanted
    reserve = _RESERVE + _EACH_WORKER * settings.workers
    needed = reserve + _EACH_CONNECTION * wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if soft == resource.RLIM_INFINITY:
        soft = needed
    elif soft < allowed:
        with suppress(OSError, ValueError):  # some systems allow less than they say
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
            soft = allowed
    found = max(1, (min(soft, needed) - reserve) // _EACH_CONNECTION)
    if found < settings.connections:
        limit = {"connections": found, "descriptors": soft}
        _log.info("fewer connections than set, for want of descriptors", extra=limit)
    return found
