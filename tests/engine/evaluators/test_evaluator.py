"""The contract between the engine and an evaluator, as a user's own evaluator sees it."""

import numpy as np
import pytest

import patchwork as pw
from engine.search.search_support import Uniform, forced, parse
from patchwork.engine import Engine, Limit
from patchwork.engine.baselines.greedy import greedy
from patchwork.engine.evaluators.evaluator import Evaluation, Positions
from patchwork.engine.kernel.state import Numbers, from_position
from patchwork.engine.parameters import EndgameParameters, SearchParameters
from patchwork.rules.timeboard import LAST
from support.positions import MIDDLE


class Recording(Uniform):
    """Remembers what it is asked."""

    def __init__(self, batch_size: int = 4, search: SearchParameters | None = None) -> None:
        super().__init__(batch_size, search=search)
        self.roots: list[Positions] = []
        self.asked: list[Positions] = []

    def evaluate(self, positions: Positions, out: Evaluation) -> None:
        self.asked.append(positions._replace(states=positions.states.copy()))
        super().evaluate(positions, out)

    def evaluate_root(self, positions: Positions, out: Evaluation) -> None:
        assert not self.asked
        self.roots.append(positions._replace(states=positions.states.copy()))
        super().evaluate(positions, out)


def same(one: Numbers, other: Numbers) -> bool:
    return bool(np.array_equal(one, other))


@pytest.mark.parametrize("num_considered", [0, 8])
@pytest.mark.parametrize("batch_size", [1, 5])
def test_each_search_asks_about_its_root_first_and_numbers_all_positions(
    batch_size: int, num_considered: int
) -> None:
    evaluator = Recording(batch_size, SearchParameters(num_considered=num_considered))
    Engine(evaluator=evaluator, memory=8).analyse(parse(MIDDLE), Limit(nodes=200))
    state, circle = from_position(parse(MIDDLE))
    (root,) = evaluator.roots
    assert same(root.states, state[None])
    assert root.serial == 0
    serials = [0]
    for positions in evaluator.asked:
        assert same(positions.root, state)
        assert same(positions.circle, circle)
        assert 1 <= len(positions.states) <= batch_size
        serials += range(positions.serial, positions.serial + len(positions.states))
    assert serials == sorted(set(serials))


def test_a_part_of_positions_keeps_their_numbers() -> None:
    states = np.arange(12).reshape(6, 2)
    part = Positions(states, states[0], states[1], 10).part(2, 5)
    assert same(part.states, states[2:5])
    assert part.serial == 12
    assert same(part.root, states[1])


def test_an_evaluator_decides_how_many_nodes_an_only_move_is_worth() -> None:
    evaluator = Uniform(search=SearchParameters(only_move_nodes=17))
    found = Engine(evaluator=evaluator, memory=8).analyse(forced(), Limit(nodes=1_000))
    assert found.visits == 17


def spaces_left(position: pw.Position) -> int:
    return sum(LAST - player.time for player in position.players)


def late() -> pw.Position:
    """A position in which the solver finds the result, with a choice to make."""
    position = pw.Setup.random(seed=5).start()
    while not (spaces_left(position) <= 14 and len(position.legal_moves()) > 3):
        position = position.play(greedy(position))
    return position


class Endgame(Uniform):
    """Asks for help late in a game in a way of its own."""

    def __init__(self, endgame: EndgameParameters) -> None:
        super().__init__()
        self.endgame = endgame


def test_an_evaluator_decides_whether_the_solver_helps() -> None:
    limit = Limit(nodes=20_000)
    alone = Endgame(EndgameParameters(solve_from=0, test_from=0))
    assert not Engine(evaluator=alone, memory=8).analyse(late(), limit).exact
    helped = Endgame(EndgameParameters(proves_winner=False))
    assert Engine(evaluator=helped, memory=8).analyse(late(), limit).exact


def test_states_of_the_solver_are_nodes_of_the_limit_or_have_a_limit_of_their_own() -> None:
    few = Limit(nodes=20)
    assert not Engine(evaluator=Uniform(), memory=8).analyse(late(), few).exact
    generous = Endgame(EndgameParameters(states_per_node=2_000))
    found = Engine(evaluator=generous, memory=8).analyse(late(), few)
    assert found.exact
    assert found.visits > 20
