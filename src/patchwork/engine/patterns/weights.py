"""The weights of the pattern evaluator, as they are learned and as they are looked up.

The layers are those of NNUE: what positions have in common, their quilts and their circle, goes
through a first layer whose sums are kept; two small layers follow::

    windows of both quilts -> embedding of each quilt  \
    patches of the circle  -> embedding of the circle   > first layer -> second -> third -> outputs
    all scalars            -----------------------------/
"""

from typing import NamedTuple

import numpy as np

from patchwork.engine.evaluators.features import CIRCLE_SCALARS, SCALARS
from patchwork.engine.evaluators.policy import BIASES
from patchwork.engine.kernel.state import Floats
from patchwork.engine.patterns.layers import WIDTH_STEP, aligned
from patchwork.engine.patterns.windows import KINDS, LARGE, SMALL

QUILT_EMBEDDING = 64
"""The width of the layer that reads the windows of a quilt."""
CIRCLE_EMBEDDING = 128
"""The width of the layer that reads what is left of the circle."""
INPUTS = SCALARS + 2 * QUILT_EMBEDDING + CIRCLE_EMBEDDING
"""The width of what the first layer reads: scalars, embeddings of both quilts, of the circle."""
HIDDEN = (256, 32)
"""The widths of the first and the second layer."""
WIN_OUTPUT, MARGIN_OUTPUT, TOTAL_OUTPUT, ADVANCE_OUTPUT, PATCH_OUTPUT = range(5)
OUTPUTS = 3 + BIASES
"""As seen by the seat to move: the logit of the probability to win; the points ahead and the sum of
both final scores, divided by POINTS; logits for the advance and, from PATCH_OUTPUT on, for each
patch on offer."""
POINTS = 10.0
PHASES = 3
"""Thirds of the filling of a quilt; each has its own weights for placements."""
STAGES = 6
"""Sixths of the way of both tokens together; each has its own second and third layer, since what
decides a game changes in its course."""
WINDOW_WEIGHT = 0.25
"""What each window counts in the embedding of a quilt, which sums up over two hundred of them."""


class Weights(NamedTuple):
    """What is learned. The names of the fields are those in a patterns file."""

    windows: Floats
    """[KINDS, QUILT_EMBEDDING]"""
    windows_bias: Floats
    """[QUILT_EMBEDDING]"""
    ring: Floats
    """[len(CIRCLE_SCALARS), CIRCLE_EMBEDDING]"""
    ring_bias: Floats
    """[CIRCLE_EMBEDDING]"""
    first: Floats
    """[INPUTS, HIDDEN[0]]"""
    first_bias: Floats
    second: Floats
    """[STAGES, HIDDEN[0], HIDDEN[1]]"""
    second_bias: Floats
    third: Floats
    """[STAGES, HIDDEN[1], OUTPUTS]"""
    third_bias: Floats
    places: Floats
    """[PHASES, KINDS]: what a window is worth when placements of a patch are compared."""


SIZES = {
    "windows": (KINDS, QUILT_EMBEDDING),
    "windows_bias": (QUILT_EMBEDDING,),
    "ring": (len(CIRCLE_SCALARS), CIRCLE_EMBEDDING),
    "ring_bias": (CIRCLE_EMBEDDING,),
    "first": (INPUTS, HIDDEN[0]),
    "first_bias": (HIDDEN[0],),
    "second": (STAGES, *HIDDEN),
    "second_bias": (STAGES, HIDDEN[1]),
    "third": (STAGES, HIDDEN[1], OUTPUTS),
    "third_bias": (STAGES, OUTPUTS),
    "places": (PHASES, KINDS),
}


class Tables(NamedTuple):
    """The weights as compiled code reads them."""

    windows: Floats
    windows_bias: Floats
    ring: Floats
    """[SCALARS, CIRCLE_EMBEDDING]"""
    ring_bias: Floats
    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    third: Floats
    third_bias: Floats
    small_places: Floats
    """[PHASES, pattern of a small window]"""
    large_places: Floats
    """[PHASES, pattern of a large window]"""


def tables_of(weights: Weights) -> Tables:
    """Returns weights as they are looked up."""
    wider = -OUTPUTS % WIDTH_STEP
    ring = np.zeros((SCALARS, CIRCLE_EMBEDDING), np.float32)
    ring[CIRCLE_SCALARS] = weights.ring
    return Tables(
        aligned(weights.windows),
        weights.windows_bias,
        aligned(ring),
        weights.ring_bias,
        aligned(weights.first),
        weights.first_bias,
        aligned(weights.second),
        weights.second_bias,
        aligned(np.pad(weights.third, ((0, 0), (0, 0), (0, wider)))),
        np.pad(weights.third_bias, ((0, 0), (0, wider))),
        np.ascontiguousarray(weights.places[:, SMALL]),
        np.ascontiguousarray(weights.places[:, LARGE]),
    )
