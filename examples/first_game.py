"""Plays one game, `greedy` against random moves, and prints its record.

python examples/first_game.py [SEED]
"""

import random
import sys

import patchwork as pw
from patchwork.engine.greedy import greedy

seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
generator = random.Random(seed)
game = pw.Game(pw.Setup.random(seed))
while game.position.outcome is None:
    position = game.position
    game.push(greedy(position) if position.turn == 0 else generator.choice(position.legal_moves()))

print(pw.Record.of(game, players=("greedy", "random")).format(), end="")
