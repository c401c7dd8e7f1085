"""Measures levels against their neighbours, and how they play, to tune them.

    python studies/levels.py [--pairs N] [--jobs J] [NODES/SCALE ...]

The players are the levels with a limit of nodes, or those given: ``1/2.5`` searches one node with a
Gumbel scale of 2.5. The first one plays against ``greedy``, every other one against the player
before it, in pairs of games with seats swapped. On the Elo scale, ``greedy`` is 0; each step has a
95 % confidence interval. A player that is pleasant to play against keeps filling its quilt, so the
filled spaces in games won and lost are printed, too. It takes about half an hour on two cores.
"""

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from statistics import mean
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import patchwork as pw
from patchwork.arena.elo import Pairs, estimate
from patchwork.engine import Engine, Limit
from patchwork.engine.baselines.greedy import greedy
from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.levels import LEVELS
from patchwork.engine.warmup import prepare

Choose = Callable[[pw.Position], pw.Advance | pw.Buy | pw.Leather]


class Kind(NamedTuple):
    """A player: how many nodes it searches, and the scale of the noise in its choice."""

    nodes: int
    gumbel_scale: float

    @classmethod
    def parse(cls, text: str) -> "Kind":
        """Returns the player in a text."""
        nodes, _, scale = text.partition("/")
        return cls(int(nodes), float(scale or 0))


class Ended(NamedTuple):
    """The result of a game for one of its players."""

    won: bool
    score: int
    filled: int


def player(kind: Kind | None, seed: int) -> Choose:
    """Returns a function that chooses moves; None stands for ``greedy``."""
    if kind is None:
        return greedy
    engine = Engine(
        evaluator=NetworkEvaluator(seed=seed, gumbel_scale=kind.gumbel_scale), threads=1, memory=8
    )
    return lambda position: engine.analyse(position, Limit(nodes=kind.nodes)).best


def play_pair(players: tuple[Kind | None, Kind | None], pair: int) -> list[tuple[Ended, Ended]]:
    """Returns how two games from one circle ended for each player, in the order given."""
    _ready()
    games = []
    for swapped in (0, 1):
        seats = [player(kind, 2 * pair + swapped) for kind in players]
        position = pw.Setup.random(pair, (pw.CLASSIC, pw.REVISED)[pair % 2]).start()
        while position.outcome is None:
            position = position.play(seats[position.turn ^ swapped](position))
        ends = [
            Ended(position.outcome.winner == seat, position.scores[seat], quilt.bit_count())
            for seat, quilt in enumerate(player.quilt for player in position.players)
        ]
        games.append((ends[swapped], ends[1 - swapped]))
    return games


@cache
def _ready() -> None:
    prepare()


def main() -> None:
    """Plays the games and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("kinds", nargs="*", type=Kind.parse, metavar="NODES/SCALE")
    parser.add_argument("--pairs", type=int, default=150)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    levels = [Kind(level.limit.nodes, level.gumbel_scale) for level in LEVELS if level.limit.nodes]
    kinds = options.kinds or levels
    _ready()
    total = 0.0
    print("nodes/scale  Elo   step (95 %)            score   filled if won, if lost")
    with ProcessPoolExecutor(options.jobs) as jobs:
        for before, kind in zip([None, *kinds], kinds, strict=False):
            pairs = list(jobs.map(partial(play_pair, (kind, before)), range(options.pairs)))
            wins = [sum(mine.won for mine, _ in games) for games in pairs]
            step = estimate(Pairs(wins.count(0), wins.count(1), wins.count(2)))
            total += step.elo
            ends = [mine for games in pairs for mine, _ in games]
            won, lost = (
                f"{mean(filled):.1f}" if filled else "-"
                for filled in (
                    [end.filled for end in ends if end.won is which] for which in (True, False)
                )
            )
            print(
                f"{kind.nodes}/{kind.gumbel_scale:g}".ljust(10)
                + f"{total:+6.0f}   {step.elo:+.0f} ({step.low:+.0f} to {step.high:+.0f})".ljust(32)
                + f"{mean(end.score for end in ends):5.1f}   {won}, {lost}",
                flush=True,
            )


if __name__ == "__main__":
    main()
