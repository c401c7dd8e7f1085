"""What the tests of the search share: positions, evaluators, and short ways to run a search."""

from pathlib import Path

import numpy as np
import pytest

import patchwork as pw
from patchwork.engine import Analysis, Limit
from patchwork.engine.evaluators.evaluator import Evaluation, Evaluator, Positions
from patchwork.engine.evaluators.network import SHIPPED
from patchwork.engine.evaluators.rollouts import RolloutEvaluator
from patchwork.engine.kernel import rules
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.state import OVER, PHASE
from patchwork.engine.parameters import SearchParameters
from patchwork.engine.search.mcts import Search
from patchwork.engine.search.tree import Tree
from patchwork.rules.moves import MOST_LEGAL_MOVES
from support.positions import VALID
from support.quilts import quilt, table

Move = pw.Advance | pw.Buy | pw.Leather
MEGABYTE = 1 << 20
BENCH = {
    name: VALID[name] for name in ("start", "bought", "middle", "leather", "1 x 2 gone", "revised")
}
bench = pytest.mark.parametrize("text", BENCH.values(), ids=BENCH)
NETWORKS: dict[str, Path | None] = {"network": SHIPPED, "no network": None}
with_and_without = pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)


def never() -> bool:
    return False


def parse(text: str) -> pw.Position:
    return pw.Position.parse(text)


def searched(position: pw.Position, nodes: int, *, seed: int = 0, lines: int = 1) -> Analysis:
    """Returns what the search finds without the solver."""
    search = Search(RolloutEvaluator(seed), 16 * MEGABYTE)
    return search.run(position, Limit(nodes=nodes), lines, never)


def tree_of(search: Search) -> Tree:
    return search._tree


class Uniform(Evaluator):
    """Values the points now and gives all moves the same prior."""

    def __init__(
        self, batch_size: int = 4, most: int = 40, search: SearchParameters | None = None
    ) -> None:
        self.batch_size = batch_size
        self.search = search or SearchParameters()
        self.calls = 0
        self._most = most

    def evaluate(self, positions: Positions, out: Evaluation) -> None:
        self.calls += 1
        assert 1 <= len(positions.states) <= self.batch_size
        codes = np.empty(MOST_LEGAL_MOVES, np.int64)
        scratch = np.empty((rules.SCRATCH, LANES), np.int64)
        for number, state in enumerate(positions.states):
            assert state[PHASE] != OVER
            count = min(rules.legal_moves(state, positions.circle, codes, scratch), self._most)
            out.counts[number] = count
            out.moves[number, :count] = codes[:count]
            out.priors[number, :count] = 1 / count
            margin = rules.score(state, 0) - rules.score(state, 1)
            out.values[number] = 0.5 + margin / 1000, margin


def forced() -> pw.Position:
    """A position with an advance as the only legal move, and more decisions after it."""
    return table(
        pw.Player(quilt("###......"), buttons=0, income=1, time=20),
        pw.Player(quilt("####....."), buttons=9, income=2, time=22),
        circle=(1, 3, 4, 5, 6, 7, 8),
    )
