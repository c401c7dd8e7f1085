"""Rate limits and concurrency limits, by address, connection or player."""

from collections import Counter, OrderedDict
from collections.abc import Hashable
from ipaddress import IPv6Network, ip_address

_KEYS = 65_536
"""How many keys a limiter remembers, so that memory is bounded; then it forgets the oldest one."""


class Limiter:
    """Allows ``count`` requests at once, and ``count`` more spread over each ``seconds``.

    This is a token bucket for each key. The only thing kept of a bucket is the moment when it will
    be full again, and full buckets are not kept, so memory is bounded.
    """

    def __init__(self, count: int, seconds: float) -> None:
        """Makes a limiter; a count of 0 allows everything."""
        self._interval = seconds / count if count else 0.0
        # A tenth of an interval of slack makes up for rounding.
        self._room = seconds - 0.9 * self._interval
        self._full: OrderedDict[Hashable, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._full)

    def allow(self, key: Hashable, now: float, cost: int = 1) -> bool:
        """Returns whether a request is allowed now; if so, it counts.

        Args:
            key: whose request it is.
            now: seconds of a monotonic clock.
            cost: as how many requests it counts. It is allowed even if fewer are left, but the next
                one then has to wait longer.
        """
        return self.delay(key, now, 0, cost) is not None

    def delay(self, key: Hashable, now: float, longest: float, cost: int = 1) -> float | None:
        """Returns in how many seconds a request is allowed, and counts it.

        A request that is delayed has its turn then and must not ask again. One that would have to
        wait longer than ``longest`` does not count, and None is returned.
        """
        if not self._interval:
            return 0.0
        self._forget(now)
        wait = self.wait(key, now)
        if wait > longest:
            return None
        self._full[key] = max(self._full.get(key, now), now) + cost * self._interval
        self._full.move_to_end(key)
        return wait

    def give_back(self, key: Hashable) -> None:
        """Stops counting a request that has failed."""
        if key in self._full:
            self._full[key] -= self._interval

    def wait(self, key: Hashable, now: float) -> float:
        """Returns in how many seconds the next request is allowed."""
        return max(0.0, self._full.get(key, now) - now - self._room)

    def _forget(self, now: float) -> None:
        """Drops the oldest buckets if they are full again, or if there are too many."""
        while self._full:
            oldest, full = next(iter(self._full.items()))
            if full > now and len(self._full) < _KEYS:
                break
            del self._full[oldest]


class ConcurrencyLimiter:
    """Limits how much each key does at the same time."""

    def __init__(self, most: int) -> None:
        """Makes a limiter; with a limit of 0 it only counts."""
        self._most = most
        self._counts: Counter[Hashable] = Counter()

    @property
    def total(self) -> int:
        """How much is going on, for all keys together."""
        return self._counts.total()

    def acquire(self, key: Hashable) -> bool:
        """Returns whether a key may do one thing more; if so, it counts until released."""
        if self._most and self._counts[key] >= self._most:
            return False
        self._counts[key] += 1
        return True

    def release(self, key: Hashable) -> None:
        """Notes that one of the key's things has ended."""
        self._counts[key] -= 1
        if not self._counts[key]:
            del self._counts[key]


def address_key(host: str) -> str:
    """Returns what an address is counted by: itself, or for IPv6 the /64 network it belongs to.

    A host usually has all addresses of such a network.
    """
    try:
        address = ip_address(host)
    except ValueError:  # a Unix socket, or a test client
        return host
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Network((int(address) >> 64 << 64, 64)))
