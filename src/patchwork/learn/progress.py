"""What a run has done so far, in figures."""

from dataclasses import dataclass
from typing import NamedTuple


class Tally(NamedTuple):
    """What self-play has done since it began."""

    games: float
    positions: float
    speed: float
    """Evaluations a second, lately."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How a run stands."""

    minutes: float
    """Of the whole run."""
    games: int
    positions: int
    evaluations: float
    """For each second, lately."""
    steps: int
    walks: int
    rate: float
    losses: tuple[tuple[float, ...], ...]
    """Of each pupil; see ``training.LOSSES``."""
    first_wins: float
    """Share of the games that the one who begins wins, since the search was last changed."""
    left: float
    """Minutes left of this call."""
    share_left: float
    """The same, as a share of this call."""
