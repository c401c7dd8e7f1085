"""Prints what a network expected before each move of a recorded game; --svg draws it."""

import argparse
from pathlib import Path

import patchwork as pw
from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.insight import look
from patchwork.render import overlays

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("file", metavar="FILE", type=Path, help="a game record")
parser.add_argument("--network", metavar="FILE", type=Path, help="default: the shipped one")
parser.add_argument("--svg", metavar="FILE", type=Path, help="draw the course of the game here")
arguments = parser.parse_args()
network = NetworkEvaluator(arguments.network) if arguments.network else None
game = pw.Record.parse(arguments.file.read_text(encoding="utf-8")).game
wins = []
for move, position in zip(game.moves, game.positions(), strict=False):
    insight = look(position, network, placements=0)
    wins.append(insight.win[0])
    chances = "{:4.0%} {:4.0%}".format(*insight.win)
    scores = "{:6.1f} {:6.1f}".format(*insight.scores)
    print(f"{chances}  {scores}  seat {insight.seat}: {move}")
if arguments.svg:
    drawing = overlays.course(wins, edition=game.setup.edition)
    arguments.svg.write_text(drawing, encoding="utf-8")
