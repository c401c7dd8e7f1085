"""Lets few requests through at a time, so that others are answered in between."""

import asyncio
from collections import deque

_AT_ONCE = 4
"""Requests in a round of the event loop, which looks at all sockets between two rounds."""


class Turnstile:
    """Lets those through who wait, a few in each round of the event loop, as they came."""

    def __init__(self, at_once: int = _AT_ONCE) -> None:
        """Lets so many through in a round."""
        self._at_once = at_once
        self._left = at_once
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._round: asyncio.Handle | None = None
        """The next round; None: nobody has passed in this one."""

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
        self._left = self._at_once
        while self._waiting and self._left:
            turn = self._waiting.popleft()
            if not turn.done():  # its request has not been given up
                turn.set_result(None)
                self._left -= 1
        passed = self._left < self._at_once
        self._round = asyncio.get_running_loop().call_soon(self._go_round) if passed else None
