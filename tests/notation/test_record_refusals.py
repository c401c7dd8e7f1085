"""Texts of game records that are refused: the problem, its message and place, and the error."""

import pickle
import re
from typing import Any

import pytest

import patchwork as pw
from patchwork.notation.errors import Problem
from support.records import ANNOTATED, CIRCLE, HEAD, SPECIFICATION, played, record_of, refusal

# Refusals


ILLEGAL = Problem.ILLEGAL_MOVE


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("1. A 2. 3Aa1 3. Q *", "'Q' is not a move", (3, 17, 3)),
        ("1. A 2. 33Aa1 *", "'33Aa1' is not a move", (3, 9, 2)),
        ("\n\n  123456789012345678901x *", "'12345678901234567890' is not a move", (5, 3, 1)),
        ("1. A (1. A\n2. Z) *", "'Z' is not a move", (4, 4, 2)),
        ("x*", "'x' is not a move", (3, 1, 1)),
        ("17 Bc4 *", "'Bc4' is not a move", (3, 4, 1)),
    ],
)
def test_texts_that_are_not_moves(text: str, message: str, place: tuple[int, int, int]) -> None:
    error = refusal(f"{HEAD}\n\n{text}")
    assert error.problem is Problem.NOT_A_MOVE
    assert error.detail == message + (
        "; moves look like A (advance), Lc4 (leather) or 17Bc4"
        " (patch 0-32, orientation A-H, column a-i and row 1-9 of the corner)"
    )
    assert (error.line, error.column, error.number, error.reason) == (*place, None)


@pytest.mark.parametrize(
    ("text", "message", "place", "reason"),
    [
        (
            "1. A 2. 3Ai9 3. A *",
            "3Ai9: the patch would lie off the board",
            (3, 9, 2),
            pw.Reason.OFF_THE_BOARD,
        ),
        (
            "1. 3Aa1 2. A\n3. 3ac3 4. A *",
            "3Ac3: patch 3 is not on offer, only 13, 25, 32",
            (4, 4, 3),
            pw.Reason.NOT_ON_OFFER,
        ),
        ("26Ba1 *", "26Ba1: patch 26 costs 7, seat 0 has 5", (3, 1, 1), pw.Reason.CANNOT_AFFORD),
        (
            "1. 3Aa1 2. 13Ba2 3. 21Ha1 *",
            "21Fa1: patch 21 would overlap another patch",
            (3, 21, 3),
            pw.Reason.OVERLAPS,
        ),
        (
            "1. A 2. Lc4 *",
            "Lc4: seat 1 has to advance or buy",
            (3, 9, 2),
            pw.Reason.NOT_IN_THIS_PHASE,
        ),
        (
            f"{'A ' * 20} A *",
            "A: seat 1 has to place the leather patch",
            (3, 42, 21),
            pw.Reason.NOT_IN_THIS_PHASE,
        ),
        (
            f"{'A ' * 20}\nLa1{' A' * 6}\nLa1 *",
            "La1: cell 0 is already filled",
            (5, 1, 28),
            pw.Reason.CELL_TAKEN,
        ),
        (
            "1. 3Aa1 (1. A 2. 3Aa1 3. 3Ab4) 2. A *",
            "3Ab4: patch 3 is not on offer, only 13, 25, 32",
            (3, 26, 3),
            pw.Reason.NOT_ON_OFFER,
        ),
    ],
)
def test_illegal_moves_are_refused_where_they_stand(
    text: str, message: str, place: tuple[int, int, int], reason: pw.Reason
) -> None:
    error = refusal(f"{HEAD}\n\n{text}")
    assert (error.problem, error.detail, error.reason) == (ILLEGAL, message, reason)
    assert (error.line, error.column, error.number) == place
    assert str(error) == (
        f"line {place[0]}, column {place[1]}, move {place[2]}: {message} (illegal-move)"
    )


def test_a_move_after_the_end_is_refused() -> None:
    text = pw.Record.of(played("saver")).format()
    error = refusal(text.replace(" 0-1\n", " A 0-1\n"))
    assert (error.problem, error.reason) == (ILLEGAL, pw.Reason.GAME_OVER)
    assert error.detail == "A: the game is over"
    assert error.number == len(played("saver").moves) + 1


def test_one_illegal_move_in_the_middle() -> None:
    game = played(seed=3)
    texts = [f"{number}. {move}" for number, move in enumerate(game.moves, 1)]
    texts[20] = f"21. {game.moves[0]}"
    error = refusal("\n".join((HEAD, *texts, "*")))
    assert error.problem is ILLEGAL
    assert (error.line, error.column, error.number) == (22, 5, 21)
    assert error.reason is not None


