"""The circle of patches: a closed track with the neutral token and the offer at its top."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, pi, sin

from patchwork.render.cloth.patches import swatch
from patchwork.render.markup import group, rectangle, use
from patchwork.render.sheet import MARGIN
from patchwork.render.tags import label, label_width, tag
from patchwork.render.theme import Theme
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Position

OFFERED = 3
OVER, UNDER = 55, 40
"""How far the things on a track extend beyond its upper edge, and beyond the other three."""
LARGE_CARD = 1.5
"""Scale of the offer when the circle is drawn alone, with nothing in its middle."""
_GAP = 9
_TOKEN = 42
"""Side of the square reserved for the neutral token."""
_LARGEST = 17
"""Side of a space of a patch, if there is room."""
_FIGURES = 12.5
"""Height of the figures on a label."""
_LABEL = 1.24 * _FIGURES
_OFFER = 21
"""Side of a space of a patch on offer."""
CARD = (118, 108)
"""Width and height of the card under a patch on offer; the largest is five spaces by three."""


@dataclass(frozen=True, slots=True)
class Track:
    """A rectangle with rounded corners, centred on the origin and followed clockwise."""

    width: float
    height: float
    radius: float

    @property
    def length(self) -> float:
        """Its circumference."""
        return 2 * (self.width + self.height) - (8 - 2 * pi) * self.radius

    def spot(self, way: float) -> tuple[float, float, float]:
        """Returns x, y and the direction in radians at a distance from the middle of the top."""
        r, bend = self.radius, pi * self.radius / 2
        way = (way + self.width / 2 - r) % self.length
        turns, along, across = 0, self.width, self.height
        while way > along - 2 * r + bend and turns < 3:
            way -= along - 2 * r + bend
            turns, along, across = turns + 1, across, along
        straight = along - 2 * r
        # Compute the point as if it lay on the upper side, then rotate it into place.
        angle = max(way - straight, 0) / r
        x = min(way, straight) - straight / 2 + r * sin(angle)
        y = r - across / 2 - r * cos(angle)
        for _ in range(turns):
            x, y = -y, x
        return x, y, angle + turns * pi / 2


@dataclass(frozen=True, slots=True)
class _Item:
    """Something that lies on the track: a patch, or the neutral token."""

    patch: int | None
    cell: float
    width: float
    height: float

    def extent(self, direction: float) -> float:
        """Returns the length of track it occupies where the track runs in a direction."""
        return abs(cos(direction)) * self.width + abs(sin(direction)) * self.height


def _items(circle: tuple[int, ...], cell: float, card: float) -> Iterator[_Item]:
    yield _Item(None, 0, _TOKEN, _TOKEN)
    for patch in circle[:OFFERED]:
        yield _Item(patch, _OFFER, card * CARD[0], card * CARD[1])
    for patch in circle[OFFERED:]:
        rows = PATCHES[patch].rows
        width = max(len(rows[0]) * cell, label_width(patch, _FIGURES))
        yield _Item(patch, cell, width, len(rows) * cell + _LABEL)


def _walk(items: list[_Item], track: Track, spare: float) -> tuple[list[float], float]:
    """Returns the distance along the track of each item's middle, and the length of them all.

    The neutral token and the offer stay together; the others share the spare length.
    """
    front = OFFERED + 1
    more = spare / max(len(items) - front, 1)
    way = start = -sum(item.width + _GAP for item in items[:front]) / 2
    middles = []
    for place, item in enumerate(items):
        gap = _GAP + (more if place >= front else 0)
        guess = way + (item.width + gap) / 2
        half = (item.extent(track.spot(guess)[2]) + gap) / 2
        middles.append(way + half)
        way += 2 * half
    return middles, way - start


def track_for(circle: tuple[int, ...], card: float) -> Track:
    """Returns the shortest track that holds the patches of a circle at full size."""
    items = list(_items(circle, _LARGEST, card))
    front = sum(item.width + _GAP for item in items[: OFFERED + 1])
    height = 260.0
    while True:
        radius = 0.4 * height
        track = Track(max(1.4 * height, front + 2 * radius), height, radius)
        if _walk(items, track, 0)[1] <= track.length:
            return track
        height += 4


def around(track: Track) -> tuple[float, float]:
    """Returns the width and height of a page that holds a track and everything on it."""
    return (
        track.width + 2 * (UNDER + MARGIN),
        track.height + OVER + UNDER + 2 * MARGIN,
    )


def _laid(circle: tuple[int, ...], track: Track, card: float) -> list[tuple[_Item, float, float]]:
    """Returns everything on a track, with the coordinates of its middle."""
    cell = float(_LARGEST)
    items = list(_items(circle, cell, card))
    while _walk(items, track, 0)[1] > track.length:
        cell -= 0.25
        items = list(_items(circle, cell, card))
    spare = track.length - _walk(items, track, 0)[1]
    # An item that moves round a bend occupies a different length than before.
    while spare > 0 and _walk(items, track, spare)[1] > track.length:
        spare -= 2
    middles, _ = _walk(items, track, spare)
    spots = [track.spot(middle) for middle in middles]
    return [(item, x, y) for item, (x, y, _) in zip(items, spots, strict=True)]


def below_cards(circle: tuple[int, ...], track: Track, card: float) -> list[tuple[float, float]]:
    """Returns the middle of the lower edge of each card of the offer."""
    laid = _laid(circle, track, card)[1 : OFFERED + 1]
    return [(x, y + (card - 0.5) * CARD[1]) for _, x, y in laid]


def patch_circle(position: Position, track: Track, theme: Theme, card: float = 1) -> str:
    """Returns the patches left, clockwise from the neutral token, centred on the origin.

    Args:
        position: the position.
        track: what the patches lie on; if it is short, they are drawn smaller.
        theme: the colours.
        card: scale of the offer, which grows towards the middle.
    """
    thread = rectangle(
        -track.width / 2,
        -track.height / 2,
        track.width,
        track.height,
        track.radius,
        f'fill="none" stroke="{theme.highlight}" stroke-width="1.6" stroke-dasharray="7 5"'
        ' stroke-linecap="round"',
    )
    drawn = []
    for place, (item, x, y) in enumerate(_laid(position.circle, track, card)):
        if item.patch is None:
            drawn.append(use("neutral", theme, x, y, 1.7))
        elif place <= OFFERED:
            down = (card - 1) * CARD[1] / 2
            drawn.append(group(x, y + down, card, _card(item.patch, position.phase, theme)))
        else:
            drawn.append(group(x, y, 1, _labelled(item.patch, item, theme)))
    return thread + "".join(drawn)


def _card(patch: int, phase: Phase, theme: Theme) -> str:
    width, height = CARD
    fill, edge, thick = (
        (theme.panel, theme.line, 1.5)
        if phase is Phase.OVER  # nothing can be bought any more
        else (theme.active, theme.highlight, 2.4)
    )
    style = f'fill="{fill}" stroke="{edge}" stroke-width="{thick}"'
    return (
        rectangle(-width / 2, -height / 2, width, height, 10, style)
        + group(0, -14, 1, swatch(patch, _OFFER, theme))
        + group(0, height / 2 - 18, 1, tag(patch, 19, theme))
    )


def _labelled(patch: int, item: _Item, theme: Theme) -> str:
    return group(0, -_LABEL / 2, 1, swatch(patch, item.cell, theme)) + group(
        0, (item.height - _LABEL) / 2 + 1, 1, label(patch, _FIGURES, theme)
    )
