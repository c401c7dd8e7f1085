"""Draws how likely a network thinks each space of a quilt is to be filled at the end."""

import argparse
from pathlib import Path

import patchwork as pw
from patchwork.engine.baselines.greedy import greedy
from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.insight import look
from patchwork.render import overlays

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("svg", metavar="SVG", type=Path, help="draw it here")
parser.add_argument("--network", metavar="FILE", type=Path, help="default: the shipped one")
parser.add_argument("--seed", metavar="SEED", type=int, default=1)
parser.add_argument("--moves", metavar="N", type=int, default=20, help="moves greedy plays before")
arguments = parser.parse_args()
game = pw.Game(pw.Setup.random(arguments.seed))
while len(game.moves) < arguments.moves:
    game.push(greedy(game.position))

insight = look(
    game.position, NetworkEvaluator(arguments.network) if arguments.network else None, placements=0
)
seat = insight.seat
quilt = game.position.players[seat].quilt
drawing = overlays.filling(quilt, insight.filling[seat], game.layout(seat))
arguments.svg.write_text(drawing, encoding="utf-8")
print(f"seat {seat}: {quilt.bit_count()} spaces filled, {insight.filled[seat]:.1f} expected")
