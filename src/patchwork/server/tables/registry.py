"""All tables: opened, found, woken up, and put away when nobody needs them."""

import asyncio
import logging
import re
from contextlib import suppress

from patchwork.server import wire
from patchwork.server.game.match import Match
from patchwork.server.game.terms import SECOND
from patchwork.server.store import Unavailable
from patchwork.server.tables.opening import new_game
from patchwork.server.tables.table import House, NoSuchGame, Table

_log = logging.getLogger(__name__)

_ID = re.compile("[a-z0-9]{12}")
"""Anything else is not asked of the database, which may not even take it for a text."""
_ROUNDS = 15.0
"""Seconds from one look at all tables to the next."""
_FEW = 20
"""Games of a player who is forgotten that are looked for at a time."""
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
        await self._house.store.create(game, Match(game.terms, game.events).status())
        return self.table(game.id)

    def table(self, game: str) -> Table:
        """Returns the table of a game; whether there is such a game, it finds out itself.

        Raises:
            NoSuchGame: this cannot be the id of a game.
        """
        if not _ID.fullmatch(game):
            raise NoSuchGame(game)
        known = self._tables.get(game)
        table = known[0] if known else Table(game, self._house, self._forget)
        self._tables[game] = (table, self._house.now())
        self._house.metrics.tables.set(len(self._tables))
        return table

    async def forget(self, player: str) -> None:
        """Takes a player out of all games.

        Raises:
            Unavailable: the database does not answer; some games may be left.
        """
        tried: set[str] = set()
        while found := [
            listed.id
            for listed in await self._house.store.games_of(player, limit=_FEW)
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
                except Exception:  # one game that cannot be read must not hold up all others
                    _log.exception("nobody is forgotten at a table", extra={"table": game})
                if not needed and self.table(game).idle:
                    await self.remove(game)

    def dismiss(self, player: str) -> None:
        """Ends the connections of a player everywhere; who may come back does."""
        for table, _ in self._tables.values():
            table.dismiss(player)

    async def look_again(self, player: str) -> None:
        """Reads the games of a player again, who was perhaps forgotten at another server.

        Raises:
            Unavailable: the database does not answer.
        """
        for table, _ in list(self._tables.values()):
            with suppress(NoSuchGame):
                await table.look_again(player)

    async def remove(self, game: str) -> None:
        """Puts the table of a game away that is not kept any longer."""
        if game in self._tables:
            table, _ = self._tables[game]
            self._forget(game)
            await table.stop()

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
                with suppress(NoSuchGame):
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
