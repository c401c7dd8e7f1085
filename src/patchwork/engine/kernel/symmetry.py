"""Symmetries of a quilt, turned and mirrored: the same to the rules, but not quite to a network."""

from collections.abc import Sequence

import numpy as np

from patchwork.engine.kernel.pieces import CELL_PLACES, EMPTY_HIGH, EMPTY_LOW, LOW_BITS, WIDTH
from patchwork.engine.kernel.state import HIGH, LOW, SEAT, WORDS, Floats, Numbers
from patchwork.rules.moves import LEATHERS, Advance, Buy, Leather, Move
from patchwork.rules.quilt import CELLS, SIDE, cells

SYMMETRIES = 8
"""The ways in which a quilt can be turned and mirrored."""


def _turn(cell: int, view: int) -> int:
    """Returns where a space lies in one of the views of a quilt."""
    row, column = divmod(cell, SIDE)
    if view & 4:
        row, column = column, row
    if view & 2:
        row = SIDE - 1 - row
    if view & 1:
        column = SIDE - 1 - column
    return SIDE * row + column


SYMMETRY_CELLS = np.array(
    [[_turn(cell, view) for cell in range(CELLS)] for view in range(SYMMETRIES)]
)
"""[SYMMETRIES, CELLS]: where each space comes to lie; the first symmetry leaves all in place."""
_BITS = WIDTH + CELL_PLACES
"""[CELLS]: the bit of each space in the two words of a quilt, read as one."""
_LOWER = _BITS < LOW_BITS


def turned_states(states: Numbers, turns: Numbers) -> Numbers:
    """Returns each state in each view, both quilts turned alike."""
    shown = np.repeat(states[:, np.newaxis], len(turns), 1)
    back = np.argsort(turns, 1)
    for seat in (0, SEAT):
        filled = np.empty((len(states), CELLS), np.int64)
        filled[:, _LOWER] = states[:, seat + LOW, np.newaxis] >> _BITS[_LOWER] & 1
        filled[:, ~_LOWER] = states[:, seat + HIGH, np.newaxis] >> _BITS[~_LOWER] - LOW_BITS & 1
        views = filled[:, back]
        low, high = views[..., _LOWER] << _BITS[_LOWER], views[..., ~_LOWER]
        shown[..., seat + LOW] = EMPTY_LOW + low.sum(-1)
        shown[..., seat + HIGH] = EMPTY_HIGH + (high << _BITS[~_LOWER] - LOW_BITS).sum(-1)
    return shown.reshape(-1, WORDS)


def turned_back(planes: Floats, turns: Numbers) -> Floats:
    """Returns planes [views, n, CELLS] about turned quilts, turned back."""
    return np.stack([plane[:, turn] for plane, turn in zip(planes, turns, strict=True)])


def turned(spaces: int, turn: Sequence[int]) -> int:
    """Returns a mask on a quilt shown in another view."""
    return sum(1 << turn[cell] for cell in cells(spaces))


def turned_move(move: Move, turn: Sequence[int]) -> Move:
    """Returns a move on a quilt shown in another view."""
    match move:
        case Buy(patch, spaces):
            return Buy(patch, turned(spaces, turn))
        case Leather(cell):
            return LEATHERS[turn[cell]]
        case Advance():
            return move
