"""Clauses T1 to T4, A1 to A3 and B1 to B5 of ``docs/rules.md``: turns and actions."""

import pytest

import patchwork as pw
from support.quilts import FULL, draw, lay, quilt, spaces, table

SEATS = pytest.mark.parametrize("seat", [0, 1])


@SEATS
def test_T1_the_player_further_back_takes_turn_after_turn(seat: int) -> None:
    me = pw.Player(buttons=9, time=10)
    position = table(me, pw.Player(time=14), seat=seat, circle=(23, 0, 3, 9))
    turns = []
    for patch, row in ((23, 0), (0, 3), (3, 4)):  # each costs 1 time
        position = position.play(lay(patch, row))
        turns.append((position.turn, position.players[seat].time))
    assert turns == [(seat, 11), (seat, 12), (seat, 13)]
    assert position.play(pw.Advance()).turn == 1 - seat


@SEATS
def test_T2_on_the_same_space_the_token_that_came_last_moves_first(seat: int) -> None:
    position = table(pw.Player(time=6), pw.Player(time=8), seat=seat, circle=(2, 0))
    shared = position.play(lay(2))  # 2 time
    assert [player.time for player in shared.players] == [8, 8]
    assert (shared.turn, shared.phase) == (seat, pw.Phase.TURN)
    assert shared.play(pw.Advance()).turn == 1 - seat


@SEATS
@pytest.mark.parametrize(
    ("patch", "time", "again"), [(5, 2, True), (6, 3, True), (14, 4, False), (9, 5, False)]
)
def test_T3_a_player_goes_on_until_strictly_ahead(
    seat: int, patch: int, time: int, again: bool
) -> None:
    me = pw.Player(buttons=9, time=10)
    after = table(me, pw.Player(time=13), seat=seat, circle=(patch, 0)).play(lay(patch))
    assert after.players[seat].time == 10 + time
    assert after.turn == (seat if again else 1 - seat)


@SEATS
def test_T4_a_turn_is_either_an_advance_or_one_patch(seat: int) -> None:
    level = table(pw.Player(), pw.Player(), seat=seat, circle=(2, 0, 3, 1))
    for move, circle in ((pw.Advance(), (2, 0, 3, 1)), (lay(2), (0, 3, 1))):
        after = level.play(move)
        assert (after.turn, after.phase) == (1 - seat, pw.Phase.TURN)
        assert after.circle == circle


def test_T4_a_player_who_can_afford_no_patch_advances() -> None:
    poor = pw.Player(buttons=1)
    assert table(poor, pw.Player(), circle=(2, 0, 3)).legal_moves() == [pw.Advance()]


def test_T4_a_player_who_can_fit_no_patch_advances() -> None:
    full = pw.Player(quilt(FULL), buttons=99)
    assert table(full, pw.Player(), circle=(2, 0, 3)).legal_moves() == [pw.Advance()]


def test_T4_a_player_may_advance_instead_of_taking_a_patch() -> None:
    rich = table(pw.Player(buttons=99), pw.Player(), circle=(2, 0, 3))
    assert rich.legal_moves()[0] == pw.Advance()
    assert len(rich.legal_moves()) == 1 + 126 + 144 + 256


def test_T4_the_moves_of_a_turn_come_in_the_documented_order() -> None:
    # First the advance, then by patch as offered, by orientation and by row.
    me = pw.Player(
        ~quilt("""
            ##......#
            ##......#
            #.......#
            .........
            .........
            .........
            .........
            .........
            .......##
        """)
        & quilt(FULL),
        buttons=3,
    )
    #  0  1  ..  8
    #  9 10  .. 17
    # 18     .. 26
    #    ..  79 80
    position = table(me, pw.Player(), circle=(3, 18, 0, 2))
    assert [
        (move.patch, spaces(move.cells)) if isinstance(move, pw.Buy) else move
        for move in position.legal_moves()
    ] == [
        pw.Advance(),
        (3, (0, 1, 9)),  # ##/#.
        (3, (9, 10, 18)),
        (3, (0, 1, 10)),  # ##/.#
        (3, (1, 9, 10)),  # .#/##
        (3, (0, 9, 10)),  # #./##
        # patch 18 costs 10 buttons
        (0, (0, 1)),
        (0, (9, 10)),
        (0, (79, 80)),
        (0, (0, 9)),
        (0, (1, 10)),
        (0, (8, 17)),
        (0, (9, 18)),
        (0, (17, 26)),
        # patch 2 is the fourth in line
    ]