@pytest.mark.parametrize("after", ["{", "[", "\x00"])
def test_the_first_mistake_is_the_one_reported(after: str) -> None:
    """An illegal move is reported before any mistake after it."""
    error = refusal(f"{HEAD}\n\n1. Lc4 {after} *")
    assert (error.problem, error.line, error.column, error.number) == (ILLEGAL, 3, 4, 1)


LONG = "9" * 5000
NO_IDS = (
    "Circle has the patch ids 0 to 32 once each, separated by commas, with the 1 x 2 patch 0 last; "
)
SETUP_MISTAKES = [
    ("1,2,x", f"{NO_IDS}'x' is not an id"),
    ("1,foo bar", f"{NO_IDS}'foo' is not an id"),
    ("", f"{NO_IDS}'' is not an id"),
    (", ,", f"{NO_IDS}'' is not an id"),
    ("-1,2", f"{NO_IDS}'-1' is not an id"),
    ("\u0661,2", f"{NO_IDS}'\u0661' is not an id"),
    (f"1,{LONG}", f"{NO_IDS}'99999999999999999999' is not an id"),
    ("1,2,3", "circle holds 3 patches; all 33 are needed"),
    (CIRCLE.replace("14", "26"), "circle holds patch 26 twice"),
    (CIRCLE.replace("14", "33"), "circle holds 33; patch ids are 0 to 32"),
    (CIRCLE.replace("14", "999"), "circle holds 999; patch ids are 0 to 32"),
    (CIRCLE.replace("14", "1000"), f"{NO_IDS}'1000' is not an id"),
    (
        ",".join(map(str, range(33))),
        "circle ends with patch 32; the 1 x 2 patch 0 must be last",
    ),
]


@pytest.mark.parametrize(("circle", "message"), SETUP_MISTAKES)
def test_bad_circles(circle: str, message: str) -> None:
    error = refusal(f'[Player0 "x"]\n [Circle "{circle}"]\n*')
    assert (error.problem, error.detail) == (Problem.BAD_TAG, message)
    assert (error.line, error.column, error.number, error.reason) == (2, 2, None, None)


NO_DAY = "Date must be a date such as 2026.11.15, not "
NO_END = "Termination is played out or resigned or time or left or aborted or unfinished, not "


@pytest.mark.parametrize("circle", [LONG, f"1,{LONG}", CIRCLE.replace("14", LONG)])
def test_ids_of_thousands_of_digits(circle: str) -> None:
    error = refusal(f'[Circle "{circle}"]\n*')
    assert (error.problem, error.line, error.column) == (Problem.BAD_TAG, 1, 1)


@pytest.mark.parametrize(
    ("tag", "message", "column"),
    [
        ('[Edition "new"]', "Edition is classic or revised, not 'new'", 3),
        ('[Edition ""]', "Edition is classic or revised, not ''", 3),
        ('[First "2"]', "First is 0 or 1, not '2'", 3),
        ('[First " 1"]', "First is 0 or 1, not ' 1'", 3),
        ('[Result "2-0"]', "Result is 1-0 or 0-1 or *, not '2-0'", 3),
        ('[Result ""]', "Result is 1-0 or 0-1 or *, not ''", 3),
        ('[Date "15.11.2026"]', f"{NO_DAY}'15.11.2026'", 3),
        ('[Date "2026/11/15"]', f"{NO_DAY}'2026/11/15'", 3),
        ('[Date "2026-02-30"]', f"{NO_DAY}'2026.02.30'", 3),
        ('[Player0 "a\rb"]', "the value of a tag must be one line, not 'a\\rb'", 3),
        ('[Event "a\rb"]', "the value of a tag must be one line, not 'a\\rb'", 3),
        (f'[Termination "Gone{LONG}"]', f"{NO_END}'Gone9999999999999999'", 3),
        ('[Player0 "a"][Player0 "a"]', "Player0 is given twice", 16),
        ('[x "a"] [x "b"]', "x is given twice", 11),
        (HEAD, "Circle is given twice", 3),
        ("[Player0 x]", 'a tag is written [Name "value"]', 3),
        ('[Player0 "x]', 'a tag is written [Name "value"]', 3),
        ('[Player0 "x"', 'a tag is written [Name "value"]', 3),
        ('["x"]', 'a tag is written [Name "value"]', 3),
        ('[Player0 "x" "y"]', 'a tag is written [Name "value"]', 3),
        ('[Player-0 "x"]', 'a tag is written [Name "value"]', 3),
        ('[Player\u00e9 "x"]', 'a tag is written [Name "value"]', 3),
        ('[Player0 "a\nb"]', 'a tag is written [Name "value"]', 3),
        ('[Player0 "a\\\nb"]', 'a tag is written [Name "value"]', 3),
        ("[]", 'a tag is written [Name "value"]', 3),
        ("[", 'a tag is written [Name "value"]', 3),
    ],
)
def test_bad_tags_are_refused_where_they_stand(tag: str, message: str, column: int) -> None:
    error = refusal(f"{HEAD}\n  {tag}\n\n*")
    assert (error.problem, error.detail) == (Problem.BAD_TAG, message)
    assert (error.line, error.column, error.number, error.reason) == (2, column, None, None)
    assert str(error) == f"line 2, column {column}: {message} (bad-tag)"


