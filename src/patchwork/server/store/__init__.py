"""The store of the server's games."""

from patchwork.server.store.removing import Age, Place
from patchwork.server.store.revocations import Key, Revocation
from patchwork.server.store.store import Store
from patchwork.server.store.stored import (
    Conflict,
    Listed,
    StoredGame,
    Unavailable,
    UnknownVersion,
)

__all__ = [
    "Age",
    "Conflict",
    "Key",
    "Listed",
    "Place",
    "Revocation",
    "Store",
    "StoredGame",
    "Unavailable",
    "UnknownVersion",
]
