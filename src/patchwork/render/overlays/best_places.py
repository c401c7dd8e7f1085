"""The best places for a patch, outlined on the quilt and ranked."""

from collections.abc import Sequence
from typing import NamedTuple

from patchwork.render.cloth.fabrics import CELL
from patchwork.render.cloth.outline import outline
from patchwork.render.cloth.patches import BOARD, BORDER, FRAME, board
from patchwork.render.markup import group, short, text
from patchwork.render.overlays.figures import LINE, in_words, worth_line
from patchwork.render.sheet import MARGIN, page
from patchwork.render.theme import LIGHT, Theme
from patchwork.rules.game import Layout
from patchwork.rules.quilt import SIDE, cells

_STITCHES = ("", ' stroke-dasharray="9 5"', ' stroke-dasharray="1 6"')
"""Of the outlines of the best place, the second, and all others."""


class Place(NamedTuple):
    """A place for a patch, as a mask, and what it is worth."""

    spaces: int
    win: float
    margin: float


def placements(
    covered: int, places: Sequence[Place], layout: Layout | None = None, *, theme: Theme = LIGHT
) -> str:
    """Returns a quilt with the best places for a patch as outlines, and what each is worth.

    Args:
        covered: the spaces filled now, as a mask.
        places: the places, best first.
        layout: which patch lies where; without it the quilt is plain cloth.
        theme: the colours.

    Raises:
        ValueError: a place has no spaces, or covers filled ones.
    """
    for place in places:
        if place.spaces == 0 or place.spaces & covered:
            raise ValueError("a place must cover one or more empty spaces and no filled ones")
    badges = _badge_cells(places)
    # Draw the best last, on top of the others.
    ranked = list(reversed(list(enumerate(zip(places, badges, strict=True), start=1))))
    outlines = [_outlined(rank, place.spaces, theme) for rank, (place, _) in ranked]
    marks = [
        _badge(rank, (cell % SIDE + 0.5) * CELL, (cell // SIDE + 0.5) * CELL, theme)
        for rank, (_, cell) in ranked
    ]
    lines = [_line(rank, place, theme) for rank, place in enumerate(places, start=1)]
    drawing = group(
        MARGIN,
        MARGIN,
        1,
        board(covered, layout, (FRAME, theme.linen), theme),
        group(BORDER, BORDER, 1, *outlines, *marks),
        *(group(0, BOARD + 8 + LINE * number, 1, line) for number, line in enumerate(lines)),
    )
    told = "; ".join(
        f"{rank}: {_spaces(place.spaces)}, {in_words(place.win, place.margin)}"
        for rank, place in enumerate(places, start=1)
    )
    height = BOARD + 8 + LINE * len(places) + 2 * MARGIN
    return page(BOARD + 2 * MARGIN, height, drawing, theme, f"Best places of a patch; {told}")


def _outlined(rank: int, spaces: int, theme: Theme) -> str:
    """Returns the outline of a place, with a light edge that stands out on any fabric."""
    inset = 2.5 + 3 * min(rank - 1, 3)
    path = outline(spaces, CELL, inset, 5)
    stitches = _STITCHES[min(rank, len(_STITCHES)) - 1]
    fill = f'fill="{theme.highlight}" fill-opacity=".22"' if rank == 1 else 'fill="none"'
    thread = theme.highlight if rank == 1 else theme.ink
    return (
        f'<path d="{path}" fill="none" stroke="{theme.panel}" stroke-width="5.5"/>'
        f'<path class="place" d="{path}" {fill} stroke="{thread}"'
        f' stroke-width="3.2" stroke-linecap="round"{stitches}/>'
    )


def _badge(rank: int, x: float, y: float, theme: Theme) -> str:
    return (
        f'<circle cx="{short(x)}" cy="{short(y)}" r="11.5" fill="{theme.tag}"'
        f' stroke="{theme.tag_ink}" stroke-width="1.8"/>{text(x, y, rank, 16, theme.tag_ink)}'
    )


def _badge_cells(places: Sequence[Place]) -> list[int]:
    """Returns the space that shows the rank of each place: if possible, one of that place alone."""
    taken: set[int] = set()
    chosen = []
    for number, place in enumerate(places):
        others = 0
        for other, neighbour in enumerate(places):
            others |= neighbour.spaces if other != number else 0
        own = [cell for cell in cells(place.spaces & ~others) if cell not in taken]
        free = own or [cell for cell in cells(place.spaces) if cell not in taken]
        cell = (free or list(cells(place.spaces)))[0]
        taken.add(cell)
        chosen.append(cell)
    return chosen


def _line(rank: int, place: Place, theme: Theme) -> str:
    """Returns a line of the legend: the rank, stitches and worth of a place."""
    y = LINE / 2
    stitches = _STITCHES[min(rank, len(_STITCHES)) - 1]
    colour = theme.highlight if rank == 1 else theme.ink
    return (
        _badge(rank, 14, y, theme)
        + f'<path d="M36 {short(y)}H92" stroke="{colour}" stroke-width="3.2"'
        f' stroke-linecap="round"{stitches}/>'
        + group(116, y, 1, worth_line(place.win, place.margin, theme))
    )


def _spaces(spaces: int) -> str:
    return " ".join(f"{'abcdefghi'[cell % SIDE]}{cell // SIDE + 1}" for cell in cells(spaces))
