"""The tree of a search is consistent and keeps within its memory."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw
from engine.search.search_support import MEGABYTE, Uniform, never, parse, tree_of
from patchwork.engine import Limit
from patchwork.engine.evaluators.evaluator import Evaluator
from patchwork.engine.evaluators.rollouts import RolloutEvaluator
from patchwork.engine.kernel import rules
from patchwork.engine.kernel.state import from_position, to_position
from patchwork.engine.parameters import SearchParameters
from patchwork.engine.search.mcts import Search
from patchwork.engine.search.tree import MARGIN, UTILITY, WIN, utility
from support.positions import HOME, LEATHER, MIDDLE, START, swapped


def used_bytes(search: Search) -> int:
    # What is known of edges lies together: arrays of the tree may be views of one that holds it.
    owners = [array if array.base is None else array.base for array in tree_of(search)]
    return sum({id(owner): owner.nbytes for owner in owners}.values())


def check_tree(search: Search, root: pw.Position, *, full: bool = False) -> None:
    """Checks that visits add up and that each state is what its move leads to."""
    tree = tree_of(search)
    nodes, edges = tree.used.tolist()
    circle = from_position(root)[1]
    assert to_position(tree.states[0], circle, root.edition) == root
    assert (tree.virtual_loss[:edges] == 0).all()
    assert (tree.sums[:edges, WIN] >= 0).all()
    assert (tree.sums[:edges, WIN] <= tree.visits[:edges]).all()
    assert (tree.sums[:edges, UTILITY] >= 0).all()
    assert (tree.sums[:edges, UTILITY] <= tree.visits[:edges]).all()
    assert (tree.sums[:edges, MARGIN][tree.visits[:edges] == 0] == 0).all()
    children = tree.children[:edges]
    assert sorted(children[children >= 0].tolist()) == list(range(1, nodes))
    for node in range(nodes):
        first, count = int(tree.first_edge[node]), int(tree.edge_count[node])
        for edge in range(first, first + max(0, count)):
            child = int(tree.children[edge])
            if child < 0:
                assert full or tree.visits[edge] == 0
                continue
            state = tree.states[node].copy()
            rules.play(state, circle, int(tree.moves[edge]))
            assert (state == tree.states[child]).all()
            start, fan = int(tree.first_edge[child]), int(tree.edge_count[child])
            if fan > 0:
                assert tree.priors[start : start + fan].sum() == pytest.approx(1, abs=1e-5)
                assert tree.visits[edge] == 1 + tree.visits[start : start + fan].sum()


@pytest.mark.parametrize("memory", [1, 8, 100])
def test_a_tree_takes_no_more_memory_than_it_may(memory: int) -> None:
    search = Search(RolloutEvaluator(0), memory * MEGABYTE)
    assert 0.99 * memory * MEGABYTE < used_bytes(search) <= memory * MEGABYTE


@pytest.mark.parametrize(
    ("evaluator", "full"),
    [(RolloutEvaluator(0), 0), (Uniform(16, most=48), 1)],
    ids=["nodes", "edges"],
)
def test_a_full_tree_goes_on_with_what_it_has(evaluator: Evaluator, full: int) -> None:
    search = Search(evaluator, 2 * MEGABYTE)
    room = (len(tree_of(search).states), len(tree_of(search).moves))
    found = search.run(parse(START), Limit(nodes=10_000), 3, never)
    nodes, edges = tree_of(search).used.tolist()
    assert nodes <= room[0]
    assert edges <= room[1]
    assert (nodes == room[0], edges > room[1] - 48)[full]
    assert found.visits == 10_000
    assert used_bytes(search) <= 2 * MEGABYTE
    check_tree(search, parse(START), full=True)
    assert found.best in parse(START).legal_moves()


@pytest.mark.parametrize(
    "text",
    [START, MIDDLE, swapped(LEATHER), HOME],
    ids=["start", "middle", "leather, seats swapped", "home"],
)
def test_visits_add_up_and_every_state_is_what_its_move_leads_to(text: str) -> None:
    search = Search(RolloutEvaluator(0), 16 * MEGABYTE)
    search.run(parse(text), Limit(nodes=1_000), 1, never)
    check_tree(search, parse(text))


@given(st.integers(-150, 150), st.integers(-150, 150))
@settings(deadline=None)
def test_utility_puts_the_win_before_points(one: int, two: int) -> None:
    assert utility(1.0, abs(one)) > utility(0.0, -abs(two))
    for win in (0.0, 1.0):
        assert 0 <= utility(win, one) <= 1
        assert (utility(win, one) > utility(win, two)) == (one > two)
        assert utility(win, one) + utility(1 - win, -one) == pytest.approx(1)


def test_a_placement_waits_until_the_one_before_it_has_enough_visits() -> None:
    delay = 10
    root = parse(START)
    search = Search(Uniform(1, search=SearchParameters(sibling_delay=delay)), 16 * MEGABYTE)
    search.run(root, Limit(nodes=4_000), 1, never)
    check_tree(search, root)
    tree = tree_of(search)
    later = 0
    for node in range(1, int(tree.used[0])):
        first, count = int(tree.first_edge[node]), int(tree.edge_count[node])
        for edge in range(first + 1, first + count):
            pieces = [rules.piece_of(int(tree.moves[each])) for each in (edge - 1, edge)]
            if pieces[0] == pieces[1] and tree.visits[edge] > 0:
                assert tree.visits[edge - 1] >= delay
                later += 1
    assert later > 0
    assert (tree.visits[: int(tree.edge_count[0])] > 0).all()
