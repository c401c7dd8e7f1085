"""Literal examples for the functions that build the tables at import."""

import pytest

from patchwork.rules import moves, patches
from patchwork.rules.moves import Buy, purchases
from patchwork.rules.patches import PATCHES, Patch, turned
from patchwork.rules.quilt import cells, has_square, mask, places
from support.quilts import draw, quilt, spaces


def test_the_eight_views_of_a_drawing() -> None:
    assert turned(("####", "#...")) == (
        ("####", "#..."),
        ("##", ".#", ".#", ".#"),
        ("...#", "####"),
        ("#.", "#.", "#.", "##"),
        ("####", "...#"),
        (".#", ".#", ".#", "##"),
        ("#...", "####"),
        ("##", "#.", "#.", "#."),
    )


def test_views_of_a_symmetric_drawing_repeat() -> None:
    assert turned(("##", "##")) == (("##", "##"),) * 8
    assert turned(("##",)) == (("##",), ("#", "#")) * 4


def test_a_patch_is_computed_from_its_drawing() -> None:
    made = patches._patch(40, "########", 7, 5, 3)
    assert made == Patch(
        id=40,
        rows=("########",),
        cost=7,
        time=5,
        income=3,
        size=8,
        orientations=(("########",), ("#",) * 8),
        placements=(
            *(0b11111111 << at for r in range(9) for at in (9 * r, 9 * r + 1)),
            *(sum(1 << 9 * r for r in range(8)) << at for at in range(18)),
        ),
    )
    assert repr(made) == "Patch(id=40, rows=('########',), cost=7, time=5, income=3, size=8)"


def test_rows_of_a_drawing_are_separated_by_slashes() -> None:
    made = patches._patch(41, "########/#......./########", 0, 0, 0)
    assert made.rows == ("########", "#.......", "########")
    assert made.orientations[1] == ("###", *("#.#",) * 7)
    assert (made.size, len(made.orientations), len(made.placements)) == (17, 4, 56)


def test_an_orientation_is_prepared_for_testing_all_places_at_once() -> None:
    made = moves._orientation(PATCHES[32], (".##.", "####", ".##."))
    assert made.offsets == (1, 2, 9, 10, 11, 12, 19, 20)
    assert draw(made.anchors) == "\n".join(["######..."] * 7 + ["........."] * 2)
    assert list(made.purchases) == [1 << (9 * r + c) for r in range(7) for c in range(6)]
    drawn = """
        .........
        .........
        .........
        .........
        .........
        .........
        ......##.
        .....####
        ......##.
    """
    assert made.purchases[1 << (9 * 6 + 5)] == Buy(32, quilt(drawn))


def test_a_drawing_is_placed_by_its_top_left_corner() -> None:
    laid = places(("########", "#......."))
    assert list(laid) == [0, 1, 9, 10, 18, 19, 27, 28, 36, 37, 45, 46, 54, 55, 63, 64]
    assert draw(laid[64]).endswith("\n.########\n.#.......")
    assert places(("#" * 9,) * 9) == {0: (1 << 81) - 1}


def test_masks_and_cells() -> None:
    assert mask((".#", "##")) == 1 << 1 | 1 << 9 | 1 << 10
    assert list(cells(1 << 80 | 1 << 9 | 1)) == [0, 9, 80]
    assert list(cells(0)) == []


@pytest.mark.parametrize("corner", [9 * r + c for r in range(3) for c in range(3)])
def test_each_of_the_nine_squares_counts_and_only_when_full(corner: int) -> None:
    square = mask(("#######",) * 7) << corner
    assert has_square(square)
    for cell in spaces(square):
        assert not has_square(square ^ 1 << cell)


def test_purchases_that_fit_a_quilt_in_the_order_of_the_placements() -> None:
    covered = quilt("""
        .########
        .########
        ##.######
        #########
        #########
        #########
        #########
        ####..###
        ####.####
    """)
    assert [draw(buy.cells) for buy in purchases(3, covered)] == [
        "\n".join(["........."] * 7 + ["....##...", "....#...."])
    ]
    assert purchases(0, covered) == [
        Buy(0, 1 << 67 | 1 << 68),
        Buy(0, 1 | 1 << 9),
        Buy(0, 1 << 67 | 1 << 76),
    ]
    assert purchases(6, covered) == []
