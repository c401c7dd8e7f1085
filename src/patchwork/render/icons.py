"""The small things on the table: button, income, hourglass, star, special tile, tokens, and more.

Each is centred on the origin, about 20 units across, and referred to by name (see ``markup``).
"""

from collections.abc import Iterator
from math import cos, pi, sin

from patchwork.render.markup import rectangle, short
from patchwork.render.theme import Theme
from patchwork.rules.timeboard import EDITIONS, Edition

_WELL = "#1b3656"
_HIDE, _HIDE_EDGE, _HIDE_THREAD = "#8a5a34", "#4f2f18", "#f0d3a4"
_WOOD, _WOOD_EDGE = "#c98b4f", "#6b3f1c"
_GOLD, _GOLD_EDGE = "#eab63e", "#6f4a10"
_SAND = "#d9902f"


def icons(theme: Theme) -> Iterator[tuple[str, str]]:
    """Yields the name and the element of every icon except the time tokens."""
    yield "button", _group(_button(theme.button, theme.button_ink))
    yield "income", _group(_income(theme))
    yield "hourglass", _group(_hourglass(theme.tag_ink))
    yield "star", _group(_star())
    yield "tile", _group(_tile())
    yield "leather", _group(_leather())
    yield "neutral", _group(_spool())
    yield "winner", _group(_winner())
    yield "pointer", _group(_needle(theme.highlight))


def token(seat: int, edition: Edition) -> str:
    """Returns the name of the time token of a seat."""
    return f"{edition.name}-token{seat}"


def tokens(theme: Theme) -> Iterator[tuple[str, str]]:
    """Yields the name and the element of the time tokens of both editions."""
    for edition in EDITIONS:
        for seat, element in enumerate(token_pair(theme.seats(edition), theme.seat_inks)):
            yield token(seat, edition), element


def token_pair(colours: tuple[str, str], inks: tuple[str, str]) -> tuple[str, str]:
    """Returns two time tokens of different shapes: one round, one a square on its corner."""
    return _group(_yarn(colours[0], *inks)), _group(_pincushion(colours[1], *inks))


def _group(drawing: str) -> str:
    return f'<g id="?">{drawing}</g>'


def _button(fill: str, rim: str) -> str:
    holes = "".join(
        f'<circle cx="{x}" cy="{y}" r="1.4"/>' for x in (-2.4, 2.4) for y in (-2.4, 2.4)
    )
    return (
        f'<circle r="9.6" fill="{rim}" stroke="{_WELL}" stroke-width=".9"/>'
        f'<circle r="7.7" fill="{fill}"/>'
        f'<path d="M-4.9-3.6A6.1 6.1 0 0 1 3.6-4.9" fill="none" stroke="{rim}" stroke-width="1"'
        f' stroke-linecap="round" opacity=".7"/><g fill="{_WELL}">{holes}</g>'
        f'<path d="M-2.4-2.4L2.4 2.4M2.4-2.4L-2.4 2.4" stroke="{rim}" stroke-width="1.1"/>'
    )


def _income(theme: Theme) -> str:
    """A button with a plus: the buttons a patch brings at every income line."""
    return (
        f'<circle r="9.6" fill="{theme.button}" stroke="{_WELL}" stroke-width=".9"/>'
        f'<path d="M0-5.8V5.8M-5.8 0H5.8" stroke="{theme.button_ink}" stroke-width="3.4"/>'
    )


def _hourglass(ink: str) -> str:
    return (
        f'<path d="M-4.2 6.8Q-4 3.4 0 3Q4 3.4 4.2 6.8zM-3.4-3.4H3.4Q2.6-.6 0 0Q-2.6-.6-3.4-3.4z'
        f'M-.5 0h1v4h-1z" fill="{_SAND}"/>'
        f'<path d="M-5-8V-5.6Q-5-1.6-1.3 0Q-5 1.6-5 5.6V8M5-8V-5.6Q5-1.6 1.3 0Q5 1.6 5 5.6V8"'
        f' fill="none" stroke="{ink}" stroke-width="1.5"/>'
        f'<path d="M-7-9.2H7M-7 9.2H7" stroke="{ink}" stroke-width="2.4" stroke-linecap="round"/>'
    )


def _star() -> str:
    points = " ".join(
        f"{short(r * sin(pi * i / 5))},{short(-r * cos(pi * i / 5))}"
        for i, r in enumerate((10.0, 4.6) * 5)
    )
    return (
        f'<polygon points="{points}" fill="{_GOLD}" stroke="{_GOLD_EDGE}" stroke-width="1.4"'
        ' stroke-linejoin="round"/>'
    )


