"""Keeps the event loop free for players while many spectators are served."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

_LONGEST_WAIT = 0.02
"""Seconds that a slot waits for events of players to be stored; bounded, so that spectators are
served even when players never pause."""


class Pacer:
    """Gives spectators slots on the event loop, between the events of players."""

    def __init__(self) -> None:
        self._slot = asyncio.Lock()
        self._storing = 0
        """How many events are being stored."""
        self._quiet = asyncio.Event()
        """Set while no event is being stored."""
        self._quiet.set()

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Marks the time in which an event is stored; new slots wait until its end."""
        self._storing += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._storing -= 1
            if not self._storing:
                self._quiet.set()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Waits for a slot: one in each round of the event loop, first come, first served.

        What is done in a slot must not take much longer than 1 ms.
        """
        async with self._slot:
            if not self._quiet.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LONGEST_WAIT):
                        await self._quiet.wait()
            yield
            await asyncio.sleep(0)
