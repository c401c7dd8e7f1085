"""Borrowed arrays are the same arrays, and are not counted."""

import sys
from typing import NamedTuple

import numpy as np

from patchwork.engine.kernel.borrowed import borrowed
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.state import Numbers


class Inner(NamedTuple):
    numbers: Numbers
    factor: int


class Outer(NamedTuple):
    inner: Inner
    grid: Numbers


@compiled
def _double(outer: Outer) -> int:
    inner, grid = borrowed(outer)
    inner.numbers[0] *= inner.factor
    row = grid[1]
    row[:] = inner.numbers[0]
    return int(grid.sum())


def test_what_is_written_is_written_to_the_owner() -> None:
    outer = Outer(Inner(np.array([21, 5]), 2), np.zeros((2, 3), np.int64))
    before = sys.getrefcount(outer.grid), sys.getrefcount(outer.inner.numbers)
    assert _double(outer) == 3 * 42
    assert outer.inner.numbers.tolist() == [42, 5]
    assert outer.grid.tolist() == [[0, 0, 0], [42, 42, 42]]
    assert (sys.getrefcount(outer.grid), sys.getrefcount(outer.inner.numbers)) == before


@compiled
def _uses(outer: Outer, times: int) -> int:
    total = 0
    for _ in range(times):
        total += borrowed(outer).grid[0].sum()
    return total


def test_it_may_be_borrowed_again_and_again() -> None:
    grid = np.arange(6).reshape(2, 3)
    assert _uses(Outer(Inner(np.zeros(1, np.int64), 1), grid), 1000) == 3000
    assert grid.tolist() == [[0, 1, 2], [3, 4, 5]]
