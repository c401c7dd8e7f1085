"""Threads that share the positions of a batch."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


class Sharing:
    """Splits work on numbered things among threads; which thread does what must not matter."""

    def __init__(self, threads: int, worth: int) -> None:
        """Uses so many threads; for less than ``worth`` things, handing over does not pay."""
        self._threads = threads
        self._worth = worth
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def run(self, count: int, work: Callable[[int, int], None]) -> None:
        """Calls ``work`` with the start and end of each share of ``count`` things."""
        if self._pool is None or count < self._worth:
            work(0, count)
            return
        share = -(-count // self._threads)
        jobs = []
        for start in range(0, count, share):
            end = min(start + share, count)
            try:
                jobs.append(self._pool.submit(work, start, end))
            except RuntimeError:  # the process is ending, while a thread of it still searches
                work(start, end)
        for job in jobs:
            job.result()
