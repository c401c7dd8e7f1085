"""Windows of a quilt: every 3 x 3 spaces, and every 3 x 4 in either direction.

A window shows the quilt with its border, which counts as covered. What it shows is its *pattern*.
Patterns that are the same when turned or mirrored are of one *kind*: how often each kind occurs in
a quilt says much about it, and weights by kind are enough to evaluate it fast.
"""

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import LOW_BITS, WIDTH
from patchwork.engine.kernel.state import Floats, Numbers
from patchwork.rules.quilt import SIDE

FRAMED_SIDE = SIDE + 2
"""Rows and columns with the border."""
STEP = 3
"""Bits from one space of a line to the next: between them is room for two more lines, see strip."""
_BORDER = sum(1 << STEP * space for space in range(FRAMED_SIDE))
_LONG = SIDE - 1
"""Places of a large window along its longer side."""


def _kinds(rows: int, columns: int) -> tuple[NDArray[np.int64], int]:
    """Returns the kind of every pattern of a window, and how many kinds there are."""
    patterns = np.arange(1 << rows * columns)
    bits = patterns[:, np.newaxis] >> np.arange(rows * columns) & 1
    cells = bits.reshape(-1, columns, rows).swapaxes(1, 2)
    views = [cells[:, ::down, ::right] for down in (1, -1) for right in (1, -1)]
    if rows == columns:
        views += [view.swapaxes(1, 2) for view in views]
    weights = 1 << np.arange(rows * columns)
    least = np.min([view.reshape(len(patterns), -1) @ weights for view in views], axis=0)
    found, kinds = np.unique(least, return_inverse=True)
    return kinds, len(found)


SMALL, SMALL_KINDS = _kinds(3, 3)
"""[pattern]: the kind of a 3 x 3 window; the spaces of a pattern are bits, column by column."""
LARGE, LARGE_KINDS = _kinds(3, 4)
"""[pattern]: the same for 3 x 4 windows; those of 4 x 3 are read row by row."""
LARGE = LARGE + SMALL_KINDS
KINDS = SMALL_KINDS + LARGE_KINDS
WINDOWS = SIDE * SIDE + 2 * SIDE * _LONG
"""Windows of a quilt."""


@compiled
def read_rows(low: int, high: int, rows: Numbers, columns: Numbers) -> None:
    """Writes the rows and columns [FRAMED_SIDE] of a quilt with its border, as bits STEP apart."""
    for line in range(FRAMED_SIDE):
        rows[line] = columns[line] = 1 | 1 << STEP * (FRAMED_SIDE - 1)
    rows[0] = rows[FRAMED_SIDE - 1] = columns[0] = columns[FRAMED_SIDE - 1] = _BORDER
    for row in range(1, FRAMED_SIDE - 1):
        bit = WIDTH * row
        bits = high >> (bit - LOW_BITS) if bit >= LOW_BITS else low >> bit
        if bit < LOW_BITS < bit + WIDTH:
            bits = (bits & ((1 << (LOW_BITS - bit)) - 1)) | high << (LOW_BITS - bit)
        for column in range(1, FRAMED_SIDE - 1):
            there = bits >> (column - 1) & 1
            rows[row] |= there << STEP * column
            columns[column] |= there << STEP * row


@compiled
def strip(lines: Numbers, line: int) -> int:
    """Returns three lines interleaved: all windows whose first line is ``line``."""
    return int(lines[line] | lines[line + 1] << 1 | lines[line + 2] << 2)


@compiled
def small_window(lines: int, place: int) -> int:
    """Returns the pattern of the 3 x 3 window that starts at a place of a strip."""
    return lines >> STEP * place & 0x1FF


@compiled
def large_window(lines: int, place: int) -> int:
    """Returns the pattern of the 3 x 4 window that starts at a place of a strip."""
    return lines >> STEP * place & 0xFFF


@compiled
def list_kinds(rows: Numbers, columns: Numbers, kinds: NDArray[np.int16] | Numbers) -> None:
    """Writes the kinds [WINDOWS] of all windows."""
    number = 0
    for line in range(SIDE):
        across, down = strip(rows, line), strip(columns, line)
        for at in range(SIDE):
            kinds[number] = SMALL[small_window(across, at)]
            number += 1
        for at in range(_LONG):
            kinds[number] = LARGE[large_window(across, at)]
            kinds[number + 1] = LARGE[large_window(down, at)]
            number += 2


@compiled
def window_values(
    rows: Numbers, columns: Numbers, of_small: Floats, of_large: Floats, out: Floats
) -> None:
    """Writes the value of each window, by two tables of values [pattern].

    ``out`` is [3, SIDE, SIDE], by the first space of a window: small windows, large ones along
    rows, large ones along columns.
    """
    for line in range(SIDE):
        across, down = strip(rows, line), strip(columns, line)
        for at in range(SIDE):
            out[0, line, at] = of_small[small_window(across, at)]
        for at in range(_LONG):
            out[1, line, at] = of_large[large_window(across, at)]
            out[2, line, at] = of_large[large_window(down, at)]


@compiled
def value_change(
    rows: Numbers,
    columns: Numbers,
    of_small: Floats,
    of_large: Floats,
    before: Floats,
    area: tuple[int, int, int, int],
) -> float:
    """Returns by how much the sum of all values has grown since ``window_values`` wrote ``before``.

    Only an area has changed: from a first to a last row and a first to a last column of the frame.
    """
    top, bottom, left, right = area
    total = np.float32(0)
    for line in range(max(0, top - 2), min(SIDE - 1, bottom) + 1):
        across = strip(rows, line)
        for at in range(max(0, left - 2), min(SIDE - 1, right) + 1):
            total += of_small[small_window(across, at)] - before[0, line, at]
        for at in range(max(0, left - 3), min(_LONG - 1, right) + 1):
            total += of_large[large_window(across, at)] - before[1, line, at]
    for line in range(max(0, left - 2), min(SIDE - 1, right) + 1):
        down = strip(columns, line)
        for at in range(max(0, top - 3), min(_LONG - 1, bottom) + 1):
            total += of_large[large_window(down, at)] - before[2, line, at]
    return float(total)
