"""The patches as arrays, for quilts as two words of bits.

A quilt has a border that counts as filled. It takes ten bits a row: the space in row ``r`` and
column ``c`` is bit ``10 * (r + 1) + c``. The tenth bit of a row is its right border, and also the
left border of the next row; a row of border lies above and one below. So a shape that leaves the
board overlaps something, and a shape at the edge of the board touches something: the code needs no
special cases for edges. The first 63 bits are the low word, the others the high word, so that
neither uses its sign.

A *place* is where the top-left corner of a shape lies: ``10 * row + column``. A leather patch is
the last piece, number 33.
"""

import numpy as np

from patchwork.rules.patches import PATCHES
from patchwork.rules.quilt import SIDE

WIDTH = SIDE + 1
"""Bits of a row, with its border."""
LOW_BITS = 63
"""Bits of the low word."""
LOW_MASK = (1 << LOW_BITS) - 1
PLACES = SIDE * WIDTH
"""Number of places, those of the border column included."""
LANES = 8
"""Orientations of a piece, at most."""
CELL_PLACES = np.array([WIDTH * row + column for row in range(SIDE) for column in range(SIDE)])
"""[CELLS]: the place of each space of the board."""
LEATHER_PIECE = len(PATCHES)
PIECES = len(PATCHES) + 1
MAX_EDGE = 16
"""The longest edge of a piece, in sides of cells."""


def framed(quilt: int) -> tuple[int, int]:
    """Returns the two words of a quilt given as in ``rules``."""
    rows = [(1 << WIDTH) - 1]
    rows += [quilt >> SIDE * row & (1 << SIDE) - 1 | 1 << SIDE for row in range(SIDE)]
    rows.append((1 << WIDTH) - 1)
    bits = sum(row << WIDTH * number for number, row in enumerate(rows))
    return bits & LOW_MASK, bits >> LOW_BITS


def unframed(low: int, high: int) -> int:
    """Returns a quilt as in ``rules``."""
    bits = low | high << LOW_BITS
    return sum((bits >> WIDTH * (row + 1) & (1 << SIDE) - 1) << SIDE * row for row in range(SIDE))


EMPTY_LOW, EMPTY_HIGH = framed(0)
FULL_LOW, FULL_HIGH = framed((1 << SIDE * SIDE) - 1)
BORDER_BITS = EMPTY_LOW.bit_count() + EMPTY_HIGH.bit_count()
"""Number of border bits."""

PIECE_COST = np.array([patch.cost for patch in PATCHES] + [0])
PIECE_TIME = np.array([patch.time for patch in PATCHES] + [0])
PIECE_INCOME = np.array([patch.income for patch in PATCHES] + [0])
PIECE_SIZE = np.array([patch.size for patch in PATCHES] + [1])
"""What each piece costs, takes, brings and covers."""

SHAPE = np.zeros((PIECES, LANES), np.int64)
"""The cells of an orientation at place 0, counted from there; 0 where there is no orientation."""
OFFSETS = np.zeros((PIECES, LANES, LANES), np.int64)
"""[piece, cell, orientation]: how far a cell lies from the place, with the row above the board."""
ANCHORS = np.zeros((PIECES, 2, LANES), np.int64)
"""[piece, word, orientation]: the places on an empty quilt."""
EDGE = np.zeros((PIECES, MAX_EDGE, LANES), np.int64)
"""[piece, side, orientation]: how far the space beyond a side lies."""
PIECE_EDGE = np.zeros(PIECES, np.int64)
"""Sides of each piece."""


def _fill(piece: int, lane: int, rows: tuple[str, ...]) -> None:
    height, width = len(rows), len(rows[0])
    shape = {
        (row, column)
        for row in range(height)
        for column in range(width)
        if rows[row][column] == "#"
    }
    offsets = sorted(WIDTH * (row + 1) + column for row, column in shape)
    beyond = [
        WIDTH * (row + down + 1) + column + right
        for row, column in sorted(shape)
        for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0))
        if (row + down, column + right) not in shape
    ]
    places = sum(
        1 << WIDTH * row + column
        for row in range(SIDE - height + 1)
        for column in range(SIDE - width + 1)
    )
    SHAPE[piece, lane] = sum(1 << offset - WIDTH for offset in offsets)
    # Filled up with a cell of the shape itself: it is empty wherever the shape fits.
    OFFSETS[piece, :, lane] = offsets + offsets[:1] * (LANES - len(offsets))
    PIECE_EDGE[piece] = len(beyond)
    EDGE[piece, :, lane] = beyond + offsets[:1] * (MAX_EDGE - len(beyond))
    ANCHORS[piece, :, lane] = places & LOW_MASK, places >> LOW_BITS


for _patch in PATCHES:
    for _lane, _rows in enumerate(_patch.orientations):
        _fill(_patch.id, _lane, _rows)
_fill(LEATHER_PIECE, 0, ("#",))
