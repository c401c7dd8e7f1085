"""The time board with everything on it, whichever side is up.

As with the board in the box, the two sides only look different. ``rug`` and ``blocks`` draw them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from patchwork.render.icons import token
from patchwork.render.markup import group, text, use
from patchwork.render.theme import Theme
from patchwork.rules.position import Position
from patchwork.rules.timeboard import LAST, income_lines

SPACES = LAST + 1
WIDTH, HEIGHT = 578, 312
"""Size of both sides, which are centred on the origin."""
NUMBERED = (*range(0, LAST, 5), LAST)
"""The spaces that show their number."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Look:
    """One side of the time board."""

    name: str
    ground: Callable[[Theme], str]
    """Returns the empty board with its income lines."""
    spaces: tuple[Point, ...]
    """Where a token stands on each space."""
    lines: tuple[Point, ...]
    """The middle of the line before each space."""
    numbers: Mapping[int, Point]
    """Where the number of a space is written."""
    figures: float
    """Height of the numbers."""
    tile: Point
    """Where the special tile lies until a player takes it."""


def space_colour(number: int, theme: Theme) -> str:
    """Returns the colour of a space, which changes at every income line."""
    if number == LAST:
        return theme.home
    return theme.rug[income_lines(-1, number) % len(theme.rug)]


def board_with_tokens(position: Position, look: Look, theme: Theme) -> str:
    """Returns the time board with its numbers, leather patches and time tokens."""
    return group(
        0,
        0,
        1,
        look.ground(theme),
        *(use("leather", theme, *look.lines[line], 1.1) for line in position.leather),
        *(text(x, y, number, look.figures, theme.ink) for number, (x, y) in look.numbers.items()),
        *_tokens(position, look, theme),
    )


def _tokens(position: Position, look: Look, theme: Theme) -> list[str]:
    """Returns both tokens, the upper one last: if they share a space, that of ``turn`` (T2)."""
    spread = 8 if position.players[0].time == position.players[1].time else 0
    tokens = []
    for seat, shift in ((1 - position.turn, spread), (position.turn, -spread)):
        x, y = look.spaces[position.players[seat].time]
        tokens.append(use(token(seat, position.edition), theme, x + shift, y + shift, 1.3))
    return tokens
