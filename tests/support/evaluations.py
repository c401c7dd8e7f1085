"""What an evaluator says about some states, outside of a search."""

import numpy as np

from patchwork.engine.evaluators.evaluator import (
    Evaluation,
    Evaluator,
    Positions,
    new_evaluation,
)
from patchwork.engine.kernel.state import Numbers


def evaluated(
    evaluator: Evaluator, states: Numbers, circle: Numbers, *, serial: int = 1
) -> Evaluation:
    """Returns an evaluation of one state, or of several, below the root of a search."""
    rows = np.atleast_2d(states)
    out = new_evaluation(len(rows))
    evaluator.evaluate(Positions(rows, circle, rows[0], serial), out)
    return out


def evaluated_as_root(evaluator: Evaluator, state: Numbers, circle: Numbers) -> Evaluation:
    """Returns an evaluation of a state as the root of a search."""
    out = new_evaluation(1)
    evaluator.evaluate_root(Positions(state[None], circle, state, 0), out)
    return out
