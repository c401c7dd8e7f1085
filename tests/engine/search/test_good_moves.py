"""The search finds good moves."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import patchwork as pw
from engine.kernel.lockstep import early, whim
from engine.search.search_support import NETWORKS, Move, Uniform, searched, with_and_without
from patchwork.engine import Engine, Limit
from patchwork.engine.evaluators.network import NetworkEvaluator
from support.quilts import quilt, table


def last_decision(me: pw.Player, other: pw.Player, seat: int) -> pw.Position:
    """A position in which any move of the seat ends the game."""
    return table(replace(me, time=52), replace(other, time=53), seat=seat, circle=(23, 8, 2, 5))


GAPS = """
    #########
    #########
    #########
    #########
    #########
    #########
    ........#
    ........#
    ........#
"""


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("lead", [-60, -9, -3, 0, 3, 60])
def test_the_last_move_of_a_game_is_the_one_that_gains_most(seat: int, lead: int) -> None:
    """A game that is won or lost anyway is still played for points."""
    me = pw.Player(quilt(GAPS), buttons=12, income=1)
    base = last_decision(me, pw.Player(quilt(GAPS), buttons=0), seat)
    behind = base.scores[seat] - base.scores[1 - seat]
    other = pw.Player(quilt(GAPS), buttons=max(0, behind - lead))
    position = last_decision(replace(me, buttons=max(12, 12 + lead - behind)), other, seat)

    def margin(move: Move) -> int:
        scores = position.play(move).scores
        return scores[seat] - scores[1 - seat]

    best = max(map(margin, position.legal_moves()))
    assert best > margin(pw.Advance())
    assert margin(searched(position, 2_000).best) == best
    for network in NETWORKS.values():
        solved = Engine(8, network=network, memory=8).analyse(position)
        assert (solved.exact, solved.margin, margin(solved.best)) == (True, best, best)
        assert solved.scores == tuple(position.play(solved.best).scores)


@pytest.mark.parametrize("seat", [0, 1])
def test_leather_completes_the_square_that_wins_the_special_tile(seat: int) -> None:
    board = """
        #######..
        #######..
        #######..
        ###.###..
        #######..
        #######..
        #######..
        .........
        .........
    """
    me = pw.Player(quilt(board), buttons=10, income=5, time=33)
    other = pw.Player(quilt(board), buttons=10, income=5, time=31)
    position = replace(table(me, other, seat=seat), phase=pw.Phase.LEATHER)
    for found in (
        searched(position, 1_000),
        Engine(6, network=None, memory=8).analyse(position),
        Engine(evaluator=NetworkEvaluator(), memory=8).analyse(position, Limit(nodes=200)),
        Engine(evaluator=Uniform(), memory=8).analyse(position, Limit(nodes=3_000)),
    ):
        assert found.best == pw.Leather(9 * 3 + 3)


def test_a_patch_that_is_almost_free_is_bought() -> None:
    # Patch 23 covers 6 spaces for 2 buttons and 1 of time; the others cannot be paid.
    me = pw.Player(0, buttons=3, income=0, time=30)
    position = table(me, replace(me, time=31), circle=(23, 18, 19, 4, 5, 6, 7))
    found = searched(position, 1_000)
    assert isinstance(found.best, pw.Buy)
    assert found.best.patch == 23


@with_and_without
@pytest.mark.parametrize("level", [1, 5, 8])
def test_a_level_beats_careless_play(level: int, network: Path | None) -> None:
    engine, wins = Engine(level, network=network, seed=1, memory=8), 0
    for number in range(6):
        random = Random(number)
        position = early(random)
        while position.outcome is None:
            if position.turn == number % 2:
                move = engine.analyse(position, Limit(nodes=8)).best
            else:
                move = whim(random, position, position.legal_moves())
            position = position.play(move)
        wins += position.outcome.winner == number % 2
    assert wins >= 5
