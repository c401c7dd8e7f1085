"""Drawings in plain text."""

import random

import pytest

import patchwork as pw
from golden.playthrough import FOLDER, record_in
from patchwork.render import ascii as drawing

TABLE = """\
                                           0
.....$......$......$......$......$......$...%...$...%...$...%...$.
                                           1
0          10          20          30          40            50  53

>0 Ann: b6 i9 t37 = -42               1 Bob: b10 i9 t37 = -66
    a  b  c  d  e  f  g  h  i            a  b  c  d  e  f  g  h  i
1   .  .  .  .  .  . 30  .  .        1   .  5  5  . 28 28  .  .  .
2   .  .  .  . 30 30 30 30 30        2   5  5 13 28 28  .  .  .  .
3   .  .  .  .  .  . 30  1  1        3  22 22 13 28 28  .  .  .  .
4  26  .  .  .  .  . 32 32  1        4  22 13 13 25 25 25  .  .  .
5  26 26 26 26  . 32 32 32 32        5  22 13 25 25 25 10  .  .  .
6  26  6  6  6  6 23 32 32  0        6  22 22 11 11 10 10  .  .  .
7   8 12 12 23 23 23 23 20  0        7  31 31 31 11 10  .  .  .  .
8   8 12 12  7 23 20 20 20 20        8   . 31 11 11  .  .  .  .  .
9   8  8 12  7  7  7 %% 20 %%        9  31 31 31  .  .  .  .  .  .

16: b5 t5 i2      17: b7 t1 i1      15: b5 t4 i2
###               #####             .#.
.#.                                 ###
.#.                                 .#.

21: b1 t2 i0  19: b10 t4 i3 14: b3 t4 i1   3: b3 t1 i0   4: b2 t2 i0  27: b7 t4 i2   2: b2 t2 i0
24: b3 t6 i2  29: b10 t5 i3 18: b10 t3 i2  9: b6 t5 i2"""

COMPACT = """\
>0 Ann: b6 i9 t37 = -42
 1 Bob: b10 i9 t37 = -66
  abcdefghi      abcdefghi
1 ......#..    1 .##.##...
2 ....#####    2 #####....
3 ......###    3 #####....
4 #.....###    4 ######...
5 ####.####    5 ######...
6 #########    6 ######...
7 #########    7 #####....
8 #########    8 .###.....
9 #########    9 ###......
16: b5 t5 i2  ###/.#./.#.
17: b7 t1 i1  #####
15: b5 t4 i2  .#./###/.#.
21 19 14 3  4  27 2  24 29 18 9"""

PLAIN_QUILT = """\
    a  b  c  d  e  f  g  h  i
1   .  .  .  .  .  .  .  .  .
2   .  .  .  .  .  .  .  .  .
3   .  .  .  .  .  .  .  .  .
4   .  .  .  .  .  .  .  .  .
5   .  .  .  .  .  .  .  .  .
6   .  .  .  .  .  .  .  .  .
7  ## ## ##  .  .  .  .  .  .
8  ## ## ##  .  .  .  .  .  .
9  ## ## ##  .  .  .  .  .  ."""

PLACES = """\
  A             B
  ####          #
                #
                #
                #
  abcdefghi     abcdefghi
1 oooooo...   1 ooooooooo
2 oooooo...   2 ooooooooo
3 oooooo...   3 ooooooooo
4 oooooo...   4 ...oooooo
5 oooooo...   5 ...oooooo
6 oooooo...   6 ...oooooo
7 ###ooo...   7 ###......
8 ###ooo...   8 ###......
9 ###ooo...   9 ###......"""


def game_after(moves: int) -> pw.Game:
    game = record_in(FOLDER / "tie-broken.txt").game
    while len(game.moves) > moves:
        game.pop()
    return game


def test_the_whole_table() -> None:
    game = game_after(27)
    layouts = (game.layout(0), game.layout(1))
    assert drawing.table(game.position, layouts, ("Ann", "Bob")) == TABLE


def test_the_compact_table() -> None:
    assert drawing.compact(game_after(27).position, ("Ann", "Bob")) == COMPACT


def test_without_a_layout_the_cloth_is_plain() -> None:
    quilt = game_after(5).position.players[0].quilt
    assert drawing.quilt(quilt) == PLAIN_QUILT
    assert drawing.quilt(quilt, ()) == PLAIN_QUILT


def test_the_places_of_a_patch() -> None:
    assert drawing.places(6, game_after(5).position.players[0].quilt) == PLACES


def test_as_many_orientations_side_by_side_as_fit() -> None:
    for width, across in ((100, 4), (53, 4), (52, 3), (25, 2), (24, 1), (1, 1)):
        text = drawing.places(20, 0, width)
        assert text.split("\n")[0].split() == list("ABCD"[:across])
        assert max(map(len, text.split("\n"))) <= max(width, 11)


def test_names_of_any_script_keep_the_quilts_in_their_columns() -> None:
    position = game_after(5).position
    plain = drawing.table(position, None, ("Anna", "e"))
    wide, accented = "\u30a2\u30f3", "e\u0301"  # two letters of two columns each, two of one
    assert drawing.table(position, None, (wide, accented)) == plain.replace("Anna", wide).replace(
        "1 e:", f"1 {accented}:"
    )
    assert f"0 {wide * 5}: b" in drawing.table(position, None, (wide * 9, ""))


def test_a_name_cannot_control_the_terminal() -> None:
    assert "0 Ann?[31m: b" in drawing.compact(game_after(5).position, ("Ann\x1b[31m", ""))


@pytest.mark.parametrize("patch", [patch.id for patch in pw.PATCHES])
def test_the_places_are_the_legal_moves(patch: int) -> None:
    quilt = game_after(20).position.players[0].quilt
    legal = [cells for cells in pw.PATCHES[patch].placements if not cells & quilt]
    assert drawing.places(patch, quilt).count("o") == len(legal)


@pytest.mark.parametrize("seed", range(12))
def test_drawings_fit_their_width_in_every_position(seed: int) -> None:
    generator = random.Random(seed)
    game = pw.Game(pw.Setup.random(seed))
    names = ("A name that is far too long for a table", "B" * 60)
    while True:
        layouts = (game.layout(0), game.layout(1))
        for text, width in (
            (drawing.table(game.position, layouts, names), 100),
            (drawing.table(game.position, layouts, names, 80), 80),
            (drawing.compact(game.position, names), 40),
        ):
            assert text.isascii()
            lines = text.split("\n")
            assert max(map(len, lines)) <= width
            assert all(line == line.rstrip() for line in lines)
        moves = game.position.legal_moves()
        if not moves:
            break
        game.push(generator.choice(moves))
    assert ">" not in drawing.compact(game.position)


def test_the_time_board_shows_every_line_and_both_tokens() -> None:
    start = pw.Setup.random(0, edition=pw.REVISED).start()
    tokens0, strip, tokens1, _ = drawing.time_board(start).split("\n")
    assert (tokens0, tokens1) == ("0", "1")
    assert strip.count(".") == 54
    assert [strip[: i + 1].count(".") for i, mark in enumerate(strip) if mark == "$"] == [
        5, 11, 17, 23, 29, 35, 41, 47, 53,
    ]  # fmt: skip
    assert [strip[: i + 1].count(".") for i, mark in enumerate(strip) if mark == "%"] == [
        26, 32, 38, 44, 50,
    ]  # fmt: skip
