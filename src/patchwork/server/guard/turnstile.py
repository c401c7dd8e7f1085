"""Admits few requests at a time, so that those of players are answered in between."""

import asyncio
from collections import deque

_PER_ROUND = 4
"""Requests admitted in a round of the event loop, which polls all sockets between two rounds."""


class Turnstile:
    """Admits requests in their order, a few in each round of the event loop."""

    def __init__(self, per_round: int = _PER_ROUND) -> None:
        """Admits so many requests in a round."""
        self._per_round = per_round
        self._left = per_round
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._round: asyncio.Handle | None = None
        """The next round; None if nobody has passed in this one."""

    async def wait(self) -> None:
        """Returns when the caller may pass."""
        loop = asyncio.get_running_loop()
        if self._round is None:
            self._round = loop.call_soon(self._go_round)
        if self._left:
            self._left -= 1
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _go_round(self) -> None:
        self._left = self._per_round
        while self._waiting and self._left:
            turn = self._waiting.popleft()
            if not turn.done():  # its request has not been given up
                turn.set_result(None)
                self._left -= 1
        passed = self._left < self._per_round
        self._round = asyncio.get_running_loop().call_soon(self._go_round) if passed else None
