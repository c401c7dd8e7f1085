"""How often something may happen: by address, by connection, by player."""

from collections import OrderedDict
from collections.abc import Hashable
from ipaddress import IPv6Network, ip_address

_KEYS = 65_536
"""How many keys a limiter remembers; of more, the one that was allowed longest ago is forgotten."""


class Limiter:
    """Allows ``count`` at once, and ``count`` more spread over each ``seconds``.

    Each key owns a bucket that runs full evenly. All that is kept of it is the moment when it will
    be full again, and what is full need not be kept, so memory is bounded.
    """

    def __init__(self, count: int, seconds: float) -> None:
        """Makes a limiter; a count of 0 allows everything."""
        self._interval = seconds / count if count else 0.0
        self._room = seconds - 0.9 * self._interval  # a tenth of slack, since floats round
        self._full: OrderedDict[Hashable, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._full)

    def allow(self, key: Hashable, now: float) -> bool:
        """Returns whether it may happen now, and if so, counts it.

        Args:
            key: whose limit it is.
            now: seconds on a clock that does not go back.
        """
        if not self._interval:
            return True
        self._forget(now)
        full = max(self._full.get(key, now), now)
        if full - now > self._room:
            return False
        self._full[key] = full + self._interval
        self._full.move_to_end(key)
        return True

    def wait(self, key: Hashable, now: float) -> float:
        """Returns in how many seconds it may happen."""
        return max(0.0, self._full.get(key, now) - now - self._room)

    def _forget(self, now: float) -> None:
        """Drops from the oldest on what is full again, and what there is no room for."""
        while self._full:
            oldest, full = next(iter(self._full.items()))
            if full > now and len(self._full) < _KEYS:
                break
            del self._full[oldest]


def address_key(host: str) -> str:
    """Returns what an address is counted by: itself, or the network of 64 bits if it is IPv6.

    Whoever has one address of such a network usually has all of them.
    """
    try:
        address = ip_address(host)
    except ValueError:  # the name of a socket, or of a test
        return host
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Network((int(address) >> 64 << 64, 64)))
