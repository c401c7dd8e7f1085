"""Players first: what is done for those who come and watch is done bit by bit, between moves."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

_LONGEST = 0.02
"""Seconds that a turn waits for players, so that the others come to theirs all the same."""


class Turns:
    """Whose turn it is."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._events = 0
        """Those that are being stored."""
        self._quiet = asyncio.Event()
        self._quiet.set()

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Goes before all turns."""
        self._events += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._events -= 1
            if not self._events:
                self._quiet.set()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Waits for a turn; there is one each time the event loop has gone round, in order.

        What is done in it must not take much longer than 1 ms.
        """
        async with self._turn:
            if not self._quiet.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LONGEST):
                        await self._quiet.wait()
            yield
            await asyncio.sleep(0)
