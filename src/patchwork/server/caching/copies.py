"""What is made of games to be read: pictures, replays, records, analyses.

Each is made once for all who ask, and kept in memory while there is room, the latest of each.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass

from patchwork.server.caching.conditional import Body

_ROOM = 32 * 2**20
"""Bytes."""


@dataclass(frozen=True, slots=True)
class _Copy:
    version: Hashable
    body: Body


class Copies:
    """Copies that are kept; where there is no room, what was read longest ago goes."""

    def __init__(self, room: int = _ROOM) -> None:
        """Makes room for so many bytes."""
        self._room = room
        self._kept: OrderedDict[Hashable, _Copy] = OrderedDict()
        self._making: dict[tuple[Hashable, Hashable], asyncio.Task[Body]] = {}

    async def read(
        self,
        key: Hashable,
        version: Hashable,
        make: Callable[[], Awaitable[bytes]],
        before: Callable[[], None] = lambda: None,
    ) -> Body:
        """Returns a copy that is kept or being made, or makes it.

        Args:
            key: what it is a copy of.
            version: of that; another version's copy is not returned, and gives way.
            make: makes it, to the end even if the one who asks goes away.
            before: is called before it is made; what it raises keeps it from that.
        """
        kept = self._kept.get(key)
        if kept is not None and kept.version == version:
            self._kept.move_to_end(key)
            return kept.body
        making = self._making.get((key, version))
        if making is None:
            before()
            making = asyncio.create_task(self._make(key, version, make))
            self._making[key, version] = making
        return await asyncio.shield(making)

    async def _make(
        self, key: Hashable, version: Hashable, make: Callable[[], Awaitable[bytes]]
    ) -> Body:
        try:
            body = Body.of(await make())
        finally:
            del self._making[key, version]
        self._drop(key)
        self._room -= len(body.content)
        self._kept[key] = _Copy(version, body)
        while self._room < 0:
            self._drop(next(iter(self._kept)))
        return body

    def _drop(self, key: Hashable) -> None:
        if (copy := self._kept.pop(key, None)) is not None:
            self._room += len(copy.body.content)
