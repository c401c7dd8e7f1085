"""The server: live tables for two, and no move is ever lost. It needs the extra ``play``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from patchwork.server.app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> object:
    # Imported when asked for: workers that think need little of the server.
    if name != "create_app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from patchwork.server.app import create_app

    return create_app
