"""What depends on internals of Numba works, and is not used with a version that was not tested."""

import re
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.numba_internals import TESTED, is_tested, uncounted
from patchwork.engine.kernel.state import Numbers


class Inner(NamedTuple):
    numbers: Numbers
    factor: int


class Outer(NamedTuple):
    inner: Inner
    grid: Numbers


@compiled
def _double(outer: Outer) -> int:
    inner, grid = uncounted(outer)
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
        total += uncounted(outer).grid[0].sum()
    return total


def test_references_may_be_left_uncounted_again_and_again() -> None:
    grid = np.arange(6).reshape(2, 3)
    assert _uses(Outer(Inner(np.zeros(1, np.int64), 1), grid), 1000) == 3000
    assert grid.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("version", ["0.61.0", "0.61.2rc1", "0.68.1", "0.69.0"])
def test_versions_that_were_tested(version: str) -> None:
    assert is_tested(version)


@pytest.mark.parametrize("version", ["0.60.1", "0.70.0", "0.70.0rc1", "1.0", "0+untagged", "x"])
def test_versions_that_were_not_tested(version: str) -> None:
    assert not is_tested(version)


def test_the_package_asks_for_versions_that_were_tested() -> None:
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    (first, last) = (f"{major}.{minor}" for major, minor in TESTED)
    asked = set(re.findall(r'"numba(>=[^"]*)"', project))
    assert asked == {f">={first},<{last}"}
