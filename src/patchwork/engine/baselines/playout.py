"""The frozen engine, ``playout:8`` in matches: the engine as it was before it had a network.

Strengths are measured against it, so its play never changes: every parameter is written out here,
whatever becomes of the defaults, and a test pins the moves of its games.
"""

from patchwork.engine.engine import Engine
from patchwork.engine.evaluators.rollouts import RolloutEvaluator
from patchwork.engine.parameters import EndgameParameters, SearchParameters

_PLACEMENTS_PER_PATCH = 4
_MEMORY = 256
"""Megabytes of the tree."""


class _FrozenEvaluator(RolloutEvaluator):
    batch_size = 64
    search = SearchParameters(
        exploration=1.5,
        first_play_urgency=0.2,
        sibling_delay=0,
        num_considered=0,
        min_visit_share=1.0,
        only_move_nodes=256,
    )
    endgame = EndgameParameters(
        solve_from=24,
        test_from=24,
        max_tested=0,
        proves_winner=False,
        limit_share=0.4,
        states_per_node=0,
        moves_per_state=0,
    )


def playout_engine(seed: int) -> Engine:
    """Returns the frozen engine, which draws its random numbers by a seed."""
    evaluator = _FrozenEvaluator(seed, placements_per_patch=_PLACEMENTS_PER_PATCH)
    return Engine(evaluator=evaluator, seed=seed, memory=_MEMORY)
