"""Players by program: ``Engine`` searches; ``greedy`` needs the rules alone.

The engine needs the extra ``play``. It is imported when it is first asked for, so that those who do
not ask never wait for it.
"""

from typing import TYPE_CHECKING

from patchwork.engine.analysis import Analysis, Limit, Line

if TYPE_CHECKING:
    from patchwork.engine.engine import Engine

__all__ = ["Analysis", "Engine", "Limit", "Line"]


def __getattr__(name: str) -> object:
    if name != "Engine":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from patchwork.engine.engine import Engine

    return Engine
