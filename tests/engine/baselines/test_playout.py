"""The frozen engine, ``playout:8``, whose play must never change."""

import patchwork as pw
from patchwork.engine import Limit
from patchwork.engine.baselines.playout import playout_engine

LIMIT = Limit(nodes=400)
MOVES = """
6Af9 4Bh7 12Da7 A A A A A A 9Aa8 20Bf6 24Cg4 16Cc7 A 15Ad7 22Bh1 7Dc7 23Ec5 Li5 13Bh5 11Bh1 A
28Aa6 Li8 14Hg1 0Bf4 30Ba3 La6 17Ba1 2Ae8 25Ee6 5Fc3 26Df2 10Be2 Lf9 27Ad1 32Ab2 1Ad2 A Lc1 A
8Ac5 29Ab1
"""
"""A game of the first version of the frozen engine against itself. It must never change: strengths
measured against the frozen engine would no longer be comparable."""


def test_a_game_of_the_frozen_engine_never_changes() -> None:
    players = playout_engine(1), playout_engine(2)
    position, moves = pw.Setup.random(3, pw.REVISED).start(), []
    while position.outcome is None:
        move = players[position.turn].analyse(position, LIMIT).best
        moves.append(str(move))
        position = position.play(move)
    assert moves == MOVES.split()
    assert position.scores == (14, 25)
