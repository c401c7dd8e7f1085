"""Computer players: ``Engine``, which searches, and simple ones to measure it against.

Start with ``engine``; then ``parameters`` and the packages in the order in which they import each
other: ``kernel``, ``evaluators``, ``patterns``, ``search``, ``endgame``, ``baselines``. Imports
``rules``, and needs the extra ``play``, except for ``analysis``, ``levels`` and ``greedy``.
``Engine`` is imported when it is first used, so that no other program waits for it.
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
