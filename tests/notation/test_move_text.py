"""The text of moves: three kinds, eight orientations, and everything that is refused."""

from __future__ import annotations

import pickle
from itertools import product
from typing import Any

import pytest

import patchwork as pw
from patchwork.notation.errors import Problem
from patchwork.notation.moves import format_cell, format_move, parse_move, read_move
from patchwork.rules.patches import turned

# Patch 7 in all its orientations, as docs/notation.md draws them.
SEVEN = {
    "A": "###/#..",
    "B": "##/.#/.#",
    "C": "..#/###",
    "D": "#./#./##",
    "E": "###/..#",
    "F": ".#/.#/##",
    "G": "#../###",
    "H": "##/#./#.",
}
NOT_A_MOVE = (
    " is not a move; moves look like A (advance), Lc4 (leather) or 17Bc4"
    " (patch 0-32, orientation A-H, column a-i and row 1-9 of the corner)"
)


def cells(*names: str) -> int:
    """Returns the mask of spaces given by name."""
    return sum(1 << (9 * (int(name[1]) - 1) + "abcdefghi".index(name[0])) for name in names)


def position_before(*moves: str, circle: str = "") -> pw.Position:
    """Returns a position of the game of seed 1, or of a circle that begins with these patches."""
    start = [int(patch) for patch in circle.split()]
    rest = [patch.id for patch in pw.PATCHES if patch.id not in (0, *start)]
    setup = pw.Setup((*start, *rest, 0)) if circle else pw.Setup.random(seed=1)
    position = setup.start()
    for text in moves:
        position = position.play(pw.parse_move(position, text))
    return position


def refusal(text: str, position: pw.Position) -> pw.NotationError:
    with pytest.raises(pw.NotationError) as caught:
        pw.parse_move(position, text)
    error = caught.value
    assert (error.line, error.column, error.number) == (None, None, None)
    return error


# Writing


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (pw.Advance(), "A"),
        (pw.Leather(0), "La1"),
        (pw.Leather(8), "Li1"),
        (pw.Leather(29), "Lc4"),
        (pw.Leather(72), "La9"),
        (pw.Leather(80), "Li9"),
        (pw.Buy(0, cells("a1", "b1")), "0Aa1"),
        (pw.Buy(0, cells("i8", "i9")), "0Bi8"),
        (pw.Buy(17, cells("c4", "c5", "c6", "c7", "c8")), "17Bc4"),
        (pw.Buy(7, cells("e2", "e3", "d4", "e4")), "7Fd2"),
        (pw.Buy(30, cells("c1", "a2", "b2", "c2", "d2", "e2", "c3")), "30Aa1"),
        (pw.Buy(32, cells("h6", "g7", "h7", "i7", "g8", "h8", "i8", "h9")), "32Bg6"),
    ],
)
def test_moves_are_written_like_this(move: pw.Advance | pw.Buy | pw.Leather, text: str) -> None:
    assert str(move) == text
    assert read_move(text) == move


def test_all_spaces_are_named() -> None:
    names = [f"{column}{row}" for row, column in product("123456789", "abcdefghi")]
    assert [format_cell(cell) for cell in range(81)] == names
    assert [str(pw.Leather(cell)) for cell in range(81)] == [f"L{name}" for name in names]
    assert [read_move(f"L{name}") for name in names] == [pw.Leather(cell) for cell in range(81)]


@pytest.mark.parametrize(("letter", "shape"), SEVEN.items())
def test_orientations_are_these(letter: str, shape: str) -> None:
    names = [
        f"{'bcd'[column]}{row + 5}"
        for row, line in enumerate(shape.split("/"))
        for column, mark in enumerate(line)
        if mark == "#"
    ]
    assert read_move(f"7{letter}b5") == pw.Buy(7, cells(*names))
    assert str(pw.Buy(7, cells(*names))) == f"7{letter}b5"


def test_all_placements_round_trip() -> None:
    texts = set()
    for patch in pw.PATCHES:
        for placement in patch.placements:
            text = str(pw.Buy(patch.id, placement))
            assert len(text) <= 8
            assert text.isascii()
            assert read_move(text) == pw.Buy(patch.id, placement)
            assert read_move(text.lower()) == read_move(text.upper()) == read_move(text)
            texts.add(text)
    assert len(texts) == 7_349
    assert max(map(len, texts)) == 5


