"""How strong the engine plays: eight levels, from a friendly beginner to the best it can do.

A lower level thinks less, and chance decides more about which of the good moves it plays; it never
plays a bad move on purpose. ``docs/engine.md`` has the measured strengths.
"""

from dataclasses import dataclass

from patchwork.engine.analysis import Limit


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the engine with its network."""

    limit: Limit
    """How long it thinks unless asked otherwise."""
    gumbel_scale: float
    """The scale of the noise added to the policy at the root; 0 is none."""
    solves: bool
    """Whether it solves the end of a game exactly."""
    patterns: bool = False
    """Whether it evaluates positions below the root by patterns instead of the network."""


LEVELS = (
    Level(Limit(nodes=1), gumbel_scale=10.0, solves=False),
    Level(Limit(nodes=1), gumbel_scale=5.0, solves=False),
    Level(Limit(nodes=1), gumbel_scale=2.8, solves=False),
    Level(Limit(nodes=1), gumbel_scale=1.6, solves=False),
    Level(Limit(nodes=1), gumbel_scale=0.0, solves=False),
    Level(Limit(nodes=32), gumbel_scale=0.0, solves=True),
    Level(Limit(nodes=128), gumbel_scale=0.0, solves=True),
    Level(Limit(time=1.0), gumbel_scale=0.0, solves=True, patterns=True),
)
"""Level 1 first."""


@dataclass(frozen=True, slots=True)
class RolloutLevel:
    """A level of the engine without a network, which evaluates positions by rollouts.

    A lower level thinks less, considers fewer placements and estimates points less accurately.
    """

    limit: Limit
    placements_per_patch: int
    noise: float
    """The standard deviation of the error in the points at the end of a rollout."""
    solves: bool


ROLLOUT_LEVELS = (
    RolloutLevel(Limit(nodes=12), placements_per_patch=15, noise=200, solves=False),
    RolloutLevel(Limit(nodes=10), placements_per_patch=3, noise=24, solves=False),
    RolloutLevel(Limit(nodes=24), placements_per_patch=3, noise=16, solves=False),
    RolloutLevel(Limit(nodes=48), placements_per_patch=3, noise=12, solves=False),
    RolloutLevel(Limit(nodes=130), placements_per_patch=3, noise=7, solves=False),
    RolloutLevel(Limit(nodes=500), placements_per_patch=3, noise=0, solves=True),
    RolloutLevel(Limit(nodes=4_000), placements_per_patch=4, noise=0, solves=True),
    RolloutLevel(Limit(time=1.0), placements_per_patch=4, noise=0, solves=True),
)
"""Level 1 first."""
