"""What a move is worth, and how the overlays write it: as figures, in words, beside icons."""

from typing import NamedTuple

from patchwork.render.markup import MINUS, text, use
from patchwork.render.theme import Theme

LINE = 34
"""Height of a line of figures below a drawing."""


class Worth(NamedTuple):
    """What a move is worth: the probability of winning, 0 to 1, and the expected lead in points."""

    win: float
    margin: float


def worth_line(win: float, margin: float, theme: Theme) -> str:
    """Returns the probability of winning after a rosette and the expected lead after a star."""
    return (
        use("winner", theme, 0, 0, 0.95)
        + text(18, 0, f"{100 * win:.1f}%", 19, theme.ink, anchor="start")
        + use("star", theme, 116, 0, 0.95)
        + text(132, 0, signed(margin), 19, theme.ink, anchor="start")
    )


def percent(chance: float) -> str:
    """Returns a probability as a whole percentage."""
    return f"{100 * chance:.0f}%"


def signed(number: float) -> str:
    """Returns a number with its sign and one decimal; 0.0 has no sign."""
    written = f"{number:+.1f}"
    return "0.0" if written in ("+0.0", "-0.0") else written.replace("-", MINUS)


def in_words(win: float, margin: float) -> str:
    """Returns what a move is worth in the words of a label."""
    return f"{100 * win:.1f}% to win and {signed(margin)} points"
