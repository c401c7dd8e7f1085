"""Plays one game of `greedy` against random moves and prints its record."""

import argparse
import random

import patchwork as pw
from patchwork.engine.baselines.greedy import greedy

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("seed", metavar="SEED", type=int, nargs="?", default=1)
seed = parser.parse_args().seed
generator = random.Random(seed)
game = pw.Game(pw.Setup.random(seed))
while game.position.outcome is None:
    position = game.position
    game.push(greedy(position) if position.turn == 0 else generator.choice(position.legal_moves()))

print(pw.Record.of(game, players=("greedy", "random")).format(), end="")
