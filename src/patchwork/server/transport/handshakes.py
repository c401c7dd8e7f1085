"""WebSockets are opened one after another, so that a crowd arriving at once delays nobody."""

import asyncio
from collections import deque
from collections.abc import Callable

from patchwork.server.ops.pacing import Pacer


class HandshakeQueue:
    """Connections that wait to become WebSockets."""

    def __init__(self, pacer: Pacer) -> None:
        self._pacer = pacer
        self._waiting: deque[Callable[[], None]] = deque()
        self._task: asyncio.Task[None] | None = None

    def wait(self, upgrade: Callable[[], None]) -> None:
        """Calls ``upgrade`` when it is the connection's turn."""
        self._waiting.append(upgrade)
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._waiting:
                async with self._pacer.slot():
                    asyncio.get_running_loop().call_soon(self._waiting.popleft())
        finally:
            self._task = None
