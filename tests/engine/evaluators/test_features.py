"""The input of the network agrees with the rules."""

from random import Random

import numpy as np
import pytest

import patchwork as pw
from patchwork.engine.evaluators.features import (
    NEAR_PATCHES,
    PLANES,
    SCALARS,
    SLOTS,
    unpack,
    write_features,
)
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.state import CIRCLE, from_position
from patchwork.rules.quilt import CELLS, SIDE, places
from support.positions import VALID, swapped

TEXTS = {
    name: text
    for name, text in (
        VALID | {f"{name}, swapped": swapped(text) for name, text in VALID.items()}
    ).items()
    if ":over" not in text
}


def seen(position: pw.Position) -> tuple[np.ndarray, np.ndarray]:
    """Returns planes and scalars."""
    words, scalars = np.empty((PLANES, 2), np.int64), np.empty(SCALARS, np.float32)
    planes = np.empty((PLANES, CELLS), np.float32)
    state, circle = from_position(position)
    pieces = np.empty(SLOTS, np.int64)
    write_features(state, circle, words, scalars, pieces, np.empty((3, LANES), np.int64))
    unpack(words, planes)
    return planes, scalars


def cells(plane: np.ndarray) -> set[int]:
    return {int(cell) for cell in np.flatnonzero(plane)}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_planes_show_empty_spaces_and_where_patches_fit(text: str) -> None:
    position = pw.Position.parse(text)
    planes, _ = seen(position)
    quilts = [position.players[seat].quilt for seat in (position.turn, 1 - position.turn)]
    for plane, quilt in zip(planes, quilts, strict=False):
        assert cells(plane) == {cell for cell in range(CELLS) if not quilt >> cell & 1}
    for number in range(3):
        shown = planes[2 + LANES * number : 2 + LANES * (number + 1)]
        shapes = (
            pw.PATCHES[position.offer[number]].orientations if number < len(position.offer) else ()
        )
        for lane in range(LANES):
            fits = set()
            if lane < len(shapes):
                here = places(shapes[lane]).items()
                fits = {corner for corner, mask in here if not mask & quilts[0]}
            assert cells(shown[lane]) == fits


def test_scalars_are_finite_and_small() -> None:
    random = Random(1)
    for seed in range(20):
        position = pw.Setup.random(seed, edition=(pw.CLASSIC, pw.REVISED)[seed % 2]).start()
        while position.outcome is None:
            _, scalars = seen(position)
            assert np.isfinite(scalars).all()
            assert np.abs(scalars).max() <= 20
            position = position.play(random.choice(position.legal_moves()))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_input_depends_on_who_is_to_move_not_on_the_seat(text: str) -> None:
    one, other = seen(pw.Position.parse(text)), seen(pw.Position.parse(swapped(text)))
    assert (one[0] == other[0]).all()
    assert (one[1] == other[1]).all()


def test_far_patches_are_described_in_order() -> None:
    random = Random(2)
    position = pw.Setup.random(5).start()
    while position.outcome is None:
        _, scalars = seen(position)
        told = scalars[-5 * (CIRCLE - NEAR_PATCHES) :].reshape(-1, 5)
        for number, row in enumerate(told, NEAR_PATCHES):
            expected = np.zeros(5)
            if number < len(position.circle):
                patch = pw.PATCHES[position.circle[number]]
                expected[:] = 1, patch.cost / 10, patch.time / 6, patch.income / 3, patch.size / 8
            assert row == pytest.approx(expected)
        position = position.play(random.choice(position.legal_moves()))


def test_every_part_of_a_position_is_described() -> None:
    """Any difference between positions changes the input."""
    base = pw.Setup.random(3).start()
    looks = {seen(base)[1].tobytes()}
    for edition in (pw.CLASSIC, pw.REVISED):
        for seed in range(5):
            looks.add(seen(pw.Setup.random(seed, edition=edition).start())[1].tobytes())
    assert len(looks) == 10
    assert SIDE * SIDE == CELLS
