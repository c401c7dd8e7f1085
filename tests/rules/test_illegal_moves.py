"""Why ``Position.play`` refuses a move: each reason, its message, and which comes first."""

import copy
import pickle

import pytest

import patchwork as pw
from support.quilts import CIRCLE, FULL, lay, quilt, table

Move = pw.Advance | pw.Buy | pw.Leather

BOARD = """
    ##.......
    .#.......
    .........
    .........
    .........
    .........
    .........
    .........
    ........#
"""
BEYOND = 1 << 81
ACROSS = 1 << 80 | 1 << 81
"""The 1 x 2 patch, half of it beyond the last space."""

TURN = table(pw.Player(quilt(BOARD)), pw.Player(), circle=(0, 3, 17, 10, 1))
"""With 5 buttons, patches 0 (2) and 3 (3) are affordable, 17 (7) is not; 10 is not on offer."""
LEATHER = table(
    pw.Player(quilt(BOARD), time=20),
    pw.Player(time=18),
    seat=1,
    circle=(0, 3, 17, 10, 1),
    phase=pw.Phase.LEATHER,
)
OVER = table(pw.Player(time=53), pw.Player(time=53), phase=pw.Phase.OVER)


def refusal(position: pw.Position, move: Move) -> pw.IllegalMove:
    """Returns the error of an illegal move, after checking that nothing changed."""
    before = copy.deepcopy(position)
    with pytest.raises(pw.IllegalMove) as caught:
        position.play(move)
    assert position == before
    assert hash(position) == hash(before)
    assert move not in position.legal_moves()
    return caught.value


def test_the_reasons_stand_in_the_order_of_precedence() -> None:
    assert [str(reason) for reason in pw.Reason] == [
        "game-over",
        "not-in-this-phase",
        "not-on-offer",
        "cannot-afford",
        "off-the-board",
        "not-that-shape",
        "overlaps",
        "cell-taken",
    ]
    assert [reason.name for reason in pw.Reason] == [
        reason.value.upper().replace("-", "_") for reason in pw.Reason
    ]


@pytest.mark.parametrize(
    ("position", "move", "reason", "detail"),
    [
        (OVER, pw.Advance(), pw.Reason.GAME_OVER, "the game is over"),
        (OVER, lay(1), pw.Reason.GAME_OVER, "the game is over"),
        (TURN, pw.Leather(40), pw.Reason.NOT_IN_THIS_PHASE, "seat 0 has to advance or buy"),
        (
            LEATHER,
            pw.Advance(),
            pw.Reason.NOT_IN_THIS_PHASE,
            "seat 1 has to place the leather patch",
        ),
        (
            LEATHER,
            lay(0, 4),
            pw.Reason.NOT_IN_THIS_PHASE,
            "seat 1 has to place the leather patch",
        ),
        (TURN, lay(1, 4), pw.Reason.NOT_ON_OFFER, "patch 1 is not on offer, only 0, 3, 17"),
        (
            TURN,
            pw.Buy(33, lay(0, 4).cells),
            pw.Reason.NOT_ON_OFFER,
            "patch 33 is not on offer, only 0, 3, 17",
        ),
        (
            TURN,
            pw.Buy(-1, lay(0, 4).cells),
            pw.Reason.NOT_ON_OFFER,
            "patch -1 is not on offer, only 0, 3, 17",
        ),
        (TURN, lay(17, 4), pw.Reason.CANNOT_AFFORD, "patch 17 costs 7, seat 0 has 5"),
        (TURN, pw.Buy(0, BEYOND), pw.Reason.OFF_THE_BOARD, "cells reach beyond the 81 spaces"),
        (TURN, pw.Buy(0, ACROSS), pw.Reason.OFF_THE_BOARD, "cells reach beyond the 81 spaces"),
        (TURN, pw.Buy(0, -1), pw.Reason.OFF_THE_BOARD, "cells reach beyond the 81 spaces"),
        (TURN, pw.Buy(0, -3), pw.Reason.OFF_THE_BOARD, "cells reach beyond the 81 spaces"),
        (LEATHER, pw.Leather(81), pw.Reason.OFF_THE_BOARD, "cell 81 is not one of 0 to 80"),
        (LEATHER, pw.Leather(-1), pw.Reason.OFF_THE_BOARD, "cell -1 is not one of 0 to 80"),
        (TURN, pw.Buy(0, 0), pw.Reason.NOT_THAT_SHAPE, "patch 0 cannot cover just those cells"),
        (
            TURN,
            pw.Buy(0, quilt(FULL)),
            pw.Reason.NOT_THAT_SHAPE,
            "patch 0 cannot cover just those cells",
        ),
        (
            TURN,
            pw.Buy(3, lay(0, 4).cells),
            pw.Reason.NOT_THAT_SHAPE,
            "patch 3 cannot cover just those cells",
        ),
        (TURN, lay(3), pw.Reason.OVERLAPS, "patch 3 would overlap another patch"),
        (TURN, lay(3, 1, 1), pw.Reason.OVERLAPS, "patch 3 would overlap another patch"),
        (LEATHER, pw.Leather(0), pw.Reason.CELL_TAKEN, "cell 0 is already filled"),
        (LEATHER, pw.Leather(80), pw.Reason.CELL_TAKEN, "cell 80 is already filled"),
    ],
)
def test_every_refusal_says_why(
    position: pw.Position, move: Move, reason: pw.Reason, detail: str
) -> None:
    error = refusal(position, move)
    assert (error.reason, error.detail) == (reason, detail)
    assert str(error) == f"{detail} ({reason.value})"
    assert isinstance(error, ValueError)


