"""The server's time, and when no clock runs.

The time begins with that of the machine and goes on evenly, also when the machine's is put forward
or back. When the process stands still, because it or the machine was stopped or something took too
long, that is noticed, and on nobody's clock.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from patchwork.server.game.terms import SECOND

_log = logging.getLogger(__name__)

_INTERVAL = 0.25
"""Seconds from one look at the time to the next."""
_LONGEST = 1.0
"""Seconds without a look after which the process has stood still."""
_NOTABLE = 1.0
"""Seconds by which the machine's clock is put before that is noted."""
_KEPT = 4096
"""Pauses that are known; of more, the oldest is too long ago to be on a running clock."""

# Where there is one, a clock that goes on while the machine sleeps.
steady: Callable[[], float] = (
    partial(time.clock_gettime, time.CLOCK_BOOTTIME)
    if hasattr(time, "CLOCK_BOOTTIME")
    else time.monotonic
)


class Pauses:
    """The times in which no clock of a live game runs."""

    def __init__(self, started: int = 0) -> None:
        """Knows that none ran before the server started."""
        self._pauses: deque[tuple[int, int]] = deque([(0, started)], maxlen=_KEPT)

    def add(self, start: int, end: int) -> None:
        """Adds a pause that is later than all others."""
        self._pauses.append((start, end))

    def between(self, start: int, end: int) -> int:
        """Returns how many milliseconds between two moments were pauses."""
        found = 0
        for begun, over in reversed(self._pauses):
            if over <= start:
                break
            found += max(0, min(end, over) - max(start, begun))
        return found


class Timekeeper:
    """Tells the time, in milliseconds since 1970."""

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = steady,
        longest: float = _LONGEST,
    ) -> None:
        """Begins with the time of the machine.

        Args:
            wall: the time of day in seconds, which may be put forward and back.
            steady: seconds that pass evenly.
            longest: seconds without a look after which the process has stood still.
        """
        self._wall = wall
        self._steady = steady
        self._longest = longest
        self._epoch = wall() - steady()
        self._off = 0.0
        """By how much the time of day is known to differ from ours."""
        self._looked: float | None = None
        """When it was last made sure that the process goes on; None: nobody watches."""
        self.pauses = Pauses(self.now())

    def now(self) -> int:
        """Returns the time; before anything is done with it, a pause that ends now is noted."""
        moment = self._steady()
        if self._looked is not None and moment - self._looked > self._longest:
            self.pauses.add(self._at(self._looked), self._at(moment))
            _log.warning(
                "the process stood still for %.1f s; that is on nobody's clock",
                moment - self._looked,
            )
            self._looked = moment
        return self._at(moment)

    def look(self) -> None:
        """Notes that the process goes on, and whether the time of day was changed."""
        self.now()
        self._looked = self._steady()
        off = self._wall() - self._epoch - self._looked
        if abs(off - self._off) > _NOTABLE:
            _log.warning(
                "the clock of the machine was put %s by %.1f s; that of the server goes on evenly",
                "forward" if off > self._off else "back",
                abs(off - self._off),
            )
            self._off = off

    async def watch(self) -> None:
        """Looks at the time for ever."""
        while True:
            self.look()
            await asyncio.sleep(_INTERVAL)

    def _at(self, moment: float) -> int:
        return round((self._epoch + moment) * SECOND)
