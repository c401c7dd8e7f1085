"""How strong the engine plays: eight levels, from a friendly beginner to all it can.

A lower level thinks less, and chance has more of a say in which of the good moves it plays; it
never plays a bad move on purpose. ``docs/engine.md`` has the strengths measured.
"""

from dataclasses import dataclass

from patchwork.engine.analysis import Limit


@dataclass(frozen=True, slots=True)
class Level:
    """What a level may do."""

    limit: Limit
    """How long it thinks unless told otherwise."""
    luck: float
    """How much chance there is in what it thinks of first; 0 is none."""
    solves: bool
    """Whether it works out the end of a game exactly."""
    swift: bool = False
    """Whether it looks at many positions by tables, and only at the first one by the network."""


LEVELS = (
    Level(Limit(nodes=1), luck=10.0, solves=False),
    Level(Limit(nodes=1), luck=5.0, solves=False),
    Level(Limit(nodes=1), luck=2.8, solves=False),
    Level(Limit(nodes=1), luck=1.6, solves=False),
    Level(Limit(nodes=1), luck=0.0, solves=False),
    Level(Limit(nodes=32), luck=0.0, solves=True),
    Level(Limit(nodes=128), luck=0.0, solves=True),
    Level(Limit(time=1.0), luck=0.0, solves=True, swift=True),
)
"""Level 1 first."""


@dataclass(frozen=True, slots=True)
class PlainLevel:
    """What a level may do where there is no network.

    It thinks less, sees fewer places for a patch and guesses points less well.
    """

    limit: Limit
    sight: int
    """Places it looks at for each patch."""
    noise: float
    """How far off it guesses the points at the end of a game."""
    solves: bool


PLAIN_LEVELS = (
    PlainLevel(Limit(nodes=12), sight=15, noise=200, solves=False),
    PlainLevel(Limit(nodes=10), sight=3, noise=24, solves=False),
    PlainLevel(Limit(nodes=24), sight=3, noise=16, solves=False),
    PlainLevel(Limit(nodes=48), sight=3, noise=12, solves=False),
    PlainLevel(Limit(nodes=130), sight=3, noise=7, solves=False),
    PlainLevel(Limit(nodes=500), sight=3, noise=0, solves=True),
    PlainLevel(Limit(nodes=4_000), sight=4, noise=0, solves=True),
    PlainLevel(Limit(time=1.0), sight=4, noise=0, solves=True),
)
