"""What a player or a program expects of a game, drawn over the quilt, the circle or beside them.

Free functions over plain numbers, wherever they come from; ``engine.insight`` has a network's. As
in ``svg``, each gives a complete document without words. Nothing is told by colour alone: shades
differ in lightness and carry their figures, outlines differ in their stitches and carry their rank.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from patchwork.render.fabrics import CELL, lightness
from patchwork.render.icons import token
from patchwork.render.markup import MINUS, group, rectangle, short, text, use
from patchwork.render.outline import outline
from patchwork.render.ring import LARGE_CARD, MARGIN, OVER, around, below_cards, ring, track_for
from patchwork.render.sewing import BOARD, BORDER, FRAME, board
from patchwork.render.sheet import page
from patchwork.render.theme import LIGHT, Theme
from patchwork.rules.game import Layout
from patchwork.rules.position import Position
from patchwork.rules.quilt import CELLS, SIDE, cells
from patchwork.rules.timeboard import CLASSIC, Edition

__all__ = ["Place", "Worth", "course", "filling", "placements", "prospects", "values"]

SHADES = 5
"""Steps from hardly ever to almost always."""
_ROW = 34
"""Height of a line of a legend."""
_STITCHES = ("", ' stroke-dasharray="9 5"', ' stroke-dasharray="1 6"')
"""Of the outlines of the best place, the second, and all others."""
_CARD_WIDTH = 118 * LARGE_CARD
_CHART = (640, 200)
"""Width and height of what a chart shows."""


class Worth(NamedTuple):
    """What a move is worth: a probability to win, 0 to 1, and points ahead in the end."""

    win: float
    margin: float


class Place(NamedTuple):
    """Where a patch may be placed, as a mask, and what that is worth."""

    spaces: int
    win: float
    margin: float


def shade(chance: float, theme: Theme) -> str:
    """Returns the colour of a probability: the likelier, the farther from linen."""
    return _mixed(theme.linen, theme.highlight, _step(chance) / (SHADES - 1))


def ink_on(colour: str, theme: Theme) -> str:
    """Returns the colour of writing that is easiest to read on another colour."""
    return max(theme.seat_inks, key=lambda ink: _contrast(ink, colour))


def filling(
    covered: int, chances: Sequence[float], layout: Layout | None = None, *, theme: Theme = LIGHT
) -> str:
    """Returns a quilt with the probability that each empty space is filled in the end.

    Args:
        covered: the spaces filled now, as a mask.
        chances: 81 probabilities, row by row.
        layout: what lies where; without it the quilt is plain cloth.
        theme: the colours.

    Raises:
        ValueError: there are not 81 probabilities from 0 to 1.
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
            text(BOARD - 2, _ROW / 2, f"{expected:.1f} / {CELLS}", 16, theme.ink, anchor="end"),
        ),
    )
    rows = "; ".join(
        f"row {row + 1}: "
        + " ".join(
            "filled"
            if covered >> SIDE * row + column & 1
            else _percent(chances[SIDE * row + column])
            for column in range(SIDE)
        )
        for row in range(SIDE)
    )
    label = f"Expected filling of a quilt, {expected:.1f} of {CELLS} spaces; {rows}"
    return page(BOARD + 2 * MARGIN, BOARD + _ROW + 8 + 2 * MARGIN, drawing, theme, label)


def placements(
    covered: int, places: Sequence[Place], layout: Layout | None = None, *, theme: Theme = LIGHT
) -> str:
    """Returns a quilt with the best places of a patch as outlines, and what each is worth.

    Args:
        covered: the spaces filled now, as a mask.
        places: the best first.
        layout: what lies where; without it the quilt is plain cloth.
        theme: the colours.

    Raises:
        ValueError: a place has no spaces, or some are filled.
    """
    for place in places:
        if place.spaces == 0 or place.spaces & covered:
            raise ValueError("a place has empty spaces, and no others")
    badges = _badge_cells(places)
    # The best last: on top of the others.
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
        *(group(0, BOARD + 8 + _ROW * number, 1, line) for number, line in enumerate(lines)),
    )
    told = "; ".join(
        f"{rank}: {_spaces(place.spaces)}, {_told(place.win, place.margin)}"
        for rank, place in enumerate(places, start=1)
    )
    height = BOARD + 8 + _ROW * len(places) + 2 * MARGIN
    return page(BOARD + 2 * MARGIN, height, drawing, theme, f"Best places of a patch; {told}")