def test_a_value_that_utf_8_cannot_hold_is_refused_where_it_stands() -> None:
    error = refusal(f'{HEAD}\n  [Player0 "\ud800"]\n\n*')
    assert error.problem is Problem.UNEXPECTED
    assert error.detail == "'\\ud800' cannot be written as UTF-8"
    assert (error.line, error.column) == (2, 3)


def test_a_comment_that_utf_8_cannot_hold_is_refused_with_its_record() -> None:
    error = refusal(f'\n {HEAD}\n[Termination "unfinished"]\n\n{{\ud800}} *')
    assert error.problem is Problem.UNEXPECTED
    assert (error.line, error.column) == (2, 2)


def test_a_bad_tag_is_reported_before_a_bad_move() -> None:
    error = refusal(f'{HEAD}\n[Date "never"]\n\n1. Lc4 *')
    assert (error.problem, error.line) == (Problem.BAD_TAG, 2)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("A *", "a record needs the tag Circle", (1, 1)),
        ('\n [Player0 "x"]\n*', "a record needs the tag Circle", (2, 2)),
        (f'{HEAD} *\n[Player0 "x"] A *', "a record needs the tag Circle", (2, 1)),
        (f" {HEAD} A 1-0", "the game has not ended, so 1-0 needs the tag Termination", (1, 2)),
        (f"{HEAD} A 0-1", "the game has not ended, so 0-1 needs the tag Termination", (1, 1)),
    ],
)
def test_missing_tags(text: str, message: str, place: tuple[int, int]) -> None:
    error = refusal(text)
    assert (error.problem, error.detail) == (Problem.MISSING_TAG, message)
    assert (error.line, error.column, error.number) == (*place, None)


@pytest.mark.parametrize(
    ("text", "stray", "place"),
    [
        ("$1 A *", "$1", (3, 1)),
        ("$1000 A *", "$1000", (3, 1)),
        ("! A *", "!", (3, 1)),
        ("(A) A *", "(", (3, 1)),
        ("A (!) *", "!", (3, 4)),
        ("A ($7 A) *", "$7", (3, 4)),
        ("A ((A)) *", "(", (3, 4)),
        ("A ) *", ")", (3, 3)),
        (")", ")", (3, 1)),
        ("A # *", "#", (3, 3)),
        ("A } *", "}", (3, 3)),
        ('A " *', '"', (3, 3)),
        ("A ] *", "]", (3, 3)),
        ("A $ *", "$", (3, 3)),
        ("A $x *", "$", (3, 3)),
        ("A\n - *", "-", (4, 2)),
        ("A . *", ".", (3, 3)),
        ("A \u00a0 *", "\u00a0", (3, 3)),
        ("A \u00e9 *", "\u00e9", (3, 3)),
        ("A \ufeff *", "\ufeff", (3, 3)),
        ("A \u0661. A *", "\u0661", (3, 3)),
    ],
)
def test_unexpected_words(text: str, stray: str, place: tuple[int, int]) -> None:
    error = refusal(f"{HEAD}\n\n{text}")
    assert (error.problem, error.detail) == (Problem.UNEXPECTED, f"{stray!r} does not belong here")
    assert (error.line, error.column, error.number, error.reason) == (*place, None, None)


