"""Prints what buying each patch on offer is worth, compared with advancing."""

import argparse
from pathlib import Path

import patchwork as pw
from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.insight import look
from patchwork.render import overlays

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--position", metavar="TEXT", type=pw.Position.parse, help="default: new game")
parser.add_argument("--network", metavar="FILE", type=Path, help="default: the shipped one")
parser.add_argument("--svg", metavar="FILE", type=Path, help="draw it here")
arguments = parser.parse_args()
position = arguments.position or pw.Setup.random(seed=1).start()
insight = look(position, NetworkEvaluator(arguments.network) if arguments.network else None)
if insight.advance is None:
    parser.error("a leather patch has to be placed first, so nothing can be bought")

print(f"advance    {insight.advance.win:6.1%} to win, {insight.advance.margin:+5.1f} points")
for patch in insight.patches:
    print(f"patch {patch.patch:2}   {patch.gain:+6.1%} to win, {patch.points:+5.1f} points more")
if arguments.svg:
    bought = {
        patch.patch: overlays.Worth(patch.best.win, patch.best.margin) for patch in insight.patches
    }
    advance = overlays.Worth(insight.advance.win, insight.advance.margin)
    arguments.svg.write_text(overlays.values(position, bought, advance), encoding="utf-8")
