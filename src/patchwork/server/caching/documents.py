"""A cache of what is made from games to be read: pictures, replays, records, analyses.

Each document is made once for all who ask for it at the same time. The latest version of each stays
in memory while there is room.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass

from patchwork.server.caching.conditional import Body

_ROOM = 32 * 2**20
"""Bytes: room for some 400 pictures, which are the largest documents, or 900 replays."""


@dataclass(frozen=True, slots=True)
class _Entry:
    version: Hashable
    body: Body


class DocumentCache:
    """Keeps documents; when it is full, the least recently used ones go."""

    def __init__(self, room: int = _ROOM) -> None:
        """Creates an empty cache with room for so many bytes."""
        self._room = room
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._tasks: dict[tuple[Hashable, Hashable], asyncio.Task[Body]] = {}
        """Documents that are being made, by key and version."""

    async def read(
        self,
        key: Hashable,
        version: Hashable,
        make: Callable[[], Awaitable[bytes]],
        before: Callable[[], None] = lambda: None,
    ) -> Body:
        """Returns a document from the cache, or makes it.

        Args:
            key: which document.
            version: of what it is made from; a document of another version is replaced.
            make: makes the document. It is finished even if whoever asked first goes away.
            before: called before it is made; may raise an exception to prevent that.
        """
        entry = self._entries.get(key)
        if entry is not None and entry.version == version:
            self._entries.move_to_end(key)
            return entry.body
        task = self._tasks.get((key, version))
        if task is None:
            before()
            task = asyncio.create_task(self._make(key, version, make))
            self._tasks[key, version] = task
        return await asyncio.shield(task)

    async def _make(
        self, key: Hashable, version: Hashable, make: Callable[[], Awaitable[bytes]]
    ) -> Body:
        try:
            body = Body.of(await make())
        finally:
            del self._tasks[key, version]
        self._drop(key)
        self._room -= len(body.content)
        self._entries[key] = _Entry(version, body)
        while self._room < 0:
            self._drop(next(iter(self._entries)))
        return body

    def _drop(self, key: Hashable) -> None:
        if (entry := self._entries.pop(key, None)) is not None:
            self._room += len(entry.body.content)
