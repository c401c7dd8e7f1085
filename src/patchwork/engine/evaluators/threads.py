"""Threads that share the positions of a batch."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


class BatchSplitter:
    """Splits a batch among threads. Which thread gets which part must not change the result."""

    def __init__(self, threads: int, min_size: int) -> None:
        """Makes the threads; a batch of less than ``min_size`` is not worth splitting."""
        self._threads = threads
        self._min_size = min_size
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def run(self, size: int, work: Callable[[int, int], None]) -> None:
        """Calls ``work`` with the start and the end of each part of a batch."""
        if self._pool is None or size < self._min_size:
            work(0, size)
            return
        share = -(-size // self._threads)
        jobs = []
        for start in range(0, size, share):
            end = min(start + share, size)
            try:
                jobs.append(self._pool.submit(work, start, end))
            except RuntimeError:  # the process is ending while this thread still searches
                work(start, end)
        for job in jobs:
            job.result()
