"""Removes games that are older than they are to be kept, a few at a time."""

import asyncio
import logging

from patchwork.server.game.terms import DAY
from patchwork.server.store import Age, Place, Unavailable
from patchwork.server.tables.registry import Tables
from patchwork.server.tables.table import House

_log = logging.getLogger(__name__)

_ROUNDS = 15.0
"""Seconds from one look at a few games to the next."""


class Retention:
    """Goes through all games again and again, where a time is set after which they go."""

    def __init__(self, house: House, tables: Tables) -> None:
        self._house = house
        self._tables = tables
        self._last: Place | None = None
        """The game that was looked at last."""
        self._rounds: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins, if any games are ever to be removed."""
        if self._age() != Age(None, None):
            self._rounds = asyncio.create_task(self._make_rounds())

    async def stop(self) -> None:
        """Removes nothing more."""
        if self._rounds is not None:
            self._rounds.cancel()
            await asyncio.gather(self._rounds, return_exceptions=True)

    async def look(self) -> None:
        """Looks at the next few games and removes those that are too old.

        Raises:
            Unavailable: the database does not answer.
        """
        removed, self._last = await self._house.store.remove_old(self._age(), self._last)
        for game in removed:
            await self._tables.remove(game)
        if removed:
            _log.info("old games are removed", extra={"games": len(removed)})

    async def _make_rounds(self) -> None:
        while True:
            try:
                await self.look()
            except Unavailable as error:
                _log.warning("no old games are removed: %s", error)
            await asyncio.sleep(_ROUNDS)

    def _age(self) -> Age:
        settings, now = self._house.settings, self._house.now()
        unfinished, finished = settings.keep_unfinished_days, settings.keep_finished_days
        return Age(
            unfinished=now - unfinished * DAY if unfinished else None,
            finished=now - finished * DAY if finished else None,
        )
