"""Clauses C1 to C6 and S1 to S5 of ``docs/rules.md``: components and setup."""

import dataclasses
import doctest
from pathlib import Path

import pytest

import patchwork as pw
from patchwork.rules.patches import turned
from support.quilts import CIRCLE, draw, lay, quilt, spaces, table, without_purchases

RULES = Path(__file__).parents[2] / "docs" / "rules.md"
INCOME = (5, 11, 17, 23, 29, 35, 41, 47, 53)
EDITIONS = pytest.mark.parametrize("edition", [pw.CLASSIC, pw.REVISED], ids=lambda e: e.name)

# id, shape, buttons, time, income, squares, orientations, places on an empty quilt
PATCHES = [
    (0, "##", 2, 1, 0, 2, 2, 144),
    (1, "##/#.", 1, 3, 0, 3, 4, 256),
    (2, "###", 2, 2, 0, 3, 2, 126),
    (3, "##/#.", 3, 1, 0, 3, 4, 256),
    (4, "###/.#.", 2, 2, 0, 4, 4, 224),
    (5, "##./.##", 3, 2, 1, 4, 4, 224),
    (6, "####", 3, 3, 1, 4, 2, 108),
    (7, "###/#..", 4, 2, 1, 4, 8, 448),
    (8, "###/#..", 4, 6, 2, 4, 8, 448),
    (9, "##/##", 6, 5, 2, 4, 1, 64),
    (10, "##./.##", 7, 6, 3, 4, 4, 224),
    (11, "###/#.#", 1, 2, 0, 5, 4, 224),
    (12, "###/##.", 2, 2, 0, 5, 8, 448),
    (13, "###./..##", 2, 3, 1, 5, 8, 384),
    (14, "####/.#..", 3, 4, 1, 5, 8, 384),
    (15, ".#./###/.#.", 5, 4, 2, 5, 1, 49),
    (16, "###/.#./.#.", 5, 5, 2, 5, 4, 196),
    (17, "#####", 7, 1, 1, 5, 2, 90),
    (18, "####/#...", 10, 3, 2, 5, 8, 384),
    (19, "##./.##/..#", 10, 4, 3, 5, 4, 196),
    (20, ".#../####/.#..", 0, 3, 1, 6, 4, 168),
    (21, "#.../####/...#", 1, 2, 0, 6, 4, 168),
    (22, "####/#..#", 1, 5, 1, 6, 4, 192),
    (23, ".#../####/..#.", 2, 1, 0, 6, 4, 168),
    (24, "##./.##/##.", 3, 6, 2, 6, 4, 196),
    (25, "###./.###", 4, 2, 0, 6, 4, 192),
    (26, "#.../####/#...", 7, 2, 2, 6, 4, 168),
    (27, "####/.##.", 7, 4, 2, 6, 4, 192),
    (28, "##./###/..#", 8, 6, 3, 6, 8, 392),
    (29, "####/##..", 10, 5, 3, 6, 8, 384),
    (30, "..#../#####/..#..", 1, 4, 1, 7, 2, 70),
    (31, "###/.#./###", 2, 3, 0, 7, 2, 98),
    (32, ".##./####/.##.", 5, 3, 1, 8, 2, 84),
]


def test_C1_a_quilt_has_nine_rows_of_nine_spaces_counted_from_the_top_left() -> None:
    start = pw.Setup(CIRCLE).start()
    empty = dataclasses.replace(start, phase=pw.Phase.LEATHER)
    drawn = quilt("""
        #.......#
        .........
        .....#...
        .........
        .........
        .........
        .........
        .........
        #.......#
    """)
    corners = empty
    for row, column in ((0, 0), (0, 8), (2, 5), (8, 0), (8, 8)):
        corners = dataclasses.replace(corners, turn=0, phase=pw.Phase.LEATHER)
        corners = corners.play(pw.Leather(9 * row + column))
    assert [move for move in empty.legal_moves() if isinstance(move, pw.Leather)] == [
        pw.Leather(cell) for cell in range(81)
    ]
    assert draw(corners.players[0].quilt) == draw(drawn)


def test_C1_there_are_two_players_and_buttons_are_money_and_points() -> None:
    start = pw.Setup((3, *CIRCLE[:2], *CIRCLE[3:])).start()
    bought = start.play(lay(3))  # 3 buttons and 3 spaces
    assert len(start.players) == 2
    assert [bought.players[0].buttons, bought.players[1].buttons] == [5 - 3, 5]
    assert start.scores == (5 - 2 * 81, 5 - 2 * 81)
    assert bought.scores == (2 - 2 * 78, 5 - 2 * 81)