@pytest.mark.parametrize("patch", pw.PATCHES, ids=lambda patch: str(patch.id))
def test_the_first_letter_of_a_shape_is_canonical(patch: pw.Patch) -> None:
    views = turned(patch.rows)
    for letter, view in zip("ABCDEFGH", views, strict=True):
        canonical = "ABCDEFGH"[views.index(view)]
        assert str(read_move(f"{patch.id}{letter}a1")) == f"{patch.id}{canonical}a1"


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("9Aa1 9Ba1 9Ca1 9Da1 9Ea1 9Fa1 9Ga1 9Ha1", "9Aa1"),
        ("15Hb2 15Gb2 15Fb2", "15Ab2"),
        ("17Ca1 17Ea1 17Ga1", "17Aa1"),
        ("17Da1 17Fa1 17Ha1", "17Ba1"),
        ("4Ea1", "4Aa1"),
        ("10Ca1", "10Aa1"),
        ("10Ga1", "10Ea1"),
        ("3Ha1", "3Aa1"),
        ("3Ea1", "3Ba1"),
    ],
)
def test_equal_orientations_of_symmetric_patches(written: str, canonical: str) -> None:
    for text in written.split():
        assert str(read_move(text)) == canonical


def test_equal_orientations_are_read_in_a_position() -> None:
    position = position_before(circle="15 4 3")
    for text in ("15Ab2", "15Hb2", "15gb2"):
        assert str(pw.parse_move(position, text)) == "15Ab2"
    assert str(pw.parse_move(position, "4Eb2")) == "4Ab2"


@pytest.mark.parametrize(
    "move",
    [
        pw.Buy(99, 5),
        pw.Buy(33, 0b11),
        pw.Buy(-1, 0b11),
        pw.Buy(3, -1),
        pw.Buy(3, 0),
        pw.Buy(0, 0b11 << 80),  # one space on the board, one beyond
        pw.Buy(0, 0b11 << 81),
        pw.Buy(0, 0b11 << 8),  # i1 and a2, which do not touch
        pw.Buy(0, 0b101),
        pw.Buy(3, 0b111),
        pw.Buy(3, (1 << 81) - 1),
        pw.Buy(3, 1 << 10_000),
        pw.Leather(81),
        pw.Leather(-1),
        pw.Leather(10**100),
    ],
)
def test_impossible_moves_are_written_as_their_repr(move: pw.Buy | pw.Leather) -> None:
    assert str(move) == format_move(move) == repr(move)


def test_the_repr_of_an_impossible_purchase() -> None:
    assert str(pw.Buy(99, 5)) == "Buy(patch=99, cells=5)"
    assert str(pw.Leather(81)) == "Leather(cell=81)"


# Reading in a position


def test_advance_is_read() -> None:
    position = position_before()
    for text in ("A", "a", " A ", "\tA\n"):
        assert pw.parse_move(position, text) == pw.Advance()


def test_purchases_are_read() -> None:
    position = position_before()
    placed = pw.Buy(3, cells("b4", "c4", "b5"))
    for text in ("3Ab4", "3ab4", "3AB4", "3aB4", "3Hb4", "3hB4", " 3Ab4\n"):
        assert pw.parse_move(position, text) == placed


def test_leather_is_read() -> None:
    position = position_before(*["A"] * 20)
    assert position.phase is pw.Phase.LEATHER
    for text in ("Lc4", "lc4", "LC4", "lC4", " Lc4 "):
        assert pw.parse_move(position, text) == pw.Leather(29)


def test_every_legal_move_is_read() -> None:
    for position in (
        position_before(),
        position_before("3Aa1", "13Ba2"),
        position_before(*["A"] * 20),
    ):
        moves = position.legal_moves()
        assert [pw.parse_move(position, str(move)) for move in moves] == moves
        assert len({str(move) for move in moves}) == len(moves)


def test_it_is_the_public_function() -> None:
    assert pw.parse_move is parse_move


# Refusals


