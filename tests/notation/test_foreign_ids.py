"""The table of patches in the specification is complete, correct and sufficient for converters."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple

import pytest

import patchwork as pw
from patchwork.notation.moves import read_move
from patchwork.rules.patches import turned

SPECIFICATION = Path(__file__).parents[2] / "docs" / "notation.md"
ORIENTATIONS = "ABCDEFGH"
HEADER = (
    "| id | shape | size | buttons | time | income | university | drawn as | CodinGame | drawn as |"
)


class Row(NamedTuple):
    id: int
    shape: tuple[str, ...]
    size: int
    cost: int
    time: int
    income: int
    letter: str
    letter_zero: str
    number: int
    number_zero: str


def table() -> list[Row]:
    lines = SPECIFICATION.read_text("utf-8").splitlines()
    start = lines.index(HEADER) + 2  # a line of dashes follows the header
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        patch, shape, size, cost, time, income, letter, zero, number, other_zero = (
            cell.strip() for cell in line.strip("|").split("|")
        )
        drawing = tuple(shape.strip("`").split("/"))
        prices = (int(size), int(cost), int(time), int(income))
        rows.append(Row(int(patch), drawing, *prices, letter, zero, int(number), other_zero))
    return rows


ROWS = table()


def combined(drawing: str, own: str) -> str:
    """Returns our letter for a patch drawn in one orientation and then turned, by drawing it."""
    asymmetric = ("##.", "#..", "#..", "###")  # whose eight views all differ
    views = turned(asymmetric)
    drawn = views[ORIENTATIONS.index(drawing)]
    return ORIENTATIONS[views.index(turned(drawn)[ORIENTATIONS.index(own)])]


def test_the_table_is_that_of_the_library() -> None:
    assert [row[:6] for row in ROWS] == [
        (patch.id, patch.rows, patch.size, patch.cost, patch.time, patch.income)
        for patch in pw.PATCHES
    ]


def test_each_foreign_name_occurs_once() -> None:
    letters = ascii_uppercase + "abcdefg"
    assert sorted(row.letter for row in ROWS) == sorted(letters)
    assert sorted(row.number for row in ROWS) == list(range(33))


def test_zero_orientations_are_canonical() -> None:
    for row in ROWS:
        views = turned(row.shape)
        for zero in (row.letter_zero, row.number_zero):
            place = ORIENTATIONS.index(zero)
            assert views.index(views[place]) == place, f"patch {row.id}: {zero}"


# What the two projects draw, each patch in that project's zero orientation.
UNIVERSITY = {
    "A": "#/#",
    "B": ".#/##",
    "C": ".#/##",
    "D": "#/#/#",
    "E": ".#/##/#.",
    "F": "#./##/##",
    "G": "..#../#####/..#..",
    "H": ".#./###/.#./.#.",
    "I": "##/##",
    "J": "#./##/##/.#",
    "K": ".#/##/.#",
    "L": "##/.#/.#/##",
    "M": "#/#/#/#",
    "N": "#####",
    "O": "#./#./##/#.",
    "P": "#./##/##/#.",
    "Q": ".#./###/#.#",
    "R": ".#./.##/##./.#.",
    "S": ".#/.#/##",
    "T": ".#./###/.#.",
    "U": "#.#/###/#.#",
    "V": ".#./###/###/.#.",
    "W": ".#/.#/.#/##",
    "X": ".#./.#./###",
    "Y": "##/##/.#/.#",
    "Z": "##./.#./.#./.##",
    "a": "#./#./##",
    "b": ".#./.#./.#./###",
    "c": "#../##./.##",
    "d": "#.#/###",
    "e": ".#/.#/##/#.",
    "f": ".##/##.",
    "g": ".##/.##/##.",
}
CODINGAME = {
    0: "##./.##",
    1: "##./.##/##.",
    2: "##./.##/..#",
    3: "####/#...",
    4: "#.../####/#...",
    5: "##./.##/.##",
    6: "..#../#####/..#..",
    7: "##./.##",
    8: ".#../####/.#..",
    9: "####",
    10: "#.../####/...#",
    11: "###/##.",
    12: "###/.#./.#.",
    13: "####/.#..",
    14: "###/#.#",
    15: "####/##..",
    16: "###./..##",
    17: "###/.#.",
    18: "###",
    19: "###/#..",
    20: "#.#/###/#.#",
    21: ".##./####/.##.",
    22: "###./.###",
    23: ".#../####/..#.",
    24: "#####",
    25: "####/#..#",
    26: "##/##",
    27: ".#./###/.#.",
    28: ".##./####",
    29: "..#/###",
    30: "##/.#",
    31: "#./##",
    32: "##",
}


@pytest.mark.parametrize(("letter", "drawing"), UNIVERSITY.items())
def test_the_drawings_of_the_university(letter: str, drawing: str) -> None:
    (row,) = (row for row in ROWS if row.letter == letter)
    assert turned(row.shape)[ORIENTATIONS.index(row.letter_zero)] == tuple(drawing.split("/"))


@pytest.mark.parametrize(("number", "drawing"), CODINGAME.items())
def test_the_drawings_of_codingame(number: int, drawing: str) -> None:
    (row,) = (row for row in ROWS if row.number == number)
    assert turned(row.shape)[ORIENTATIONS.index(row.number_zero)] == tuple(drawing.split("/"))


def test_patches_of_one_shape_are_told_apart_by_price() -> None:
    """Three shapes occur twice; only the price tells which is which."""
    names = {row.id: (row.letter, row.number, row.cost, row.time) for row in ROWS}
    assert {names[patch] for patch in (1, 3)} == {("B", 30, 1, 3), ("C", 31, 3, 1)}
    assert {names[patch] for patch in (5, 10)} == {("E", 7, 3, 2), ("f", 0, 7, 6)}
    assert {names[patch] for patch in (7, 8)} == {("a", 19, 4, 2), ("S", 29, 4, 6)}


def test_the_rule_that_combines_orientations() -> None:
    """The session in the specification defines ``combined``; it agrees with drawing the patch."""
    text = SPECIFICATION.read_text("utf-8")
    found = re.search(r"^>>> (def combined\(.*\n(?:\.\.\. .*\n)+)", text, re.MULTILINE)
    assert found is not None
    session: dict[str, object] = {}
    exec(re.sub(r"^\.\.\. ", "", found[1], flags=re.MULTILINE), session)
    rule = session["combined"]
    assert callable(rule)
    for drawing, own in product(ORIENTATIONS, repeat=2):
        assert rule(drawing, own) == combined(drawing, own)


def test_the_worked_conversions() -> None:
    text = " ".join(SPECIFICATION.read_text("utf-8").split())
    (row,) = (row for row in ROWS if row.letter == "S")
    assert "`SCDG` is patch `S`, which is our 8, drawn in our `F`" in text
    assert (row.id, row.letter_zero, combined(row.letter_zero, "G")) == (8, "F", "B")
    assert str(read_move("8Bc4")) == "8Bc4"
    (row,) = (row for row in ROWS if row.number == 5)
    assert "`PLAY 5 2 3 1 2` is number 5, our patch 28, drawn in our `F`" in text
    own = ORIENTATIONS[4 * 1 + 2]
    assert (row.id, row.number_zero, combined(row.number_zero, own)) == (28, "F", "B")
    assert str(read_move("28Bc4")) == "28Bc4"
    # Both checked by drawing: mirrored, and turned by 180 degrees.
    assert turned(pw.PATCHES[8].rows)[1] == turned((".#", ".#", "##"))[6]
    assert turned(pw.PATCHES[28].rows)[1] == turned(("##.", ".##", ".##"))[6]