def values(
    position: Position, bought: Mapping[int, Worth], advance: Worth, *, theme: Theme = LIGHT
) -> str:
    """Returns the circle with what each patch on offer is worth, compared with an advance.

    Under a patch stands how much likelier a win is and how many more points there are than after an
    advance, below what that leads to. The best of all has a thick frame.

    Args:
        position: the position.
        bought: what is expected after a purchase, by patch; those missing cannot be bought.
        advance: what is expected after an advance.
        theme: the colours.

    Raises:
        ValueError: a patch is not on offer.
    """
    for patch in bought:
        if patch not in position.offer:
            offer = ", ".join(map(str, position.offer))
            raise ValueError(f"patch {patch} is not on offer, only {offer}")
    track = track_for(position.circle, LARGE_CARD)
    width, height = around(track)
    best = max((*bought.values(), advance))
    parts, told = [ring(position, track, theme, LARGE_CARD)], []
    spots = below_cards(position.circle, track, LARGE_CARD)
    for patch, (x, y) in zip(position.offer, spots, strict=True):
        if patch not in bought:
            continue
        gain, points = bought[patch].win - advance.win, bought[patch].margin - advance.margin
        figures = f"{_signed(100 * gain)}%", _signed(points)
        parts.append(group(x, y + 6 + _ROW / 2, 1, _pill(figures, bought[patch] == best, theme)))
        told.append(f"patch {patch} {figures[0]} to win and {figures[1]} points")
    below = max((y for _, y in spots), default=0.0) + 2 * _ROW + 16
    token_name = token(position.turn, position.edition)
    parts.append(group(0, below, 1, _advance(token_name, advance, advance == best, theme)))
    drawing = group(width / 2, MARGIN + OVER + track.height / 2, 1, *parts)
    label = "; ".join(
        (
            "Patchwork circle of patches with what buying is worth",
            f"advance {_told(*advance)}",
            *(f"{line} compared with it" for line in told),
        )
    )
    return page(width, height, drawing, theme, label)


def prospects(
    win: tuple[float, float],
    scores: tuple[float, float],
    *,
    edition: Edition = CLASSIC,
    theme: Theme = LIGHT,
) -> str:
    """Returns a bar that both seats share by their probabilities to win, with expected scores."""
    _check_win(win)
    width, height = 2 * BOARD, 52
    bar = 32.0
    split = bar + (width - 2 * bar) * win[0]
    colours, inks = theme.seats(edition), theme.seat_inks
    parts = [
        rectangle(bar, 0, width - 2 * bar, 30, 6, f'fill="{colours[1]}" stroke="{theme.line}"'),
        f'<path d="M{short(bar + 6)} 0H{short(split)}V30H{short(bar + 6)}q-6 0-6-6V6q0-6 6-6z"'
        f' fill="{colours[0]}"/>'
        if split > bar + 6
        else "",
        f'<path d="M{short(width / 2)}-4v38" stroke="{theme.ink}" stroke-width="2"'
        ' stroke-dasharray="4 3"/>',
    ]
    for seat, (x, inside, anchor) in enumerate(
        ((0.0, bar + 10, "start"), (width, width - bar - 10, "end"))
    ):
        way = 1 if seat == 0 else -1
        parts.append(use(token(seat, edition), theme, x + way * 14, 15, 1.15))
        # A narrow part has no room for figures: they stand on the other one.
        wide = win[seat] > 0.12
        ink = inks[seat if wide else 1 - seat]
        at = inside if wide else bar + (width - 2 * bar) * (win[0]) + way * 10
        parts.append(text(at, 15, _percent(win[seat]), 19, ink, anchor=anchor))
        parts.append(use("star", theme, inside + way * 4, 45, 0.9))
        score = f"{scores[seat]:.1f}".replace("-", MINUS)
        parts.append(text(inside + way * 18, 45, score, 18, theme.ink, anchor=anchor))
    label = "; ".join(
        f"seat {seat}: {_percent(win[seat])} to win, {scores[seat]:.1f} points expected"
        for seat in (0, 1)
    )
    drawing = group(MARGIN, MARGIN, 1, *parts)
    return page(width + 2 * MARGIN, height + 6 + 2 * MARGIN, drawing, theme, label)


def course(wins: Sequence[float], *, edition: Edition = CLASSIC, theme: Theme = LIGHT) -> str:
    """Returns how the probability that seat 0 wins went in a game, from its start on.

    Raises:
        ValueError: there are less than two probabilities, or one is not from 0 to 1.
    """
    if len(wins) < 2:
        raise ValueError("a course has two probabilities or more")
    for win in wins:
        _check_win((win, 1 - win))
    width, height = _CHART
    left = 44
    colours = theme.seats(edition)
    points = [
        f"{short(number * width / (len(wins) - 1))} {short(height * (1 - win))}"
        for number, win in enumerate(wins)
    ]
    line = "L".join(points)
    grid = "".join(
        f'<path d="M0 {short(height * part)}H{width}" stroke="{theme.ink}" stroke-opacity=".45"'
        f' stroke-dasharray="3 5"/>'
        + text(-8, height * part, _percent(1 - part), 14, theme.ink, anchor="end")
        for part in (0, 0.25, 0.5, 0.75, 1)
    )
    ticks = "".join(
        text(number * width / (len(wins) - 1), height + 14, number, 14, theme.ink)
        for number in range(0, len(wins), 10)
    )
    drawing = group(
        MARGIN + left,
        MARGIN + 6,
        1,
        f'<path d="M0 0H{width}V{height}H0z" fill="{colours[1]}"/>',
        f'<path d="M0 {height}L{line}L{width} {height}z" fill="{colours[0]}"/>',
        f'<path d="M{line}" fill="none" stroke="{theme.seat_inks[0]}" stroke-width="5"/>',
        f'<path d="M{line}" fill="none" stroke="{theme.seat_inks[1]}" stroke-width="2.4"'
        ' stroke-linejoin="round"/>',
        grid,
        ticks,
        use(token(1, edition), theme, 18, 20, 1.2),
        use(token(0, edition), theme, 18, height - 20, 1.2),
    )
    told = " ".join(_percent(win) for win in wins)
    label = f"Probability that seat 0 wins, before each move: {told}"
    return page(width + left + 2 * MARGIN, height + 30 + 2 * MARGIN, drawing, theme, label)


