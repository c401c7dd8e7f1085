"""How many connections there may be, from one address and in total; refusals are logged."""

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

_RESERVED_DESCRIPTORS = 64
"""For the database, the listening sockets and other files: several times what they need."""
_DESCRIPTORS_PER_WORKER = 4
"""The two pipes of an engine process, and as many again while it is being replaced."""
_DESCRIPTORS_PER_CONNECTION = 2
"""The connection itself, and a file that is sent over it."""
_UNLIMITED = 1 << 20
"""Connections where the setting is 0: more than a process has descriptors for."""
_LOG_SECONDS = 60.0
"""Between two log entries about the same reason, however many connections are refused for it."""

_log = logging.getLogger(__name__)


class Evictable(Protocol):
    """A connection that can be ended at once."""

    def evict(self) -> None:
        """Ends it."""


class Connections:
    """Counts the connections of a server, and refuses those above a limit.

    When the server is full, the connection that has been idle longest makes room for a new one, so
    that idle connections cannot keep others out. Trusted proxies count only towards the total,
    because they carry the connections of many.
    """

    def __init__(self, settings: Settings) -> None:
        self._capacity = capacity(settings)
        self._per_address = settings.connections_per_address
        self._proxies = [ip_network(proxy) for proxy in settings.proxies]
        self._keys: dict[Evictable, str | None] = {}
        """What each connection is counted by."""
        self._counts = Counter[str | None]()
        self._idle: dict[Evictable, None] = {}
        """Idle connections, the one that has been idle longest first."""
        self._limiter = Limiter(1, _LOG_SECONDS)
        self._unlogged = Counter[str]()

    def __len__(self) -> int:
        return len(self._keys)

    def admit(self, connection: Evictable, host: str) -> bool:
        """Returns whether a connection is accepted; if so, it counts until it is released.

        Args:
            connection: the connection.
            host: the address it comes from.
        """
        key = self._key(host)
        if key is not None and 0 < self._per_address <= self._counts[key]:
            self.refused("too many connections from this address", host)
            return False
        if len(self) >= self._capacity and not self._make_room():
            self.refused("too many connections", host)
            return False
        self._keys[connection] = key
        self._counts[key] += 1
        return True

    def release(self, connection: Evictable) -> None:
        """Stops counting a connection."""
        self._idle.pop(connection, None)
        if connection in self._keys:
            key = self._keys.pop(connection)
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]

    def idle(self, connection: Evictable) -> None:
        """Notes that a connection starts to wait for a request."""
        if connection in self._keys:
            self._idle.pop(connection, None)
            self._idle[connection] = None

    def busy(self, connection: Evictable) -> None:
        """Notes that a request has arrived completely."""
        self._idle.pop(connection, None)

    def refused(self, reason: str, host: str) -> None:
        """Logs that a connection is refused, unless the same reason has just been logged."""
        self._unlogged[reason] += 1
        if self._limiter.allow(reason, monotonic()):
            count = self._unlogged.pop(reason)
            _log.warning("refused: %s", reason, extra={"address": host, "count": count})

    def _make_room(self) -> bool:
        oldest = next(iter(self._idle), None)
        if oldest is None:
            return False
        self.release(oldest)
        oldest.evict()
        return True

    def _key(self, host: str) -> str | None:
        try:
            address = ip_address(host)
        except ValueError:  # the connection is closed already
            return None
        if any(address in proxy for proxy in self._proxies):
            return None
        return address_key(host)


def capacity(settings: Settings) -> int:
    """Returns how many connections the process has descriptors for, at most as many as set.

    Raises the process's limit of descriptors as far as necessary and allowed. Some descriptors are
    reserved, so that the database and the workers have theirs even when the server is full.
    """
    wanted = settings.connections or _UNLIMITED
    if sys.platform == "win32":  # there is no such limit
        return wanted
    reserve = _RESERVED_DESCRIPTORS + _DESCRIPTORS_PER_WORKER * settings.workers
    needed = reserve + _DESCRIPTORS_PER_CONNECTION * wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if soft == resource.RLIM_INFINITY:
        soft = needed
    elif soft < allowed:
        with suppress(OSError, ValueError):  # some systems allow less than they report
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
            soft = allowed
    found = max(1, (min(soft, needed) - reserve) // _DESCRIPTORS_PER_CONNECTION)
    if found < settings.connections:
        limit = {"connections": found, "descriptors": soft}
        _log.info("fewer connections than set, because descriptors are limited", extra=limit)
    return found
