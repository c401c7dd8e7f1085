"""The search keeps within its limits of nodes and time."""

import pytest

import patchwork as pw
from engine.searching import forced, parse
from patchwork.engine import Engine, Limit
from positions import HOME, LEATHER, MIDDLE, START


@pytest.mark.parametrize("nodes", [1, 2, 3, 17, 256, 257, 1_000])
def test_looks_at_exactly_as_many_positions_as_the_limit_says(nodes: int) -> None:
    engine = Engine(6, memory=8)
    for text in (START, LEATHER):
        found = engine.analyse(parse(text), Limit(nodes=nodes))
        assert found.visits == nodes
        assert found.best in parse(text).legal_moves()


@pytest.mark.parametrize("limit", [Limit(nodes=0), Limit(time=0), Limit(time=0, nodes=0)])
def test_a_limit_of_nothing_still_finds_a_legal_move(limit: Limit) -> None:
    engine = Engine(8, memory=8)
    for text in (START, MIDDLE, LEATHER, HOME):
        found = engine.analyse(parse(text), limit, lines=3)
        assert found.best in parse(text).legal_moves()
        assert 0 <= found.win <= 1


@pytest.mark.parametrize("limit", [Limit(nodes=10**12), Limit(time=10.0**6)])
def test_a_single_legal_move_is_found_without_using_up_the_limit(limit: Limit) -> None:
    assert forced().legal_moves() == [pw.Advance()]
    found = Engine(8, memory=8).analyse(forced(), limit)
    assert found.best == pw.Advance()
    assert found.visits < 1_000


@pytest.mark.parametrize("nodes", [0, 1, 10])
def test_a_single_legal_move_takes_no_more_nodes_than_the_limit_says(nodes: int) -> None:
    assert Engine(8, memory=8).analyse(forced(), Limit(nodes=nodes)).visits <= max(1, nodes)
