"""Drawings of the game as SVG: a patch, a quilt, the time board, the circle, the whole table.

Free functions over a position and the layouts that ``Game.layout`` returns. Each returns a complete
document that scales, contains no scripts and refers to nothing outside itself; the same position
always gives the same text. Only figures and icons are drawn, no words, so a drawing suits every
language. Its label for screen readers is English; a page in another language supplies its own.
"""

from unicodedata import east_asian_width

from patchwork.render.circle import (
    LARGE_CARD,
    OVER,
    UNDER,
    Track,
    around,
    patch_circle,
    track_for,
)
from patchwork.render.cloth.fabrics import CELL
from patchwork.render.cloth.outline import box
from patchwork.render.cloth.patches import BOARD, FRAME, board, swatch
from patchwork.render.icons import token
from patchwork.render.markup import MINUS, group, rectangle, text, use
from patchwork.render.sheet import MARGIN, page, sheet
from patchwork.render.tags import tag
from patchwork.render.theme import DARK, LIGHT, Theme
from patchwork.render.timeboard.blocks import BLOCKS
from patchwork.render.timeboard.look import HEIGHT, WIDTH, Look, board_with_tokens
from patchwork.render.timeboard.rug import RUG
from patchwork.rules.game import Layout
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Position
from patchwork.rules.quilt import mask

__all__ = [
    "BLOCKS",
    "DARK",
    "LIGHT",
    "RUG",
    "Look",
    "Theme",
    "circle",
    "patch",
    "quilt",
    "table",
    "time_board",
]

_PANEL = 48
"""Height of the line that shows what a seat has."""
_NAME = 28
"""Height of the line for its name above that."""
_TRACK = Track(width=716, height=448, radius=140)


def patch(patch_id: int, *, theme: Theme = LIGHT) -> str:
    """Returns a patch in its fabric, with its income as buttons and a label with its price."""
    _, _, rows, columns = box(mask(PATCHES[patch_id].rows))
    below = 46
    width, height = max(columns, 3) * CELL + MARGIN, rows * CELL + MARGIN + below
    middle = (height - below) / 2
    drawing = group(width / 2, middle, 1, swatch(patch_id, CELL, theme))
    price = group(width / 2, height - below / 2, 1, tag(patch_id, 26, theme))
    return sheet(width, height, drawing + price, theme, f"Patchwork patch {patch_id}")


def quilt(covered: int, layout: Layout | None = None, *, theme: Theme = LIGHT) -> str:
    """Returns a quilt: with a layout in its fabrics, otherwise in plain cloth."""
    drawing = board(covered, layout, (FRAME, theme.linen), theme)
    return sheet(BOARD, BOARD, drawing, theme, "Patchwork quilt")


def time_board(position: Position, *, theme: Theme = LIGHT, look: Look = RUG) -> str:
    """Returns the time board with both tokens; if they share a space, the upper one moves first."""
    width, height = WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN
    drawing = group(width / 2, height / 2, 1, board_with_tokens(position, look, theme))
    return page(width, height, drawing, theme, "Patchwork time board")


def circle(position: Position, *, theme: Theme = LIGHT) -> str:
    """Returns the patches left, clockwise from the neutral token, with the offer highlighted."""
    track = track_for(position.circle, LARGE_CARD)
    width, height = around(track)
    middle = MARGIN + OVER + track.height / 2
    drawing = group(width / 2, middle, 1, patch_circle(position, track, theme, LARGE_CARD))
    return page(width, height, drawing, theme, "Patchwork circle of patches")


def table(
    position: Position,
    layouts: tuple[Layout, Layout] | None = None,
    *,
    names: tuple[str, str] = ("", ""),
    theme: Theme = LIGHT,
    look: Look = RUG,
) -> str:
    """Returns the whole table: both seats with quilt and score, the time board and the circle.

    Tokens and bindings have the colours of the position's edition.

    Args:
        position: the position.
        layouts: which patch lies where on each quilt; without them the quilts are plain cloth.
        names: the players' names.
        theme: the colours.
        look: the side of the time board, ``RUG`` or ``BLOCKS``.
    """
    width = 2 * BOARD + 3 * MARGIN
    panel = _PANEL + (_NAME if any(names) else 0)
    middle = MARGIN + panel + 8 + BOARD + MARGIN + OVER + _TRACK.height / 2
    height = middle + _TRACK.height / 2 + UNDER + MARGIN
    parts = []
    for seat in (0, 1):
        x = MARGIN + seat * (BOARD + MARGIN)
        layout = layouts[seat] if layouts else None
        parts.append(group(x, MARGIN, 1, _panel(position, seat, names[seat], panel, theme)))
        binding = theme.seats(position.edition)[seat], theme.seat_inks[seat]
        drawing = board(position.players[seat].quilt, layout, binding, theme)
        parts.append(group(x, MARGIN + panel + 8, 1, drawing))
    time = board_with_tokens(position, look, theme)
    parts.append(group(width / 2, middle, 1, patch_circle(position, _TRACK, theme), time))
    if position.tile is None:
        right, down = look.tile
        parts.append(use("tile", theme, width / 2 + right, middle + down, 1.9))
    return page(width, height, "".join(parts), theme, "Patchwork table")


def _panel(position: Position, seat: int, name: str, height: float, theme: Theme) -> str:
    """Returns the panel of a seat: token, name, buttons, income, score, special tile."""
    player = position.players[seat]
    score = str(position.scores[seat]).replace("-", MINUS)
    outcome = position.outcome
    decides = position.phase is not Phase.OVER and position.turn == seat
    fill, edge, thick = (
        (theme.active, theme.highlight, 3) if decides else (theme.panel, theme.line, 1.5)
    )
    y = height - _PANEL / 2
    parts = [
        rectangle(0, 0, BOARD, height, 10, f'fill="{fill}" stroke="{edge}" stroke-width="{thick}"'),
        use(token(seat, position.edition), theme, 28, height / 2, 1.45),
        use("button", theme, 103, y, 1.1),
        text(119, y, player.buttons, 24, theme.ink, anchor="start"),
        _income(184, y, player.income, theme),
        use("star", theme, 280, y, 1.2),
        text(297, y, score, 24, theme.ink, anchor="start"),
    ]
    if name:
        parts.append(_name(name, theme))
    if position.tile == seat:
        parts.append(use("tile", theme, 362, y, 1.35))
    if decides and position.phase is Phase.LEATHER:
        parts.append(use("leather", theme, 64, height / 2, 1.3))
    elif decides:
        parts.append(use("pointer", theme, 70, height / 2))
    if outcome and outcome.winner == seat:
        parts.append(use("winner", theme, 64, height / 2, 1.4))
    return "".join(parts)


def _income(x: float, y: float, income: int, theme: Theme) -> str:
    return (
        rectangle(x - 11, y - 11, 22, 22, 4, f'fill="{theme.cloth}" stroke="{theme.quilting}"')
        + use("button", theme, x, y, 0.75)
        + text(x + 17, y, f"+{income}", 24, theme.ink, anchor="start")
    )


def _name(name: str, theme: Theme) -> str:
    """Returns a name, shortened to fit, without the characters that XML cannot hold."""
    room = 22
    shown = ""
    for letter in filter(str.isprintable, " ".join(name.split())):
        room -= 2 if east_asian_width(letter) in "WF" else 1
        if room < 0:
            shown += "…"
            break
        shown += letter
    return (
        f'<svg x="88" y="0" width="{BOARD - 100}" height="{_NAME + 4}">'
        f"{text(0, _NAME / 2 + 2, shown, 18, theme.ink, anchor='start')}</svg>"
    )
