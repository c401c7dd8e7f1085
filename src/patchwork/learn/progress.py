"""What a run has done so far, in numbers."""

from dataclasses import dataclass
from typing import NamedTuple


class Tally(NamedTuple):
    """What self-play has done since it started."""

    games: float
    positions: float
    speed: float
    """Evaluations per second, lately."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands. These are the keys in a line of metrics."""

    minutes: float
    """Of the whole run."""
    games: int
    positions: int
    evaluations: float
    """Per second, lately."""
    steps: int
    simulations: int
    """For each move."""
    learning_rate: float
    losses: tuple[tuple[float, ...], ...]
    """Of each learner; see ``training.losses.LOSSES``."""
    first_wins: float
    """Share of the games won by the player who starts, since the number of simulations changed."""
    left: float
    """Minutes left of this call."""
    share_left: float
    """The share of this call that is left."""
