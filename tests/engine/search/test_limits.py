"""The search keeps within its limits of nodes and time."""

from pathlib import Path

import pytest

import patchwork as pw
from engine.search.search_support import forced, parse, with_and_without
from patchwork.engine import Engine, Limit
from support.positions import HOME, LEATHER, MIDDLE, START


@with_and_without
@pytest.mark.parametrize("nodes", [1, 2, 3, 17, 128, 129, 257, 500])
def test_visits_are_exactly_those_of_the_limit(nodes: int, network: Path | None) -> None:
    engine = Engine(6, network=network, memory=8)
    for text in (START, LEATHER):
        found = engine.analyse(parse(text), Limit(nodes=nodes))
        assert found.visits == nodes
        assert found.best in parse(text).legal_moves()


@with_and_without
@pytest.mark.parametrize("limit", [Limit(nodes=0), Limit(time=0), Limit(time=0, nodes=0)])
def test_a_limit_of_zero_still_finds_a_legal_move(limit: Limit, network: Path | None) -> None:
    engine = Engine(8, network=network, memory=8)
    for text in (START, MIDDLE, LEATHER, HOME):
        found = engine.analyse(parse(text), limit, lines=3)
        assert found.best in parse(text).legal_moves()
        assert 0 <= found.win <= 1


@with_and_without
@pytest.mark.parametrize("limit", [Limit(nodes=10**12), Limit(time=10.0**6)])
def test_a_single_legal_move_is_found_without_using_up_the_limit(
    limit: Limit, network: Path | None
) -> None:
    assert forced().legal_moves() == [pw.Advance()]
    found = Engine(8, network=network, memory=8).analyse(forced(), limit)
    assert found.best == pw.Advance()
    assert found.visits < 1_000


@pytest.mark.parametrize("nodes", [0, 1, 10])
def test_a_single_legal_move_takes_no_more_nodes_than_the_limit_says(nodes: int) -> None:
    assert Engine(8, memory=8).analyse(forced(), Limit(nodes=nodes)).visits <= max(1, nodes)


@pytest.mark.parametrize("nodes", [10, 10_000])
def test_time_ends_a_search_that_has_nodes_left(nodes: int) -> None:
    found = Engine(8, memory=8).analyse(parse(START), Limit(time=0, nodes=nodes))
    assert found.visits == 1
