"""All tables of the server: opened, found, woken, and unloaded when nobody needs them."""

import asyncio
import logging
import re
from contextlib import suppress

from patchwork.server import wire
from patchwork.server.game.match import Match
from patchwork.server.game.terms import SECOND
from patchwork.server.services import Services
from patchwork.server.store import Unavailable
from patchwork.server.tables.opening import new_game
from patchwork.server.tables.table import NoSuchGame, Table

_log = logging.getLogger(__name__)

_ID = re.compile("[a-z0-9]{12}")
"""The ids of games. No other text reaches the database, which may not even accept it."""
_ROUND_SECONDS = 15.0
"""From one round of all tables to the next: computers and clocks wait no longer after a restart."""
_PAGE = 20
"""Games of a player who is being deleted that are looked up at a time."""
_KEPT = 60 * SECOND
"""How long a table stays in memory after the last request for it."""


class Tables:
    """The tables in memory, one for each game."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._tables: dict[str, tuple[Table, int]] = {}
        """Each with the time of the last request for it."""
        self._rounds: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Continues all games that go on without their players."""
        self._rounds = asyncio.create_task(self._make_rounds())

    async def stop(self) -> None:
        """Closes all tables once what is being stored is stored."""
        if self._rounds is not None:
            self._rounds.cancel()
            await asyncio.gather(self._rounds, return_exceptions=True)
            self._rounds = None
        await asyncio.gather(*(table.stop() for table, _ in self._tables.values()))

    async def open(self, new: wire.NewTable, player: str) -> Table:
        """Opens a table for a player.

        Raises:
            Unavailable: it could not be stored.
        """
        game = new_game(new, player, self._services.clock.now())
        await self._services.store.create(game, Match(game.terms, game.events).status())
        return self.table(game.id)

    def table(self, game: str) -> Table:
        """Returns the table of a game, which finds out by itself whether the game exists.

        Raises:
            NoSuchGame: this cannot be the id of a game.
        """
        if not _ID.fullmatch(game):
            raise NoSuchGame(game)
        known = self._tables.get(game)
        table = known[0] if known else Table(game, self._services, self._unload)
        self._tables[game] = (table, self._services.clock.now())
        self._count()
        return table

    async def forget(self, player: str) -> None:
        """Takes a player out of all games.

        Raises:
            Unavailable: the database does not answer; some games may be left.
        """
        tried: set[str] = set()
        while found := [
            listed.id
            for listed in await self._services.store.games_of(player, limit=_PAGE)
            if listed.id not in tried
        ]:
            for game in found:
                tried.add(game)
                needed = game in self._tables
                try:
                    with suppress(NoSuchGame):
                        await self.table(game).forget(player)
                except Unavailable:
                    raise
                except Exception:  # one game that cannot be read must not block the others
                    _log.exception("a player cannot be removed", extra={"table": game})
                if not needed and self.table(game).idle:
                    await self.remove(game)

    def disconnect(self, player: str) -> None:
        """Ends the connections of a player, and of all who count as one, at all tables."""
        for table, _ in self._tables.values():
            table.disconnect(player)

    async def reload(self, player: str) -> None:
        """Reads the games of a player again, who may have been deleted through another server.

        Raises:
            Unavailable: the database does not answer.
        """
        for table, _ in list(self._tables.values()):
            with suppress(NoSuchGame):
                await table.reload(player)

    async def remove(self, game: str) -> None:
        """Closes the table of a game, if it is in memory."""
        if game in self._tables:
            table, _ = self._tables[game]
            self._unload(game)
            await table.stop()

    def _unload(self, game: str) -> None:
        self._tables.pop(game, None)
        self._count()

    def _count(self) -> None:
        self._services.metrics.tables.set(len(self._tables))

    async def _make_rounds(self) -> None:
        while True:
            try:
                await self._wake_tables()
            except Unavailable as error:
                _log.warning("tables are not woken: %s", error)
            await asyncio.sleep(_ROUND_SECONDS)
            await self._unload_idle()

    async def _wake_tables(self) -> None:
        """Ends games whose time is up, and lets the computer move in games with days per move.

        In other games the computer continues when the player is back.
        """
        store = self._services.store
        overdue = await store.overdue(self._services.clock.now())
        for game in (*overdue, *await store.computer_to_move()):
            try:
                with suppress(NoSuchGame):
                    await self.table(game).wake()
            except Unavailable:
                raise
            except Exception:  # one game that cannot be read must not block the others
                _log.exception("a table cannot be woken", extra={"table": game})

    async def _unload_idle(self) -> None:
        """Closes the tables that nobody needs; their games are in the database."""
        now = self._services.clock.now()
        for game, (table, requested) in list(self._tables.items()):
            if table.idle and requested + _KEPT < now:
                self._unload(game)
                await table.stop()
