"""How a search with few walks spends them at its root: sequential halving, after Gumbel AlphaZero.

A number of moves are considered; each round gives every one the same number of walks and drops the
worse half. What the walks found then turns the network's policy into a better one (Danihelka et
al., "Policy improvement by planning with Gumbel", 2022).
"""

from collections.abc import Iterator
from math import ceil, log2

import numpy as np

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.state import TURN, Numbers, Reals
from patchwork.engine.search.tree import UTILITY, Tree

_VISIT_OFFSET = 50.0
_VALUE_SCALE = 0.7
"""How strongly values count against the policy: more, the more the best move was visited."""


def schedule(considered: int, walks: int) -> Numbers:
    """Returns for each walk how often the move it tries has been tried before.

    Row ``m`` of the result, [considered + 1, walks], is for ``m`` moves.
    """
    rows = [_schedule(moves, walks) for moves in range(considered + 1)]
    return np.array(rows, np.int64)


def _schedule(moves: int, walks: int) -> list[int]:
    order: list[int] = []
    visits = 0
    for left, target in rounds(max(1, moves), walks):
        for before in range(visits, target):
            order += [before] * left
        visits = target
    return order[:walks]


def rounds(moves: int, walks: int) -> Iterator[tuple[int, int]]:
    """Yields how many moves are left in each round, and how often each is then to be visited.

    A round takes about as many walks as any other, and leaves the better half of the moves.
    """
    number = max(1, ceil(log2(moves)))
    left, visits, spent = moves, 0, 0
    while spent < walks:
        more = max(1, walks // (number * left))
        visits += more
        spent += more * left
        yield left, visits
        left = max(min(2, moves), left // 2)


@compiled
def completed_values(tree: Tree, count: int, value: float, scores: Reals) -> float:
    """Writes what the walks say for the first ``count`` moves of the root, on the scale of logits.

    ``value`` is the utility of the root itself for seat 0. A move not tried is worth the mean of
    that and of the moves tried, weighed by the policy; returns that, on the same scale.
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
        unknown = (unknown + total * mean / max(weight, 1e-9)) / (1 + total)
    scale = (_VISIT_OFFSET + most) * _VALUE_SCALE
    for number in range(count):
        known = tree.visits[first + number] > 0
        scores[number] = scale * (scores[number] if known else unknown)
    return scale * unknown


@compiled
def choose(tree: Tree, count: int, wanted: int, base: Reals, scores: Reals) -> int:
    """Returns the number of the best of the root's first moves that were tried ``wanted`` times.

    ``base`` is what each has before any walk: its logit, and luck where moves are to vary.
    """
    first = tree.first_edge[0]
    best, chosen = -np.inf, -1
    for number in range(count):
        if tree.visits[first + number] == wanted and base[number] + scores[number] > best:
            best, chosen = base[number] + scores[number], number
    return chosen


@compiled
def most_visits(tree: Tree, count: int) -> int:
    """Returns how often the most tried of the root's first moves was tried."""
    most = 0
    for edge in range(tree.first_edge[0], tree.first_edge[0] + count):
        most = max(most, tree.visits[edge])
    return most
