"""Games with their logs and records in a database, SQLite or PostgreSQL.

What the store has acknowledged survives the end of the process. Start with ``store``. Imports
``game``. From outside, import the package, or ``backup``, not the other modules.
"""

from patchwork.server.store.merges import (
    Change,
    Family,
    GameCounts,
    Merge,
    Opponents,
    TooManyMerged,
)
from patchwork.server.store.records import id_of as record_id
from patchwork.server.store.removing import Cursor, Cutoffs
from patchwork.server.store.revocations import Key, Revocation
from patchwork.server.store.store import Store
from patchwork.server.store.stored import (
    Conflict,
    Listed,
    StoredGame,
    Unavailable,
    UnknownVersion,
)
from patchwork.server.store.urgency import Urgency

__all__ = [
    "Change",
    "Conflict",
    "Cursor",
    "Cutoffs",
    "Family",
    "GameCounts",
    "Key",
    "Listed",
    "Merge",
    "Opponents",
    "Revocation",
    "Store",
    "StoredGame",
    "TooManyMerged",
    "Unavailable",
    "UnknownVersion",
    "Urgency",
    "record_id",
]
