"""How strong the engine plays: eight levels, from a friendly beginner to all it can.

A lower level thinks less, sees fewer places for a patch and guesses points less well; it never
plays a bad move on purpose. ``docs/engine.md`` has the strengths measured.
"""

from dataclasses import dataclass

from patchwork.engine.analysis import Limit


@dataclass(frozen=True, slots=True)
class Level:
    """What a level may do."""

    limit: Limit
    """How long it thinks unless told otherwise."""
    sight: int
    """Places it looks at for each patch."""
    noise: float
    """How far off it guesses the points at the end of a game."""
    solves: bool
    """Whether it works out the end of a game exactly."""


LEVELS = (
    Level(Limit(nodes=12), sight=15, noise=200, solves=False),
    Level(Limit(nodes=10), sight=3, noise=24, solves=False),
    Level(Limit(nodes=24), sight=3, noise=16, solves=False),
    Level(Limit(nodes=48), sight=3, noise=12, solves=False),
    Level(Limit(nodes=130), sight=3, noise=7, solves=False),
    Level(Limit(nodes=500), sight=3, noise=0, solves=True),
    Level(Limit(nodes=4_000), sight=4, noise=0, solves=True),
    Level(Limit(time=1.0), sight=4, noise=0, solves=True),
)
"""Level 1 first."""
