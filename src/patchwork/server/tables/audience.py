"""Those who watch a table: each hears everything, but however many they are, they hold nobody up.

What is told is written once for all. A crowd is told portion by portion, in turn with those of all
other tables, and between two portions the server does whatever else there is to do. Who is far
behind hears the state instead of all that led to it.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from patchwork.server.ops.pacing import Turns
from patchwork.server.store import Unavailable
from patchwork.server.tables.listener import Listener

_log = logging.getLogger(__name__)

_PORTION = 16
"""Listeners that are told something at once; that takes about 1 ms."""
_KEPT = 16
"""Messages that one may be behind without starting again."""
_PATIENCE = 3.0
"""Seconds until the state is asked for again after the database failed."""
_FRESH = 0.05
"""Seconds in which those who come hear the same state; its clocks are so much behind at most."""


@dataclass(frozen=True, slots=True)
class _Opening:
    """What a listener hears first."""

    texts: Sequence[str]
    number: int
    """Of the last message that it includes."""
    made: float


class Audience:
    """The listeners of a table who only watch."""

    def __init__(self, opening: Callable[[], Awaitable[Sequence[str]]], turns: Turns) -> None:
        """Makes an empty one.

        Args:
            opening: returns what a listener hears first: the state. It may raise ``Unavailable``.
            turns: in which portions are told.
        """
        self._opening = opening
        self._turns = turns
        self._heard: dict[Listener, int | None] = {}
        """Up to which message each has heard everything; None: the state is yet to come."""
        self._behind: dict[Listener, None] = {}
        """Those who have something to hear, in the order of their turns."""
        self._number = 0
        """Of the last message."""
        self._latest: deque[str] = deque(maxlen=_KEPT)
        self._opened: _Opening | None = None
        self._telling: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._heard)

    def __contains__(self, listener: object) -> bool:
        return listener in self._heard

    def __iter__(self) -> Iterator[Listener]:
        return iter(list(self._heard))

    def begin(self, listener: Listener) -> None:
        """Lets somebody hear the state, and then whatever is told."""
        self._heard[listener] = None
        self._behind[listener] = None
        self._go_on()

    def begin_again(self) -> None:
        """Lets everybody hear the state."""
        self._opened = None
        for listener in self:
            self.begin(listener)

    def tell(self, text: str) -> None:
        """Tells everybody something."""
        self._number += 1
        self._latest.append(text)
        self._behind |= dict.fromkeys(self._heard)
        if len(self) <= _PORTION:  # no crowd
            for listener in self:
                self.catch_up(listener)
        self._go_on()

    def leave(self, listener: Listener) -> None:
        """Forgets somebody."""
        self._heard.pop(listener, None)
        self._behind.pop(listener, None)

    def catch_up(self, listener: Listener) -> bool:
        """Tells somebody at once what they have not heard yet.

        Returns:
            Whether they have heard everything now; if not, the state is yet to come.
        """
        heard = self._heard[listener]
        if heard is None:
            return False
        missing = self._number - heard
        if missing > len(self._latest):
            self._heard[listener] = None
            return False
        for text in islice(self._latest, len(self._latest) - missing, None):
            listener.tell_text(text)
        self._heard[listener] = self._number
        self._behind.pop(listener, None)
        return True

    async def close(self) -> None:
        """Tells nothing more."""
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.wait((self._telling,))

    def _go_on(self) -> None:
        if self._behind and self._telling is None:
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        try:
            while self._behind:
                try:
                    await self._tell_some()
                except Unavailable as error:
                    _log.warning("an audience waits for the database: %s", error)
                    await asyncio.sleep(_PATIENCE)
        finally:
            self._telling = None

    async def _tell_some(self) -> None:
        opening = None
        if any(self._heard[listener] is None for listener in self._next()):
            opening = await self._prepared()
        async with self._turns.turn():
            for listener in self._next():
                if self._heard[listener] is None and opening is not None:
                    for text in opening.texts:
                        listener.tell_text(text)
                    self._heard[listener] = opening.number
                self.catch_up(listener)

    async def _prepared(self) -> _Opening:
        """Returns the opening: that of others who have just come, or a new one."""
        now = asyncio.get_running_loop().time
        last = self._opened
        if last is None or last.number != self._number or last.made + _FRESH < now():
            texts = await self._opening()
            last = self._opened = _Opening(texts, self._number, now())
        return last

    def _next(self) -> list[Listener]:
        return list(islice(self._behind, _PORTION))
