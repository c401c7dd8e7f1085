"""The computer as a player: the engine thinks while a player waits for its move."""

import asyncio
import logging
from contextlib import AbstractAsyncContextManager
from functools import partial
from hashlib import sha256
from typing import Protocol

from patchwork.rules.setup import SEEDS
from patchwork.server import presenter, wire
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.engines.pool import Busy, Failed, Progress
from patchwork.server.game.events import Event
from patchwork.server.game.match import Match
from patchwork.server.game.terms import MINUTE
from patchwork.server.services import Services
from patchwork.server.store import Conflict, Unavailable
from patchwork.server.tables.subscribers import Subscribers

_log = logging.getLogger(__name__)

_RETRY_SECONDS = 3.0
"""Until the computer tries again to move after the engine or the database has failed."""
_REQUEST_COUNTS = MINUTE
"""How long a player without a connection counts as being at the table after a request."""


class ComputersTable(Protocol):
    """What the computer needs of the table it plays at."""

    def locked(self) -> AbstractAsyncContextManager[Match]:
        """Enters the table's lock and yields the match."""

    async def happen(self, event: Event) -> None:
        """Stores an event, with the lock held, then announces it."""


class ComputerPlayer:
    """Makes the computer's moves at one table."""

    def __init__(
        self, game: str, services: Services, table: ComputersTable, subscribers: Subscribers
    ) -> None:
        self._game = game
        self._services = services
        self._table = table
        self._subscribers = subscribers
        self._request: tuple[Requester, int] | None = None
        """The player who last requested something, and when."""
        self._requester = Requester(None, None)
        """For whom the engine is thinking."""
        self._task: asyncio.Task[None] | None = None
        self.progress: wire.Thinking | None = None
        """How far the computer is with its move, once that is known."""

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """The task that chooses a move, if there is one."""
        return [] if self._task is None else [self._task]

    def note_request(self, requester: Requester) -> None:
        """Notes that a player is at the table, perhaps without a connection."""
        self._request = requester, self._services.clock.now()

    def forget_request(self) -> None:
        """Notes that the player has left."""
        self._request = None

    def request_ends(self, match: Match) -> int | None:
        """Returns when the computer stops for a player who has no connection; None if never."""
        if not match.computer_decides or self._connected(match) is not None:
            return None
        ends = 0 if self._request is None else self._request[1] + _REQUEST_COUNTS
        return ends if self._services.clock.now() < ends else None

    def update(self, match: Match) -> None:
        """Starts or stops thinking, depending on who is here and whose turn it is."""
        requester = self._requester_for(match)
        if self._task is not None and self._task is not asyncio.current_task():
            begun = self.progress is not None and self.progress.waiting == 0
            # A search that has begun will soon be done, so it goes on while a page is reloaded.
            wanted = match.computer_decides and (
                begun
                or (requester is not None and requester.is_present == self._requester.is_present)
            )
            if not wanted:
                self._task.cancel()
                self._task = self.progress = None
        if requester is not None and self._task is None:
            self._task = asyncio.create_task(self._run())

    def seed(self, seq: int) -> int:
        """Returns a seed for the engine that differs between moves and between games."""
        digest = sha256(f"{self._game} {seq}".encode()).digest()
        return int.from_bytes(digest[:8]) % SEEDS

    def _requester_for(self, match: Match) -> Requester | None:
        """Returns for whom the computer should think; None if for nobody.

        In a game with a clock, it also thinks for a player who is away.
        """
        if not match.computer_decides:
            return None
        if (connected := self._connected(match)) is not None:
            return connected
        if self._request is not None and self.request_ends(match) is not None:
            return self._request[0]
        return None if match.terms.clock is None else Requester(_opponent(match), None)

    def _connected(self, match: Match) -> Requester | None:
        return self._subscribers.requester(_opponent(match))

    async def _run(self) -> None:
        """Moves until another player has to decide."""
        try:
            while await self._move():
                pass
        finally:
            if self._task is asyncio.current_task():
                self._task = self.progress = None

    async def _move(self) -> bool:
        """Makes a move; returns whether there may be another one to make."""
        try:
            async with self._table.locked() as match:
                requester = self._requester_for(match)
                if requester is None or match.game is None:
                    return False
                self._requester, self.progress = requester, None
                position, seq, level = match.game.position, match.seq, match.terms.level
            requested = asyncio.get_running_loop().time()
            with self._services.metrics.thought_seconds.time():
                analysis = await self._services.engines.analyse(
                    self._game,
                    position,
                    requester,
                    level=level,
                    seed=self.seed(seq),
                    progress=partial(self._report, level, requested),
                )
            async with self._table.locked() as match:
                if match.seq == seq:
                    now = self._services.clock.now()
                    await self._table.happen(match.computer_move(analysis.best, now))
        except Conflict:
            _log.info("the game was continued by another server", extra={"table": self._game})
        except (Busy, Failed, Unavailable) as error:
            _log.warning("the computer cannot move: %s", error, extra={"table": self._game})
            await asyncio.sleep(_RETRY_SECONDS)
        return True

    def _report(self, level: int | None, requested: float, progress: Progress) -> None:
        self.progress = presenter.thinking(progress)
        if progress.share is not None:
            waited = asyncio.get_running_loop().time() - requested
            self._services.metrics.thought_waits.labels(level).observe(waited)
            if progress.share < 1:
                self._services.metrics.thoughts_cut.labels(level).inc()
        self._subscribers.broadcast(self.progress)


def _opponent(match: Match) -> str:
    """Returns the player who plays against the computer."""
    return next(each.player for each in match.seats if each and each.player)
