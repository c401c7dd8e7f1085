"""The spectators of a table. Each receives everything, but no crowd of them delays the players.

A message is serialised once for all. A crowd receives it in batches, which take turns with those of
all other tables, so that the server does other work in between. A spectator who is far behind
receives the current state instead of everything that led to it.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from patchwork.server.ops.pacing import Pacer
from patchwork.server.store import Unavailable
from patchwork.server.tables.subscriber import Subscriber

_log = logging.getLogger(__name__)

_BATCH = 16
"""Subscribers that are served at once, which takes about 1 ms."""
_KEPT_MESSAGES = 16
"""How many messages a spectator may be behind before the state is sent instead."""
_RETRY_SECONDS = 3.0
"""Until the state is requested again after the database has failed."""
_STATE_SECONDS = 0.05
"""How long the state is reused for spectators who arrive; its clocks are off by as much at most."""


@dataclass(frozen=True, slots=True)
class _Opening:
    """What a spectator receives first."""

    texts: Sequence[str]
    number: int
    """Of the last message that it includes."""
    made: float


class Watchers:
    """The subscribers of a table who only watch."""

    def __init__(self, opening: Callable[[], Awaitable[Sequence[str]]], pacer: Pacer) -> None:
        """Starts without any.

        Args:
            opening: returns what a spectator receives first: the state. May raise ``Unavailable``.
            pacer: says when a batch may be served.
        """
        self._make_opening = opening
        self._pacer = pacer
        self._received: dict[Subscriber, int | None] = {}
        """The number of the last message each has received; None before the state."""
        self._behind: dict[Subscriber, None] = {}
        """Those who have something to receive, in the order of their turns."""
        self._number = 0
        """Of the last message."""
        self._latest: deque[str] = deque(maxlen=_KEPT_MESSAGES)
        self._opening: _Opening | None = None
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._received)

    def __contains__(self, subscriber: object) -> bool:
        return subscriber in self._received

    def __iter__(self) -> Iterator[Subscriber]:
        return iter(list(self._received))

    def add(self, subscriber: Subscriber) -> None:
        """Sends the state to a subscriber, and from then on every message."""
        self._received[subscriber] = None
        self._behind[subscriber] = None
        self._start()

    def send_state(self) -> None:
        """Sends the state to everyone."""
        self._opening = None
        for subscriber in self:
            self.add(subscriber)

    def broadcast(self, text: str) -> None:
        """Sends a message to everyone."""
        self._number += 1
        self._latest.append(text)
        self._behind |= dict.fromkeys(self._received)
        if len(self) <= _BATCH:  # no crowd
            for subscriber in self:
                self.catch_up(subscriber)
        self._start()

    def remove(self, subscriber: Subscriber) -> None:
        """Sends nothing more to a subscriber."""
        self._received.pop(subscriber, None)
        self._behind.pop(subscriber, None)

    def catch_up(self, subscriber: Subscriber) -> bool:
        """Sends a subscriber at once what it has not received yet.

        Returns:
            Whether it has received everything now; if not, it still has to receive the state.
        """
        received = self._received[subscriber]
        if received is None:
            return False
        missing = self._number - received
        if missing > len(self._latest):
            self._received[subscriber] = None
            return False
        for text in islice(self._latest, len(self._latest) - missing, None):
            subscriber.send_text(text)
        self._received[subscriber] = self._number
        self._behind.pop(subscriber, None)
        return True

    async def close(self) -> None:
        """Sends nothing more to anyone."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    def _start(self) -> None:
        if self._behind and self._task is None:
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._behind:
                try:
                    await self._serve_batch()
                except Unavailable as error:
                    _log.warning("spectators wait for the database: %s", error)
                    await asyncio.sleep(_RETRY_SECONDS)
        finally:
            self._task = None

    async def _serve_batch(self) -> None:
        opening = None
        if any(self._received[subscriber] is None for subscriber in self._batch()):
            opening = await self._current_opening()
        async with self._pacer.slot():
            for subscriber in self._batch():
                if self._received[subscriber] is None and opening is not None:
                    for text in opening.texts:
                        subscriber.send_text(text)
                    self._received[subscriber] = opening.number
                self.catch_up(subscriber)

    async def _current_opening(self) -> _Opening:
        """Returns what was made for others who have just arrived, or makes it anew."""
        now = asyncio.get_running_loop().time
        last = self._opening
        if last is None or last.number != self._number or last.made + _STATE_SECONDS < now():
            texts = await self._make_opening()
            last = self._opening = _Opening(texts, self._number, now())
        return last

    def _batch(self) -> list[Subscriber]:
        return list(islice(self._behind, _BATCH))
