"""Clauses M1 to M4 and X1 of ``docs/rules.md``: lines on the time board, and the special tile."""

import dataclasses

import pytest

import patchwork as pw
from support.quilts import FULL, draw, lay, quilt, table

SEATS = pytest.mark.parametrize("seat", [0, 1])
EDITIONS = pytest.mark.parametrize("edition", [pw.CLASSIC, pw.REVISED], ids=lambda e: e.name)


@SEATS
def test_M1_income_counts_the_patch_placed_on_this_turn(seat: int) -> None:
    me, other = pw.Player(buttons=8, income=4), pw.Player(buttons=8, income=9)
    after = table(me, other, seat=seat, circle=(10, 0)).play(lay(10))  # 7/6/3: 0 -> 6
    assert after.players[seat] == pw.Player(
        quilt("""
            ##.......
            .##......
        """),
        buttons=8 - 7 + (4 + 3),
        income=4 + 3,
        time=6,
    )
    assert after.players[1 - seat] == other


@pytest.mark.parametrize(
    ("start", "end", "paid"),
    [
        (4, 11, 2),  # two lines
        (10, 17, 2),
        (46, 53, 2),
        (5, 11, 1),  # on the line at 5 the income has been paid already
        (4, 10, 1),  # the line at 11 is not reached
        (5, 10, 0),
        (4, 5, 1),
        (5, 6, 0),
        (52, 53, 1),
        (47, 52, 0),
    ],
)
@SEATS
def test_M1_every_income_line_crossed_pays(seat: int, start: int, end: int, paid: int) -> None:
    me, other = pw.Player(buttons=1, income=3, time=start), pw.Player(time=end - 1)
    after = table(me, other, seat=seat).play(pw.Advance()).players[seat]
    assert (after.time, after.income) == (end, 3)
    assert after.buttons == 1 + (end - start) + 3 * paid


def test_M1_income_is_no_money_for_the_patch_that_earns_it() -> None:
    broke = table(pw.Player(buttons=6, income=9, time=4), pw.Player(time=4), circle=(10, 0))
    with pytest.raises(pw.IllegalMove):
        broke.play(lay(10))


@SEATS
@EDITIONS
@pytest.mark.parametrize("index", range(5))
def test_M2_the_first_to_cross_takes_the_leather_and_places_it_at_once(
    seat: int, edition: pw.Edition, index: int
) -> None:
    line = edition.leather[index]
    board = """
        ###......
        #.#......
        ##o......
    """
    me, other = pw.Player(quilt(board), time=line - 2), pw.Player(time=line - 1)
    before = table(me, other, seat=seat, edition=edition)
    taken = before.play(pw.Advance())
    assert (taken.turn, taken.phase) == (seat, pw.Phase.LEATHER)
    assert before.leather == edition.leather[index:]
    assert taken.leather == edition.leather[index + 1 :]
    assert taken.players[seat].buttons == 5 + 2

    sewn = taken.play(pw.Leather(9 * 2 + 2))
    assert (sewn.turn, sewn.phase) == (1 - seat, pw.Phase.TURN)
    assert draw(sewn.players[seat].quilt) == draw(quilt(board, "#o"))
    assert sewn == dataclasses.replace(
        taken, turn=1 - seat, phase=pw.Phase.TURN, players=sewn.players
    )
    assert sewn.players[seat] == dataclasses.replace(
        taken.players[seat], quilt=sewn.players[seat].quilt
    )
    assert sewn.players[1 - seat] == other


@SEATS
def test_M2_later_tokens_find_nothing(seat: int) -> None:
    behind = table(pw.Player(time=19), pw.Player(time=20), seat=seat)
    assert behind.leather == (26, 32, 44, 50)
    after = behind.play(pw.Advance())
    assert (after.turn, after.phase) == (1 - seat, pw.Phase.TURN)
    assert after.players[seat] == pw.Player(buttons=5 + 2, time=21)
    assert after.leather == (26, 32, 44, 50)


@pytest.mark.parametrize(("time", "takes"), [(13, False), (14, True), (19, True), (32, False)])
def test_M2_a_purchase_across_the_line_takes_it_too(time: int, takes: bool) -> None:
    me, other = pw.Player(buttons=7, time=time), pw.Player(time=time)
    after = table(me, other, circle=(10, 0)).play(lay(10))  # 6 time
    assert (after.phase is pw.Phase.LEATHER) == takes
    assert after.turn == (0 if takes else 1)


