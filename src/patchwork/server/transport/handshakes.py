"""Sockets are opened one after another, so that a crowd that comes at once holds nobody up."""

import asyncio
from collections import deque
from collections.abc import Callable

from patchwork.server.ops.pacing import Turns


class Handshakes:
    """Those who wait for a socket."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._waiting: deque[Callable[[], None]] = deque()
        self._opening: asyncio.Task[None] | None = None

    def wait(self, opening: Callable[[], None]) -> None:
        """Calls something when it is its turn."""
        self._waiting.append(opening)
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())

    async def _open(self) -> None:
        try:
            while self._waiting:
                async with self._turns.turn():
                    asyncio.get_running_loop().call_soon(self._waiting.popleft())
        finally:
            self._opening = None
