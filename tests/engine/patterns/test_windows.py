"""Windows show a quilt with its border, and are of one kind when turned or mirrored."""

from random import Random

import numpy as np
import pytest

from patchwork.engine.kernel.pieces import framed
from patchwork.engine.kernel.symmetry import SYMMETRY_CELLS, turned
from patchwork.engine.patterns.windows import (
    FRAMED_SIDE,
    KINDS,
    LARGE,
    LARGE_KINDS,
    SMALL,
    SMALL_KINDS,
    STEP,
    WINDOWS,
    list_kinds,
    read_rows,
    value_change,
    window_values,
)
from patchwork.rules.quilt import CELLS, SIDE


def quilts(count: int) -> list[int]:
    random = Random(4)
    return [0, (1 << CELLS) - 1, *(random.getrandbits(CELLS) for _ in range(count))]


def rows_of(quilt: int) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = np.empty(FRAMED_SIDE, np.int64), np.empty(FRAMED_SIDE, np.int64)
    read_rows(*framed(quilt), rows, columns)
    return rows, columns


def counts_of(quilt: int) -> np.ndarray:
    kinds = np.empty(WINDOWS, np.int16)
    list_kinds(*rows_of(quilt), kinds)
    return np.bincount(kinds, minlength=KINDS)


def test_there_are_as_many_kinds_as_burnside_counts() -> None:
    # Patterns left as they are by each symmetry, divided by the number of symmetries.
    assert SMALL_KINDS == (2**9 + 2 * 2**3 + 2**5 + 4 * 2**6) // 8
    assert LARGE_KINDS == (2**12 + 2**6 + 2**6 + 2**8) // 4
    assert KINDS == SMALL_KINDS + LARGE_KINDS
    assert sorted({*SMALL.tolist(), *LARGE.tolist()}) == list(range(KINDS))


@pytest.mark.parametrize("quilt", quilts(20))
def test_rows_and_columns_with_their_border(quilt: int) -> None:
    def is_covered(row: int, column: int) -> bool:
        inside = row in range(SIDE) and column in range(SIDE)
        return not inside or quilt >> (SIDE * row + column) & 1 == 1

    rows, columns = rows_of(quilt)
    for row in range(FRAMED_SIDE):
        for column in range(FRAMED_SIDE):
            expected = is_covered(row - 1, column - 1)
            assert bool(rows[row] >> STEP * column & 1) == expected
            assert bool(columns[column] >> STEP * row & 1) == expected


@pytest.mark.parametrize("quilt", quilts(10))
def test_a_turned_quilt_shows_the_same_kinds(quilt: int) -> None:
    counts = counts_of(quilt)
    assert counts[:SMALL_KINDS].sum() == SIDE * SIDE
    assert counts[SMALL_KINDS:].sum() == 2 * SIDE * (SIDE - 1)
    for turn in SYMMETRY_CELLS.tolist():
        assert (counts_of(turned(quilt, turn)) == counts).all()


def test_a_change_of_values_is_found_near_the_change() -> None:
    random = Random(5)
    table = np.random.default_rng(1).normal(size=KINDS).astype(np.float32)
    for quilt in quilts(20):
        top, left = random.randrange(SIDE - 2), random.randrange(SIDE - 3)
        patch = sum(
            1 << (SIDE * (top + down) + left + right)
            for down in range(3)
            for right in range(4)
            if random.random() < 0.6
        )
        area = top + 1, top + 3, left + 1, left + 4
        tables = table[SMALL], table[LARGE]
        before = np.empty((3, SIDE, SIDE), np.float32)
        window_values(*rows_of(quilt), *tables, before)
        found = value_change(*rows_of(quilt | patch), *tables, before, area)
        expected = (counts_of(quilt | patch) - counts_of(quilt)) @ table
        assert found == pytest.approx(float(expected), abs=1e-3)
