"""What a player or a program expects of a game, drawn over the quilt, the circle or on its own.

Free functions over plain numbers, wherever those come from; ``patchwork.engine.insight`` gets them
from a network. As in ``svg``, each returns a complete document without words. Nothing is told by
colour alone: shades differ in lightness and carry their figures, outlines differ in their stitches
and carry their rank.
"""

from patchwork.render.overlays.best_places import Place, placements
from patchwork.render.overlays.expectations import course, prospects
from patchwork.render.overlays.figures import Worth
from patchwork.render.overlays.filling_map import filling
from patchwork.render.overlays.patch_values import values

__all__ = [
    "Place",
    "Worth",
    "course",
    "filling",
    "placements",
    "prospects",
    "values",
]
