"""The text of a move: ``A``, ``Lc4``, ``17Bc4``.

A purchase consists of the id of the patch, the letter of its orientation and the space of the
top-left corner of its bounding box. Columns are ``a`` to ``i`` from the left, rows ``1`` to ``9``
from the top.
"""

import re

from patchwork.notation.errors import NotationError, Problem, check_is_text
from patchwork.rules.moves import ADVANCE, Advance, Buy, IllegalMove, Leather, Move, Reason
from patchwork.rules.patches import PATCHES, turned
from patchwork.rules.position import Position
from patchwork.rules.quilt import FULL, SIDE, cells, mask, places

_COLUMNS = "abcdefghi"
_ORIENTATIONS = "ABCDEFGH"
_VIEWS = tuple(turned(patch.rows) for patch in PATCHES)
_CORNERS = tuple(tuple(map(mask, views)) for views in _VIEWS)
"""For each patch, the masks of its eight views in the top-left corner."""

_MOVE = re.compile(
    r"(?P<advance>A)"
    r"|L(?P<cell>[A-I][1-9])"
    r"|(?P<patch>[0-9]|[12][0-9]|3[0-2])(?P<orientation>[A-H])(?P<corner>[A-I][1-9])",
    re.ASCII | re.IGNORECASE,
)


def format_cell(cell: int) -> str:
    """Returns the name of a space: ``a1`` is the top left, ``i9`` the bottom right."""
    return f"{_COLUMNS[cell % SIDE]}{cell // SIDE + 1}"


def _parse_cell(name: str) -> int:
    return SIDE * (int(name[1]) - 1) + _COLUMNS.index(name[0].lower())


def format_move(move: Move) -> str:
    """Returns the canonical text of a move, or its ``repr`` if no quilt allows it."""
    match move:
        case Advance():
            return "A"
        case Leather(cell) if cell in range(SIDE * SIDE):
            return f"L{format_cell(cell)}"
        case Buy(patch, covered) if patch in range(len(PATCHES)) and 0 < covered <= FULL:
            spaces = tuple(cells(covered))
            corner = spaces[0] // SIDE * SIDE + min(space % SIDE for space in spaces)
            view = covered >> corner
            if view not in _CORNERS[patch]:
                return repr(move)
            return f"{patch}{_ORIENTATIONS[_CORNERS[patch].index(view)]}{format_cell(corner)}"
    return repr(move)


def read_move(text: str) -> Move:
    """Returns the move that a text describes, legal or not.

    Raises:
        NotationError: the text is not a move, or a patch would lie off the board.
    """
    found = _MOVE.fullmatch(text)
    if found is None:
        raise NotationError(
            Problem.NOT_A_MOVE,
            f"{text[:20]!r} is not a move; moves look like A (advance), Lc4 (leather) or 17Bc4"
            f" (patch 0-{len(PATCHES) - 1}, orientation A-H, column a-i and row 1-9 of the corner)",
        )
    if found["advance"]:
        return ADVANCE
    if found["cell"]:
        return Leather(_parse_cell(found["cell"]))
    patch = int(found["patch"])
    orientation = _ORIENTATIONS.index(found["orientation"].upper())
    corner = _parse_cell(found["corner"])
    place = places(_VIEWS[patch][orientation]).get(corner)
    if place is None:
        raise NotationError(
            Problem.ILLEGAL_MOVE,
            f"{text}: the patch would lie off the board",
            reason=Reason.OFF_THE_BOARD,
        )
    return Buy(patch, place)


def parse_move(position: Position, text: str) -> Move:
    """Returns the legal move that a text describes, with letters in either case.

    If the patch is symmetric, any letter that gives the same shape is accepted.

    Raises:
        NotationError: the text is not a move, or not a legal one (then with its ``reason``).
    """
    check_is_text(text)
    move = read_move(text.strip(" \t\r\n"))
    try:
        position.play(move)
    except IllegalMove as illegal:
        raise NotationError(
            Problem.ILLEGAL_MOVE, f"{move}: {illegal.detail}", reason=illegal.reason
        ) from illegal
    return move
