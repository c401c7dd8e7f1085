"""What each patch on offer is worth, drawn over the circle."""

from collections.abc import Mapping

from patchwork.render.circle import (
    CARD,
    LARGE_CARD,
    OVER,
    around,
    below_cards,
    patch_circle,
    track_for,
)
from patchwork.render.icons import token
from patchwork.render.markup import group, rectangle, text, use
from patchwork.render.overlays.figures import LINE, Worth, in_words, signed, worth_line
from patchwork.render.sheet import MARGIN, page
from patchwork.render.theme import LIGHT, Theme
from patchwork.rules.position import Position

_CARD_WIDTH = CARD[0] * LARGE_CARD


def values(
    position: Position, bought: Mapping[int, Worth], advance: Worth, *, theme: Theme = LIGHT
) -> str:
    """Returns the circle with what each patch on offer is worth, compared with an advance.

    Under each patch stands how much it improves the probability of winning and the expected lead
    over an advance; what the advance itself is worth stands below the offer. The best choice has a
    thick frame.

    Args:
        position: the position.
        bought: what buying each patch is worth; patches left out cannot be bought.
        advance: what an advance is worth.
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
    parts, told = [patch_circle(position, track, theme, LARGE_CARD)], []
    spots = below_cards(position.circle, track, LARGE_CARD)
    for patch, (x, y) in zip(position.offer, spots, strict=True):
        if patch not in bought:
            continue
        gain, points = bought[patch].win - advance.win, bought[patch].margin - advance.margin
        figures = f"{signed(100 * gain)}%", signed(points)
        parts.append(group(x, y + 6 + LINE / 2, 1, _pill(figures, bought[patch] == best, theme)))
        told.append(f"patch {patch} {figures[0]} to win and {figures[1]} points")
    below = max((y for _, y in spots), default=0.0) + 2 * LINE + 16
    token_name = token(position.turn, position.edition)
    parts.append(group(0, below, 1, _advance(token_name, advance, advance == best, theme)))
    drawing = group(width / 2, MARGIN + OVER + track.height / 2, 1, *parts)
    label = "; ".join(
        (
            "Patchwork circle of patches with what buying is worth",
            f"advance {in_words(*advance)}",
            *(f"{line} compared with it" for line in told),
        )
    )
    return page(width, height, drawing, theme, label)


def _pill(figures: tuple[str, str], best: bool, theme: Theme) -> str:
    wide = _CARD_WIDTH
    style = _frame(best, theme)
    return (
        rectangle(-wide / 2, -LINE / 2, wide, LINE, LINE / 2, style)
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
        + group(-wide / 2 + 116, 0, 1, worth_line(*worth, theme))
    )
