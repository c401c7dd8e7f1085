"""The text of positions: how it is written, how it is read, and what is not a position."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw
from patchwork.notation.errors import Problem
from support.positions import (
    BOUGHT,
    DISCARDED,
    FULL,
    LEATHER,
    MIDDLE,
    ON_THE_LINE,
    START,
    VALID,
    refusal,
    swapped,
)

# Writing and reading


def test_start_is_written_like_this() -> None:
    assert str(pw.Setup.random(seed=1).start()) == START


def test_moves_lead_to_these_texts() -> None:
    position = pw.Setup.random(seed=1).start()
    texts = [START]
    for move in ["3Aa1", "13Ba2", "21Af1", "22Bh6", "A", "A", "10Be6", "23Ab1", "12Aa3"]:
        position = position.play(pw.parse_move(position, move))
        texts.append(str(position))
    assert texts[1] == BOUGHT
    assert texts[-1] == MIDDLE


def test_advances_lead_to_the_line() -> None:
    position = pw.Setup.random(seed=1).start()
    for _ in range(20):
        position = position.play(pw.Advance())
    assert str(position) == ON_THE_LINE


def test_every_word_is_read() -> None:
    position = pw.Position.parse(LEATHER)
    assert position.edition == pw.CLASSIC
    assert position.turn == 0
    assert position.phase is pw.Phase.LEATHER
    assert [position.players[0].quilt >> cell & 1 for cell in range(18)] == [
        *(1, 1, 1, 0, 0, 1, 0, 0, 0),
        *(1, 1, 1, 1, 1, 1, 1, 1, 1),
    ]
    assert position.players[1].quilt & 0b111111111 == 0
    assert position.players[1].quilt >> 72 == 1  # the last row: a9 alone
    assert [(p.buttons, p.income, p.time) for p in position.players] == [(3, 3, 22), (8, 5, 19)]
    assert position.leather == (26, 32, 44, 50)
    assert position.tile is None
    assert position.first_home is None
    assert position.circle[:3] == (9, 18, 31)
    assert position.circle[-2:] == (17, 8)


def test_the_words_of_the_end_are_read() -> None:
    position = pw.Position.parse(DISCARDED)
    assert position.phase is pw.Phase.OVER
    assert position.players[0].quilt == (1 << 81) - 1
    assert position.players[1].quilt == 0
    assert position.leather == ()
    assert position.tile == 0
    assert position.first_home == 1
    assert position.scores == (40, -104)
    swapped_position = pw.Position.parse(swapped(DISCARDED))
    assert (swapped_position.turn, swapped_position.tile, swapped_position.first_home) == (1, 1, 0)


def test_the_edition_is_read() -> None:
    position = pw.Position.parse(VALID["revised"])
    assert position.edition == pw.REVISED
    assert position.leather == (26, 32, 38, 44, 50)


@pytest.mark.parametrize("text", VALID.values(), ids=VALID.keys())
def test_literal_texts_round_trip(text: str) -> None:
    assert text.isascii()
    assert "\n" not in text
    assert str(pw.Position.parse(text)) == text
    assert str(pw.Position.parse(swapped(text))) == swapped(text)


@pytest.mark.parametrize(
    "text", [f"  {MIDDLE}", f"{MIDDLE}\n", MIDDLE.replace(" ", "  "), MIDDLE.replace(" ", "\t\r\n")]
)
def test_white_space_does_not_matter(text: str) -> None:
    assert str(pw.Position.parse(text)) == MIDDLE


def test_repr_can_be_pasted() -> None:
    position = pw.Position.parse(MIDDLE)
    assert repr(position) == f"Position.parse({MIDDLE!r})"
    assert eval(repr(position), {"Position": pw.Position}) == position


def choose(rng: Random, style: str, position: pw.Position) -> pw.Advance | pw.Buy | pw.Leather:
    """A move of a player who buys at random, saves half of the time or packs patches tightly."""
    moves = position.legal_moves()
    if style == "saver" and position.phase is pw.Phase.TURN and rng.random() < 0.5:
        return pw.Advance()
    if style == "tailor":
        purchases = [move for move in moves if isinstance(move, pw.Buy)]
        largest = max((move.cells.bit_count() for move in purchases), default=0)
        fits = [move for move in purchases if move.cells.bit_count() == largest]
        return fits[0] if fits else moves[0]
    return rng.choice(moves)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**53 - 1),
    edition=st.sampled_from([pw.CLASSIC, pw.REVISED]),
    first=st.sampled_from([0, 1]),
    styles=st.tuples(*[st.sampled_from(["whim", "saver", "tailor"])] * 2),
)
def test_positions_of_random_games_round_trip(
    seed: int, edition: pw.Edition, first: int, styles: tuple[str, str]
) -> None:
    rng = Random(seed)
    position = pw.Setup.random(seed, edition, first).start()
    texts: dict[str, pw.Position] = {}
    while True:
        text = str(position)
        assert text.isascii()
        assert pw.Position.parse(text) == position
        assert str(pw.Position.parse(text)) == text
        assert texts.setdefault(text, position) == position  # one text, one position
        if position.outcome is not None:
            break
        position = position.play(choose(rng, styles[position.turn], position))


def test_how_a_quilt_becomes_full() -> None:
    """M3: in this game, the last leather patch was discarded."""
    circle = [10, 25, 6, 32, 22, 20, 31, 12, 30, 16, 29, 23, 26, 1, 15, 19, 8]
    circle += [17, 9, 3, 28, 2, 18, 13, 21, 7, 5, 24, 4, 11, 27, 14, 0]
    moves = "25Bh6 A 22Ca8 A 20Aa6 A 30Bf4 A 23Fd5 1Df8 A A Le9 A 15Ab4 A 8Ha4 Lc8 A 3Ch4 2Ba1 Li9"
    moves += " A 13Bh1 A 7Ed4 A 5Bg1 A 11Db1 A 0Af1 32Ac1 Lf3 A A A A A A A A"
    position = pw.Setup(tuple(circle)).start()
    texts = []
    for move in moves.split():
        position = position.play(pw.parse_move(position, move))
        texts.append(str(position))
        assert pw.Position.parse(texts[-1]) == position
    assert FULL in texts
    assert texts[-1] == DISCARDED


# Malformed texts


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("   ", 0),
        ("classic", 1),
        (START.rpartition(" ")[0], 9),
        (f"{START} -", 11),
        (START.replace("classic ", "classic"), 9),
        (f"{START} {START}", 20),
    ],
)
def test_ten_words_are_needed(text: str, count: int) -> None:
    error = refusal(text)
    assert error.problem is Problem.NOT_A_POSITION
    assert error.detail == f"a position has 10 words separated by spaces, not {count}"


WORDS = START.split()
EXPECTED = (
    "edition is written classic or revised",
    "seat and phase is written 0:turn, with turn, leather or over",
    "quilt of seat 0 is written nine rows such as xx7, separated by /",
    "purse of seat 0 is written b5,i0,t0",
    "quilt of seat 1 is written nine rows such as xx7, separated by /",
    "purse of seat 1 is written b5,i0,t0",
    "leather is written leather=20,26 or leather=-",
    "tile is written tile=-, tile=0 or tile=1",
    "home is written home=-, home=0 or home=1",
    "circle is written circle=5,17,0",
)
BAD_QUILTS = (
    "9/9/9/9/9/9/9/9",
    "9/9/9/9/9/9/9/9/9/9",
    "9/9/9/9/9/9/9/9/",
    "/9/9/9/9/9/9/9/9",
    "9/9/9/9//9/9/9/9",
    "9/9/9/9/09/9/9/9/9",
    "9/9/9/9/X8/9/9/9/9",
    "9/9/9/9/.8/9/9/9/9",
    "9/9/9/9/\u0669/9/9/9/9",
    "9-9-9-9-9-9-9-9-9",
)
BAD_PURSES = (
    "b5,i0",
    "b5,i0,t0,",
    "i0,b5,t0",
    "B5,i0,t0",
    "b05,i0,t0",
    "b5,i00,t0",
    "b5,i0,t00",
    "b1000,i0,t0",
    "b5,i1000,t0",
    "b5,i0,t1000",
    "b-1,i0,t0",
    "b,i0,t0",
    "b\u0665,i0,t0",
)
BAD_NUMBERS = ("", ",", "20,", ",20", "20,,26", "020", "1000", "20;26", "20,-", "\u0662")
BAD_WORDS: dict[int, tuple[str, ...]] = {
    0: ("Classic", "classics", "old", "-", "classicrevised"),
    1: ("2:turn", "0:TURN", "0-turn", "0", "turn", ":turn", "0:", "00:turn", "0:turn:", "0:done"),
    2: BAD_QUILTS,
    3: BAD_PURSES,
    4: BAD_QUILTS,
    5: BAD_PURSES,
    6: (*(f"leather={numbers}" for numbers in BAD_NUMBERS), "leather:-", "Leather=-", "-"),
    7: ("tile=", "tile=2", "tile=x", "tile=--", "tile=01", "0", "Tile=0"),
    8: ("home=", "home=2", "home=x", "home=--", "home=10", "0", "Home=0"),
    9: (*(f"circle={numbers}" for numbers in BAD_NUMBERS), "circle:0", "CIRCLE=0", "0"),
}


@pytest.mark.parametrize(
    ("place", "word"), [(place, word) for place, words in BAD_WORDS.items() for word in words]
)
def test_malformed_words_are_named(place: int, word: str) -> None:
    error = refusal(" ".join([*WORDS[:place], word, *WORDS[place + 1 :]]))
    assert error.problem is Problem.NOT_A_POSITION
    assert error.detail == f"{EXPECTED[place]}, not {word!r}"
    assert str(error) == f"{EXPECTED[place]}, not {word!r} (not-a-position)"


@pytest.mark.parametrize("text", [None, b"x"])
def test_arguments_that_are_not_text_raise_type_errors(text: Any) -> None:
    with pytest.raises(TypeError) as caught:
        pw.Position.parse(text)
    assert str(caught.value) == f"the text must be a str, not {type(text).__name__}"


def test_long_words_are_cut_in_the_message() -> None:
    error = refusal(START.replace("classic", "c" * 61))
    assert error.detail == f"edition is written classic or revised, not {'c' * 60!r}"


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    "row", ["8", "x9", "xxxxxxxx", "xxxxxxxxxx", "45", "xx34", "1x", "9x", "99"]
)
def test_rows_have_nine_spaces(seat: int, row: str) -> None:
    words = [*WORDS]
    words[2 + 2 * seat] = f"9/9/9/{row}/9/9/9/9/9"
    error = refusal(" ".join(words))
    assert error.problem is Problem.NOT_A_POSITION
    assert error.detail == (
        f"a row of a quilt has 9 spaces, with one digit for each run of empty ones, not {row!r}"
    )


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\x0b", "\x1c"])
def test_only_plain_white_space_separates_words(space: str) -> None:
    text = str(pw.Setup.random(1).start())
    assert refusal(text.replace(" ", space, 1)).problem is Problem.NOT_A_POSITION
    with pytest.raises(pw.NotationError):
        pw.parse_move(pw.Setup.random(1).start(), f"{space}A")
    assert pw.parse_move(pw.Setup.random(1).start(), " \t\r\nA \n") == pw.Advance()
