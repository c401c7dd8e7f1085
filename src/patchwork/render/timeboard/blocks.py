"""The time board as quilt blocks in a rectangular spiral, with flying geese that point inwards.

The spiral starts at the upper left and fills a grid of ten blocks by six. The first space takes two
blocks and the last one the six in the middle, so that the tokens do not hide their numbers.
"""

from itertools import pairwise

from patchwork.render.markup import rectangle, short, use
from patchwork.render.theme import Theme
from patchwork.render.timeboard.look import (
    HEIGHT,
    NUMBERED,
    SPACES,
    WIDTH,
    Look,
    Point,
    space_colour,
)
from patchwork.rules.timeboard import INCOME_LINES, LAST

_COLUMNS, _ROWS = 10, 6
_WIDE, _HIGH = WIDTH / _COLUMNS, HEIGHT / _ROWS
_FIRST, _LAST = 2, 6
"""How many blocks the first and the last space take."""

_Block = tuple[int, int]
"""Column and row."""


def _spiral() -> list[_Block]:
    """Returns all blocks along the spiral, clockwise from the upper left corner to the middle."""
    left = {(column, row) for column in range(_COLUMNS) for row in range(_ROWS)}
    walk = []
    column, row, right, down = -1, 0, 1, 0
    while left:
        if (column + right, row + down) not in left:
            right, down = -down, right
        column, row = column + right, row + down
        left.remove((column, row))
        walk.append((column, row))
    return walk


_WALK = _spiral()
_BLOCKS = [_WALK[:_FIRST], *([block] for block in _WALK[_FIRST:-_LAST]), _WALK[-_LAST:]]
"""The blocks of each space, in the order of the spiral."""


def _middle(block: _Block) -> Point:
    column, row = block
    return (column + 0.5) * _WIDE - WIDTH / 2, (row + 0.5) * _HIGH - HEIGHT / 2


def _between(one: _Block, other: _Block) -> Point:
    (x, y), (x2, y2) = _middle(one), _middle(other)
    return (x + x2) / 2, (y + y2) / 2


def _line(number: int) -> Point:
    """Returns the middle of the line before a space; for the first space, of its left edge."""
    if number == 0:
        x, y = _middle(_WALK[0])
        return x - _WIDE / 2, y
    return _between(_BLOCKS[number - 1][-1], _BLOCKS[number][0])


def _number(number: int) -> Point:
    if number == 0:
        return _middle(_WALK[0])
    blocks = _BLOCKS[number]
    return _between(blocks[0], blocks[-1])


def _ground(theme: Theme) -> str:
    spaces = "".join(
        f'<path d="{_outline(number)}" fill="{space_colour(number, theme)}"/>'
        for number in range(SPACES)
    )
    geese = "".join(
        _goose(block, ahead) for block, ahead in pairwise(_WALK[_FIRST - 1 : 1 - _LAST])
    )
    walls = "".join(_walls())
    edge = f'fill="none" stroke="{theme.braid}" stroke-width="4"'
    return (
        f'<g stroke="{theme.braid}" stroke-opacity=".5">{spaces}</g>'
        f'<path d="{geese}" fill="{theme.panel}" fill-opacity=".45"/>{_hearth(theme)}'
        + rectangle(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, 6, edge)
        + f'<path d="{walls}" {edge} stroke-linecap="round"/>'
        f'<path d="{walls}" stroke="{theme.panel}" stroke-width="1.3" stroke-dasharray="5 4"/>'
        + "".join(_income(line, theme) for line in INCOME_LINES)
    )


def _outline(number: int) -> str:
    blocks = _BLOCKS[number]
    columns, rows = ({block[axis] for block in blocks} for axis in (0, 1))
    x, y = _corner(min(columns), min(rows))
    return f"M{x} {y}h{short(len(columns) * _WIDE)}v{short(len(rows) * _HIGH)}H{x}z"


def _corner(column: int, row: int) -> tuple[str, str]:
    return short(column * _WIDE - WIDTH / 2), short(row * _HIGH - HEIGHT / 2)


def _goose(block: _Block, ahead: _Block) -> str:
    """Returns a triangle on a block that points to the next one."""
    x, y = _middle(block)
    right, down = (ahead[axis] - block[axis] for axis in (0, 1))
    wide, high = _WIDE / 2 - 3, _HIGH / 2 - 3
    points = (
        (x + right * wide, y + down * high),
        (x - right * wide - down * wide, y - down * high + right * high),
        (x - right * wide + down * wide, y - down * high - right * high),
    )
    return "M" + "L".join(f"{short(x)} {short(y)}" for x, y in points) + "z"


def _hearth(theme: Theme) -> str:
    """Returns the seams of the last space, which run round its number as in a log cabin block."""
    x, y = _number(LAST)
    seams = ""
    for inset in (7, 14):
        wide, high = _LAST * _WIDE / 2 - inset, _HIGH / 2 - inset
        seams += rectangle(x - wide, y - high, 2 * wide, 2 * high, 2, "")
    return f'<g fill="none" stroke="{theme.panel}" stroke-opacity=".5">{seams}</g>'


def _walls() -> list[str]:
    """Returns the seams between the turns of the spiral, which no token crosses."""
    steps = {frozenset(pair) for pair in pairwise(_WALK)}
    walls = []
    for column in range(_COLUMNS):
        for row in range(_ROWS):
            x, y = _corner(column + 1, row)
            if column + 1 < _COLUMNS and {(column, row), (column + 1, row)} not in steps:
                walls.append(f"M{x} {y}v{short(_HIGH)}")
            x, y = _corner(column, row + 1)
            if row + 1 < _ROWS and {(column, row), (column, row + 1)} not in steps:
                walls.append(f"M{x} {y}h{short(_WIDE)}")
    return walls


def _income(line: int, theme: Theme) -> str:
    x, y = _line(line)
    upright = _BLOCKS[line - 1][-1][1] == _BLOCKS[line][0][1]
    seam = (
        f"M{short(x)} {short(y - _HIGH / 2)}v{short(_HIGH)}"
        if upright
        else f"M{short(x - _WIDE / 2)} {short(y)}h{short(_WIDE)}"
    )
    return (
        f'<path d="{seam}" stroke="{theme.braid}" stroke-width="2.6"/>'
        f"{use('button', theme, x, y, 0.95)}"
    )


BLOCKS = Look(
    name="blocks",
    ground=_ground,
    spaces=tuple(
        _middle(blocks[-1 if number == 0 else 0]) for number, blocks in enumerate(_BLOCKS)
    ),
    lines=tuple(_line(number) for number in range(SPACES)),
    numbers={number: _number(number) for number in NUMBERED},
    figures=22,
    tile=_middle(_WALK[-1]),
)
