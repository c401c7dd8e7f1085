"""Work that would hold up the event loop, done in a thread, one piece after the other."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from patchwork.server.game.refusals import Code, Refusal

_QUEUE = 64
"""Pieces of work that may wait."""

T = TypeVar("T")


class Background:
    """A thread for what may take a while.

    One only: Python runs one thread at a time, so a second one would take from the event loop.
    """

    def __init__(self, queue: int = _QUEUE) -> None:
        """Lets so many pieces of work wait."""
        self._queue = queue
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, "background")

    async def do(self, work: Callable[[], T]) -> T:
        """Does some work and returns what comes of it.

        Raises:
            Refusal: too much waits already.
        """
        if self._waiting >= self._queue:
            raise Refusal(Code.BUSY, f"{self._waiting} others wait already")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._waiting -= 1

    def stop(self) -> None:
        """Does nothing more; what has begun is finished."""
        self._thread.shutdown(wait=False, cancel_futures=True)
