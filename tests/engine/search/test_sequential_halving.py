"""With a network, sequential halving shares out simulations among the likeliest moves."""

from collections import Counter
from itertools import count

import numpy as np
import pytest

from engine.search.search_support import MEGABYTE, Uniform, bench, never, parse, tree_of
from patchwork.engine import Limit
from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.parameters import SearchParameters
from patchwork.engine.search.gumbel import rounds, schedule
from patchwork.engine.search.mcts import Search
from support.positions import HOME, MIDDLE, START

sizes = pytest.mark.parametrize(
    ("moves", "simulations"),
    [(16, 63), (16, 15), (15, 15), (2, 9), (1, 5), (7, 100), (16, 1_000), (3, 0)],
)


def passes(moves: int, simulations: int) -> list[int]:
    """Returns for each simulation how many visits its move had before."""
    order, before = [], 0
    for left, visits in rounds(moves, simulations):
        for number in range(before, visits):
            order += [number] * left
        before = visits
    return order[:simulations]


@sizes
def test_rounds_are_those_that_learning_uses(moves: int, simulations: int) -> None:
    assert passes(moves, simulations) == schedule(moves, simulations)[moves].tolist()


def root_visits(search: Search) -> list[int]:
    tree = tree_of(search)
    first, edges = int(tree.first_edge[0]), int(tree.edge_count[0])
    return [int(number) for number in tree.visits[first : first + edges] if number > 0]


@pytest.mark.parametrize("nodes", [2, 10, 16, 17, 64, 100, 128])
@pytest.mark.parametrize("text", [START, MIDDLE], ids=["start", "middle"])
def test_moves_get_the_visits_that_the_rounds_say(text: str, nodes: int) -> None:
    search = Search(NetworkEvaluator(), MEGABYTE)
    found = search.run(parse(text), Limit(nodes=nodes), 1, never)
    assert found.visits == nodes
    # A move with k visits got the simulations before which it had 0, 1 ... k - 1.
    before = Counter(passes(min(16, nodes - 1), nodes - 1))
    reached = [sum(count > each for count in root_visits(search)) for each in before]
    assert reached == list(before.values())


@bench
def test_the_move_played_has_enough_visits(text: str) -> None:
    for nodes in (5, 40, 300):
        search = Search(NetworkEvaluator(), MEGABYTE)
        found = search.run(parse(text), Limit(nodes=nodes), 4, never)
        most = max(root_visits(search))
        assert found.lines[0].moves[0] == found.best
        assert found.lines[0].visits >= 0.75 * most


@pytest.mark.parametrize("simulations", [20, 200, 1_500])
def test_without_a_number_of_nodes_simulations_go_on_until_stopped(simulations: int) -> None:
    looks = count()
    search = Search(Uniform(16, search=SearchParameters(num_considered=16)), MEGABYTE)
    found = search.run(parse(START), Limit(time=1e6), 1, lambda: next(looks) > simulations / 8)
    visits = sorted(root_visits(search), reverse=True)
    assert found.visits == 1 + sum(visits)
    assert len(visits) <= 16
    if simulations > 1_000:
        assert visits[0] > 2 * np.median(visits)


def test_a_game_that_ends_at_once_is_searched_too() -> None:
    search = Search(NetworkEvaluator(), MEGABYTE)
    found = search.run(parse(HOME), Limit(nodes=5_000), 1, never)
    assert found.visits == 5_000
    assert found.best in parse(HOME).legal_moves()