@pytest.mark.parametrize(
    ("text", "detail", "place"),
    [
        ("A (A *) *", "'*'; 3, column 3", (3, 6)),
        ("A (A 1-0", "'1-0'; 3, column 3", (3, 6)),
        ("A\n (\nA (A) *", "'*'; 4, column 2", (5, 7)),
        ("A (A (A *", "'*'; 3, column 6", (3, 9)),
    ],
)
def test_results_inside_a_variation(text: str, detail: str, place: tuple[int, int]) -> None:
    result, _, bracket = detail.partition("; ")
    error = refusal(f"{HEAD}\n\n{text}")
    assert error.problem is Problem.UNEXPECTED
    assert error.detail == (
        f"{result} does not belong here; the bracket in line {bracket} is still open"
    )
    assert (error.line, error.column, error.number) == (*place, None)


@pytest.mark.parametrize(
    ("text", "stray", "place"),
    [
        ("A **", "*", (3, 4)),
        ("A * {x} *", "*", (3, 9)),
        ("A *\n2. A *", "2.", (4, 1)),
        ("A *\nA *", "A", (4, 1)),
    ],
)
def test_after_a_result_comes_a_tag(text: str, stray: str, place: tuple[int, int]) -> None:
    error = refusal(f"{HEAD}\n\n{text}")
    assert error.problem is Problem.UNEXPECTED
    assert error.detail == f"'{stray}' does not belong here, after a result"
    assert (error.line, error.column) == place


@pytest.mark.parametrize(
    ("nag", "shown"), [("$1000", "$1000"), ("$0001", "$0001"), (f"${LONG}", f"${LONG[:19]}")]
)
def test_annotations_have_at_most_three_digits(nag: str, shown: str) -> None:
    error = refusal(f"{HEAD}\n\n1. A $1 {nag} *")
    assert error.problem is Problem.UNEXPECTED
    assert error.detail == f"an annotation is $ with one to three digits, not {shown}"
    assert (error.line, error.column) == (3, 9)


@pytest.mark.parametrize("text", ["\x00", "\x00" * 1000, "\n\x00\x01"])
def test_binary_data_is_not_a_record(text: str) -> None:
    error = refusal(text)
    assert error.problem is Problem.UNEXPECTED
    assert error.detail == "a NUL: this is binary data, not a record"
    assert (error.line, error.column) == (text.count("\n") + 1, 1)


@pytest.mark.parametrize("text", [None, b"x"])
def test_arguments_that_are_not_text_raise_type_errors(text: Any) -> None:
    for read in (pw.Record.parse, pw.Record.parse_all):
        with pytest.raises(TypeError) as caught:
            read(text)
        assert str(caught.value) == f"the text must be a str, not {type(text).__name__}"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("A {", (3, 3)),
        ("A {x", (3, 3)),
        ("A {x\\} *", (3, 3)),
        ("{x} A {y\n{z\n\n", (3, 7)),
        ("A (A {", (3, 6)),
    ],
)
def test_comments_have_to_be_closed(text: str, place: tuple[int, int]) -> None:
    error = refusal(f"{HEAD}\n\n{text}")
    assert (error.problem, error.detail) == (Problem.UNCLOSED, "the comment is not closed")
    assert (error.line, error.column) == place


@pytest.mark.parametrize("depth", [33, 34, 1000])
def test_variations_deeper_than_32_are_refused(depth: int) -> None:
    assert len(record_of("A(" * 32 + "A" + ")" * 32 + "*").line.plies) == 1
    error = refusal(f"{HEAD}\n\n" + "A(" * depth + "A" + ")" * depth + "*")
    assert error.problem is Problem.TOO_DEEP
    assert error.detail == "variations are nested more than 32 deep"
    assert (error.line, error.column) == (3, 66)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (HEAD, (1, len(HEAD) + 1)),
        (f"{HEAD}\n\n1. A 2. A", (3, 10)),
        (f"{HEAD}\n\n1. A 2. A\n", (4, 1)),
        (f"{HEAD}\n\n1. A\n{HEAD} *", (4, 1)),
        (f'{HEAD} {{x}} [Date "2026.11.15"] *', (1, len(HEAD) + 6)),
        (ANNOTATED.removesuffix("0-1\n"), (16, 15)),
    ],
)
def test_records_that_are_cut_off(text: str, place: tuple[int, int]) -> None:
    error = refusal(text)
    assert (error.problem, error.detail) == (Problem.CUT_OFF, "the record ends without a result")
    assert (error.line, error.column, error.number) == (*place, None)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"{HEAD}\n\n1. A (2. A", (3, 11)),
        (f"{HEAD}\n\n1. A (A\n {HEAD} *", (4, 2)),
    ],
)
def test_records_that_are_cut_off_in_a_variation(text: str, place: tuple[int, int]) -> None:
    error = refusal(text)
    assert error.problem is Problem.CUT_OFF
    assert error.detail == (
        "the record ends without a result; the bracket in line 3, column 6 is still open"
    )
    assert (error.line, error.column) == place


