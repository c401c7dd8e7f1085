"""Text of positions: what is written, what is read, and what is refused, with the words used."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw
from patchwork.notation.errors import Problem

EMPTY = "9/9/9/9/9/9/9/9/9"
FILLED = "/".join(["xxxxxxxxx"] * 9)
SEED_1 = "26,14,3,13,25,32,21,22,10,15,28,23,29,7,12,4,19,20,27,5,17,8,11,30,9,18,31,6,16,1,24,2,0"
START = (
    f"classic 0:turn {EMPTY} b5,i0,t0 {EMPTY} b5,i0,t0"
    f" leather=20,26,32,44,50 tile=- home=- circle={SEED_1}"
)

# One move after the start of seed 1: the third patch of the circle was bought.
BOUGHT = (
    f"classic 1:turn xx7/x8/9/9/9/9/9/9/9 b2,i0,t1 {EMPTY} b5,i0,t0"
    " leather=20,26,32,44,50 tile=- home=- circle="
    "13,25,32,21,22,10,15,28,23,29,7,12,4,19,20,27,5,17,8,11,30,9,18,31,6,16,1,24,2,0,26,14"
)
MIDDLE = (
    "classic 0:turn xxx2x3/xxxxxxxxx/xxxx4x/xx7/9/7xx/8x/8x/7xx b0,i1,t13"
    " 9/1x7/1x7/xx7/x8/5x3/4xx3/4x4/9 b7,i4,t15 leather=20,26,32,44,50 tile=- home=-"
    " circle=4,19,20,27,5,17,8,11,30,9,18,31,6,16,1,24,2,0,26,14,25,32,15,28,29,7"
)
LEATHER = (
    "classic 0:leather xxx2x3/xxxxxxxxx/xxxxx3x/xxxxxxx2/4x4/6xxx/5xxxx/6x1x/6xxx b3,i3,t22"
    " 9/1x7/1x7/xx4xx1/x5x2/5xxx1/1x2xx3/xx2x4/x8 b8,i5,t19 leather=26,32,44,50 tile=- home=-"
    " circle=9,18,31,6,16,1,24,2,0,26,14,25,32,15,28,29,7,4,19,27,17,8"
)
# Nothing but advances: twenty of them, and the token stands on the line itself.
ON_THE_LINE = (
    f"classic 1:leather {EMPTY} b24,i0,t19 {EMPTY} b25,i0,t20"
    f" leather=26,32,44,50 tile=- home=- circle={SEED_1}"
)
HOME = (
    "classic 0:turn xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/1xxxxxxxx/xxxxxxxxx/xxx1xxxxx/1x2xxxxx"
    "/xxx2xxxx b17,i5,t52 2x1xxxxx/1xx2xx2/1xxx1xxx1/xxxxx1xx1/x1xx2x2/xxxxxxxxx/xx2xxxx1/xx2x1xxx"
    "/x4xx2 b58,i16,t53 leather=- tile=- home=1 circle=26,32,15,29,19,27,18,16"
)
OVER = (
    "classic 0:over xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/1xxxxxxxx/xxxxxxxxx/xxx1xxxxx/1x2xxxxx"
    "/xxx2xxxx b23,i5,t53 2x1xxxxx/1xx2xx2/1xxx1xxx1/xxxxx1xx1/x1xx2x2/xxxxxxxxx/xx2xxxx1/xx2x1xxx"
    "/x4xx2 b58,i16,t53 leather=- tile=- home=1 circle=26,32,15,29,19,27,18,16"
)
# A full quilt while one leather patch is still on the board; that one will be discarded (M3).
FULL = (
    f"classic 1:turn {FILLED} b4,i11,t46 {EMPTY} b48,i0,t43 leather=50 tile=0 home=-"
    " circle=31,12,16,29,26,19,17,9,28,18,21,24,4,27,14,10,6"
)
DISCARDED = (
    f"classic 0:over {FILLED} b33,i11,t53 {EMPTY} b58,i0,t53 leather=- tile=0 home=1"
    " circle=31,12,16,29,26,19,17,9,28,18,21,24,4,27,14,10,6"
)
# A full quilt of 81 spaces by patches alone, so that all five leather patches were discarded.
ALL_DISCARDED = (
    f"classic 0:over {FILLED} b0,i14,t53 {EMPTY} b37,i0,t53 leather=- tile=0 home=1"
    " circle=2,3,4,5,7,9,10,13,15,17,18,22,27,28,29,30,32"
)
# The largest lead: patch 8 was bought, which takes 6 of time and brings 2 buttons at line 5.
LEAD = (
    f"classic 1:turn xxx6/x8/9/9/9/9/9/9/9 b3,i2,t6 {EMPTY} b5,i0,t0"
    " leather=20,26,32,44,50 tile=- home=- circle="
    "1,2,3,4,5,6,7,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,0"
)
# The quickest way to the 1 x 2 patch: eleven times the third of the offer.
GONE = (
    "classic 1:turn 1x2xxx2/xxxxxxxxx/1xxxx2x1/2x1xxxx1/xxxx2x2/x2x5/9/9/9 b4,i2,t18"
    " xxx1xxx2/xxxxxxx2/xxxxxxxxx/1x4x2/xxx6/9/9/9/9 b6,i1,t18 leather=20,26,32,44,50 tile=- home=-"
    " circle=25,32,29,14,2,9,17,16,13,10,19,7,26,5,3,24,28,18,27,15,8,6"
)
# Seat 0 has bought patches that take 58 of time: 5 beyond the last space, which a last purchase
# can overshoot. Both seats together have as few buttons as they can.
OVERSHOT = (
    "classic 0:over xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxxxxx/xxxxxx3/9"
    f" b0,i22,t53 {EMPTY} b1,i0,t53 leather=- tile=0 home=1"
    " circle=2,3,4,5,7,11,12,14,17,18,19,20,21,25,26,27,30,31,32,0"
)
RICHEST = OVERSHOT.replace("b0,", "b151,").replace("b1,", "b58,")
# One purchase of patch 23, which takes 1 of time; patch 25 is as large and takes 2.
QUICK = (
    f"classic 1:turn 1x7/xxxx5/2x6/9/9/9/9/9/9 b3,i0,t1 {EMPTY} b5,i0,t0"
    " leather=20,26,32,44,50 tile=- home=- circle="
    "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,24,25,26,27,28,29,30,31,32,0"
)
VALID = {
    "start": START,
    "bought": BOUGHT,
    "middle": MIDDLE,
    "leather": LEATHER,
    "on the line": ON_THE_LINE,
    "home": HOME,
    "over": OVER,
    "full": FULL,
    "discarded": DISCARDED,
    "all discarded": ALL_DISCARDED,
    "lead of 6": LEAD,
    "1 x 2 gone": GONE,
    "overshot": OVERSHOT,
    "richest": RICHEST,
    "quick": QUICK,
    "revised": START.replace("classic", "revised").replace("20,26,32,44,50", "26,32,38,44,50"),
}


def edited(text: str, *changes: tuple[str, str]) -> str:
    """The text with some pieces replaced, each of which occurs once."""
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        text = text.replace(old, new)
    return text


def swapped(text: str) -> str:
    """The same text with seat 0 and seat 1 in each other's place."""
    edition, decision, quilt_0, purse_0, quilt_1, purse_1, leather, tile, home, circle = (
        text.split()
    )
    other = str.maketrans("01", "10")
    words = (quilt_1, purse_1, quilt_0, purse_0, leather)
    flags = (tile.translate(other), home.translate(other))
    return " ".join((edition, decision.translate(other), *words, *flags, circle))


