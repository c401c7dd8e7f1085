"""All tables: opened, found, woken up, and put away when nobody needs them."""

import asyncio
import logging
import re
from contextlib import suppress

from patchwork.server import wire
from patchwork.server.course import Course
from patchwork.server.opening import new_game
from patchwork.server.store import Unavailable
from patchwork.server.table import Gone, House, Table
from patchwork.server.terms import SECOND

_log = logging.getLogger(__name__)

_ID = re.compile("[a-z0-9]{12}")
"""Anything else is not asked of the database, which may not even take it for a text."""
_ROUNDS = 15.0
"""Seconds from one look at all tables to the next."""
_KEPT = 60 * SECOND
"""How long a table stays in memory after somebody asked for it."""


class Tables:
    """The tables in memory, each there once."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._tables: dict[str, tuple[Table, int]] = {}
        """Each with the time when it was last asked for."""
        self._round: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Goes on where the server stopped."""
        self._round = asyncio.create_task(self._make_rounds())

    async def stop(self) -> None:
        """Finishes what is being stored and says goodbye to everybody."""
        if self._round is not None:
            self._round.cancel()
            await asyncio.gather(self._round, return_exceptions=True)
            self._round = None
        await asyncio.gather(*(table.stop() for table, _ in self._tables.values()))

    async def open(self, new: wire.NewTable, player: str) -> Table:
        """Opens a table for a player.

        Raises:
            Unavailable: it could not be stored.
        """
        game = new_game(new, player, self._house.now())
        await self._house.store.create(game, Course(game.terms, game.events).standing())
        return self.table(game.id)

    def table(self, game: str) -> Table:
        """Returns the table of a game; whether there is such a game, it finds out itself.

        Raises:
            Gone: this cannot be the id of a game.
        """
        if not _ID.fullmatch(game):
            raise Gone(game)
        known = self._tables.get(game)
        table = known[0] if known else Table(game, self._house, self._forget)
        self._tables[game] = (table, self._house.now())
        self._house.metrics.tables.set(len(self._tables))
        return table

    def _forget(self, game: str) -> None:
        self._tables.pop(game, None)
        self._house.metrics.tables.set(len(self._tables))

    async def _make_rounds(self) -> None:
        while True:
            try:
                await self._wake_up()
            except Unavailable as error:
                _log.warning("nobody is woken up: %s", error)
            await asyncio.sleep(_ROUNDS)
            await self._put_away()

    async def _wake_up(self) -> None:
        """Ends games whose time is over, and lets the computer go on in games over days.

        In others it does when their players are back.
        """
        store = self._house.store
        for game in (*await store.overdue(self._house.now()), *await store.computer_to_move()):
            try:
                with suppress(Gone):
                    await self.table(game).wake()
            except Unavailable:
                raise
            except Exception:  # one game that cannot be read must not hold up all others
                _log.exception("a table cannot be woken up", extra={"table": game})

    async def _put_away(self) -> None:
        """Forgets the tables that nobody needs; their games are in the database."""
        now = self._house.now()
        for game, (table, asked) in list(self._tables.items()):
            if table.idle and asked + _KEPT < now:
                self._forget(game)
                await table.stop()
