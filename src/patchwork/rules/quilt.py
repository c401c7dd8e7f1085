"""Geometry of the 9 x 9 quilt board (C1).

A set of spaces is a plain 81-bit integer, a *mask*; the space in row ``r`` and column ``c``, both
counted from 0 at the top left, is bit ``9 * r + c``. So two sets overlap when ``a & b`` is not 0.
"""

from collections.abc import Iterator

SIDE = 9
CELLS = SIDE * SIDE
FULL = (1 << CELLS) - 1


def mask(rows: tuple[str, ...]) -> int:
    """Returns the spaces covered by a drawing of ``#`` and ``.`` in the top-left corner."""
    return sum(
        1 << (SIDE * r + c)
        for r, row in enumerate(rows)
        for c, mark in enumerate(row)
        if mark == "#"
    )


def places(rows: tuple[str, ...]) -> dict[int, int]:
    """Returns the masks of a drawing at every place on the board, by its top-left corner."""
    corner = mask(rows)
    return {
        SIDE * r + c: corner << (SIDE * r + c)
        for r in range(SIDE - len(rows) + 1)
        for c in range(SIDE - len(rows[0]) + 1)
    }


def cells(spaces: int) -> Iterator[int]:
    """Yields the spaces of a mask in ascending order."""
    while spaces:
        lowest = spaces & -spaces
        yield lowest.bit_length() - 1
        spaces ^= lowest


SQUARES = tuple(places(("#" * 7,) * 7).values())
"""The nine 7 x 7 squares, as masks."""


def has_square(quilt: int) -> bool:
    """Returns whether a 7 x 7 square of the quilt is completely filled (X1)."""
    return any(quilt & square == square for square in SQUARES)
