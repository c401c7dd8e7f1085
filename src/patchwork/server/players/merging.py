"""Players who count as one: a browser that carries on as another player keeps its own games.

Games know their players by id, and these ids never change. A merge only says that from now on the
ids of one player are also those of another one, so it can be undone. Like a revocation, a merge is
in the database before it is acknowledged, and other servers on the same database look for it.
"""

from collections import OrderedDict

from patchwork.server import presenter, wire
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import DAY
from patchwork.server.players.identity import Credential
from patchwork.server.services import Services
from patchwork.server.store import (
    Change,
    Conflict,
    Family,
    Merge,
    Opponents,
    TooManyMerged,
)
from patchwork.server.tables.registry import Tables

UNDO_TIME = DAY
"""For which a merge can be undone; docs/protocol.md says so."""
_CACHED = 65_536
"""Players whose families are kept in memory, so that it is bounded; then the oldest is dropped."""


class Merging:
    """Knows which players count as one, merges them, and undoes that."""

    def __init__(self, services: Services, tables: Tables) -> None:
        self._services = services
        self._tables = tables
        self._families = OrderedDict[str, Family]()
        """Of players who sent something lately."""
        self._changes = 0
        """How often families have changed, so that none is kept that was read before a change."""
        self._newest = 0
        """The number of the last change in the database that is known."""

    async def start(self) -> None:
        """Learns what has happened so far.

        Raises:
            Unavailable: the database does not answer.
        """
        self._newest = await self._services.store.newest_merge()

    async def family_of(self, player: str) -> Family:
        """Returns all players who count as one with a player.

        Raises:
            Unavailable: the database does not answer.
        """
        found = self._families.get(player)
        if found is None:
            changes = self._changes
            found = await self._services.store.family_of(player)
            if changes == self._changes:
                self._families[player] = found
                while len(self._families) > _CACHED:
                    self._families.popitem(last=False)
        return found

    async def prospect(self, sender: Credential | None, maker: Credential) -> wire.Prospect:
        """Returns what carrying on as the maker of a link would lead to.

        Raises:
            Unavailable: the database does not answer.
        """
        store = self._services.store
        theirs = await self.family_of(maker.player)
        counts = await self._count(theirs)
        if sender is None:
            nothing = wire.GameCounts(running=0, finished=0)
            return wire.Prospect(outcome="adopt", own=nothing, maker=counts, against=[])
        family = await self.family_of(sender.player)
        own = await self._count(family)
        if family.head == theirs.head:
            return wire.Prospect(outcome="same", own=own, maker=counts, against=[])
        against = await store.games_between(family.ids, theirs.ids)
        now = self._services.clock.now()
        return wire.Prospect(
            outcome="opponents" if against else "merge",
            own=own,
            maker=counts,
            against=[presenter.summary(game, now) for game in against],
        )

    async def _count(self, family: Family) -> wire.GameCounts:
        counts = await self._services.store.count_games(*family.ids)
        return wire.GameCounts(running=counts.running, finished=counts.finished)

    async def are_one(self, sender: Credential, maker: Credential) -> bool:
        """Returns whether two players count as one already.

        Raises:
            Unavailable: the database does not answer.
        """
        return maker.player in (await self.family_of(sender.player)).ids

    async def merge(self, sender: Credential, maker: Credential) -> None:
        """Makes the sender count as the maker of a link; if that is so already, nothing changes.

        Raises:
            Refusal: they play against each other, or too many would count as one.
            PermissionError: one of the credentials has been revoked.
            Unavailable: the database does not answer.
        """
        keys = {maker.player: maker.key, sender.player: sender.key}
        now = self._services.clock.now()
        try:
            self._apply(await self._services.store.merge(keys, sender.player, maker.player, now))
        except Conflict:  # another server took the number
            await self.merge(sender, maker)
        except Opponents as error:
            raise Refusal(Code.OPPONENTS, str(error)) from error
        except TooManyMerged as error:
            raise Refusal(Code.TOO_MANY, str(error)) from error

    async def undoable(self, player: str) -> Merge | None:
        """Returns the merge that a player may undo; None if there is none.

        Raises:
            Unavailable: the database does not answer.
        """
        latest = (await self.family_of(player)).latest(player)
        if latest is None or latest.at + UNDO_TIME <= self._services.clock.now():
            return None
        return latest

    async def undo(self, credential: Credential, number: int) -> None:
        """Undoes a merge that the player may undo; any other one stays as it is.

        Raises:
            PermissionError: the credential has been revoked.
            Unavailable: the database does not answer.
        """
        now = self._services.clock.now()
        keys = {credential.player: credential.key}
        try:
            self._apply(
                await self._services.store.undo_merge(
                    keys, credential.player, number, now, after=now - UNDO_TIME
                )
            )
        except Conflict:
            await self.undo(credential, number)

    async def look(self) -> None:
        """Looks for changes by other servers.

        Raises:
            Unavailable: the database does not answer.
        """
        for change in await self._services.store.merges_since(self._newest):
            self._apply(change)
            self._newest = change.number

    def _apply(self, change: Change | None) -> None:
        if change is None:
            return
        self._changes += 1
        self._families.clear()
        if change.undone:
            self._tables.disconnect(change.player)
