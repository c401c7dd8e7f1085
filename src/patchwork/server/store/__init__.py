"""The store of the server's games."""

from patchwork.server.store.store import Store
from patchwork.server.store.stored import (
    Conflict,
    Listed,
    StoredGame,
    Unavailable,
    UnknownVersion,
)

__all__ = ["Conflict", "Listed", "Store", "StoredGame", "Unavailable", "UnknownVersion"]
