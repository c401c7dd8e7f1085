"""Who the players are: which of their tokens count, and what becomes of those who leave.

What a player revokes is in the database before it is acknowledged; other servers of the database
look there for it every second. Who wishes not to be known any more is taken out of every game, and
that is finished even if the server stops meanwhile.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Coroutine

from starlette.datastructures import Headers

from patchwork.server.game.terms import DAY, MINUTE
from patchwork.server.players import identity
from patchwork.server.players.identity import Credential, Signer
from patchwork.server.store import Key, Revocation, Unavailable
from patchwork.server.tables.registry import Tables
from patchwork.server.tables.table import House

_log = logging.getLogger(__name__)

_WATCH = 1.0
"""Seconds from one look for what was revoked elsewhere to the next."""
_KNOWN = 65_536
"""Players whose keys are remembered; of more, the one that came longest ago is forgotten."""
_KEY = 22
"""Characters of a key."""
_TIDY = 15.0
"""Seconds from one look for those who left to the next."""
_GRACE = MINUTE
"""Until then what was on its way when somebody left may put them into a game."""
_PATIENCE = 5.0
"""Seconds in which somebody who leaves is told when all is done; else it is done later."""


class Players:
    """Recognises players by what they send."""

    def __init__(self, house: House, tables: Tables, signer: Signer) -> None:
        self._house = house
        self._tables = tables
        self._signer = signer
        self._keys = OrderedDict[str, Key]()
        """For those who came lately."""
        self._newest = 0
        """The number of the last change that is known."""
        self._leaving: dict[str, int] = {}
        """Who is still to be taken out of games, and since when."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Begins to look for what is revoked.

        Raises:
            Unavailable: the database does not answer.
        """
        store = self._house.store
        self._newest, self._leaving = await store.newest_revocation(), await store.to_erase()
        self._do(self._watch())
        self._do(self._tidy())

    async def stop(self) -> None:
        """Looks no more; who is left to be taken out of games is when the server starts again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _do(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Who somebody is

    def newcomer(self) -> Credential:
        """Returns what makes somebody new a player."""
        return self.of_today(Credential(identity.new_player()))

    def of_today(self, credential: Credential) -> Credential:
        """Returns a credential as it would be made now."""
        return Credential(credential.player, credential.key, self._house.now() // DAY)

    async def recognise(self, headers: Headers) -> Credential | None:
        """Returns who sent a request, if that can be told.

        Raises:
            PermissionError: it carries a bearer token that is not ours, or is revoked.
            Unavailable: the database does not answer.
        """
        credential = identity.credential_of(self._signer, headers)
        if credential is None or await self.counts(credential):
            return credential
        if identity.bearer_token(headers) is not None:
            raise PermissionError("the bearer token has been revoked")
        return None

    async def counts(self, credential: Credential) -> bool:
        """Returns whether a credential has not been revoked.

        Raises:
            Unavailable: the database does not answer.
        """
        player = credential.player
        found = self._keys.get(player) or await self._house.store.key_of(player)
        return credential.key == self._remember(player, found).text

    def check(self, credential: Credential | None) -> None:
        """Ends the connections of somebody whose token was revoked just when they came."""
        known = self._keys.get(credential.player) if credential else None
        if credential and known and known.text != credential.key:
            self._tables.dismiss(credential.player)

    def _remember(self, player: str, found: Key) -> Key:
        """Returns what is known of a player's key with what was just found, if that is newer."""
        known = self._keys.get(player, found)
        self._keys[player] = max(known, found)
        self._keys.move_to_end(player)
        while len(self._keys) > _KNOWN:
            self._keys.popitem(last=False)
        return self._keys[player]

    # What they revoke

    async def revoke(self, credential: Credential, wish: str) -> Credential:
        """Makes all tokens of a player worthless, and returns the one that counts from now on.

        Args:
            credential: who asks; may be revoked already by this very wish.
            wish: chosen by the one who asks; one that is repeated changes nothing more.

        Raises:
            PermissionError: the credential has been revoked.
            Unavailable: the database does not answer.
        """
        player = credential.player
        key = self._signer.sign("key", f"{player}.{credential.key}.{wish}")[-_KEY:]
        await self._change(player, credential.key, key, erase=False)
        return self.of_today(Credential(player, key))

    async def forget(self, credential: Credential) -> None:
        """Makes all tokens of a player worthless, and takes the player out of all games.

        Once the database has noted it, it happens, even if this returns or fails before.

        Raises:
            PermissionError: the credential has been revoked.
            Unavailable: the database does not answer.
        """
        player = credential.player
        await self._change(player, credential.key, identity.new_player(), erase=True)
        await asyncio.wait((self._do(self._take_out(player)),), timeout=_PATIENCE)

    async def _change(self, player: str, before: str, key: str, *, erase: bool) -> None:
        now = self._house.now()
        found = await self._house.store.revoke(player, before, key, now, erase=erase)
        if found is None:
            raise PermissionError("the token has been revoked")
        if erase:
            self._leaving[player] = now
        self._lock_out(player, found)

    async def _learn(self, revocation: Revocation) -> None:
        """Does what was revoked elsewhere; what was revoked here changes nothing more."""
        if revocation.erase:
            self._leaving.setdefault(revocation.player, revocation.at)
        else:
            self._leaving.pop(revocation.player, None)
        self._lock_out(revocation.player, Key(revocation.number, revocation.key))
        await self._tables.look_again(revocation.player)

    def _lock_out(self, player: str, found: Key) -> None:
        known = self._keys.get(player)
        if self._remember(player, found).text != (known and known.text):
            self._tables.dismiss(player)

    # What goes on by itself

    async def _watch(self) -> None:
        """Learns what was revoked at other servers."""
        while True:
            try:
                for revocation in await self._house.store.revocations_since(self._newest):
                    await self._learn(revocation)
                    self._newest = revocation.number
            except Unavailable as error:
                _log.warning("what was revoked elsewhere is not known: %s", error)
            await asyncio.sleep(_WATCH)

    async def _tidy(self) -> None:
        """Looks once more for those who left."""
        while True:
            await asyncio.sleep(_TIDY)
            for player, at in list(self._leaving.items()):
                if at + _GRACE < self._house.now():
                    await self._take_out(player, finally_=True)

    async def _take_out(self, player: str, *, finally_: bool = False) -> None:
        try:
            await self._tables.forget(player)
            await self._house.store.erased(player, self._house.now(), finished=finally_)
        except Unavailable as error:
            _log.warning("somebody who left is still in games: %s", error)
        else:
            if finally_:
                self._leaving.pop(player, None)
