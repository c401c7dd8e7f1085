"""The time board as an oval braided rug: a spiral of 54 spaces from the rim to the middle.

The centre line of the braid consists of straights of equal length and half circles round two
points, A and B. From the inside outwards, each half circle is half a braid wider than the one
before, and B lies half a braid lower than A. So the pieces join smoothly, and neighbouring turns
touch along their whole length::

    straight right, half circle round A, straight left, half circle round B, straight right ...
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, fsum, pi, sin

from patchwork.render.markup import group, short, use
from patchwork.render.theme import Theme
from patchwork.render.timeboard.look import HEIGHT, NUMBERED, SPACES, Look, Point, space_colour
from patchwork.rules.timeboard import INCOME_LINES, LAST

BRAID = HEIGHT / 6
"""Width of the braid."""
_LENGTH = 5.6 * BRAID
"""Length of a straight, and the distance between A and B."""
_TAIL = 1.6 * BRAID
"""Length of the last straight."""
_PIECES = 11
"""Number of straights and half circles, which alternate."""
_SHIFT = BRAID / 4
"""How far to the right the spiral is moved to be centred."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A straight or a half circle of the centre line, followed from the middle outwards."""

    x: float
    """Start of a straight, or centre of a half circle."""
    y: float
    radius: float
    """0 for a straight."""
    way: int
    """1 if it leads or bulges to the right, else -1."""
    length: float

    def point(self, along: float, aside: float) -> tuple[float, float]:
        """Returns the point ``along`` the piece and ``aside`` from it, towards the outside."""
        if not self.radius:
            return self.x + self.way * along, self.y + self.way * aside
        angle = along / self.radius
        r = self.radius + aside
        return self.x + self.way * r * sin(angle), self.y + self.way * r * cos(angle)


def _pieces() -> list[_Piece]:
    pieces = []
    for number in range(_PIECES):
        half_turn, bend = divmod(number, 2)
        way = 1 if half_turn % 2 == 0 else -1
        centre = 0 if way == 1 else BRAID / 2
        radius = (half_turn + 1) * BRAID / 2
        if bend:
            pieces.append(_Piece(way * _LENGTH / 2, centre, radius, way, pi * radius))
        else:
            length = _TAIL if number == _PIECES - 1 else _LENGTH
            pieces.append(_Piece(-way * _LENGTH / 2, centre + way * radius, 0, way, length))
    return pieces


_BRAID = _pieces()
_STEP = fsum(piece.length for piece in _BRAID) / SPACES
_HALF = BRAID / 2


def _spot(way: float, aside: float = 0) -> tuple[float, float]:
    """Returns the point ``way`` along the braid from the rim, ``aside`` from its centre line.

    The whole is rotated by 180 degrees, so that the path starts at the lower left.
    """
    along = SPACES * _STEP - way
    *inner, outermost = _BRAID
    for piece in inner:
        if along <= piece.length:
            break
        along -= piece.length
    else:
        piece = outermost  # rounding may put the rim slightly beyond its end
    x, y = piece.point(along, aside)
    return -x, -y


def _edge(start: float, end: float, aside: float) -> str:
    """Returns the path data that follows the braid inwards or, if end < start, outwards."""
    low, high = SPACES * _STEP - max(start, end), SPACES * _STEP - min(start, end)
    outwards = end < start
    steps = []
    begin = 0.0
    for piece in _BRAID:
        near, far = max(low - begin, 0), min(high - begin, piece.length)
        begin += piece.length
        if near >= far:
            continue
        x, y = piece.point(far if outwards else near, aside)
        target = f"{short(-x)} {short(-y)}"
        r = short(piece.radius + aside) if piece.radius else "0"
        curved = r != "0"
        steps.append(f"A{r} {r} 0 0 {0 if outwards else 1} {target}" if curved else f"L{target}")
    return "".join(steps if outwards else reversed(steps))


def _space(number: int) -> str:
    """Returns the path data of a space; the last one has a rounded end."""
    start, end = number * _STEP, (number + 1) * _STEP
    x, y = _spot(end, -_HALF)
    cap = f"A{_HALF} {_HALF} 0 0 1 " if number == LAST else "L"
    return f"{_run(start, end, _HALF)}{cap}{short(x)} {short(y)}{_edge(end, start, -_HALF)}z"


def _ground(theme: Theme) -> str:
    spaces = "".join(
        f'<path d="{_space(number)}" fill="{space_colour(number, theme)}"/>'
        for number in range(SPACES)
    )
    end = SPACES * _STEP
    strand, plait = BRAID / 3 - 3.5, _STEP / 2
    strands = "".join(
        f'<path d="{_run(0, end, aside)}" stroke-dashoffset="{short(offset)}"/>'
        for aside, offset in ((-BRAID / 3, -plait / 2), (0, 0), (BRAID / 3, -plait / 2))
    )
    (x, y), (x2, y2) = _spot(end, -_HALF), _spot(end - _LENGTH, -_HALF)
    rim = (
        f"{_run(0, end, _HALF)}A{_HALF} {_HALF} 0 0 1 {short(x)} {short(y)}L{short(x2)} {short(y2)}"
    )
    return group(
        _SHIFT,
        0,
        1,
        f'{_fringe(theme)}<g stroke="{theme.braid}" stroke-opacity=".5">{spaces}</g>'
        f'<g fill="none" stroke="{theme.panel}" stroke-opacity=".3" stroke-linecap="round"'
        f' stroke-width="{short(strand)}"'
        f' stroke-dasharray="{plait - strand - 2:.2f} {strand + 2:.2f}">{strands}</g>'
        f'<path d="{rim}" fill="none" stroke="{theme.braid}" stroke-width="2.2"'
        ' stroke-dasharray="7 4.5" stroke-linecap="round"/>'
        + "".join(_income(line, theme) for line in INCOME_LINES),
    )


def _run(start: float, end: float, aside: float) -> str:
    """Returns the path data of a line along the braid."""
    x, y = _spot(start, aside)
    return f"M{short(x)} {short(y)}{_edge(start, end, aside)}"


def _fringe(theme: Theme) -> str:
    """Returns the loose threads at the outer end."""
    threads = ""
    for k in range(1, 12):
        x, y = _spot(0, (k / 6 - 1) * _HALF)
        threads += f"M{short(x)} {short(y)}l{9 + k % 3} {short((6 - k) / 3)}"
    return (
        f'<path d="{threads}" fill="none" stroke="{theme.braid}" stroke-width="1.8"'
        ' stroke-linecap="round"/>'
    )


def _income(line: int, theme: Theme) -> str:
    way = line * _STEP
    (x, y), (x2, y2) = _spot(way, -_HALF), _spot(way, _HALF)
    x3, y3 = _spot(way)
    return (
        f'<path d="M{short(x)} {short(y)}L{short(x2)} {short(y2)}" stroke="{theme.braid}"'
        f' stroke-width="2.6"/>{use("button", theme, x3, y3, 0.95)}'
    )


def _shifted(way: float) -> Point:
    x, y = _spot(way)
    return x + _SHIFT, y


_MIDDLES = tuple(
    # In the last space, the token stands towards the rounded end.
    _shifted((number + (0.62 if number == LAST else 0.5)) * _STEP)
    for number in range(SPACES)
)

RUG = Look(
    name="rug",
    ground=_ground,
    spaces=_MIDDLES,
    lines=tuple(_shifted(line * _STEP) for line in range(SPACES)),
    numbers={number: _MIDDLES[number] for number in NUMBERED},
    figures=16,
    tile=(60, 130),
)
