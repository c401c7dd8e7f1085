"""The players: recognised by their tokens, which they can revoke, and deleted when they ask for it.

A player may have several ids, since players can be merged; see ``merging``.

A revocation is in the database before it is acknowledged; other servers on the same database look
for it every second. A player who is deleted is taken out of every game, and that is finished even
if the server stops in between.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Coroutine

from starlette.datastructures import Headers

from patchwork.server.engines.fair_queue import Requester
from patchwork.server.game.terms import DAY, MINUTE
from patchwork.server.players import identity
from patchwork.server.players.identity import Credential, Signer
from patchwork.server.players.merging import Merging
from patchwork.server.services import Services
from patchwork.server.store import Key, Revocation, Unavailable
from patchwork.server.tables.registry import Tables

_log = logging.getLogger(__name__)

_WATCH_SECONDS = 1.0
"""From one look for revocations by other servers to the next; a promise of docs/protocol.md."""
_CACHED_KEYS = 65_536
"""Players whose keys are kept in memory, so that it is bounded; then the oldest one is dropped."""
_KEY_LENGTH = 22
"""Characters of a key: 128 bits and a little more, in Base64."""
_TIDY_SECONDS = 15.0
"""From one look for deleted players to the next."""
_GRACE = MINUTE
"""For which requests that were under way may still put a deleted player into a game."""
_DELETION_SECONDS = 5.0
"""For which the answer to a deletion waits for its end; after that, it goes on by itself."""


class Players:
    """Issues, recognises and revokes what identifies players."""

    def __init__(self, services: Services, tables: Tables, signer: Signer) -> None:
        self._services = services
        self._tables = tables
        self._signer = signer
        self.merging = Merging(services, tables)
        self._keys = OrderedDict[str, Key]()
        """Of players who sent something lately."""
        self._newest = 0
        """The number of the last revocation that is known."""
        self._deleted: dict[str, int] = {}
        """Players who are still to be taken out of games, and since when."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Starts to look for revocations and deletions.

        Raises:
            Unavailable: the database does not answer.
        """
        store = self._services.store
        self._newest, self._deleted = await store.newest_revocation(), await store.to_erase()
        await self.merging.start()
        self._spawn(self._watch())
        self._spawn(self._tidy())

    async def stop(self) -> None:
        """Stops; deletions that are unfinished continue when the server starts again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Recognition

    def newcomer(self) -> Credential:
        """Returns the credential of a new player."""
        return self.of_today(Credential(identity.new_player()))

    def of_today(self, credential: Credential) -> Credential:
        """Returns a credential with today's date."""
        return Credential(credential.player, credential.key, self._services.clock.now() // DAY)

    async def recognise(self, headers: Headers) -> Credential | None:
        """Returns who sent a request; None if that is unknown.

        Raises:
            PermissionError: there is a bearer token that is not from this server, or revoked.
            Unavailable: the database does not answer.
        """
        credential = self.read(headers)
        if credential is None or await self.is_valid(credential):
            return credential
        if identity.bearer_token(headers) is not None:
            raise PermissionError("the bearer token has been revoked")
        return None

    async def requester(self, credential: Credential | None, address: str) -> Requester:
        """Returns who sends a request, under all ids of the player, and from where.

        Raises:
            Unavailable: the database does not answer.
        """
        if credential is None:
            return Requester(None, address)
        family = await self.merging.family_of(credential.player)
        if not family.merges:
            return Requester(family.head, address)
        return Requester(family.head, address, family.ids_from(credential.player))

    def read(self, headers: Headers) -> Credential | None:
        """Returns what the headers of a request prove, even if it has been revoked.

        Raises:
            PermissionError: there is a bearer token that is not from this server.
        """
        return identity.credential_of(self._signer, headers)

    def token_of(self, credential: Credential) -> str:
        """Returns the token that a client sends to be recognised."""
        return identity.token_of(self._signer, credential)

    def carry_token(self, credential: Credential, expires: int) -> str:
        """Returns the token of a carry link, which makes another device the same player."""
        return identity.carry_token(self._signer, credential, expires)

    async def carried(self, token: str, now: int) -> Credential | None:
        """Returns who made the token of a carry link; None if it is not valid any more.

        Raises:
            Unavailable: the database does not answer.
        """
        credential = identity.read_carry_token(self._signer, token, now)
        if credential is None or not await self.is_valid(credential):
            return None
        return self.of_today(credential)

    async def is_valid(self, credential: Credential) -> bool:
        """Returns whether a credential has not been revoked.

        Raises:
            Unavailable: the database does not answer.
        """
        player = credential.player
        found = self._keys.get(player) or await self._services.store.key_of(player)
        return credential.key == self._remember(player, found).text

    async def disconnect_if_changed(
        self, credential: Credential | None, requester: Requester
    ) -> None:
        """Ends the connections of a player who lost a token or an id while connecting.

        Raises:
            Unavailable: the database does not answer.
        """
        if credential is None:
            return
        known = self._keys.get(credential.player)
        now = await self.requester(credential, requester.address or "")
        if (known and known.text != credential.key) or now != requester:
            self._tables.disconnect(credential.player)

    def _remember(self, player: str, found: Key) -> Key:
        """Returns the newer of the key in memory and the one that was just found."""
        known = self._keys.get(player, found)
        self._keys[player] = max(known, found)
        self._keys.move_to_end(player)
        while len(self._keys) > _CACHED_KEYS:
            self._keys.popitem(last=False)
        return self._keys[player]

    # Revocation and deletion

    async def revoke(self, credential: Credential, request: str) -> Credential:
        """Invalidates all tokens of a player, under all ids, and returns a new credential.

        Args:
            credential: who asks; may already have been revoked by this very request.
            request: an id chosen by the client; repeating a request changes nothing more.

        Raises:
            PermissionError: the credential has been revoked.
            Unavailable: the database does not answer.
        """
        player = credential.player
        key = self._signer.sign("key", f"{player}.{credential.key}.{request}")[-_KEY_LENGTH:]
        await self._change(player, credential.key, key, erase=False)
        # The new one is of the head: were it of a merged player, undoing that would leave the head
        # without anybody.
        return self.of_today(Credential((await self.merging.family_of(player)).head, key))

    async def forget(self, credential: Credential) -> None:
        """Invalidates all tokens of a player, under all ids, and takes them out of all games.

        Once it is stored that the player is deleted, it happens, even if this fails later.

        Raises:
            PermissionError: the credential has been revoked.
            Unavailable: the database does not answer.
        """
        key = identity.new_player()
        players = await self._change(credential.player, credential.key, key, erase=True)
        deletions = [self._spawn(self._take_out(player)) for player in players]
        await asyncio.wait(deletions, timeout=_DELETION_SECONDS)

    async def _change(self, player: str, before: str, key: str, *, erase: bool) -> list[str]:
        """Changes the key of a player and of all who count as one; returns who they are."""
        now = self._services.clock.now()
        changed = await self._services.store.revoke(player, before, key, now, erase=erase)
        if changed is None:
            raise PermissionError("the token has been revoked")
        for each, found in changed.items():
            if erase:
                self._deleted[each] = now
            self._apply(each, found)
        return list(changed)

    async def _apply_foreign(self, revocation: Revocation) -> None:
        """Applies a revocation by another server; one by this server changes nothing more."""
        if revocation.erase:
            self._deleted.setdefault(revocation.player, revocation.at)
        else:
            self._deleted.pop(revocation.player, None)
        self._apply(revocation.player, Key(revocation.number, revocation.key))
        await self._tables.reload(revocation.player)

    def _apply(self, player: str, found: Key) -> None:
        known = self._keys.get(player)
        if self._remember(player, found).text != (known and known.text):
            self._tables.disconnect(player)

    # In the background

    async def _watch(self) -> None:
        """Looks for revocations and merges by other servers."""
        while True:
            try:
                for revocation in await self._services.store.revocations_since(self._newest):
                    await self._apply_foreign(revocation)
                    self._newest = revocation.number
                await self.merging.look()
            except Unavailable as error:
                _log.warning("revocations and merges by other servers are unknown: %s", error)
            await asyncio.sleep(_WATCH_SECONDS)

    async def _tidy(self) -> None:
        """Looks once more for games of deleted players."""
        while True:
            await asyncio.sleep(_TIDY_SECONDS)
            for player, at in list(self._deleted.items()):
                if at + _GRACE < self._services.clock.now():
                    await self._take_out(player, final=True)

    async def _take_out(self, player: str, *, final: bool = False) -> None:
        try:
            await self._tables.forget(player)
            await self._services.store.erased(player, self._services.clock.now(), finished=final)
        except Unavailable as error:
            _log.warning("a deleted player is still in games: %s", error)
        else:
            if final:
                self._deleted.pop(player, None)
