"""Somebody who hears what happens at a table: a socket or a stream."""

import asyncio
from dataclasses import replace

from patchwork.server import wire
from patchwork.server.engines.fair_queue import Requester

_BACKLOG = 64
"""Messages that may wait for a slow connection; who lags further starts again with the state."""


class Listener:
    """The messages that wait to be sent to somebody."""

    def __init__(self, requester: Requester) -> None:
        self.requester = requester
        self._messages: asyncio.Queue[str | None] = asyncio.Queue(_BACKLOG)

    @property
    def player(self) -> str | None:
        """Who listens; None for who may only watch."""
        return self.requester.player

    def forget(self) -> None:
        """Lets whoever listens be nobody from now on."""
        self.requester = replace(self.requester, player=None)

    def tell(self, message: wire.Message) -> None:
        """Sends a message without waiting."""
        self.tell_text(message.model_dump_json())

    def tell_text(self, text: str) -> None:
        """Sends a message that is written already."""
        try:
            self._messages.put_nowait(text)
        except asyncio.QueueFull:
            self.end()

    def end(self) -> None:
        """Lets nothing more be heard after what waits already, nor that if too much waits."""
        if self._messages.full():
            while not self._messages.empty():
                self._messages.get_nowait()
        self._messages.put_nowait(None)

    async def next(self) -> str | None:
        """Returns the next message; None: there will be none any more."""
        return await self._messages.get()
