"""The central time board: its spaces, its lines and its two editions (C3, C4)."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

LAST = 53
"""The last space; the first is 0."""

INCOME_LINES = (5, 11, 17, 23, 29, 35, 41, 47, 53)
"""A token crosses line X when it moves from a space before X to X or beyond."""


@dataclass(frozen=True, slots=True)
class Edition:
    """A printing of the time board; editions differ only in where the leather patches are."""

    name: str
    leather: tuple[int, ...]
    """The lines that hold a leather patch at the start, in ascending order."""


CLASSIC = Edition("classic", (20, 26, 32, 44, 50))
REVISED = Edition("revised", (26, 32, 38, 44, 50))
EDITIONS = (CLASSIC, REVISED)
EDITION_BY_NAME: Mapping[str, Edition] = MappingProxyType(
    {edition.name: edition for edition in EDITIONS}
)


def income_lines(start: int, end: int) -> int:
    """Returns how many income lines a token crosses on its way from ``start`` to ``end``."""
    return bisect_right(INCOME_LINES, end) - bisect_right(INCOME_LINES, start)
