"""The three kinds of move, why a move can be refused, and where a patch fits.

Creating a move does not validate it; ``Position.play`` does.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from patchwork.rules.patches import PATCHES, Patch
from patchwork.rules.quilt import CELLS, cells, mask, places

MOST_LEGAL_MOVES: Final = 1345
"""No position has more: an advance, and on an empty quilt 448 places for each of three patches."""


@dataclass(frozen=True, slots=True)
class Advance:
    """Move the time token directly in front of the other one and receive buttons (A1 to A3)."""

    def __str__(self) -> str:
        return _format(self)


@dataclass(frozen=True, slots=True)
class Buy:
    """Take a patch from the offer, pay for it and place it (B1 to B5)."""

    patch: int
    """Id of the patch."""
    cells: int
    """The spaces it will cover, as a mask."""

    def __str__(self) -> str:
        return _format(self)


@dataclass(frozen=True, slots=True)
class Leather:
    """Place the leather patch just taken (M2)."""

    cell: int
    """The space it will cover: 9 * row + column."""

    def __str__(self) -> str:
        return _format(self)


Move = Advance | Buy | Leather


def _format(move: Move) -> str:
    from patchwork.notation.moves import format_move

    return format_move(move)


class Reason(StrEnum):
    """Why a move is refused; if several reasons apply, the first in this list is given."""

    GAME_OVER = "game-over"
    NOT_IN_THIS_PHASE = "not-in-this-phase"
    NOT_ON_OFFER = "not-on-offer"
    CANNOT_AFFORD = "cannot-afford"
    OFF_THE_BOARD = "off-the-board"
    NOT_THAT_SHAPE = "not-that-shape"
    OVERLAPS = "overlaps"
    CELL_TAKEN = "cell-taken"


class IllegalMove(ValueError):
    """A move that the position does not allow; the position is unchanged."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.detail} ({self.reason})"


ADVANCE = Advance()
LEATHERS = tuple(Leather(cell) for cell in range(CELLS))


@dataclass(frozen=True, slots=True)
class _Orientation:
    """One orientation of a patch, prepared to test all its places at once."""

    offsets: tuple[int, ...]
    """Its spaces when it lies in the top-left corner."""
    anchors: int
    """Mask of the spaces where its top-left corner may lie on an empty quilt."""
    purchases: dict[int, Buy]
    """The move for each anchor, keyed by the anchor's bit, in ascending order."""


def _orientation(patch: Patch, shape: tuple[str, ...]) -> _Orientation:
    purchases = {1 << corner: Buy(patch.id, place) for corner, place in places(shape).items()}
    return _Orientation(tuple(cells(mask(shape))), sum(purchases), purchases)


_ORIENTATIONS = tuple(
    tuple(_orientation(patch, shape) for shape in patch.orientations) for patch in PATCHES
)


def purchases(patch: int, quilt: int) -> list[Buy]:
    """Returns the purchases of a patch that fit a quilt, in the order of ``Patch.placements`` (B4).

    Shifting the quilt right by one offset of the shape marks the anchors at which that part of the
    shape would overlap; all offsets together mark every blocked anchor.
    """
    found = []
    for orientation in _ORIENTATIONS[patch]:
        blocked = 0
        for offset in orientation.offsets:
            blocked |= quilt >> offset
        free = orientation.anchors & ~blocked
        while free:
            anchor = free & -free
            found.append(orientation.purchases[anchor])
            free ^= anchor
    return found
