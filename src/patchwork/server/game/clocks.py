"""The server's time, and the pauses in which no player's clock runs.

The server's time starts as the machine's and then runs evenly, even if the machine's clock is set
forward or back. When the process stops for a while, because it or the machine was suspended or
something took too long, this is noticed, and counts for no player's clock.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from patchwork.server.game.terms import SECOND

_log = logging.getLogger(__name__)

_CHECK_SECONDS = 0.25
"""From one check of the time to the next."""
_PAUSE_SECONDS = 1.0
"""Without a check, after which the process counts as having stopped. A busy server is late by less;
a pause that is too short to count costs a player less than this."""
_SHIFT_SECONDS = 1.0
"""By which the machine's clock has to be set before that is logged."""
_KEPT_PAUSES = 4096
"""Pauses that are remembered; older ones are too long ago for any running clock."""

# If possible, a clock that also runs while the machine is suspended.
steady: Callable[[], float] = (
    partial(time.clock_gettime, time.CLOCK_BOOTTIME)
    if hasattr(time, "CLOCK_BOOTTIME")
    else time.monotonic
)


class Pauses:
    """The times in which no clock runs, except in games with days per move."""

    def __init__(self, started: int = 0) -> None:
        """Starts with one pause: the time before the server was started."""
        self._pauses: deque[tuple[int, int]] = deque([(0, started)], maxlen=_KEPT_PAUSES)

    def add(self, start: int, end: int) -> None:
        """Adds a pause, which must be later than all others."""
        self._pauses.append((start, end))

    def between(self, start: int, end: int) -> int:
        """Returns how many milliseconds between two times were pauses."""
        found = 0
        for begin, finish in reversed(self._pauses):
            if finish <= start:
                break
            found += max(0, min(end, finish) - max(start, begin))
        return found


class Timekeeper:
    """The server's clock, in milliseconds since 1970."""

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = steady,
        longest: float = _PAUSE_SECONDS,
    ) -> None:
        """Starts with the time of the machine.

        Args:
            wall: the machine's time in seconds, which may be set forward and back.
            steady: seconds of a clock that is never set.
            longest: seconds without a check after which the process counts as having stopped.
        """
        self._wall = wall
        self._steady = steady
        self._longest = longest
        self._epoch = wall() - steady()
        self._shift = 0.0
        """By how many seconds the machine's time is known to differ from the server's."""
        self._checked: float | None = None
        """When the time was last checked; None before the first check."""
        self.pauses = Pauses(self.now())

    def now(self) -> int:
        """Returns the time. If a pause has just ended, it is noted first."""
        moment = self._steady()
        if self._checked is not None and moment - self._checked > self._longest:
            self.pauses.add(self._at(self._checked), self._at(moment))
            _log.warning(
                "the process was stopped for %.1f s, which count for no player's clock",
                moment - self._checked,
            )
            self._checked = moment
        return self._at(moment)

    def check(self) -> None:
        """Notes that the process runs, and logs whether the machine's clock was set."""
        self.now()
        self._checked = self._steady()
        shift = self._wall() - self._epoch - self._checked
        if abs(shift - self._shift) > _SHIFT_SECONDS:
            _log.warning(
                "the machine's clock was set %s by %.1f s; the server's runs on evenly",
                "forward" if shift > self._shift else "back",
                abs(shift - self._shift),
            )
            self._shift = shift

    async def watch(self) -> None:
        """Checks the time again and again, for ever."""
        while True:
            self.check()
            await asyncio.sleep(_CHECK_SECONDS)

    def _at(self, moment: float) -> int:
        return round((self._epoch + moment) * SECOND)
