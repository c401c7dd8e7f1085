"""Everyone connected to a table: players, who receive messages at once, and spectators."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence

from patchwork.server import wire
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.ops.pacing import Pacer
from patchwork.server.tables.subscriber import Subscriber
from patchwork.server.tables.watchers import Watchers

_GATHERING_SECONDS = 0.05
"""For which arrivals and departures are gathered, so that one message announces a crowd."""
_WATCHERS_PER_SECOND = 1000
"""Who receive the presence of players: with many watchers, each receives it less often."""


class Subscribers:
    """The subscribers of one table."""

    def __init__(
        self,
        opening: Callable[[], Awaitable[Sequence[str]]],
        presence: Callable[[], wire.Presence | None],
        pacer: Pacer,
    ) -> None:
        """Starts without any.

        Args:
            opening: returns what a watcher receives first. May raise ``Unavailable``.
            presence: returns the message that says who is here; None while that is unknown.
            pacer: says when watchers may be served.
        """
        self.players: set[Subscriber] = set()
        self.watchers = Watchers(opening, pacer)
        self._presence = presence
        self._timer: asyncio.TimerHandle | None = None
        self._watchers_timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self.players) + len(self.watchers)

    def __iter__(self) -> Iterator[Subscriber]:
        yield from (*self.players, *self.watchers)

    def requester(self, player: str) -> Requester | None:
        """Returns one of the connections of a player; None if there is none."""
        return next((each.requester for each in self.players if each.player == player), None)

    def remove(self, subscriber: Subscriber) -> None:
        """Sends nothing more to a subscriber."""
        self.watchers.remove(subscriber)
        self.players.discard(subscriber)

    def broadcast(self, message: wire.Message) -> None:
        """Sends a message to everyone."""
        text = message.model_dump_json()
        self._send_to_players(text)
        self.watchers.broadcast(text)

    def announce_presence(self) -> None:
        """Says who is here, once for all who arrive or leave at about the same time."""
        loop = asyncio.get_running_loop()
        if self._timer is None:
            self._timer = loop.call_later(_GATHERING_SECONDS, self._announce_to_players)
        if self._watchers_timer is None:
            seconds = max(_GATHERING_SECONDS, len(self.watchers) / _WATCHERS_PER_SECOND)
            self._watchers_timer = loop.call_later(seconds, self._announce_to_watchers)

    async def close(self, message: wire.Message) -> None:
        """Ends all connections after a last message."""
        await self.watchers.close()
        text = message.model_dump_json()
        for subscriber in self:
            subscriber.send_text(text)
            subscriber.close()

    def _send_to_players(self, text: str) -> None:
        for subscriber in self.players:
            subscriber.send_text(text)

    def _announce_to_players(self) -> None:
        self._timer = None
        if (message := self._presence()) is not None:
            self._send_to_players(message.model_dump_json())

    def _announce_to_watchers(self) -> None:
        self._watchers_timer = None
        if (message := self._presence()) is not None:
            self.watchers.broadcast(message.model_dump_json())