def _check_win(win: tuple[float, float]) -> None:
    if not all(0 <= chance <= 1 for chance in win) or abs(sum(win) - 1) > 1e-6:
        raise ValueError(f"probabilities to win are from 0 to 1 and sum to 1, not {win}")


# Parts


def _space(cell: int, chance: float, theme: Theme) -> str:
    """Returns the shade of a space with its figure, in percent."""
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
    """Returns the legend: each shade with the percentages it stands for."""
    wide = 54
    drawn = []
    for step in range(SHADES):
        low, high = 100 * step // SHADES, 100 * (step + 1) // SHADES
        colour = shade((step + 0.5) / SHADES, theme)
        style = f'fill="{colour}" stroke="{theme.line}"'
        drawn.append(rectangle(step * wide, 5, wide - 4, _ROW - 10, 4, style))
        words = f"{low}\N{EN DASH}{high}"
        drawn.append(text(step * wide + wide / 2 - 2, _ROW / 2, words, 12, ink_on(colour, theme)))
    drawn.append(text(SHADES * wide, _ROW / 2, "%", 14, theme.ink, anchor="start"))
    return "".join(drawn)


def _outlined(rank: int, spaces: int, theme: Theme) -> str:
    """Returns the outline of a place, with a light edge to stand out on any ground."""
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
    """Returns a space for the rank of each place: its own, if it has one, and nobody else's."""
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
    """Returns a line of the legend: rank, stitches and worth of a place."""
    y = _ROW / 2
    stitches = _STITCHES[min(rank, len(_STITCHES)) - 1]
    colour = theme.highlight if rank == 1 else theme.ink
    return (
        _badge(rank, 14, y, theme)
        + f'<path d="M36 {short(y)}H92" stroke="{colour}" stroke-width="3.2"'
        f' stroke-linecap="round"{stitches}/>'
        + group(116, y, 1, _worth(place.win, place.margin, theme))
    )


def _worth(win: float, margin: float, theme: Theme) -> str:
    """Returns a probability to win behind a rosette and points behind a star."""
    return (
        use("winner", theme, 0, 0, 0.95)
        + text(18, 0, f"{100 * win:.1f}%", 19, theme.ink, anchor="start")
        + use("star", theme, 116, 0, 0.95)
        + text(132, 0, _signed(margin), 19, theme.ink, anchor="start")
    )


def _pill(figures: tuple[str, str], best: bool, theme: Theme) -> str:
    wide = _CARD_WIDTH
    style = _frame(best, theme)
    return (
        rectangle(-wide / 2, -_ROW / 2, wide, _ROW, _ROW / 2, style)
        + use("winner", theme, -wide / 2 + 18, 0, 0.8)
        + text(-wide / 2 + 30, 0, figures[0], 14.5, theme.ink, anchor="start")
        + use("star", theme, 24, 0, 0.8)
        + text(35, 0, figures[1], 14.5, theme.ink, anchor="start")
    )


def _frame(best: bool, theme: Theme) -> str:
    edge, thick = (theme.highlight, 4) if best else (theme.line, 1.5)
    return f'class="worth" fill="{theme.panel}" stroke="{edge}" stroke-width="{thick}"'


def _advance(token_name: str, worth: Worth, best: bool, theme: Theme) -> str:
    wide, high = 324, 48
    style = _frame(best, theme)
    return (
        rectangle(-wide / 2, -high / 2, wide, high, 10, style)
        + use(token_name, theme, -wide / 2 + 28, 0, 1.3)
        + use("pointer", theme, -wide / 2 + 74, 0)
        + group(-wide / 2 + 116, 0, 1, _worth(*worth, theme))
    )


# Words and numbers


def _step(chance: float) -> int:
    return min(int(chance * SHADES), SHADES - 1)


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f}%"


def _signed(number: float) -> str:
    written = f"{number:+.1f}"
    return "0.0" if written in ("+0.0", "-0.0") else written.replace("-", MINUS)


def _told(win: float, margin: float) -> str:
    return f"{100 * win:.1f}% to win and {_signed(margin)} points"


def _spaces(spaces: int) -> str:
    return " ".join(f"{'abcdefghi'[cell % SIDE]}{cell // SIDE + 1}" for cell in cells(spaces))


def _mixed(one: str, other: str, share: float) -> str:
    parts = [
        round((1 - share) * int(one[at : at + 2], 16) + share * int(other[at : at + 2], 16))
        for at in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)


def _contrast(one: str, other: str) -> float:
    low, high = sorted((lightness(one), lightness(other)))
    return (high + 0.05) / (low + 0.05)