def test_the_full_message_of_a_refusal() -> None:
    assert str(refusal(TURN, lay(17, 4))) == "patch 17 costs 7, seat 0 has 5 (cannot-afford)"


def test_a_refusal_names_the_patches_on_offer() -> None:
    position = table(pw.Player(), pw.Player(), circle=(4,))
    assert refusal(position, lay(0)).detail == "patch 0 is not on offer, only 4"


@pytest.mark.parametrize(
    ("position", "move", "reason"),
    [
        (OVER, pw.Leather(0), pw.Reason.GAME_OVER),  # and a leather patch is not due
        (LEATHER, lay(1), pw.Reason.NOT_IN_THIS_PHASE),  # and 1 is not on offer
        (TURN, pw.Leather(81), pw.Reason.NOT_IN_THIS_PHASE),  # and off the board
        (TURN, pw.Leather(0), pw.Reason.NOT_IN_THIS_PHASE),  # and taken
        (TURN, lay(10, 4), pw.Reason.NOT_ON_OFFER),  # and 10 costs too much
        (TURN, pw.Buy(17, BEYOND), pw.Reason.CANNOT_AFFORD),  # and off the board
        (TURN, pw.Buy(0, BEYOND), pw.Reason.OFF_THE_BOARD),  # and no 1 x 2
        (TURN, pw.Buy(0, BEYOND | 1), pw.Reason.OFF_THE_BOARD),  # and over another patch
        (TURN, pw.Buy(0, 1), pw.Reason.NOT_THAT_SHAPE),  # and over another patch
        (LEATHER, pw.Leather(-81), pw.Reason.OFF_THE_BOARD),  # its 81st from the end is taken
    ],
)
def test_the_first_of_several_reasons_is_given(
    position: pw.Position, move: Move, reason: pw.Reason
) -> None:
    assert refusal(position, move).reason is reason


@pytest.mark.parametrize("cell", [1, 9, 79])
def test_moves_next_to_filled_spaces_are_allowed(cell: int) -> None:
    free = table(pw.Player(quilt(BOARD) & ~2, time=20), pw.Player(), phase=pw.Phase.LEATHER)
    assert free.play(pw.Leather(cell)).players[0].quilt == quilt(BOARD) & ~2 | 1 << cell


def test_a_purchase_may_cover_the_first_and_the_last_space() -> None:
    empty = table(pw.Player(), pw.Player(), circle=(0, 3))
    for cells in (0b11, 0b11 << 79, 1 << 80 | 1 << 71):
        assert empty.play(pw.Buy(0, cells)).players[0].quilt == cells


def test_creating_a_move_does_not_validate_it() -> None:
    assert pw.Buy(99, -1) == pw.Buy(patch=99, cells=-1)
    assert pw.Leather(400).cell == 400


def test_a_refusal_leaves_the_game_as_it_was() -> None:
    game = pw.Game(pw.Setup(CIRCLE))
    game.push(pw.Advance())
    moves, positions = game.moves, game.positions()
    for move in (pw.Leather(0), lay(17), pw.Buy(1, 0)):
        with pytest.raises(pw.IllegalMove):
            game.push(move)
    with pytest.raises(TypeError):
        game.push(None)  # type: ignore[arg-type]
    assert (game.moves, game.positions()) == (moves, positions)
    assert game.position == positions[-1]


@pytest.mark.parametrize("move", ["nonsense", "A", None, 40, pw.Advance])
def test_objects_that_are_not_moves_raise_type_errors(move: object) -> None:
    with pytest.raises(TypeError) as caught:
        TURN.play(move)  # type: ignore[arg-type]
    assert str(caught.value) == f"{move!r} is not a move"


@pytest.mark.parametrize(
    ("position", "move", "message"),
    [
        (TURN, pw.Buy(0, "a1"), "cells must be an int, not 'a1'; parse_move reads text"),  # type: ignore[arg-type]
        (LEATHER, pw.Leather("c4"), "cell must be an int, not 'c4'; parse_move reads text"),  # type: ignore[arg-type]
    ],
)
def test_spaces_are_integers(position: pw.Position, move: Move, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        position.play(move)
    assert str(caught.value) == message


def test_an_illegal_move_survives_pickling() -> None:
    error = refusal(TURN, lay(17, 4))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is pw.IllegalMove
    assert (again.reason, again.detail) == (pw.Reason.CANNOT_AFFORD, error.detail)
    assert again.args == error.args == (error.reason, error.detail)
    assert str(again) == "patch 17 costs 7, seat 0 has 5 (cannot-afford)"
