"""Arguments that an engine or an evaluator refuses."""

import pytest

from engine.search.search_support import Uniform, parse, searched
from patchwork.engine import Engine, Limit
from patchwork.engine.evaluators.rollouts import RolloutEvaluator
from support.positions import HOME, START
from support.positions import OVER as FINISHED


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "a limit needs time or nodes"),
        ({"time": -0.1}, "time is a number of seconds from 0 on"),
        ({"time": float("nan")}, "time is a number of seconds from 0 on"),
        ({"nodes": -1}, "nodes is a number from 0 on"),
        ({"time": 1, "nodes": -1}, "nodes is a number from 0 on"),
    ],
)
def test_a_limit_that_is_none_is_refused(arguments: dict[str, float], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Limit(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"level": 0}, "the levels are 1 to 8, not 0"),
        ({"level": 9}, "the levels are 1 to 8, not 9"),
        ({"level": 3, "evaluator": Uniform()}, "a level or an evaluator, not both"),
        ({"threads": 0}, "threads is a number from 1 on, not 0"),
        ({"memory": 7}, "memory is at least 8 megabytes, not 7"),
        ({"memory": -1}, "memory is at least 8 megabytes, not -1"),
    ],
)
def test_an_engine_out_of_range_is_refused(arguments: dict[str, int], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Engine(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 2**53])
def test_an_engine_refuses_a_seed_out_of_range(seed: int) -> None:
    with pytest.raises(ValueError, match="seed is a number from 0 to"):
        Engine(seed=seed)


@pytest.mark.parametrize("seed", [-1, 2**53 - 1, 2**63 - 1])
def test_any_usual_seed_will_do(seed: int) -> None:
    assert searched(parse(START), 10, seed=seed).visits == 10


@pytest.mark.parametrize("most", [0, 16])
def test_an_evaluator_refuses_placements_that_there_is_no_room_for(most: int) -> None:
    with pytest.raises(ValueError, match="placements_per_patch is 1 to 15"):
        RolloutEvaluator(seed=0, placements_per_patch=most)


def test_a_finished_game_has_no_move_to_find() -> None:
    engine = Engine(1, memory=8)
    with pytest.raises(ValueError, match="the game is over"):
        engine.analyse(parse(FINISHED))
    assert engine.analyse(parse(HOME)).best in parse(HOME).legal_moves()


def test_no_lines_at_all_are_refused() -> None:
    with pytest.raises(ValueError, match="lines is a number from 1 on, not 0"):
        Engine(1, memory=8).analyse(parse(START), lines=0)
