"""The vector instructions agree with counting spaces one by one.

They can be called from compiled code alone, hence the small compiled functions here.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import patchwork as pw
from patchwork.engine.kernel import simd
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    EDGE,
    LANES,
    LEATHER_PIECE,
    LOW_BITS,
    LOW_MASK,
    OFFSETS,
    PIECES,
    WIDTH,
    framed,
    unframed,
)
from support.quilts import FULL, draw, quilt

F = TypeVar("F", bound=Callable[..., Any])
Space = tuple[int, int]


def compiled(function: F) -> F:
    return cast("F", njit(function))


@compiled
def count_bits(word: int) -> int:
    return simd.popcount(word)  # type: ignore[no-any-return]


@compiled
def find_lowest(word: int) -> int:
    return simd.lowest_bit(word)  # type: ignore[no-any-return]


@compiled
def find_free(low: int, high: int, piece: int, found: Any) -> None:
    simd.free_places(low, high, OFFSETS[piece], ANCHORS[piece], found)


@compiled
def find_contacts(low: int, high: int, piece: int, found: Any) -> None:
    simd.contact_digits(low, high, EDGE[piece], found)


@compiled
def find_tightest(low: int, high: int, piece: int, found: Any) -> None:
    simd.tightest_places(low, high, OFFSETS[piece], ANCHORS[piece], EDGE[piece], found)


@compiled
def find_reach(low: int, high: int, piece: int) -> tuple[int, int]:
    return simd.spaces_in_reach(low, high, OFFSETS[piece], ANCHORS[piece])  # type: ignore[no-any-return]


def filled(mask: int) -> set[Space]:
    return {(cell // 9, cell % 9) for cell in range(81) if mask >> cell & 1}


def orientations(piece: int) -> tuple[tuple[str, ...], ...]:
    return (("#",),) if piece == LEATHER_PIECE else pw.PATCHES[piece].orientations


def fitting(piece: int, mask: int) -> Iterator[tuple[int, Space, set[Space]]]:
    """Yields orientation, corner and spaces of every placement on a quilt."""
    taken = filled(mask)
    for lane, rows in enumerate(orientations(piece)):
        for top in range(10 - len(rows)):
            for left in range(10 - len(rows[0])):
                cells = {
                    (top + r, left + c)
                    for r, row in enumerate(rows)
                    for c, mark in enumerate(row)
                    if mark == "#"
                }
                if not cells & taken:
                    yield lane, (top, left), cells


def touching(cells: set[Space], mask: int) -> int:
    """Counts the sides at which the cells meet a filled space or the edge of the board."""
    taken = filled(mask)
    sides = 0
    for r, c in cells:
        for neighbour in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            off_the_board = not (0 <= neighbour[0] < 9 and 0 <= neighbour[1] < 9)
            sides += neighbour not in cells and (off_the_board or neighbour in taken)
    return sides


def corners(low: int, high: int) -> set[Space]:
    """Returns places by row and column, without the unused bits of the low word."""
    bits = int(low) & LOW_MASK | int(high) << LOW_BITS
    return {divmod(place, WIDTH) for place in range(127) if bits >> place & 1}


def some_quilts() -> st.SearchStrategy[int]:
    masks = st.integers(0, (1 << 81) - 1)
    return st.one_of(
        masks,
        st.builds(lambda a, b: a & b, masks, masks),  # airy
        st.builds(lambda a, b, c: a & b & c, masks, masks, masks),
        st.builds(lambda a, b, c: a | b | c, masks, masks, masks),  # crowded
        st.builds(
            lambda row, mask: mask & ~(0b11_1111_1111_1111_1111 << 9 * row),
            st.integers(0, 7),
            masks,
        ),  # two rows free
        st.sampled_from([0, (1 << 81) - 1, quilt(BORDER), quilt(CHECKS)]),
    )


BORDER = """
    #########
    #.......#
    #.......#
    #.......#
    #.......#
    #.......#
    #.......#
    #.......#
    #########
