"""Prints the best places for each patch that can be bought; --nodes adds a search."""

import argparse
from pathlib import Path

import patchwork as pw
from patchwork.engine import Engine, Limit
from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.insight import look, shipped_network
from patchwork.render import overlays

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--position", metavar="TEXT", type=pw.Position.parse, help="default: new game")
parser.add_argument("--network", metavar="FILE", type=Path, help="default: the shipped one")
parser.add_argument("--nodes", metavar="N", type=int, help="positions to search")
parser.add_argument("--svg", metavar="FILE", type=Path, help="draw those of the best patch here")
arguments = parser.parse_args()
position = arguments.position or pw.Setup.random(seed=1).start()
network = NetworkEvaluator(arguments.network) if arguments.network else shipped_network()
analysis = None
if arguments.nodes:
    engine = Engine(evaluator=network)
    analysis = engine.analyse(position, Limit(nodes=arguments.nodes), lines=40)
insight = look(position, network, analysis=analysis)

for patch in insight.patches:
    print(f"patch {patch.patch}")
    for place in patch.placements:
        print(f"  {place.move!s:6} {place.win:6.1%} to win, {place.margin:+5.1f} points")
if arguments.svg and insight.patches:
    best = max(insight.patches, key=lambda patch: patch.gain)
    places = [
        overlays.Place(place.move.cells, place.win, place.margin)
        for place in best.placements
        if isinstance(place.move, pw.Buy)
    ]
    drawing = overlays.placements(position.players[position.turn].quilt, places)
    arguments.svg.write_text(drawing, encoding="utf-8")
