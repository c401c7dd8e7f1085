"""How often something may happen: by address, by connection, by player."""

from collections import Counter, OrderedDict
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

    def allow(self, key: Hashable, now: float, cost: int = 1) -> bool:
        """Returns whether it may happen now, and if so, counts it.

        Args:
            key: whose limit it is.
            now: seconds on a clock that does not go back.
            cost: how often it counts. It may happen even if so much is not left, but what comes
                next has to wait the longer.
        """
        return self.delay(key, now, 0, cost) is not None

    def delay(self, key: Hashable, now: float, longest: float, cost: int = 1) -> float | None:
        """Returns in how many seconds it may happen, and counts it; None: not before the longest.

        Who is told to wait has a turn then, and need not ask again.
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
        """Counts something no more, because it did not happen after all."""
        if key in self._full:
            self._full[key] -= self._interval

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


class Places:
    """Lets each key hold so many places at a time; 0: any number."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: Counter[Hashable] = Counter()

    @property
    def taken(self) -> int:
        """How many places are taken, by all."""
        return self._taken.total()

    def take(self, key: Hashable) -> bool:
        """Takes a place, if there is one."""
        if self._most and self._taken[key] >= self._most:
            return False
        self._taken[key] += 1
        return True

    def leave(self, key: Hashable) -> None:
        """Gives a place back."""
        self._taken[key] -= 1
        if not self._taken[key]:
            del self._taken[key]


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
