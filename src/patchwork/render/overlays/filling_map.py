"""How likely each empty space of a quilt is to be filled at the end of the game."""

from collections.abc import Sequence

from patchwork.render.cloth.fabrics import CELL, lightness
from patchwork.render.cloth.patches import BOARD, BORDER, FRAME, board
from patchwork.render.markup import group, rectangle, text
from patchwork.render.overlays.figures import LINE, percent
from patchwork.render.sheet import MARGIN, page
from patchwork.render.theme import LIGHT, Theme
from patchwork.rules.game import Layout
from patchwork.rules.quilt import CELLS, SIDE

SHADES = 5
"""Steps from hardly ever to almost always."""


def filling(
    covered: int, chances: Sequence[float], layout: Layout | None = None, *, theme: Theme = LIGHT
) -> str:
    """Returns a quilt with the probability that each empty space is filled at the end of the game.

    Args:
        covered: the spaces filled now, as a mask.
        chances: 81 probabilities, row by row.
        layout: which patch lies where; without it the quilt is plain cloth.
        theme: the colours.

    Raises:
        ValueError: ``chances`` are not 81 probabilities from 0 to 1.
    """
    if len(chances) != CELLS or not all(0 <= chance <= 1 for chance in chances):
        raise ValueError(f"a quilt has {CELLS} probabilities from 0 to 1")
    spaces = [
        _space(cell, chances[cell], theme) for cell in range(CELLS) if not covered >> cell & 1
    ]
    expected = sum(1 if covered >> cell & 1 else chances[cell] for cell in range(CELLS))
    drawing = group(
        MARGIN,
        MARGIN,
        1,
        board(covered, layout, (FRAME, theme.linen), theme),
        group(BORDER, BORDER, 1, *spaces),
        group(
            0,
            BOARD + 8,
            1,
            _shades(theme),
            text(BOARD - 2, LINE / 2, f"{expected:.1f} / {CELLS}", 16, theme.ink, anchor="end"),
        ),
    )
    rows = "; ".join(
        f"row {row + 1}: "
        + " ".join(
            "filled"
            if covered >> SIDE * row + column & 1
            else percent(chances[SIDE * row + column])
            for column in range(SIDE)
        )
        for row in range(SIDE)
    )
    label = f"Expected filling of a quilt, {expected:.1f} of {CELLS} spaces; {rows}"
    return page(BOARD + 2 * MARGIN, BOARD + LINE + 8 + 2 * MARGIN, drawing, theme, label)


def shade(chance: float, theme: Theme) -> str:
    """Returns the colour of a probability: the higher it is, the further from linen."""
    return _mixed(theme.linen, theme.highlight, _step(chance) / (SHADES - 1))


def ink_on(colour: str, theme: Theme) -> str:
    """Returns the text colour that is easiest to read on another colour."""
    return max(theme.seat_inks, key=lambda ink: _contrast(ink, colour))


def _space(cell: int, chance: float, theme: Theme) -> str:
    """Returns an empty space in its shade, with its percentage."""
    row, column = divmod(cell, SIDE)
    colour = shade(chance, theme)
    return group(
        column * CELL,
        row * CELL,
        1,
        rectangle(1.5, 1.5, CELL - 3, CELL - 3, 4, f'class="chance" fill="{colour}"'),
        text(CELL / 2, CELL / 2, f"{100 * chance:.0f}", 15, ink_on(colour, theme)),
    )


def _shades(theme: Theme) -> str:
    """Returns the legend: each shade with its range of percentages."""
    wide = 54
    drawn = []
    for step in range(SHADES):
        low, high = 100 * step // SHADES, 100 * (step + 1) // SHADES
        colour = shade((step + 0.5) / SHADES, theme)
        style = f'fill="{colour}" stroke="{theme.line}"'
        drawn.append(rectangle(step * wide, 5, wide - 4, LINE - 10, 4, style))
        words = f"{low}\N{EN DASH}{high}"
        drawn.append(text(step * wide + wide / 2 - 2, LINE / 2, words, 12, ink_on(colour, theme)))
    drawn.append(text(SHADES * wide, LINE / 2, "%", 14, theme.ink, anchor="start"))
    return "".join(drawn)


def _step(chance: float) -> int:
    return min(int(chance * SHADES), SHADES - 1)


def _mixed(one: str, other: str, share: float) -> str:
    parts = [
        round((1 - share) * int(one[at : at + 2], 16) + share * int(other[at : at + 2], 16))
        for at in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)


def _contrast(one: str, other: str) -> float:
    low, high = sorted((lightness(one), lightness(other)))
    return (high + 0.05) / (low + 0.05)
