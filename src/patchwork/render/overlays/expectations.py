"""Who is expected to win, with which scores, and how that changed during a game."""

from collections.abc import Sequence

from patchwork.render.cloth.patches import BOARD
from patchwork.render.icons import token
from patchwork.render.markup import MINUS, group, rectangle, short, text, use
from patchwork.render.overlays.figures import percent
from patchwork.render.sheet import MARGIN, page
from patchwork.render.theme import LIGHT, Theme
from patchwork.rules.timeboard import CLASSIC, Edition

_CHART = (640, 200)
"""Width and height of what a chart shows."""


def prospects(
    win: tuple[float, float],
    scores: tuple[float, float],
    *,
    edition: Edition = CLASSIC,
    theme: Theme = LIGHT,
) -> str:
    """Returns a bar divided by each seat's probability of winning, with both expected scores."""
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
        # The figures of a narrow part do not fit on it; they stand on the other part.
        wide = win[seat] > 0.12
        ink = inks[seat if wide else 1 - seat]
        at = inside if wide else bar + (width - 2 * bar) * (win[0]) + way * 10
        parts.append(text(at, 15, percent(win[seat]), 19, ink, anchor=anchor))
        parts.append(use("star", theme, inside + way * 4, 45, 0.9))
        score = f"{scores[seat]:.1f}".replace("-", MINUS)
        parts.append(text(inside + way * 18, 45, score, 18, theme.ink, anchor=anchor))
    label = "; ".join(
        f"seat {seat}: {percent(win[seat])} to win, {scores[seat]:.1f} points expected"
        for seat in (0, 1)
    )
    drawing = group(MARGIN, MARGIN, 1, *parts)
    return page(width + 2 * MARGIN, height + 6 + 2 * MARGIN, drawing, theme, label)


def course(wins: Sequence[float], *, edition: Edition = CLASSIC, theme: Theme = LIGHT) -> str:
    """Returns a chart of the probability that seat 0 wins, before each move of a game.

    Raises:
        ValueError: there are fewer than two probabilities, or one is not from 0 to 1.
    """
    if len(wins) < 2:
        raise ValueError("a course needs two probabilities or more")
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
        + text(-8, height * part, percent(1 - part), 14, theme.ink, anchor="end")
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
    told = " ".join(percent(win) for win in wins)
    label = f"Probability that seat 0 wins, before each move: {told}"
    return page(width + left + 2 * MARGIN, height + 30 + 2 * MARGIN, drawing, theme, label)


def _check_win(win: tuple[float, float]) -> None:
    if not all(0 <= chance <= 1 for chance in win) or abs(sum(win) - 1) > 1e-6:
        raise ValueError(f"probabilities of winning are from 0 to 1 and sum to 1, not {win}")
