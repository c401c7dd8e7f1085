"""Layers add up weighted rows, whatever their width."""

import numpy as np
import pytest

from patchwork.engine.patterns.layers import WIDTH_STEP, add_layer, add_rows, aligned, relu


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("width", [WIDTH_STEP, 32, 64, 64 + 32 + WIDTH_STEP, 256])
def test_a_layer_is_a_matrix_for_some_of_the_numbers(width: int) -> None:
    weights, bias, given = aligned(random(50, width)), random(width), random(50)
    given[::3] = 0
    out = bias.copy()
    which = np.arange(10, 50)
    add_layer(given, which, weights, out, np.empty(len(which) + 1, np.int64))
    assert out == pytest.approx(bias + given[which] @ weights[which], abs=1e-4)


def test_rows_are_added_as_often_as_they_are_listed() -> None:
    weights, given = aligned(random(5, 64)), random(5)
    out = np.zeros(64, np.float32)
    add_rows(given, np.array([4, 1, 4, 0]), 3, weights, out)
    assert out == pytest.approx(2 * given[4] * weights[4] + given[1] * weights[1], abs=1e-5)


def test_relu_replaces_what_is_negative() -> None:
    numbers = np.array([-1, 0, 2], np.float32)
    relu(numbers)
    assert numbers.tolist() == [0, 0, 2]


def test_what_is_aligned_is_the_same() -> None:
    numbers = random(7, 3)
    copy = aligned(numbers)
    assert (copy == numbers).all()
    assert copy.ctypes.data % 64 == 0