def test_C2_the_33_patches_are_these() -> None:
    assert [
        (
            patch.id,
            "/".join(patch.rows),
            patch.cost,
            patch.time,
            patch.income,
            patch.size,
            len(patch.orientations),
            len(patch.placements),
        )
        for patch in pw.PATCHES
    ] == PATCHES


def test_C2_in_all_166_squares_income_38_prices_133_and_107_and_30_shapes() -> None:
    assert len(pw.PATCHES) == 33
    assert sum(patch.size for patch in pw.PATCHES) == 166
    assert sum(patch.income for patch in pw.PATCHES) == 38
    assert sum(patch.cost for patch in pw.PATCHES) == 133
    assert sum(patch.time for patch in pw.PATCHES) == 107
    assert len({frozenset(patch.orientations) for patch in pw.PATCHES}) == 30
    assert {patch.size for patch in pw.PATCHES} == set(range(2, 9))
    assert {patch.income for patch in pw.PATCHES} == {0, 1, 2, 3}


def test_C2_the_smallest_patch_is_1_by_2_and_costs_2_buttons_and_1_time() -> None:
    smallest = min(pw.PATCHES, key=lambda patch: patch.size)
    assert smallest is pw.PATCHES[0]
    assert (smallest.rows, smallest.cost, smallest.time, smallest.income) == (("##",), 2, 1, 0)


def test_C2_the_orientations_come_turned_clockwise_and_then_mirrored() -> None:
    # ###  ##  ..#  #.      ###  .#  #..  ##
    # #..  .#  ###  #.      ..#  .#  ###  #.
    #      .#       ##           ##       #.
    assert ["/".join(shape) for shape in pw.PATCHES[7].orientations] == [
        *("###/#..", "##/.#/.#", "..#/###", "#./#./##"),
        *("###/..#", ".#/.#/##", "#../###", "##/#./#."),
    ]
    # Patch 5, an S, looks the same after half a turn, so only four of its eight views differ.
    assert ["/".join(shape) for shape in turned(("##.", ".##"))] == [
        *("##./.##", ".#/##/#.", "##./.##", ".#/##/#."),
        *(".##/##.", "#./##/.#", ".##/##.", "#./##/.#"),
    ]
    assert ["/".join(shape) for shape in pw.PATCHES[5].orientations] == [
        "##./.##",
        ".#/##/#.",
        ".##/##.",
        "#./##/.#",
    ]


def test_C2_the_placements_go_through_the_orientations_and_then_row_by_row() -> None:
    lying = [(cell, cell + 1) for cell in range(81) if cell % 9 < 8]
    standing = [(cell, cell + 9) for cell in range(72)]
    assert [spaces(mask) for mask in pw.PATCHES[0].placements] == lying + standing
    assert draw(pw.PATCHES[32].placements[83]) == draw(
        quilt("""
            .........
            .........
            .........
            .........
            .........
            .......#.
            ......###
            ......###
            .......#.
        """)
    )


def test_C2_every_placement_is_the_patch_wholly_on_the_board_and_listed_once() -> None:
    for patch in pw.PATCHES:
        assert len(set(patch.placements)) == len(patch.placements)
        assert {mask.bit_count() for mask in patch.placements} == {patch.size}
        assert all(0 < mask < 1 << 81 for mask in patch.placements)
        # The first and the last place of each orientation are in corners.
        start = 0
        for shape in patch.orientations:
            height, width = len(shape), len(shape[0])
            end = start + (10 - height) * (10 - width)
            corner = quilt("\n".join(row.ljust(9, ".") for row in shape))
            opposite = quilt("\n".join(["." * 9] * (9 - height) + [r.rjust(9, ".") for r in shape]))
            assert patch.placements[start] == corner
            assert patch.placements[end - 1] == opposite
            start = end


def test_C3_the_time_board_has_54_spaces() -> None:
    positions = without_purchases(pw.Setup(CIRCLE).start())
    visited = {player.time for position in positions for player in position.players}
    assert visited == set(range(54))


def test_C4_the_leather_lines_of_both_editions() -> None:
    assert (pw.CLASSIC.name, pw.CLASSIC.leather) == ("classic", (20, 26, 32, 44, 50))
    assert (pw.REVISED.name, pw.REVISED.leather) == ("revised", (26, 32, 38, 44, 50))