def refusal(text: str) -> pw.NotationError:
    with pytest.raises(pw.NotationError) as caught:
        pw.Position.parse(text)
    error = caught.value
    assert (error.line, error.column, error.number, error.reason) == (None, None, None, None)
    return error


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
    """A move of a player who buys at random, saves half of the time, or packs patches tightly."""
    moves = position.legal_moves()
    if style == "saver" and position.phase is pw.Phase.TURN and rng.random() < 0.5:
        return pw.Advance()
    if style == "tailor":
        purchases = [move for move in moves if isinstance(move, pw.Buy)]
        largest = max((move.cells.bit_count() for move in purchases), default=0)
        fits = [move for move in purchases if move.cells.bit_count() == largest]
        return fits[0] if fits else moves[0]
    return rng.choice(moves)


@settings(max_examples=60, deadline=None)
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


def test_a_full_quilt_comes_about_like_this() -> None:
    """M3: a game that was played, in which the last leather patch is discarded."""
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
        f"a row of a quilt is 9 spaces with one digit for each empty run, not {row!r}"
    )


# Impossible positions: each is one small edit of a text that is accepted

SHARING = "no way to share the patches gone from the circle gives these quilts, incomes and times"
BUTTONS = "the buttons of both seats do not match what was earned and paid"
OVER_JUST_WHEN = "the game is over just when both tokens are on space 53"
IMPOSSIBLE: dict[str, tuple[str, str]] = {
    # the circle
    "circle empty": (
        re.sub("circle=.*", "circle=-", START),
        "the circle is empty, and a game ends before that",
    ),
    "circle beyond 32": (
        edited(START, ("=26,14", "=33,14")),
        "the circle holds 33; patch ids are 0 to 32",
    ),
    "circle far beyond 32": (
        edited(START, ("24,2,0", "24,999,0")),
        "the circle holds 999; patch ids are 0 to 32",
    ),
    "circle twice": (edited(START, ("=26,14", "=26,26")), "the circle holds patch 26 twice"),
    "circle twice apart": (edited(START, ("24,2,0", "26,2,0")), "the circle holds patch 26 twice"),
    "1 x 2 not last": (
        edited(START, ("=26,", "="), ("24,2,0", "24,2,0,26")),
        "the 1 x 2 patch cannot be there with 33 patches left",
    ),
    "1 x 2 too early": (
        edited(BOUGHT, ("=13,", "="), ("0,26,14", "0,26,14,13")),
        "the 1 x 2 patch cannot be there with 32 patches left",
    ),
    "1 x 2 gone too early": (
        edited(GONE, ("15,8,6", "15,8,6,22")),
        "the 1 x 2 patch cannot be there with 23 patches left",
    ),
    "1 x 2 gone at once": (
        edited(START, ("24,2,0", "24,2")),
        "the 1 x 2 patch cannot be there with 32 patches left",
    ),
    # the clocks
    "beyond the end": (edited(HOME, ("t53", "t54")), "seat 1 is on space 54; the last is 53"),
    "seat 0 beyond the end": (
        edited(swapped(HOME), ("t53", "t54")),
        "seat 0 is on space 54; the last is 53",
    ),
    "lead of 7": (
        edited(LEAD, ("t6", "t7")),
        "one token is more than 6 spaces ahead of the other",
    ),
    "lead of 7 of seat 1": (
        edited(swapped(LEAD), ("t6", "t7")),
        "one token is more than 6 spaces ahead of the other",
    ),
    "leather not taken": (
        edited(ON_THE_LINE, ("leather=26", "leather=20,26")),
        "with tokens on 19 and 20 leather lies at 26, 32, 44, 50",
    ),
    "leather taken too early": (
        edited(START, ("leather=20,", "leather=")),
        "with tokens on 0 and 0 leather lies at 20, 26, 32, 44, 50",
    ),
    "leather elsewhere": (
        edited(ON_THE_LINE, ("leather=26", "leather=27")),
        "with tokens on 19 and 20 leather lies at 26, 32, 44, 50",
    ),
    "leather out of order": (
        edited(START, ("20,26,32,44,50", "26,20,32,44,50")),
        "with tokens on 0 and 0 leather lies at 20, 26, 32, 44, 50",
    ),
    "leather of the other edition": (
        edited(START, ("classic", "revised")),
        "with tokens on 0 and 0 leather lies at 26, 32, 38, 44, 50",
    ),
    "leather behind the tokens": (
        edited(HOME, ("leather=-", "leather=50")),
        "with tokens on 52 and 53 leather lies at no line",
    ),
    "home too early": (
        edited(START, ("home=-", "home=0")),
        "the first seat home cannot be 0",
    ),
    "home forgotten": (edited(HOME, ("home=1", "home=-")), "the first seat home cannot be None"),
    "home the wrong seat": (edited(HOME, ("home=1", "home=0")), "the first seat home cannot be 0"),
    # whose decision
    "over too early": (edited(HOME, ("0:turn", "0:over")), OVER_JUST_WHEN),
    "over at the start": (edited(START, ("0:turn", "0:over")), OVER_JUST_WHEN),
    "turn after the end": (edited(OVER, ("0:over", "0:turn")), OVER_JUST_WHEN),
    "leather after the end": (edited(OVER, ("0:over", "0:leather")), OVER_JUST_WHEN),
    "first home moved last": (
        edited(OVER, ("home=1", "home=0")),
        "seat 0 came home first, so the other seat moved last",
    ),
    "seat 1 first home moved last": (
        edited(OVER, ("0:over", "1:over")),
        "seat 1 came home first, so the other seat moved last",
    ),
    "turn of the one ahead": (
        edited(MIDDLE, ("0:turn", "1:turn")),
        "seat 1 is ahead, so the other seat moves",
    ),
    "turn of seat 0 ahead": (
        edited(BOUGHT, ("1:turn", "0:turn")),
        "seat 0 is ahead, so the other seat moves",
    ),
    "leather for the one behind": (
        edited(ON_THE_LINE, ("1:leather", "0:leather")),
        "seat 0 has just crossed no line with leather",
    ),
    "leather for one not alone beyond the line": (
        edited(ON_THE_LINE, ("t19", "t20")),
        "seat 1 has just crossed no line with leather",
    ),
    "leather before the line": (
        edited(MIDDLE, ("0:turn", "1:leather")),
        "seat 1 has just crossed no line with leather",
    ),
    "leather on a full quilt": (
        edited(FULL, ("1:turn", "0:leather"), ("t43", "t40"), ("t46", "t44")),
        "seat 0 has no space left for leather",
    ),
    # the tile
    "tile not taken": (
        edited(DISCARDED, ("tile=0", "tile=-")),
        "seat 0 has a full 7 x 7 square, so the tile is taken",
    ),
    "tile not taken by seat 1": (
        edited(swapped(DISCARDED), ("tile=1", "tile=-")),
        "seat 1 has a full 7 x 7 square, so the tile is taken",
    ),
    "tile of the wrong seat": (
        edited(DISCARDED, ("tile=0", "tile=1")),
        "seat 1 has the tile but no full 7 x 7 square",
    ),
    "tile without a square": (
        edited(START, ("tile=-", "tile=0")),
        "seat 0 has the tile but no full 7 x 7 square",
    ),
    # sharing the patches out
    "a space too many": (
        edited(BOUGHT, ("xx7/x8", "xx7/xx7")),
        "4 spaces are filled; the patches gone from the circle and 0 leather patches fill 3",
    ),
    "a space too few": (
        edited(BOUGHT, ("xx7/x8", "xx7/9")),
        "2 spaces are filled; the patches gone from the circle and 0 leather patches fill 3",
    ),
    "leather already placed": (
        edited(ON_THE_LINE, (f"{EMPTY} b25", "x8/9/9/9/9/9/9/9/9 b25")),
        "1 spaces are filled; the patches gone from the circle and 0 leather patches fill 0",
    ),
    "leather not placed": (
        edited(ON_THE_LINE, ("1:leather", "0:turn")),
        "0 spaces are filled; the patches gone from the circle and 1 leather patches fill 1",
    ),
    "discarded without need": (
        edited(DISCARDED, ("0:over xxxxxxxxx", "0:over xxxx1xxxx")),
        "80 spaces are filled; the patches gone from the circle and 5 leather patches fill 82",
    ),
    "more leather than there is": (
        edited(FULL, (EMPTY, "x8/9/9/9/9/9/9/9/9")),
        "82 spaces are filled; the patches gone from the circle and 4 leather patches fill 81",
    ),
    "patches larger than a full quilt": (
        edited(ALL_DISCARDED, ("circle=2,", "circle=")),
        "81 spaces are filled; the patches gone from the circle and 5 leather patches fill 89",
    ),
    "income from nowhere": (
        edited(BOUGHT, ("b2,i0", "b2,i1")),
        "the patches gone from the circle bring an income of 0 together",
    ),
    "income lost": (
        edited(LEAD, ("i2", "i1")),
        "the patches gone from the circle bring an income of 2 together",
    ),
    "income of the wrong seat": (edited(LEAD, ("i2", "i0"), ("b5,i0", "b5,i2")), SHARING),
    "spaces of the wrong seat": (
        edited(BOUGHT, ("xx7/x8", "xx7/9"), (EMPTY, "x8/9/9/9/9/9/9/9/9")),
        SHARING,
    ),
    "not enough time": (edited(QUICK, ("24,25", "24,23")), SHARING),
    "overshot by 6": (edited(OVERSHOT, ("21,25", "21,23")), SHARING),
    "overshot before the end": (
        edited(
            OVERSHOT,
            ("0:over", "0:turn"),
            ("b0,i22,t53", "b0,i22,t52"),
        ),
        SHARING,
    ),
    # the buttons
    "too rich at the start": (
        START.replace("b5", "b6", 1),
        "seat 0 can have 5 buttons at most",
    ),
    "too rich on the way": (
        edited(ON_THE_LINE, ("b25", "b26")),
        "seat 1 can have 25 buttons at most",
    ),
    "too rich with income": (
        edited(LEAD, ("b3", "b14")),
        "seat 0 can have 13 buttons at most",
    ),
    "too poor at the start": (START.replace("b5", "b4", 1), BUTTONS),
    "too poor on the way": (edited(ON_THE_LINE, ("b25", "b24")), BUTTONS),
    "not paid": (edited(BOUGHT, ("b2", "b3")), BUTTONS),
    "paid too much": (edited(BOUGHT, ("b2", "b1")), BUTTONS),
    "too poor at the end": (edited(OVERSHOT, ("b1,", "b0,")), BUTTONS),
    "too rich at the end": (edited(RICHEST, ("b151", "b152")), BUTTONS),
}


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\x0b", "\x1c"])
def test_only_plain_white_space_separates_words(space: str) -> None:
    text = str(pw.Setup.random(1).start())
    assert refusal(text.replace(" ", space, 1)).problem is Problem.NOT_A_POSITION
    with pytest.raises(pw.NotationError):
        pw.parse_move(pw.Setup.random(1).start(), f"{space}A")
    assert pw.parse_move(pw.Setup.random(1).start(), " \t\r\nA \n") == pw.Advance()


