"""The setup of a game (S1 to S5): the circle of patches, the edition and who begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from patchwork.rules.patches import PATCHES, SMALLEST
from patchwork.rules.timeboard import CLASSIC, EDITIONS, Edition

if TYPE_CHECKING:
    from patchwork.rules.position import Position

SEEDS = 2**53
"""Seeds are below this, so that JavaScript and JSON represent each of them exactly."""


class SetupError(ValueError):
    """A setup that the rules do not allow."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything decided before the first move.

    Raises:
        SetupError: the circle does not contain the 33 patch ids once each, with the 1 x 2 patch
            last; the edition is unknown; or ``first`` is not a seat.
    """

    circle: tuple[int, ...]
    """Patch ids clockwise, starting with the patch in front of the neutral token."""
    edition: Edition = CLASSIC
    first: int = 0
    """The seat that begins."""

    def __post_init__(self) -> None:
        try:
            circle = tuple(self.circle)
        except TypeError:
            raise SetupError(
                f"circle must be {len(PATCHES)} patch ids, not {self.circle!r}"
            ) from None
        object.__setattr__(self, "circle", circle)
        for patch in circle:
            if type(patch) is not int or not 0 <= patch < len(PATCHES):
                raise SetupError(f"circle holds {patch!r}; patch ids are 0 to {len(PATCHES) - 1}")
            if circle.count(patch) > 1:
                raise SetupError(f"circle holds patch {patch} twice")
        if len(circle) != len(PATCHES):
            raise SetupError(f"circle holds {len(circle)} patches; all {len(PATCHES)} are needed")
        if circle[-1] != SMALLEST:
            raise SetupError(
                f"circle ends with patch {circle[-1]}; the 1 x 2 patch {SMALLEST} must be last"
            )
        if self.edition not in EDITIONS:
            raise SetupError(f"edition is {self.edition!r}; it must be CLASSIC or REVISED")
        if type(self.first) is not int or self.first not in (0, 1):
            raise SetupError(f"first is {self.first!r}; the seats are 0 and 1")

    @classmethod
    def random(cls, seed: int | None = None, edition: Edition = CLASSIC, first: int = 0) -> Setup:
        """Returns a setup with a shuffled circle; the same seed gives the same circle for ever.

        The shuffle does not depend on Python's: it starts with ids 1 to 32 in ascending order; for
        ``i`` from 31 down to 1, it swaps places ``i`` and ``j``, where ``j`` is drawn uniformly
        from 0 to ``i`` by SplitMix64 (see ``_splitmix64`` and ``_below``); id 0 goes last.

        Raises:
            SetupError: ``seed`` is not an integer with 0 <= seed < 2**53.
        """
        if seed is None:
            from secrets import randbelow  # slow to import, and most callers give a seed

            seed = randbelow(SEEDS)
        if type(seed) is not int or not 0 <= seed < SEEDS:
            raise SetupError(f"seed is {seed!r}; seeds are integers from 0 to {SEEDS - 1}")
        numbers = _splitmix64(seed)
        ids = [patch.id for patch in PATCHES if patch.id != SMALLEST]
        for i in range(len(ids) - 1, 0, -1):
            j = _below(i + 1, numbers)
            ids[i], ids[j] = ids[j], ids[i]
        return cls((*ids, SMALLEST), edition, first)

    def start(self) -> Position:
        """Returns the position before the first move."""
        from patchwork.rules.position import Phase, Player, Position

        return Position(
            edition=self.edition,
            turn=self.first,
            phase=Phase.TURN,
            players=(Player(), Player()),
            circle=self.circle,
            leather=self.edition.leather,
        )


_64_BITS = (1 << 64) - 1


def _splitmix64(state: int) -> Iterator[int]:
    """Yields the 64-bit numbers of the SplitMix64 generator (Steele, Lea and Flood, 2014)."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _64_BITS
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _64_BITS
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _64_BITS
        yield z ^ (z >> 31)


def _below(bound: int, numbers: Iterator[int]) -> int:
    """Draws a number below ``bound``, skipping those that would make some results likelier."""
    limit = (1 << 64) - (1 << 64) % bound
    return next(number for number in numbers if number < limit) % bound