def test_every_truncation_is_refused() -> None:
    for length in range(len(ANNOTATED) - 4):
        with pytest.raises(pw.NotationError):
            pw.Record.parse(ANNOTATED[:length])


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ('[Result "0-1"]', '[Result "1-0"]', "according to the moves, Result is 0-1", 7),
        ('[Result "0-1"]', '[Result "*"]', "according to the moves, Result is 0-1", 7),
        ("lines} 0-1", "lines} 1-0", "according to the moves, Result is 1-0", 7),
        ("lines} 0-1", "lines} *", "according to the moves, Result is *", 7),
        ('"-131,-142"', '"-131,-141"', "according to the moves, Scores is -131,-142", 8),
        ('"-131,-142"', '"-142,-131"', "according to the moves, Scores is -131,-142", 8),
        ('"-131,-142"', '"-131;-142"', "according to the moves, Scores is -131,-142", 8),
        (
            '"resigned"',
            '"played out"',
            "termination 'played out' and result '0-1' do not fit a game that goes on",
            9,
        ),
        (
            '"resigned"',
            '"aborted"',
            "termination 'aborted' and result '0-1' do not fit a game that goes on",
            9,
        ),
    ],
)
def test_contradictions(old: str, new: str, message: str, line: int) -> None:
    assert ANNOTATED.count(old) == 1
    error = refusal(ANNOTATED.replace(old, new))
    assert (error.problem, error.detail) == (Problem.CONTRADICTION, message)
    assert (error.line, error.column, error.number) == (line, 1, None)


def test_a_finished_game_cannot_be_resigned() -> None:
    text = pw.Record.of(played("saver")).format()
    error = refusal("\n" + text.replace('"played out"', '"resigned"'))
    assert error.problem is Problem.CONTRADICTION
    assert error.detail == (
        "termination 'resigned' and result '0-1' do not fit a game that was won by seat 1"
    )
    assert (error.line, error.column) == (10, 1)
    error = refusal(
        "\n" + re.sub(r"\[Result.*\n|\[Termination.*\n", "", text).replace(" 0-1\n", " *\n")
    )
    assert error.detail == (
        "termination 'played out' and result '*' do not fit a game that was won by seat 1"
    )
    assert (error.line, error.column) == (2, 1)


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), (" \n", 0), ("{x};y", 0), (f"{HEAD}*" * 2, 2)]
)
def test_one_record_is_expected(text: str, count: int) -> None:
    assert len(pw.Record.parse_all(text)) == count
    error = refusal(text)
    assert error.problem is Problem.NOT_ONE_RECORD
    assert error.detail == f"expected one record, found {count}"
    assert (error.line, error.column) == (None, None)


def test_a_mistake_in_a_later_game_has_its_own_place() -> None:
    with pytest.raises(pw.NotationError) as caught:
        pw.Record.parse_all(f"{ANNOTATED}\n{HEAD}\n\n1. A 2. 0Aa1 *\n")
    error = caught.value
    assert (error.line, error.column, error.number) == (len(ANNOTATED.splitlines()) + 4, 9, 2)


# The error itself


def test_the_error_names_what_it_knows() -> None:
    problem = Problem.UNEXPECTED
    assert str(pw.NotationError(problem, "odd")) == "odd (unexpected)"
    assert str(pw.NotationError(problem, "odd", line=2)) == "line 2: odd (unexpected)"
    assert str(pw.NotationError(problem, "odd", column=3)) == "column 3: odd (unexpected)"
    assert str(pw.NotationError(problem, "odd", number=0)) == "move 0: odd (unexpected)"
    error = pw.NotationError(problem, "odd", line=2, column=3, number=4)
    assert str(error) == "line 2, column 3, move 4: odd (unexpected)"
    assert error.args == (problem, "odd")
    assert isinstance(error, ValueError)


def test_the_error_can_be_pickled() -> None:
    error = refusal(f"{HEAD}\n\n1. A 2. Lc4 *")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is pw.NotationError
    assert vars(again) == vars(error)
    assert str(again) == (
        "line 3, column 9, move 2: Lc4: seat 1 has to advance or buy (illegal-move)"
    )


def test_the_problems_are_these() -> None:
    errors = SPECIFICATION.read_text("utf-8").partition("## Errors")[2]
    documented = re.findall(r"^\| `([a-z-]+)` \|", errors, re.MULTILINE)
    assert [problem.value for problem in Problem] == documented
