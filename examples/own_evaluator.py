"""Lets the engine search with an evaluator of your own, in a match against `greedy`."""

import argparse
import sys
from math import exp

import numpy as np

import patchwork as pw
from patchwork.engine import Engine, Limit
from patchwork.engine.baselines.greedy import greedy
from patchwork.engine.evaluators.evaluator import Evaluation, Evaluator, Positions
from patchwork.engine.evaluators.rollouts import WORKSPACE, candidates
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.rules import lines_crossed, score
from patchwork.engine.kernel.state import INCOME, SEAT, TIME, Numbers
from patchwork.engine.parameters import SearchParameters
from patchwork.protocol.upi import serve
from patchwork.rules.timeboard import LAST


class PointCounter(Evaluator):
    """Expects that both players only advance from here on."""

    search = SearchParameters(exploration=1.0)

    def evaluate(self, positions: Positions, out: Evaluation) -> None:
        """Writes values and moves; each row is a position."""
        scratch = np.empty((WORKSPACE, LANES), np.int64)
        for row, state in enumerate(positions.states):
            first, second = (expected_score(state, seat) for seat in (0, 1))
            out.values[row] = 1 / (1 + exp((second - first) / 8)), first - second
            out.totals[row] = first + second
            moves, priors = out.moves[row], out.priors[row]
            out.counts[row] = candidates(state, positions.circle, 4, moves, priors, scratch)


def expected_score(state: Numbers, seat: int) -> int:
    """Returns the score now, and the buttons that advancing to the last space will bring."""
    income, time = (state[SEAT * seat + what] for what in (INCOME, TIME))
    return int(score(state, seat) + income * lines_crossed(time, LAST) + LAST - time)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--pairs", metavar="N", type=int, default=5, help="pairs of games to play")
parser.add_argument("--nodes", metavar="N", type=int, default=300, help="positions to search")
parser.add_argument("--upi", action="store_true", help="be an engine for `patchwork match`")
options = parser.parse_args()

if options.upi:
    serve(sys.stdin.buffer, sys.stdout.buffer, name="Point counter", evaluator=PointCounter())
    sys.exit()

engine, wins = Engine(evaluator=PointCounter()), 0
for game in range(2 * options.pairs):
    position, seat = pw.Setup.random(seed=game // 2).start(), game % 2
    while position.outcome is None:
        mine = position.turn == seat
        position = position.play(
            engine.analyse(position, Limit(nodes=options.nodes)).best if mine else greedy(position)
        )
    wins += position.outcome.winner == seat
    print(f"game {game + 1}: {position.scores[seat]} to {position.scores[1 - seat]} points")
print(f"won {wins} of {2 * options.pairs} games against greedy")
