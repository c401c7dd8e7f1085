"""Pictures that a messenger shows beside a link. They contain no text, so they need no font."""

from collections.abc import Sequence

from patchwork.render.cloth.patches import BOARD, board, swatch
from patchwork.render.markup import group, use
from patchwork.render.sheet import page
from patchwork.render.theme import LIGHT, Theme
from patchwork.rules.game import Layout
from patchwork.rules.position import Position

WIDTH, HEIGHT = 1200, 630
"""Pixels, in the proportion that messengers expect."""
_QUILT = 540
"""Side of a quilt."""
_ROWS, _COLUMNS = 5, 7
"""Of the 33 patches; the last row is shorter."""
_CELL = 32


def quilts(
    position: Position, layouts: tuple[Layout, Layout], winner: int | None, theme: Theme = LIGHT
) -> str:
    """Returns both quilts side by side; the winner's has a mark."""
    gap = (WIDTH - 2 * _QUILT) / 3
    top = (HEIGHT - _QUILT) / 2
    parts = []
    for seat in (0, 1):
        binding = theme.seats(position.edition)[seat], theme.seat_inks[seat]
        drawing = board(position.players[seat].quilt, layouts[seat], binding, theme)
        x = gap + seat * (_QUILT + gap)
        parts.append(group(x, top, _QUILT / BOARD, drawing))
        if winner == seat:
            parts.append(use("winner", theme, x + _QUILT - 40, top + 40, 3))
    return page(WIDTH, HEIGHT, "".join(parts), theme, "Patchwork quilts")


def patches(circle: Sequence[int], theme: Theme = LIGHT) -> str:
    """Returns all patches in rows, as they lie in a circle."""
    width, height = WIDTH / _COLUMNS, HEIGHT / _ROWS
    parts = []
    for place, patch in enumerate(circle):
        row, column = divmod(place, _COLUMNS)
        missing = max(0, (row + 1) * _COLUMNS - len(circle))
        x, y = width * (column + 0.5 + missing / 2), height * (row + 0.5)
        parts.append(group(x, y, 1, swatch(patch, _CELL, theme)))
    return page(WIDTH, HEIGHT, "".join(parts), theme, "Patchwork patches")
