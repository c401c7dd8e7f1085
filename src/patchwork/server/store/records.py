"""Game records that users have opened, each under an id made from its text."""

import re
from base64 import b32encode
from hashlib import sha256

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from patchwork.server.store.schema import records

_ID_BYTES = 16
"""Of the hash: so many that nobody finds two records with the same id."""
_ID = re.compile("[a-z2-7]{26}")
"""Not every database can look for any text, such as one with NUL."""


def id_of(text: str) -> str:
    """Returns the id of a record: the same for the same text."""
    digest = sha256(text.encode()).digest()[:_ID_BYTES]
    return b32encode(digest).decode().rstrip("=").lower()


async def read(connection: AsyncConnection, record: str) -> tuple[str, int] | None:
    """Returns the text of a record, and when it was last opened; None if there is no such one."""
    if not _ID.fullmatch(record):
        return None
    query = select(records.c.text, records.c.opened).where(records.c.id == record)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else (row.text, row.opened)


async def add(connection: AsyncConnection, text: str, now: int) -> None:
    """Adds a record."""
    await connection.execute(insert(records), {"id": id_of(text), "text": text, "opened": now})


async def note_opening(connection: AsyncConnection, record: str, now: int) -> None:
    """Notes that a record was opened."""
    own = update(records).where(records.c.id == record)
    await connection.execute(own.values(opened=now))


async def remove(connection: AsyncConnection, before: int, count: int) -> int:
    """Deletes some of the records last opened before a time; returns how many."""
    old = select(records.c.id).where(records.c.opened < before).limit(count)
    return (await connection.execute(delete(records).where(records.c.id.in_(old)))).rowcount
