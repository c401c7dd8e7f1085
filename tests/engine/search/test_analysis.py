"""What an analysis says, with built-in evaluators or one written for a test."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import patchwork as pw
from engine.kernel.lockstep import early, late
from engine.search.search_support import Uniform, bench, forced, parse, searched, with_and_without
from patchwork.engine import Engine, Limit
from support.positions import HOME, LEATHER, MIDDLE, swapped
from support.quilts import quilt, table


@pytest.mark.parametrize("turned", [str, swapped], ids=["as is", "seats swapped"])
@bench
def test_an_analysis_names_the_seat_and_its_lines_are_legal_sorted_and_different(
    text: str, turned: Callable[[str], str]
) -> None:
    position = parse(turned(text))
    found = searched(position, 1_500, lines=6)
    assert found.seat == position.turn
    assert not found.exact
    assert found.visits == 1_500
    assert 0 <= found.win <= 1
    best = found.lines[0]
    assert (found.best, found.win, found.margin) == (best.moves[0], best.win, best.margin)
    assert 4 <= len(found.lines) <= 6
    assert len({line.moves[0] for line in found.lines}) == len(found.lines)
    visits = [line.visits for line in found.lines]
    assert visits == sorted(visits, reverse=True)
    assert sum(visits) <= 1_500 - 1
    for line in found.lines:
        assert 0 <= line.win <= 1
        assert -200 < line.margin < 200
        after = position
        for move in line.moves:
            after = after.play(move)


def test_there_are_no_more_lines_than_moves() -> None:
    found = searched(forced(), 100, lines=10)
    assert [line.moves[0] for line in found.lines] == [pw.Advance()]
    assert found.lines[0].visits == 99


def mirrored(position: pw.Position) -> pw.Position:
    return pw.Position.parse(swapped(str(position)))


@bench
def test_with_the_seats_swapped_the_result_is_the_same(text: str) -> None:
    one, other = searched(parse(text), 2_000), searched(mirrored(parse(text)), 2_000)
    assert (one.seat, other.seat) == (parse(text).turn, 1 - parse(text).turn)
    if text != LEATHER:  # there, some spaces are as good as others
        assert other.best == one.best
    assert other.win == pytest.approx(one.win, abs=0.05)
    assert other.margin == pytest.approx(one.margin, abs=2)


@pytest.mark.parametrize("seat", [0, 1])
def test_win_and_margin_are_those_of_the_seat_to_move(seat: int) -> None:
    rich = pw.Player(quilt("#########\n#########\n#########"), 60, 12, 40)
    poor = pw.Player(quilt("###......"), 3, 0, 41)
    ahead = searched(table(rich, poor, seat=seat), 300)
    assert ahead.seat == seat
    assert ahead.win > 0.95
    assert ahead.margin > 30
    behind = searched(table(replace(poor, time=40), replace(rich, time=41), seat=seat), 300)
    assert behind.seat == seat
    assert behind.win < 0.05
    assert behind.margin < -30


@with_and_without
@pytest.mark.parametrize("nodes", [20, 200])
def test_every_answer_is_legal_in_positions_of_all_kinds(network: Path | None, nodes: int) -> None:
    engine, random = Engine(6, network=network, memory=8), Random(3)
    for number in range(40):
        position = (early, late)[number % 2](random)
        for _ in range(random.randrange(40)):
            after = position.play(random.choice(position.legal_moves()))
            if after.outcome is not None:
                break
            position = after
        found = engine.analyse(position, Limit(nodes=nodes), lines=3)
        for line in found.lines:
            after = position
            for move in line.moves:
                after = after.play(move)
        assert found.seat == position.turn


@with_and_without
def test_a_proven_result_comes_with_the_other_lines_asked_for(network: Path | None) -> None:
    position = pw.Position.parse(HOME)
    count = min(3, len(position.legal_moves()))
    analysis = Engine(level=8, network=network, memory=8).analyse(
        position, Limit(nodes=500 if network else 5_000), lines=3
    )
    assert analysis.exact
    assert len(analysis.lines) == len({line.moves[0] for line in analysis.lines}) == count


@pytest.mark.parametrize("batch", [1, 4, 32])
def test_any_evaluator_plugs_in(batch: int) -> None:
    evaluator = Uniform(batch)
    found = Engine(evaluator=evaluator, memory=8).analyse(parse(MIDDLE), Limit(nodes=600), lines=4)
    assert 600 / batch <= evaluator.calls <= 600
    assert found.visits == 600
    assert found.best in parse(MIDDLE).legal_moves()
    assert 0 <= found.win <= 1
    assert not found.exact


@with_and_without
@pytest.mark.parametrize("turned", [str, swapped], ids=["as is", "seats swapped"])
@pytest.mark.parametrize("nodes", [1, 60, 300])
def test_the_scores_expected_of_both_seats_differ_by_the_margin(
    nodes: int, turned: Callable[[str], str], network: Path | None
) -> None:
    position = parse(turned(MIDDLE))
    found = Engine(7, network=network, memory=8).analyse(position, Limit(nodes=nodes))
    assert found.scores is not None
    mine, other = found.scores[found.seat], found.scores[1 - found.seat]
    assert mine - other == pytest.approx(found.margin)
    assert -100 < mine + other < 150


def test_without_totals_an_analysis_has_no_scores() -> None:
    found = Engine(evaluator=Uniform(), memory=8).analyse(parse(MIDDLE), Limit(nodes=50))
    assert found.scores is None