@SEATS
@pytest.mark.parametrize(("behind", "moved"), [(0, 1), (1, 2), (3, 4), (6, 7)])
def test_A1_an_advance_ends_directly_in_front_of_the_other_token(
    seat: int, behind: int, moved: int
) -> None:
    before = table(pw.Player(time=11), pw.Player(time=11 + behind), seat=seat)
    after = before.play(pw.Advance())
    assert after.players[seat].time == 11 + moved
    assert after.players[1 - seat] == before.players[1 - seat]
    assert (after.turn, after.phase) == (1 - seat, pw.Phase.TURN)
    assert (after.circle, after.leather, after.tile) == (before.circle, before.leather, None)


@SEATS
@pytest.mark.parametrize(("behind", "moved"), [(0, 1), (1, 2), (3, 4), (6, 7)])
def test_A2_an_advance_brings_a_button_for_each_space(seat: int, behind: int, moved: int) -> None:
    before = table(pw.Player(time=11), pw.Player(time=11 + behind), seat=seat)
    assert before.play(pw.Advance()).players[seat].buttons == 5 + moved


@SEATS
@pytest.mark.parametrize(
    ("mine", "yours", "paid"), [(47, 53, 6), (52, 53, 1), (52, 52, 1), (51, 52, 2), (51, 51, 1)]
)
def test_A3_no_token_goes_beyond_53_and_only_spaces_moved_are_paid(
    seat: int, mine: int, yours: int, paid: int
) -> None:
    before = table(pw.Player(time=mine), pw.Player(time=yours), seat=seat)
    after = before.play(pw.Advance()).players[seat]
    assert (after.time, after.buttons) == (mine + paid, 5 + paid)
    assert after.time <= 53


def test_B1_any_of_the_next_three_patches_may_be_chosen() -> None:
    position = table(pw.Player(buttons=99), pw.Player(), circle=(9, 4, 17, 3, 0))
    assert position.offer == (9, 4, 17)
    assert {move.patch for move in position.legal_moves() if isinstance(move, pw.Buy)} == {9, 4, 17}
    for patch in (9, 4, 17):
        assert patch not in position.play(lay(patch)).circle
    for patch in (3, 0):
        with pytest.raises(pw.IllegalMove):
            position.play(lay(patch))


@pytest.mark.parametrize("circle", [(9, 4), (9,)])
def test_B1_with_fewer_than_three_left_one_of_those(circle: tuple[int, ...]) -> None:
    position = table(pw.Player(buttons=99), pw.Player(), circle=circle)
    assert position.offer == circle
    assert {move.patch for move in position.legal_moves() if isinstance(move, pw.Buy)} == set(
        circle
    )


@pytest.mark.parametrize(
    ("circle", "patch", "after"),
    [
        ((9, 4, 17, 3, 20, 0), 9, (4, 17, 3, 20, 0)),
        ((9, 4, 17, 3, 20, 0), 4, (17, 3, 20, 0, 9)),
        ((9, 4, 17, 3, 20, 0), 17, (3, 20, 0, 9, 4)),
        ((9, 4, 17), 17, (9, 4)),
        ((9, 4), 9, (4,)),
        ((9, 4), 4, (9,)),
        ((9,), 9, ()),
    ],
)
def test_B2_the_neutral_token_goes_where_the_patch_was(
    circle: tuple[int, ...], patch: int, after: tuple[int, ...]
) -> None:
    position = table(pw.Player(buttons=99), pw.Player(), circle=circle)
    assert position.play(lay(patch)).circle == after
    assert position.play(pw.Advance()).circle == circle


@SEATS
def test_B3_the_price_is_paid_and_may_take_the_last_button(seat: int) -> None:
    before = table(pw.Player(buttons=7), pw.Player(buttons=4), seat=seat, circle=(17, 0))
    after = before.play(lay(17))
    assert (after.players[seat].buttons, after.players[1 - seat].buttons) == (0, 4)


@SEATS
def test_B3_a_player_one_button_short_cannot_choose_the_patch(seat: int) -> None:
    short = table(pw.Player(buttons=6), pw.Player(buttons=99), seat=seat, circle=(17, 20, 18))
    choices = {move.patch for move in short.legal_moves() if isinstance(move, pw.Buy)}
    assert choices == {20}
    with pytest.raises(pw.IllegalMove):
        short.play(lay(17))


def test_B3_a_patch_for_nothing_needs_no_buttons() -> None:
    broke = table(pw.Player(buttons=0), pw.Player(), circle=(20, 0))
    assert broke.play(lay(20)).players[0].buttons == 0


