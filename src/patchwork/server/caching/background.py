"""A thread for work that would block the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from patchwork.server.game.refusals import Code, Refusal

_QUEUE = 64
"""Pieces of work that may wait: enough for a burst; more would make the last ones wait too long."""

T = TypeVar("T")


class BackgroundThread:
    """Does one piece of work after another.

    There is only one thread, because Python runs one at a time: a second one would take time from
    the event loop.
    """

    def __init__(self, queue: int = _QUEUE) -> None:
        """Starts a thread for which so many pieces of work may wait."""
        self._queue = queue
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, "background")

    async def run(self, work: Callable[[], T]) -> T:
        """Calls a function in the thread and returns its result.

        Raises:
            Refusal: too much work is waiting.
        """
        if self._waiting >= self._queue:
            raise Refusal(Code.BUSY, f"{self._waiting} others are waiting already")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._waiting -= 1

    def stop(self) -> None:
        """Drops the work that waits; what has begun is finished."""
        self._thread.shutdown(wait=False, cancel_futures=True)
