"""The contract of evaluators: what the search asks about positions, and how.

An evaluator answers two questions about a position: how will the game end, and which moves deserve
a look? It also says, as data, how the engine should search with it. To write one, subclass
``Evaluator``; ``examples/own_evaluator.py`` is a complete one.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from patchwork.engine.kernel.state import Numbers, Reals
from patchwork.engine.parameters import EndgameParameters, SearchParameters

CANDIDATES = 48
"""The most moves of a position that a search can consider."""


class Positions(NamedTuple):
    """Unfinished positions of one search, ``b`` of them, as ``kernel.state`` lays them out."""

    states: Numbers
    """[b, WORDS]"""
    circle: Numbers
    """[CIRCLE]: the circle of patches of this game."""
    root: Numbers
    """[WORDS]: the state from which the search started."""
    serial: int
    """The number of the first state within the search; the others follow. Evaluators that draw
    random numbers seed them with it, so that neither batches nor threads change an answer."""

    def part(self, start: int, end: int) -> "Positions":
        """Returns some of the positions."""
        return self._replace(states=self.states[start:end], serial=self.serial + start)


class Evaluation(NamedTuple):
    """What an evaluator says about ``b`` positions."""

    values: Reals
    """[b, 2]: the probability that seat 0 wins, and the points by which it will be ahead. No game
    is drawn, so these also say how seat 1 does."""
    counts: Numbers
    """[b]: how many moves to consider, at least 1."""
    moves: Numbers
    """[b, CANDIDATES]: their codes."""
    priors: Reals
    """[b, CANDIDATES]: the policy, how much each of them deserves a look; a row sums to 1."""
    totals: Reals
    """[b]: the sum of both final scores, or NaN if it is not known."""

    def part(self, start: int, end: int) -> "Evaluation":
        """Returns a view of some of the positions."""
        return Evaluation._make(each[start:end] for each in self)


def new_evaluation(size: int) -> Evaluation:
    """Returns room for an evaluation of ``size`` positions."""
    return Evaluation(
        values=np.zeros((size, 2)),
        counts=np.zeros(size, np.int64),
        moves=np.zeros((size, CANDIDATES), np.int64),
        priors=np.zeros((size, CANDIDATES)),
        totals=np.full(size, np.nan),
    )


class Evaluator(ABC):
    """Says what positions are worth and which moves deserve a look."""

    batch_size: int = 64
    """How many positions to hand over at a time, at most."""
    search: SearchParameters = SearchParameters()
    """How the tree search uses the evaluator."""
    endgame: EndgameParameters = EndgameParameters()
    """How the solver helps the search late in a game."""

    @abstractmethod
    def evaluate(self, positions: Positions, out: Evaluation) -> None:
        """Writes an evaluation of 1 to ``batch_size`` positions."""

    def evaluate_root(self, positions: Positions, out: Evaluation) -> None:
        """Writes an evaluation of the root of a search, which is the only position.

        The root deserves more effort, since it is evaluated once. By default, it gets none.
        """
        self.evaluate(positions, out)
