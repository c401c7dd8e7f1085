"""Compiles what the engine needs, or loads it from the disk, before the first move is asked for."""

from collections.abc import Callable
from contextlib import suppress

from patchwork.engine.analysis import Limit
from patchwork.engine.endgame.solver import Solver
from patchwork.engine.evaluators.evaluator import Evaluator
from patchwork.engine.evaluators.network import SHIPPED, NetworkError, NetworkEvaluator
from patchwork.engine.evaluators.rollouts import RolloutEvaluator
from patchwork.engine.patterns.evaluator import PatternEvaluator
from patchwork.engine.patterns.file import SUFFIX
from patchwork.engine.search.mcts import Search
from patchwork.rules.setup import Setup

_MEMORY = 1 << 20
"""Bytes for a tree of two nodes."""
_ENTRIES = 1 << 10
"""States for the solver to remember."""


def prepare(progress: Callable[[int, int], None] | None = None) -> None:
    """Makes every compiled function ready; takes long only the first time after an installation.

    Calls ``progress`` with the number of steps done and the number of all steps.
    """
    position = Setup.random(seed=0).start()

    def search(evaluator: Evaluator) -> None:
        Search(evaluator, _MEMORY).run(position, Limit(nodes=2), 1, lambda: False)

    def search_with_network() -> None:
        with suppress(NetworkError):  # an engine reports it when it is made
            network = NetworkEvaluator()
            search(network)
            search(PatternEvaluator(SHIPPED.with_suffix(SUFFIX), network))

    steps: tuple[Callable[[], object], ...] = (
        lambda: search(RolloutEvaluator(seed=0)),
        search_with_network,
        lambda: Solver(_ENTRIES).solve(position, 2, lambda: False),
    )
    for done, step in enumerate(steps):
        if progress is not None:
            progress(done, len(steps))
        step()
    if progress is not None:
        progress(len(steps), len(steps))