"""
CHECKS = "\n".join(["#.#.#.#.#", ".#.#.#.#."] * 4 + ["#.#.#.#.#"])
pieces = st.integers(0, PIECES - 1)
many = settings(deadline=None, max_examples=150)


@given(st.integers(0, 2**63 - 1))
@many
def test_popcount_counts_the_bits_of_a_word(word: int) -> None:
    assert count_bits(word) == sum(word >> bit & 1 for bit in range(63))


@given(st.integers(1, 2**63 - 1), st.integers(0, 62))
@many
def test_lowest_bit_is_the_last_one_written(word: int, shift: int) -> None:
    word = (word << shift & 2**63 - 1) or 1
    assert find_lowest(word) == len(bin(word)) - 1 - bin(word).rindex("1")


@given(some_quilts())
@many
def test_framing_a_quilt_can_be_undone(mask: int) -> None:
    low, high = framed(mask)
    assert 0 <= low < 1 << LOW_BITS
    assert 0 <= high < 1 << LOW_BITS
    assert draw(unframed(low, high)) == draw(mask)


@given(some_quilts())
@many
def test_a_framed_quilt_has_a_row_of_ten_bits_for_each_row_and_one_above_and_below(
    mask: int,
) -> None:
    low, high = framed(mask)
    bits = low | high << LOW_BITS
    rows = [f"{bits >> 10 * row & 1023:010b}"[::-1] for row in range(11)]
    inside = [line + "#" for line in draw(mask).splitlines()]
    assert [row.replace("1", "#").replace("0", ".") for row in rows] == [
        "#" * 10,
        *inside,
        "#" * 10,
    ]
    assert bits >> 110 == 0


@given(pieces, some_quilts())
@many
def test_free_places_are_those_where_no_cell_is_taken(piece: int, mask: int) -> None:
    found = np.zeros((3, LANES), np.int64)
    find_free(*framed(mask), piece, found)
    expected: list[set[Space]] = [set() for _ in range(LANES)]
    for lane, corner, _ in fitting(piece, mask):
        expected[lane].add(corner)
    assert [corners(*found[:2, lane]) for lane in range(LANES)] == expected
    assert found[2].tolist() == [len(places) for places in expected]


@given(pieces, some_quilts())
@many
def test_contact_digits_count_the_sides_that_touch(piece: int, mask: int) -> None:
    found = np.zeros((2 * simd.DIGITS, LANES), np.int64)
    find_contacts(*framed(mask), piece, found)
    for lane, corner, cells in fitting(piece, mask):
        number = sum(
            1 << digit
            for digit in range(simd.DIGITS)
            if corner in corners(*found[2 * digit : 2 * digit + 2, lane])
        )
        assert number == touching(cells, mask)


@given(pieces, some_quilts())
@many
def test_tightest_places_touch_at_the_most_sides(piece: int, mask: int) -> None:
    found = np.zeros((3, LANES), np.int64)
    find_tightest(*framed(mask), piece, found)
    for lane in range(LANES):
        sides = {
            corner: touching(cells, mask)
            for own, corner, cells in fitting(piece, mask)
            if own == lane
        }
        most = max(sides.values(), default=0)
        best = {corner for corner, number in sides.items() if number == most}
        assert corners(*found[:2, lane]) == best
        if best:
            assert found[2, lane] == most


@given(pieces, some_quilts())
@many
def test_spaces_in_reach_are_those_that_some_placement_covers(piece: int, mask: int) -> None:
    low, high = find_reach(*framed(mask), piece)
    expected = set().union(*(cells for _, _, cells in fitting(piece, mask)))
    frame = framed(0)
    assert low & frame[0] == high & frame[1] == 0
    assert filled(unframed(low, high)) == expected


@pytest.mark.parametrize("piece", range(PIECES))
def test_the_only_gap_left_is_found_and_fits_snugly(piece: int) -> None:
    """This includes the last row and column, where the two words and the border meet."""
    for mask_cells in gaps(piece):
        mask = quilt(FULL) & ~mask_cells
        ((lane, corner, cells), *others) = fitting(piece, mask)
        assert not others
        found = np.zeros((3, LANES), np.int64)
        find_tightest(*framed(mask), piece, found)
        assert corners(*found[:2, lane]) == {corner}
        assert found[2, lane] == touching(cells, mask)
        assert unframed(*find_reach(*framed(mask), piece)) == mask_cells


def gaps(piece: int) -> list[int]:
    if piece == LEATHER_PIECE:
        return [1 << cell for cell in range(81)]
    places = pw.PATCHES[piece].placements
    return [*places[:3], *places[len(places) // 2 :: 40], *places[-3:]]