@EDITIONS
@pytest.mark.parametrize("time", range(53))
def test_C4_a_line_is_crossed_from_below_it_to_it(edition: pw.Edition, time: int) -> None:
    me = pw.Player(buttons=2, income=3, time=time)
    before = table(me, pw.Player(time=time), circle=(0, 1), edition=edition)
    after = before.play(lay(0))  # 2 buttons, 1 time
    assert after.players[0] == pw.Player(
        quilt("##......."), buttons=3 if time + 1 in INCOME else 0, income=3, time=time + 1
    )
    assert (after.phase is pw.Phase.LEATHER) == (time + 1 in edition.leather)
    assert after.leather == tuple(line for line in edition.leather if line > time + 1)


def test_C4_nothing_else_differs_between_editions() -> None:
    classic = pw.Setup(CIRCLE, pw.CLASSIC, 1).start()
    revised = pw.Setup(CIRCLE, pw.REVISED, 1).start()
    assert [field.name for field in dataclasses.fields(pw.Edition)] == ["name", "leather"]
    assert classic != revised
    assert dataclasses.replace(classic, edition=pw.REVISED, leather=pw.REVISED.leather) == revised


@EDITIONS
def test_C5_one_tile_of_7_points_and_five_leather_patches_without_price_or_income(
    edition: pw.Edition,
) -> None:
    start = pw.Setup(CIRCLE, edition).start()
    assert len(start.leather) == 5
    assert start.tile is None
    tile = dataclasses.replace(start, tile=1)
    assert tile.scores == (start.scores[0], start.scores[1] + 7)
    me = pw.Player(buttons=9, income=2, time=26)
    sewn = table(me, pw.Player(time=25), edition=edition, phase=pw.Phase.LEATHER).play(
        pw.Leather(40)
    )
    assert sewn.players[0] == pw.Player(1 << 40, buttons=9, income=2, time=26)


def test_C6_the_supply_of_buttons_is_no_limit() -> None:
    me = pw.Player(buttons=162, income=38, time=4)
    after = table(me, pw.Player(buttons=162, time=10)).play(pw.Advance())
    assert after.players[0].buttons == 162 + 7 + 2 * 38


def test_S1_each_player_begins_with_an_empty_quilt_and_5_buttons() -> None:
    start = pw.Setup(CIRCLE).start()
    assert start.players == (pw.Player(), pw.Player())
    assert pw.Player() == pw.Player(quilt=0, buttons=5, income=0, time=0)
    assert start.phase is pw.Phase.TURN


@pytest.mark.parametrize("first", [0, 1])
def test_S2_both_tokens_start_on_space_0_with_that_of_the_first_player_on_top(first: int) -> None:
    start = pw.Setup(CIRCLE, first=first).start()
    assert [player.time for player in start.players] == [0, 0]
    assert start.turn == first
    assert start.first_home is None
    assert start.outcome is None
    after = start.play(pw.Advance())
    assert [after.players[first].time, after.players[1 - first].time] == [1, 0]
    assert after.turn == 1 - first


def test_S2_seat_0_begins_by_default() -> None:
    assert pw.Setup(CIRCLE).first == 0
    assert pw.Setup.random(seed=3).first == 0


def test_S3_the_circle_is_laid_as_given_or_in_random_order() -> None:
    upside_down = (*range(32, 0, -1), 0)
    assert pw.Setup(upside_down).start().circle == upside_down
    assert sorted(pw.Setup.random(seed=5).start().circle) == list(range(33))


def test_S3_the_circle_printed_in_the_rules_is_the_one_of_seed_0() -> None:
    result = doctest.testfile(str(RULES), module_relative=False, encoding="utf-8")
    assert result == doctest.TestResults(failed=0, attempted=2)


def test_S4_the_smallest_patch_is_the_last_in_line() -> None:
    assert pw.Setup.random(seed=8).start().circle[-1] == 0
    with pytest.raises(pw.SetupError):
        pw.Setup((0, *range(1, 33)))


@EDITIONS
def test_S5_leather_lies_on_its_lines_and_the_tile_aside(edition: pw.Edition) -> None:
    start = pw.Setup(CIRCLE, edition).start()
    assert start.edition is edition
    assert start.leather == edition.leather
    assert start.tile is None