def test_M2_placing_is_not_optional_and_any_free_space_will_do() -> None:
    free = quilt("""
        #........
        .........
        ....#....
        ....#....
        .........
        .........
        .........
        .........
        ........#
    """)
    me = pw.Player(quilt(FULL) & ~free, buttons=99, time=20)
    pending = table(me, pw.Player(time=18), phase=pw.Phase.LEATHER, circle=(0, 1))
    assert pending.legal_moves() == [
        pw.Leather(9 * 0 + 0),
        pw.Leather(9 * 2 + 4),
        pw.Leather(9 * 3 + 4),
        pw.Leather(9 * 8 + 8),
    ]
    standing = pw.Buy(0, free & ~quilt("#........") & ~(1 << 80))  # the 1 x 2 hole in the middle
    for refused in (pw.Advance(), standing):
        with pytest.raises(pw.IllegalMove):
            pending.play(refused)


@pytest.mark.parametrize("time", [22, 19])
def test_M2_one_move_may_bring_income_and_leather(time: int) -> None:
    # 22 -> 28 crosses income at 23, then leather at 26; 19 -> 25 leather at 20, then income at 23.
    # Leather has no income, so the player already has all buttons before placing it.
    me = pw.Player(buttons=7, income=1, time=time)
    after = table(me, pw.Player(time=time), circle=(10, 0)).play(lay(10))
    assert (after.turn, after.phase) == (0, pw.Phase.LEATHER)
    assert after.players[0] == pw.Player(lay(10).cells, buttons=1 + 3, income=4, time=time + 6)
    assert after.play(pw.Leather(80)).players[0].buttons == 1 + 3


@SEATS
def test_M3_leather_taken_with_a_full_quilt_is_discarded(seat: int) -> None:
    me, other = pw.Player(quilt(FULL), time=19), pw.Player(time=19)
    after = table(me, other, seat=seat, tile=seat).play(pw.Advance())
    assert (after.turn, after.phase) == (1 - seat, pw.Phase.TURN)
    assert after.leather == (26, 32, 44, 50)
    assert draw(after.players[seat].quilt) == FULL


def test_M3_also_when_the_patch_of_this_turn_fills_the_quilt() -> None:
    holes = quilt("##.......")
    me, other = pw.Player(quilt(FULL) & ~holes, time=19), pw.Player(time=19)
    after = table(me, other, circle=(0, 1), tile=1).play(pw.Buy(0, holes))
    assert draw(after.players[0].quilt) == FULL
    assert (after.turn, after.phase, after.leather) == (1, pw.Phase.TURN, (26, 32, 44, 50))


@pytest.mark.parametrize("cell", [0, 40, 80])
def test_M3_one_free_space_is_enough_to_keep_it(cell: int) -> None:
    me = pw.Player(quilt(FULL) & ~(1 << cell), time=19)
    taken = table(me, pw.Player(time=19), tile=0).play(pw.Advance())
    assert (taken.turn, taken.phase) == (0, pw.Phase.LEATHER)
    assert taken.legal_moves() == [pw.Leather(cell)]
    assert draw(taken.play(pw.Leather(cell)).players[0].quilt) == FULL


@SEATS
def test_M4_the_line_at_53_pays_each_player_once(seat: int) -> None:
    me, other = pw.Player(buttons=0, income=4, time=50), pw.Player(buttons=0, income=2, time=52)
    first = table(me, other, seat=seat).play(pw.Advance())
    assert first.players[seat] == pw.Player(buttons=3 + 4, income=4, time=53)
    assert first.players[1 - seat].buttons == 0
    second = first.play(pw.Advance())
    assert second.players[1 - seat] == pw.Player(buttons=1 + 2, income=2, time=53)
    assert second.players[seat].buttons == 3 + 4
    assert second.phase is pw.Phase.OVER


def test_M4_a_token_stopped_on_53_has_crossed_that_line() -> None:
    me = pw.Player(buttons=7, income=1, time=48)
    after = table(me, pw.Player(time=50), circle=(10, 0)).play(lay(10))  # 6 time, 5 spaces
    assert after.players[0].time == 53
    assert after.players[0].buttons == 1 + 3


