"""The policy of a network: the logit of a placement is read off planes.

For each patch on offer, and for leather, a network outputs two planes. The logit of a placement is
the sum of the first plane over the spaces that it covers, plus the sum of the second one over the
spaces beyond its sides, plus a number for the patch. Only legal moves get a logit.
"""

import numpy as np

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.features import LEATHER_SLOT, SLOTS
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    EDGE,
    LANES,
    LOW_BITS,
    OFFSETS,
    PIECE_EDGE,
    PIECE_SIZE,
    PLACES,
    WIDTH,
)
from patchwork.engine.kernel.rules import OFFER
from patchwork.engine.kernel.simd import lowest_bit, popcount
from patchwork.engine.kernel.state import PASS, Floats, Numbers
from patchwork.rules.quilt import SIDE

BIASES = 1 + OFFER
"""Outputs besides the planes: for the advance, and for each patch on offer."""

FRAMED_CELLS = WIDTH * (SIDE + 2)
"""Spaces of a plane with its border."""
_REACH = 2 * FRAMED_CELLS
"""Room to read a framed plane from every place on, with the largest offset."""
_MANY = 8
"""Places of an orientation from which on it is faster to add up all places at once."""


@compiled
def new_frame() -> Floats:
    """Returns working memory: two planes with a border of zeros, and sums for every place."""
    return np.zeros((3, _REACH), np.float32)


@compiled
def legal_logits(
    words: Numbers,
    pieces: Numbers,
    planes: Floats,
    biases: Floats,
    codes: Numbers,
    logits: Floats,
    framed: Floats,
) -> int:
    """Writes all legal moves and their logits, in the order of the rules; returns their number.

    ``words`` and ``pieces`` are from ``write_features`` of an unfinished state; ``planes`` is
    [2 * SLOTS, CELLS], ``biases`` [BIASES], ``framed`` a new frame.
    """
    count = 0
    if pieces[LEATHER_SLOT] < 0:
        codes[0], logits[0] = PASS, biases[0]
        count = 1
    for slot in range(SLOTS):
        if pieces[slot] < 0:
            continue
        leather = slot == LEATHER_SLOT
        free = words[:1] if leather else words[2 + LANES * slot : 2 + LANES * (slot + 1)]
        bias = 0.0 if leather else float(biases[1 + slot])
        for row in range(SIDE):
            for column in range(SIDE):
                cell, space = SIDE * row + column, WIDTH * (row + 1) + column
                framed[0, space] = planes[2 * slot, cell]
                framed[1, space] = planes[2 * slot + 1, cell]
        count = _add_places(pieces[slot], free, bias, codes, logits, count, framed)
    return count


@compiled
def _add_places(
    piece: int,
    free: Numbers,
    bias: float,
    codes: Numbers,
    logits: Floats,
    count: int,
    framed: Floats,
) -> int:
    size, sides = PIECE_SIZE[piece], PIECE_EDGE[piece]
    for lane in range(len(free)):
        first = 1 + (piece * LANES + lane) * PLACES
        many = popcount(free[lane, 0]) + popcount(free[lane, 1]) >= _MANY
        if many:
            _add_all(framed, OFFSETS[piece, :size, lane], EDGE[piece, :sides, lane], bias)
        for word in range(2):
            bits = free[lane, word]
            while bits != 0:
                place = word * LOW_BITS + lowest_bit(bits)
                bits &= bits - 1
                if many:
                    total = framed[2, place]
                else:
                    total = np.float32(bias)
                    for cell in range(size):
                        total += framed[0, place + OFFSETS[piece, cell, lane]]
                    for side in range(sides):
                        total += framed[1, place + EDGE[piece, side, lane]]
                codes[count], logits[count] = first + place, total
                count += 1
    return count


@compiled
def _add_all(framed: Floats, cells: Numbers, sides: Numbers, bias: float) -> None:
    """Writes the logits of all places of an orientation to row 2, added up in the same order."""
    sums = framed[2, :PLACES]
    sums[:] = np.float32(bias)
    for offset in cells:
        row = framed[0, offset : offset + PLACES]
        for place in range(PLACES):
            sums[place] += row[place]
    for offset in sides:
        row = framed[1, offset : offset + PLACES]
        for place in range(PLACES):
            sums[place] += row[place]


@compiled
def keep_best(keys: Floats, count: int, best: Numbers, most: int) -> int:
    """Writes the indices of the ``most`` greatest keys, greatest first; returns their number."""
    tops = np.empty(CANDIDATES, np.float32)
    kept = 0
    for index in range(count):
        key = keys[index]
        if kept == most:
            if key <= tops[most - 1]:
                continue
            kept -= 1
        at = kept
        while at > 0 and tops[at - 1] < key:
            tops[at], best[at] = tops[at - 1], best[at - 1]
            at -= 1
        tops[at], best[at] = key, index
        kept += 1
    return kept


@compiled
def placement_bonus(piece: int, codes: Numbers, logits: Floats, count: int) -> float:
    """Returns by how much the logit of a patch as a whole is above that of its best placement.

    An advance is one move, while the placements of a patch share its probability: each of them may
    be less likely than the advance even where buying the patch is likelier.
    """
    first = 1 + piece * LANES * PLACES
    last = first + LANES * PLACES
    highest, total = np.float32(-np.inf), 0.0
    for move in range(count):
        if first <= codes[move] < last:
            highest = max(highest, logits[move])
    for move in range(count):
        if first <= codes[move] < last:
            total += np.exp(logits[move] - highest)
    return np.log(total) if total > 0 else 0.0


@compiled
def add_placement_bonuses(pieces: Numbers, codes: Numbers, logits: Floats, count: int) -> None:
    """Raises the logits of purchases, so that a patch counts for all its placements together.

    Its best placement gets the logit of the patch; the others keep their distance from it.
    """
    for slot in range(OFFER):
        bonus = np.float32(placement_bonus(pieces[slot], codes, logits, count))
        first = 1 + pieces[slot] * LANES * PLACES
        for move in range(count):
            if first <= codes[move] < first + LANES * PLACES:
                logits[move] += bonus
