"""The schedule of sequential halving gives each round its share of the simulations."""

from collections import Counter

import pytest

from patchwork.engine.search.gumbel import schedule


@pytest.mark.parametrize("simulations", [1, 7, 16, 32, 64, 200])
@pytest.mark.parametrize("moves", [1, 2, 3, 8, 16])
def test_there_is_always_a_move_tried_as_often_as_wanted(moves: int, simulations: int) -> None:
    visits = [0] * moves
    for wanted in schedule(moves, simulations)[moves].tolist():
        visits[visits.index(wanted)] += 1
    assert sum(visits) == simulations


def test_each_round_drops_half_of_the_moves() -> None:
    visits = Counter[int]()
    for wanted in schedule(16, 64)[16].tolist():
        visits[wanted] += 1
    # Simulations by the visits that their move had before, for all moves still considered.
    assert [visits[number] for number in range(15)] == [16, *[8] * 2, *[4] * 4, *[2] * 8]


def test_without_simulations_the_schedule_is_empty() -> None:
    assert schedule(16, 0).shape == (17, 0)