SQUARE = quilt("#######.. " * 7)


@SEATS
@pytest.mark.parametrize("top", range(3))
@pytest.mark.parametrize("left", range(3))
@pytest.mark.parametrize("last", [0, 6, 9 * 3 + 3, 9 * 6, 9 * 6 + 6])
def test_X1_leather_that_fills_a_square_of_seven_in_any_place_brings_the_tile(
    seat: int, top: int, left: int, last: int
) -> None:
    shift = 9 * top + left
    me = pw.Player(SQUARE << shift & ~(1 << last + shift), time=20)
    before = table(me, pw.Player(time=18), seat=seat, phase=pw.Phase.LEATHER)
    filled = before.play(pw.Leather(last + shift))
    assert draw(filled.players[seat].quilt) == draw(SQUARE << shift)
    assert filled.tile == seat
    assert filled.scores[seat] == 5 + 7 - 2 * 32
    beside = 80 if (top, left) != (2, 2) else 0
    assert before.play(pw.Leather(beside)).tile is None  # 48 of 49


@SEATS
def test_X1_a_patch_brings_the_tile_at_the_moment_it_is_placed(seat: int) -> None:
    board = """
        .........
        .#######.
        .#######.
        .#######.
        .#######.
        .#######.
        .#######.
        .#####oo.
        .........
    """
    me = pw.Player(quilt(board), buttons=2, time=19)
    before = table(me, pw.Player(time=19), seat=seat, circle=(0, 1))
    filled = before.play(pw.Buy(0, quilt(board, "o")))
    assert filled.phase is pw.Phase.LEATHER  # before the leather taken in the same move is placed
    assert filled.tile == seat
    assert filled.play(pw.Leather(0)).tile == seat
    assert before.play(pw.Buy(0, quilt(board, "o") << 9)).tile is None
    assert before.play(pw.Advance()).tile is None


def test_X1_the_square_may_be_part_of_more() -> None:
    board = """
        #########
        #########
        #########
        #########
        ##o######
        #########
        #########
        #########
        #########
    """
    me = pw.Player(quilt(board), time=20)
    before = table(me, pw.Player(time=18), phase=pw.Phase.LEATHER, tile=None)
    assert before.play(pw.Leather(9 * 4 + 2)).tile == 0


@pytest.mark.parametrize(
    "drawing",
    [
        """
        ######...
        ######...
        ######...
        ######...
        ######...
        ######...
        ######...
        ######...
        #####o...
        """,
        """
        #########
        #########
        #########
        #########
        #########
        ########o
        .........
        .........
        .........
        """,
        """
        #########
        #########
        ##.###.##
        #########
        #########
        #########
        ##.###.##
        #########
        ########o
        """,
        """
        ...######
        ....#####
        #########
        #########
        #########
        #########
        #########
        #######..
        o####....
        """,
    ],
)
def test_X1_many_filled_spaces_that_form_no_square_bring_nothing(drawing: str) -> None:
    me = pw.Player(quilt(drawing), time=20)
    before = table(me, pw.Player(time=18), phase=pw.Phase.LEATHER)
    after = before.play(pw.Leather(quilt(drawing, "o").bit_length() - 1))
    assert draw(after.players[0].quilt) == draw(quilt(drawing, "#o"))
    assert after.tile is None


@SEATS
@pytest.mark.parametrize("owner", [0, 1])
def test_X1_there_is_one_tile_and_later_squares_bring_nothing(seat: int, owner: int) -> None:
    board = """
        ooo####..
        #######..
        #######..
        #######..
        #######..
        #######..
        #######..
        .........
        .........
    """
    me = pw.Player(quilt(board), time=5)
    position = table(me, pw.Player(time=5), seat=seat, circle=(2, 0), tile=owner)
    by_patch = position.play(pw.Buy(2, quilt(board, "o")))
    assert draw(by_patch.players[seat].quilt) == draw(SQUARE)
    assert by_patch.tile == owner
    assert position.play(pw.Advance()).tile == owner

    me = pw.Player(SQUARE & ~1, time=20)
    pending = table(me, pw.Player(time=18), seat=seat, phase=pw.Phase.LEATHER, tile=owner)
    by_leather = pending.play(pw.Leather(0))
    assert draw(by_leather.players[seat].quilt) == draw(SQUARE)
    assert by_leather.tile == owner