@pytest.mark.parametrize(("text", "detail"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_impossible_positions_are_refused(text: str, detail: str) -> None:
    error = refusal(text)
    assert (error.problem, error.detail) == (Problem.IMPOSSIBLE_POSITION, detail)
    assert str(error) == f"{detail} (impossible-position)"


@pytest.mark.parametrize("text", [text for text, _ in IMPOSSIBLE.values()], ids=IMPOSSIBLE.keys())
def test_both_seats_are_treated_alike(text: str) -> None:
    assert refusal(swapped(text)).problem is Problem.IMPOSSIBLE_POSITION


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (START, [("0:turn", "1:turn")]),  # either seat may begin
        (LEAD, [("b3", "b1")]),  # as few buttons as if the patch had come after the line
        (OVERSHOT, [("b0,", "b1,"), ("b1,i0", "b0,i0")]),
        (FULL, [(",6", ",24,6"), (",24,4", ",4")]),  # the order of patches passed is not checked
    ],
)
def test_neighbours_are_accepted(text: str, changes: list[tuple[str, str]]) -> None:
    changed = edited(text, *changes)
    assert str(pw.Position.parse(changed)) == changed


@pytest.mark.parametrize("position", VALID.values(), ids=VALID.keys())
def test_one_edit_is_harmless_or_refused(position: str) -> None:
    """Every digit changed in turn: what is accepted reads back as it was written."""
    accepted, problems = 0, set()
    for place, mark in enumerate(position):
        if mark.isdigit():
            for digit in "0123456789":
                text = position[:place] + digit + position[place + 1 :]
                try:
                    again = str(pw.Position.parse(text))
                except pw.NotationError as error:
                    problems.add(error.problem)
                else:
                    assert again == text
                    accepted += 1
    assert accepted >= sum(mark.isdigit() for mark in position)  # the unchanged ones at least
    assert problems == {Problem.NOT_A_POSITION, Problem.IMPOSSIBLE_POSITION}
