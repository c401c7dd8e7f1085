"""Deletes games and records that are older than the settings allow, a few at a time."""

import asyncio
import logging

from patchwork.server.game.terms import DAY
from patchwork.server.services import Services
from patchwork.server.store import Cursor, Cutoffs, Unavailable
from patchwork.server.tables.registry import Tables

_log = logging.getLogger(__name__)

_ROUND_SECONDS = 15.0
"""From one look at a few games to the next, so that a full database costs little."""


class Retention:
    """Goes through all games again and again, if the settings say how long to keep them."""

    def __init__(self, services: Services, tables: Tables) -> None:
        self._services = services
        self._tables = tables
        self._last: Cursor | None = None
        """The last game that was looked at."""
        self._rounds: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Starts, unless all games are kept for ever."""
        if self._cutoffs() != Cutoffs(None, None):
            self._rounds = asyncio.create_task(self._make_rounds())

    async def stop(self) -> None:
        """Deletes nothing more."""
        if self._rounds is not None:
            self._rounds.cancel()
            await asyncio.gather(self._rounds, return_exceptions=True)

    async def look(self) -> None:
        """Looks at the next few games and deletes those that are too old, and some old records.

        Raises:
            Unavailable: the database does not answer.
        """
        cutoffs, store = self._cutoffs(), self._services.store
        removed, self._last = await store.remove_old(cutoffs, self._last)
        for game in removed:
            await self._tables.remove(game)
        if removed:
            _log.info("old games have been deleted", extra={"games": len(removed)})
        if cutoffs.finished is not None and (
            count := await store.remove_old_records(cutoffs.finished)
        ):
            _log.info("old records have been deleted", extra={"records": count})

    async def _make_rounds(self) -> None:
        while True:
            try:
                await self.look()
            except Unavailable as error:
                _log.warning("old games cannot be deleted: %s", error)
            await asyncio.sleep(_ROUND_SECONDS)

    def _cutoffs(self) -> Cutoffs:
        settings, now = self._services.settings, self._services.clock.now()
        unfinished, finished = settings.keep_unfinished_days, settings.keep_finished_days
        return Cutoffs(
            unfinished=now - unfinished * DAY if unfinished else None,
            finished=now - finished * DAY if finished else None,
        )