def _tile() -> str:
    """A 7 x 7 square with its points."""
    grid = "".join(
        f"M{short(k)}-10V10M-10 {short(k)}H10" for k in (20 * i / 7 - 10 for i in range(1, 7))
    )
    return (
        rectangle(-11, -11, 22, 22, 2.5, f'fill="{_GOLD}" stroke="{_GOLD_EDGE}" stroke-width="1.4"')
        + f'<path d="{grid}" stroke="{_GOLD_EDGE}" stroke-width=".5" opacity=".55"/>'
        + f'<circle r="7" fill="{_GOLD}"/>'
        + '<text y="5" font-size="14" fill="#3b2608" text-anchor="middle">7</text>'
    )


def _leather() -> str:
    return rectangle(
        -9.2, -9.2, 18.4, 18.4, 3, f'fill="{_HIDE}" stroke="{_HIDE_EDGE}" stroke-width="1.2"'
    ) + rectangle(
        -6.4,
        -6.4,
        12.8,
        12.8,
        1.5,
        f'fill="none" stroke="{_HIDE_THREAD}" stroke-width="1.3" stroke-dasharray="2.4 1.9"',
    )


def _spool() -> str:
    """The neutral token: a wooden spool of thread."""
    return (
        f'<path d="M-8-11H8V-7.5H5.4V7.5H8V11H-8V7.5H-5.4V-7.5H-8z" fill="{_WOOD}"'
        f' stroke="{_WOOD_EDGE}" stroke-width="1.4" stroke-linejoin="round"/>'
        '<path d="M-5.4-6.4H5.4V6.4H-5.4z" fill="#a83a34"/>'
        '<path d="M-5.4-4L5.4-5.4M-5.4-1L5.4-2.4M-5.4 2L5.4.6M-5.4 5L5.4 3.6" stroke="#f3c9b5"'
        ' stroke-width=".9"/>'
    )


def _winner() -> str:
    """A rosette with two ribbons."""
    petals = "".join(
        f'<circle cx="{short(6 * sin(angle))}" cy="{short(-6 * cos(angle) - 3)}" r="3.4"/>'
        for angle in (pi * i / 4 for i in range(8))
    )
    return (
        '<path d="M-5 2L-8 12L-4 10L-2 13L1 3zM5 2L8 12L4 10L2 13L-1 3z" fill="#8f2f28"/>'
        f'<g fill="#c8463a">{petals}</g>'
        f'<circle cy="-3" r="6" fill="{_GOLD}" stroke="{_GOLD_EDGE}"/>'
        '<path d="M-2.8-3.2L-.8-1L3-5.4" fill="none" stroke="#3b2608" stroke-width="1.8"/>'
    )


def _needle(thread: str) -> str:
    """A threaded needle pointing to the right."""
    return (
        f'<path d="M-7 0Q-13-6-16 0T-25-1" fill="none" stroke="{thread}" stroke-width="2"'
        ' stroke-linecap="round"/>'
        '<path d="M12 0L-5-2Q-10-2.6-10 0T-5 2zM-5.5-.7H-8.3V.7H-5.5z" fill="#b9c0c6"'
        ' stroke="#43484d" stroke-width=".8" fill-rule="evenodd" stroke-linejoin="round"/>'
    )


# Each token has a light and a dark edge, so that one of them stands out on any background.


def _yarn(wool: str, strand: str, edge: str) -> str:
    """A round ball of wool."""
    return (
        f'<circle r="10" fill="{wool}" stroke="{strand}" stroke-width="2.4"/>'
        f'<circle r="11.2" fill="none" stroke="{edge}" stroke-width=".9"/>'
        f'<path d="M-6.6-4.4Q1-7.4 6.8-3.4M-8.2-.6Q0-4 8.2.8M-7.6 3.4Q-.6.2 6.4 5" fill="none"'
        f' stroke="{strand}" stroke-width="1.4" stroke-linecap="round"/>'
    )


def _pincushion(cloth: str, edge: str, ink: str) -> str:
    """A cushion standing on its corner, with a cross-stitch and a tassel at each corner."""
    tassels = "".join(
        f'<circle cx="{x}" cy="{y}" r="1.9"/>' for x, y in ((0, -12), (12, 0), (0, 12), (-12, 0))
    )
    seam = "M0-12.4Q5.4-5.4 12.4 0Q5.4 5.4 0 12.4Q-5.4 5.4-12.4 0Q-5.4-5.4 0-12.4z"
    return (
        f'<g fill="{ink}" stroke="{edge}" stroke-width="1.8" paint-order="stroke">{tassels}</g>'
        f'<path d="{seam}" stroke="{edge}" stroke-width="3.6" stroke-linejoin="round"/>'
        f'<path d="{seam}" fill="{cloth}" stroke="{ink}" stroke-width="1.7"'
        ' stroke-linejoin="round"/>'
        f'<path d="M-3-3L3 3M3-3L-3 3" stroke="{ink}" stroke-width="2" stroke-linecap="round"/>'
    )