def test_B4_a_patch_may_be_turned_and_mirrored() -> None:
    position = table(pw.Player(), pw.Player(), circle=(7, 0))
    views = [
        "###...... #........",
        "##....... .#....... .#.......",
        "..#...... ###......",
        "#........ #........ ##.......",
        "###...... ..#......",
        ".#....... .#....... ##.......",
        "#........ ###......",
        "##....... #........ #........",
    ]
    for view in views:
        for corner in (0, 9 * 6 + 6):  # its bounding box fits the 3 x 3 of either corner
            after = position.play(pw.Buy(7, quilt(view) << corner))
            assert draw(after.players[0].quilt) == draw(quilt(view) << corner)
    assert {quilt(view) for view in views} < set(pw.PATCHES[7].placements)


@pytest.mark.parametrize(
    "drawing",
    [
        """
        ........#
        #........
        """,  # on to the next row
        """
        ........#
        ##.......
        """,
        """
        #........
        .#.......
        """,  # corner to corner
        "###......",
        "#........",
        "#.#......",
    ],
)
def test_B4_a_patch_keeps_its_shape(drawing: str) -> None:
    position = table(pw.Player(), pw.Player(), circle=(0, 1))
    move = pw.Buy(0, quilt(drawing))
    assert move not in position.legal_moves()
    with pytest.raises(pw.IllegalMove):
        position.play(move)


@SEATS
def test_B4_a_patch_overlaps_nothing_and_sewn_patches_stay(seat: int) -> None:
    board = """
        ####.....
        #ooo.....
        #.o......
        ##.......
        .........
        .........
        .........
        .........
        .......##
    """
    others = quilt(".........\n..#......")
    me, other = pw.Player(quilt(board)), pw.Player(others)
    position = table(me, other, seat=seat, circle=(4, 0))
    after = position.play(pw.Buy(4, quilt(board, "o")))
    assert draw(after.players[seat].quilt) == draw(quilt(board, "#o"))
    assert draw(after.players[1 - seat].quilt) == draw(others)
    shifted = pw.Buy(4, quilt(board, "o") >> 1)
    assert shifted not in position.legal_moves()
    with pytest.raises(pw.IllegalMove):
        position.play(shifted)


def test_B4_a_patch_need_not_touch_another() -> None:
    board = """
        ##.......
        .........
        .........
        .........
        .........
        .........
        .........
        .......oo
        .......oo
    """
    me = pw.Player(quilt(board), buttons=6)
    after = table(me, pw.Player(), circle=(9, 0)).play(pw.Buy(9, quilt(board, "o")))
    assert draw(after.players[0].quilt) == draw(quilt(board, "#o"))


def test_B4_a_patch_that_fits_nowhere_may_not_be_chosen() -> None:
    holes = quilt("""
        ##.......
        .#.......
        ....#####
        .........
        ........#
        .........
        .#.......
        #........
        ........#
    """)
    me = pw.Player(quilt(FULL) & ~holes, buttons=99)
    position = table(me, pw.Player(), circle=(6, 1, 9, 0))
    assert position.legal_moves() == [
        pw.Advance(),
        *(pw.Buy(6, quilt("....####.") << 18 + shift) for shift in (0, 1)),
        pw.Buy(1, quilt("##.......\n.#.......")),
    ]
    with pytest.raises(pw.IllegalMove):
        position.play(lay(9))


@SEATS
@pytest.mark.parametrize("patch", [0, 2, 6, 14, 9, 10])  # 1 to 6 time
def test_B5_the_token_moves_by_the_price_in_time(seat: int, patch: int) -> None:
    time = pw.PATCHES[patch].time
    me = pw.Player(buttons=9, time=12)
    after = table(me, pw.Player(time=12), seat=seat, circle=(patch, 20)).play(lay(patch))
    assert after.players[seat].time == 12 + time
    assert after.players[1 - seat].time == 12


@SEATS
@pytest.mark.parametrize(("time", "end"), [(46, 52), (47, 53), (48, 53), (52, 53)])
def test_B5_the_token_stops_on_53(seat: int, time: int, end: int) -> None:
    me = pw.Player(quilt(FULL) & ~quilt("##.......\n.##......"), buttons=7, time=time)
    after = table(me, pw.Player(time=time), seat=seat, circle=(10, 0)).play(lay(10))  # 6 time
    assert after.players[seat].time == end
    assert after.players[seat].buttons == 3  # at line 47 or 53; nothing for spaces it never moved


@SEATS
def test_B5_a_token_that_lands_on_the_other_lies_on_top(seat: int) -> None:
    me = pw.Player(time=20)
    landed = table(me, pw.Player(time=21), seat=seat, circle=(0, 3)).play(lay(0))
    assert landed.players[seat].time == landed.players[1 - seat].time == 21
    assert landed.turn == seat
