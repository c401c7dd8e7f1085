"""Prints how many points each move of a recorded game gained or lost at once."""

import argparse
from itertools import pairwise
from pathlib import Path

import patchwork as pw

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("file", metavar="FILE", type=Path, help="a game record")
record = pw.Record.parse(parser.parse_args().file.read_text(encoding="utf-8"))
game = record.game
for move, (before, after) in zip(game.moves, pairwise(game.positions()), strict=True):
    seat = before.turn
    gain = after.scores[seat] - before.scores[seat]
    print(f"{record.players[seat]:10} {move!s:6} {gain:+3}  now {after.scores[seat]}")
