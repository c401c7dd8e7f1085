"""Drawings in plain ASCII, without words, so that they read the same in every language.

``b`` is buttons, ``t`` time and ``i`` income, as in the text of a position. On the time board ``$``
is an income line and ``%`` a line that still holds a leather patch; the tokens of seats 0 and 1 are
above and below it. On a quilt each patch shows its id, leather is ``%%`` and an empty space a dot.
"""

import re
from itertools import zip_longest
from unicodedata import combining, east_asian_width

from patchwork.rules.game import Layout
from patchwork.rules.patches import PATCHES, turned
from patchwork.rules.position import Phase, Position
from patchwork.rules.quilt import CELLS, SIDE, cells
from patchwork.rules.quilt import places as quilt_places
from patchwork.rules.timeboard import INCOME_LINES, LAST

WIDTH = 100
"""Default width of a table, in columns."""
NARROWEST = 80
"""Columns that a table needs."""

_COLUMNS = "abcdefghi"


def table(
    position: Position,
    layouts: tuple[Layout, Layout] | None = None,
    names: tuple[str, str] = ("", ""),
    width: int = WIDTH,
) -> str:
    """Returns the whole table, at most ``width`` columns wide but at least 80."""
    quilts = [
        [
            # Everything except the names takes 60 columns at most: numbers, marks and the gap.
            seat_line(position, seat, _cut(names[seat], width // 2 - 30)),
            *quilt(position.players[seat].quilt, layout).split("\n"),
        ]
        for seat, layout in enumerate(layouts or (None, None))
    ]
    waiting = [_price(patch) for patch in position.circle[3:]]
    return "\n\n".join(
        (time_board(position), _beside(quilts, gap=8), offer(position), _wrap(waiting, 14, width))
    ).rstrip()


def compact(position: Position, names: tuple[str, str] = ("", "")) -> str:
    """Returns the whole table, at most 40 columns wide."""
    boards = [small_quilt(player.quilt).split("\n") for player in position.players]
    return "\n".join(
        (
            seat_line(position, 0, _cut(names[0], 10)),
            seat_line(position, 1, _cut(names[1], 10)),
            _beside(boards, gap=4),
            *(_price(patch) + "  " + "/".join(PATCHES[patch].rows) for patch in position.offer),
            _wrap([str(patch) for patch in position.circle[3:]], 3, 40),
        )
    )


def seat_line(position: Position, seat: int, name: str) -> str:
    """Returns one seat's buttons, income, time and score; ``>`` marks the seat that decides."""
    player = position.players[seat]
    mark = ">" if seat == position.turn and position.phase is not Phase.OVER else " "
    tile = " 7x7" if position.tile == seat else ""
    return (
        f"{mark}{seat} {name}".rstrip() + f": b{player.buttons} i{player.income} t{player.time}"
        f" = {position.scores[seat]}{tile}"
    )


def quilt(covered: int, layout: Layout | None = None) -> str:
    """Returns a quilt with its coordinates; without a layout, covered spaces are ``##``."""
    marks = dict.fromkeys(cells(covered), "##")
    for patch, spaces in layout or ():
        marks |= dict.fromkeys(cells(spaces), "%%" if patch is None else f"{patch:2}")
    rows = [
        f"{row + 1} "
        + "".join(f" {marks.get(SIDE * row + column, ' .')}" for column in range(SIDE))
        for row in range(SIDE)
    ]
    return "\n".join(("  " + "".join(f"  {column}" for column in _COLUMNS), *rows))


def small_quilt(covered: int) -> str:
    """Returns a quilt with its coordinates in eleven columns; ``#`` is a covered space."""
    rows = (f"{number} {row}" for number, row in enumerate(_rows([(covered, "#")]), 1))
    return "\n".join((f"  {_COLUMNS}", *rows))


def time_board(position: Position) -> str:
    """Returns the time board as a strip of 54 spaces, numbered in tens, with lines and tokens."""
    strip, at = "", []
    for space in range(LAST + 1):
        strip += "%" * (space in position.leather) + "$" * (space in INCOME_LINES)
        at.append(len(strip))
        strip += "."
    scale = [" "] * len(strip) + [" "]
    for space in (*range(0, LAST, 10), LAST):
        scale[at[space] : at[space] + len(str(space))] = str(space)
    tokens = [f"{' ' * at[player.time]}{seat}" for seat, player in enumerate(position.players)]
    return "\n".join((tokens[0], strip, tokens[1], "".join(scale).rstrip()))


def offer(position: Position) -> str:
    """Returns the patches on offer side by side: id, price, income and shape."""
    return _beside([[_price(patch), *PATCHES[patch].rows] for patch in position.offer], gap=6)


def places(patch: int, quilt: int, width: int = WIDTH) -> str:
    """Returns each distinct orientation of a patch under its letter in the text of a move.

    Below it, ``o`` marks the spaces of the quilt where the top-left corner of its bounding box may
    lie, and ``#`` the covered ones. At most four stand side by side, fewer if the width is small.
    """
    letters: dict[tuple[str, ...], str] = {}
    for letter, rows in zip("ABCDEFGH", turned(PATCHES[patch].rows), strict=True):
        letters.setdefault(rows, letter)
    blocks = [
        _board(letter, rows, quilt, max(len(PATCHES[patch].rows), len(PATCHES[patch].rows[0])))
        for rows, letter in letters.items()
    ]
    gap = 3
    each = min(4, max(1, (width + gap) // (len(f"1 {_COLUMNS}") + gap)))
    return "\n\n".join(
        _beside(blocks[start : start + each], gap) for start in range(0, len(blocks), each)
    )


def _board(letter: str, rows: tuple[str, ...], quilt: int, height: int) -> list[str]:
    """Returns a drawing padded to a height and, below it, the board with the places it fits."""
    fits = sum(1 << corner for corner, place in quilt_places(rows).items() if not place & quilt)
    marks = _rows([(fits, "o"), (quilt, "#")])
    drawing = [f"  {row}" for row in (letter, *rows, *[""] * (height - len(rows)), _COLUMNS)]
    return drawing + [f"{number} {row}" for number, row in enumerate(marks, 1)]


def _price(patch: int) -> str:
    return f"{patch:2}: b{PATCHES[patch].cost} t{PATCHES[patch].time} i{PATCHES[patch].income}"


def _wrap(words: list[str], cell: int, width: int) -> str:
    """Returns words in columns ``cell`` wide, as many to a line as fit."""
    each = width // cell
    return "\n".join(
        "".join(word.ljust(cell) for word in words[start : start + each]).rstrip()
        for start in range(0, len(words), each)
    )


def _rows(marked: list[tuple[int, str]]) -> list[str]:
    """Returns the board row by row, each space with the first mark that applies, or a dot."""
    marks = "".join(
        next((mark for spaces, mark in marked if spaces >> cell & 1), ".") for cell in range(CELLS)
    )
    return [marks[start : start + SIDE] for start in range(0, CELLS, SIDE)]


def _beside(blocks: list[list[str]], gap: int) -> str:
    """Returns blocks of lines next to one another."""
    widths = [max(map(_span, block)) + gap for block in blocks]
    return "\n".join(
        "".join(
            line + " " * (width - _span(line)) for line, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in zip_longest(*blocks, fillvalue="")
    )


def _span(text: str) -> int:
    """Returns how many columns a text takes in a terminal; a name can be in any script."""
    return sum(
        0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text
    )


def _cut(name: str, columns: int) -> str:
    """Returns as much of a name as fits, without control characters."""
    name = re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", name)
    while _span(name) > columns:
        name = name[:-1]
    return name
