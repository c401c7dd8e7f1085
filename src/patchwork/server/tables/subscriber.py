"""A client that receives what happens at a table, through a socket or an event stream."""

import asyncio
from dataclasses import replace

from patchwork.server import wire
from patchwork.server.engines.fair_queue import Requester

_BACKLOG = 64
"""Messages that may wait for a slow connection. One that falls further behind is closed; the client
comes back and receives the state."""


class Subscriber:
    """The messages that wait to be sent to a client."""

    def __init__(self, requester: Requester) -> None:
        self.requester = requester
        self.player: str | None = None
        """The id under which the client's player has a seat; None for one who watches."""
        self._messages: asyncio.Queue[str | None] = asyncio.Queue(_BACKLOG)

    def forget_player(self) -> None:
        """Makes the client one that may only watch."""
        self.requester = replace(self.requester, player=None, aliases=())
        self.player = None

    def send(self, message: wire.Message) -> None:
        """Sends a message without waiting."""
        self.send_text(message.model_dump_json())

    def send_text(self, text: str) -> None:
        """Sends a message that is already serialised."""
        try:
            self._messages.put_nowait(text)
        except asyncio.QueueFull:
            self.close()

    def close(self) -> None:
        """Ends the connection after the messages that wait; if there are too many, without them."""
        if self._messages.full():
            while not self._messages.empty():
                self._messages.get_nowait()
        self._messages.put_nowait(None)

    async def next(self) -> str | None:
        """Returns the next message; None if there will be no more."""
        return await self._messages.get()
