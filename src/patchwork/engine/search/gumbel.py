"""Sequential halving, by which a search with few simulations spends them at its root.

Some moves are considered. Each round gives all of them the same number of simulations and drops the
worse half. What the simulations found then improves the network's policy. This is Gumbel AlphaZero:
Danihelka et al., "Policy improvement by planning with Gumbel", 2022.
"""

from collections.abc import Iterator
from math import ceil, log2

import numpy as np

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.state import TURN, Numbers, Reals
from patchwork.engine.search.tree import UTILITY, Tree

_VISIT_OFFSET = 50.0
_VALUE_SCALE = 0.7
"""``c_visit`` and ``c_scale`` of the paper: how much values count beside the policy, which is the
more, the more visits the most visited move has."""
_LEAST_WEIGHT = 1e-9
"""A total prior of the moves tried that is less counts as this much, so that it can divide."""


def schedule(num_considered: int, simulations: int) -> Numbers:
    """Returns for each simulation how many visits the move that it tries must have had before.

    Row ``m`` of the result, [num_considered + 1, simulations], is for ``m`` moves.
    """
    rows = [_schedule(moves, simulations) for moves in range(num_considered + 1)]
    return np.array(rows, np.int64)


def _schedule(moves: int, simulations: int) -> list[int]:
    order: list[int] = []
    visits = 0
    for left, target in rounds(max(1, moves), simulations):
        for before in range(visits, target):
            order += [before] * left
        visits = target
    return order[:simulations]


def rounds(moves: int, simulations: int) -> Iterator[tuple[int, int]]:
    """Yields how many moves are left in each round, and how many visits each has after it.

    All rounds take about the same number of simulations; the better half of the moves go on to the
    next one.
    """
    number = max(1, ceil(log2(moves)))
    left, visits, spent = moves, 0, 0
    while spent < simulations:
        more = max(1, simulations // (number * left))
        visits += more
        spent += more * left
        yield left, visits
        left = max(min(2, moves), left // 2)


@compiled
def completed_values(tree: Tree, count: int, value: float, scores: Reals) -> float:
    """Writes the values of the first ``count`` moves of the root, on the scale of logits.

    ``value`` is the utility of the root itself for seat 0. Moves not tried are worth the mean of
    that and of the moves tried, weighted by the policy. Returns that mean, on the same scale.
    """
    first = tree.first_edge[0]
    mine = tree.states[0, TURN] == 0
    total, most, weight, mean = 0, 0, 0.0, 0.0
    for number in range(count):
        edge = first + number
        visits = tree.visits[edge]
        if visits > 0:
            worth = tree.sums[edge, UTILITY] / visits
            scores[number] = worth if mine else 1.0 - worth
            total += visits
            most = max(most, visits)
            weight += tree.priors[edge]
            mean += tree.priors[edge] * scores[number]
    unknown = value if mine else 1.0 - value
    if total > 0:
        unknown = (unknown + total * mean / max(weight, _LEAST_WEIGHT)) / (1 + total)
    scale = (_VISIT_OFFSET + most) * _VALUE_SCALE
    for number in range(count):
        known = tree.visits[first + number] > 0
        scores[number] = scale * (scores[number] if known else unknown)
    return scale * unknown


@compiled
def choose(tree: Tree, count: int, wanted: int, base: Reals, scores: Reals) -> int:
    """Returns the number of the best of the root's first moves among those with ``wanted`` visits.

    ``base`` is what each is worth before any simulation: its logit, with noise where moves are to
    vary. Returns -1 if no move has ``wanted`` visits.
    """
    first = tree.first_edge[0]
    best, chosen = -np.inf, -1
    for number in range(count):
        if tree.visits[first + number] == wanted and base[number] + scores[number] > best:
            best, chosen = base[number] + scores[number], number
    return chosen


@compiled
def most_visits(tree: Tree, count: int) -> int:
    """Returns the visits of the most visited of the root's first ``count`` moves."""
    most = 0
    for edge in range(tree.first_edge[0], tree.first_edge[0] + count):
        most = max(most, tree.visits[edge])
    return most
