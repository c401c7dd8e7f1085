"""Labels: what a patch costs in buttons and in time, told apart by more than colour."""

from patchwork.render.markup import rectangle, short, text, use
from patchwork.render.theme import Theme
from patchwork.rules.patches import PATCHES

_DIGIT = 0.64
"""Width of a digit relative to its height, a little more than common bold typefaces need."""


def tag(patch: int, size: float, theme: Theme) -> str:
    """Returns a label with icons, centred on the origin: buttons, then time."""
    figures = str(PATCHES[patch].cost), str(PATCHES[patch].time)
    widths = [_DIGIT * size * len(figure) for figure in figures]
    gap = 0.12 * size
    width = sum(widths) + 2 * size + 8 * gap
    height = 1.3 * size
    drawn = rectangle(
        -width / 2,
        -height / 2,
        width,
        height,
        0.4 * size,
        f'fill="{theme.tag}" stroke="{theme.line}"',
    )
    x = -width / 2 + 1.5 * gap
    for icon, figure, wide in zip(("button", "hourglass"), figures, widths, strict=True):
        drawn += use(icon, theme, x + size / 2, 0, size / 21)
        drawn += text(x + size + gap + wide / 2, 0, figure, size, theme.tag_ink)
        x += size + wide + 4 * gap
    return drawn


def label_width(patch: int, size: float) -> float:
    """Returns the width of a label."""
    return sum(_halves(patch, size))


def _halves(patch: int, size: float) -> tuple[float, float]:
    room = 0.62 * size
    return (
        _DIGIT * size * len(str(PATCHES[patch].cost)) + room,
        _DIGIT * size * len(str(PATCHES[patch].time)) + room,
    )


def label(patch: int, size: float, theme: Theme) -> str:
    """Returns a tag for small patches: buttons on the dark, rounded half, time on the light one."""
    left, right = _halves(patch, size)
    start, height = -(left + right) / 2, 1.24 * size
    seam, r = start + left, height / 2
    dark, light = theme.button, theme.tag
    return (
        rectangle(
            start, -r, left + right, height, 3, f'fill="{light}" stroke="{dark}" stroke-width=".8"'
        )
        + f'<path d="M{short(seam)} {short(-r)}H{short(start + 2)}Q{short(start - 5)} 0'
        f' {short(start + 2)} {short(r)}H{short(seam)}z" fill="{dark}"/>'
        + text(start + left / 2, 0, PATCHES[patch].cost, size, theme.button_ink)
        + text(seam + right / 2, 0, PATCHES[patch].time, size, theme.tag_ink)
    )
