"""What is asked of an engine and what it answers."""

from dataclasses import dataclass

from patchwork.rules.moves import Move

MEMORY = 56
"""Megabytes of the tree by default: room for the positions of a second of level 8 on one core."""
LEAST_MEMORY = 8
"""Megabytes: room for a tree of about twenty thousand positions."""


@dataclass(frozen=True, slots=True)
class Limit:
    """When to stop thinking: whichever of the two comes first; at least one is needed.

    Raises:
        ValueError: there is no limit, or one is negative or not a number.
    """

    time: float | None = None
    """Seconds."""
    nodes: int | None = None
    """Positions evaluated; without a network, also states that the solver visits."""

    def __post_init__(self) -> None:
        if self.time is None and self.nodes is None:
            raise ValueError("a limit needs time or nodes")
        if self.time is not None and not self.time >= 0:
            raise ValueError(f"time is a number of seconds from 0 on, not {self.time}")
        if self.nodes is not None and self.nodes < 0:
            raise ValueError(f"nodes is a number from 0 on, not {self.nodes}")


@dataclass(frozen=True, slots=True)
class Line:
    """A first move, what is expected to follow, and what that is worth."""

    moves: tuple[Move, ...]
    win: float
    """Probability that the seat to move wins, 0 to 1."""
    margin: float
    """Expected final score of the seat to move, less that of the other one."""
    visits: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an engine has found out about a position."""

    best: Move
    win: float
    """Probability that ``seat`` wins, 0 to 1."""
    margin: float
    """Expected final score of ``seat``, less that of the other one."""
    seat: int
    """The seat to move."""
    lines: tuple[Line, ...]
    """The best first moves, best first."""
    visits: int
    """Positions evaluated by the search and states visited by the solver."""
    exact: bool
    """Whether the result is proven, with perfect play of both from here on, and not estimated."""
    scores: tuple[float, float] | None = None
    """Expected final scores of seat 0 and seat 1, if they are known."""


def final_scores(total: float, ahead: float) -> tuple[float, float]:
    """Returns the scores that add up to a total if seat 0 ends that far ahead."""
    return (total + ahead) / 2, (total - ahead) / 2
