"""Turns matches, positions and refusals into messages; nothing else in the server does.

Start with ``matches``. Imports ``wire``, ``game``, ``store`` and ``engines``. Use it as
``presenter.state(...)``: from outside, import the package, not its modules.
"""

from patchwork.server.presenter.hints import hint
from patchwork.server.presenter.matches import (
    clock_terms,
    ending,
    event_view,
    happened,
    own_game,
    state,
    summary,
)
from patchwork.server.presenter.plans import plan
from patchwork.server.presenter.positions import moves_view, position_view
from patchwork.server.presenter.replays import reached, replay
from patchwork.server.presenter.replies import refused, thinking, thought, unavailable

__all__ = [
    "clock_terms",
    "ending",
    "event_view",
    "happened",
    "hint",
    "moves_view",
    "own_game",
    "plan",
    "position_view",
    "reached",
    "refused",
    "replay",
    "state",
    "summary",
    "thinking",
    "thought",
    "unavailable",
]
