"""Reads a record and prints, for each turn, how many points each decision gained or lost at once.

python examples/what_if.py FILE
"""

import sys
from itertools import pairwise
from pathlib import Path

import patchwork as pw

record = pw.Record.parse(Path(sys.argv[1]).read_text(encoding="utf-8"))
game = record.game
for move, (before, after) in zip(game.moves, pairwise(game.positions()), strict=True):
    seat = before.turn
    gain = after.scores[seat] - before.scores[seat]
    print(f"{record.players[seat]:10} {move!s:6} {gain:+3}  now {after.scores[seat]}")