@pytest.mark.parametrize(
    "text",
    [
        "",
        "AA",
        "A1",
        "B",
        "L",
        "Lc",
        "L4",
        "Lc0",
        "Lj1",
        "L1a",
        "Lc44",
        "3",
        "3A",
        "3Aa",
        "3a1",
        "Aa1",
        "3Ia1",
        "3Aj1",
        "3Aa0",
        "3Aa10",
        "03Aa1",
        "33Aa1",
        "40Aa1",
        "99Aa1",
        "100Aa1",
        "-3Aa1",
        "3 Aa1",
        "3Aa1 A",
        "3Aa1.",
        "3-Aa1",
        "\u0663Aa1",  # an Arabic digit
        "L\u0131" + "1",  # a dotless i
        "3Aa\u0661",
        "\uff21",  # a wide A
        "?",
    ],
)
def test_texts_that_are_not_moves_are_refused(text: str) -> None:
    error = refusal(text, position_before())
    assert (error.problem, error.reason) == (Problem.NOT_A_MOVE, None)
    assert error.detail == f"{text!r}{NOT_A_MOVE}"
    assert str(error) == f"{text!r}{NOT_A_MOVE} (not-a-move)"


@pytest.mark.parametrize("text", [None, b"A", 3])
def test_arguments_that_are_not_text_raise_type_errors(text: Any) -> None:
    with pytest.raises(TypeError) as caught:
        pw.parse_move(position_before(), text)
    assert str(caught.value) == f"the text must be a str, not {type(text).__name__}"


def test_a_long_text_is_cut_in_the_message() -> None:
    assert refusal("A" * 21, position_before()).detail == f"{'A' * 20!r}{NOT_A_MOVE}"


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ("3Ah8", "3Ai8"),
        ("3Ah8", "3Ah9"),
        ("17Ae9", "17Af9"),
        ("17Bi5", "17Bi6"),
        ("30Ae7", "30Af7"),
        ("30Ae7", "30Ae8"),
        ("0Ah9", "0Ai9"),
        ("0Bi8", "0Bi9"),
    ],
)
def test_the_edge_of_the_board(inside: str, outside: str) -> None:
    assert str(read_move(inside)) == inside
    error = refusal(outside, position_before())
    assert error.problem is Problem.ILLEGAL_MOVE
    assert error.reason is pw.Reason.OFF_THE_BOARD
    assert str(error) == f"{outside}: the patch would lie off the board (illegal-move)"


@pytest.mark.parametrize(
    ("before", "text", "reason", "message"),
    [
        ("", "Lc4", pw.Reason.NOT_IN_THIS_PHASE, "Lc4: seat 0 has to advance or buy"),
        ("", "0aa1", pw.Reason.NOT_ON_OFFER, "0Aa1: patch 0 is not on offer, only 26, 14, 3"),
        ("", "26Aa1", pw.Reason.CANNOT_AFFORD, "26Aa1: patch 26 costs 7, seat 0 has 5"),
        (
            "3Aa1 13Ba2",
            "21Aa1",
            pw.Reason.OVERLAPS,
            "21Aa1: patch 21 would overlap another patch",
        ),
        (
            "A " * 20,
            "A",
            pw.Reason.NOT_IN_THIS_PHASE,
            "A: seat 1 has to place the leather patch",
        ),
    ],
)
def test_illegal_moves_give_their_reason(
    before: str, text: str, reason: pw.Reason, message: str
) -> None:
    error = refusal(text, position_before(*before.split()))
    assert (error.problem, error.reason) == (Problem.ILLEGAL_MOVE, reason)
    assert str(error) == f"{message} (illegal-move)"
    assert isinstance(error.__cause__, pw.IllegalMove)


def test_filled_spaces_and_finished_games() -> None:
    moves = [*["A"] * 20, "Lc4", *["A"] * 6]
    position = position_before(*moves)
    assert position.phase is pw.Phase.LEATHER
    assert position.turn == 1
    error = refusal("Lc4", position)
    assert (error.problem, error.reason) == (Problem.ILLEGAL_MOVE, pw.Reason.CELL_TAKEN)
    assert str(error) == "Lc4: cell 29 is already filled (illegal-move)"
    while position.outcome is None:
        position = position.play(position.legal_moves()[0])
    error = refusal("A", position)
    assert (error.problem, error.reason) == (Problem.ILLEGAL_MOVE, pw.Reason.GAME_OVER)
    assert str(error) == "A: the game is over (illegal-move)"


def test_errors_can_be_pickled() -> None:
    error = refusal("26Aa1", position_before())
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is pw.NotationError
    assert str(again) == str(error)
    assert (again.problem, again.reason) == (Problem.ILLEGAL_MOVE, pw.Reason.CANNOT_AFFORD)
