"""The terms of a game: everything that is agreed on before it begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import Edition

SECOND = 1000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE
"""All times in the server are whole milliseconds, unless a name says seconds."""

FIRST_MOVE = 2 * MINUTE
"""For the first decision in a live game against a friend, who may still be on the way to the page
when the game begins."""


class Opponent(StrEnum):
    """Against whom a player plays."""

    COMPUTER = "computer"
    SCREEN = "screen"
    """Two people on one screen, who share the identity of one player."""
    FRIEND = "friend"
    """Another player, who joins by a link."""


@dataclass(frozen=True, slots=True)
class Clock:
    """How much time the players have."""

    allowance: int
    """What each has at the start."""
    increment: int = 0
    """What a decision adds."""
    renewed: bool = False
    """Whether a decision restores the whole allowance, as in games with days per move."""

    def after_decision(self, left: int) -> int:
        """Returns the time that a player has after a decision, from the time left before."""
        return self.allowance if self.renewed else left + self.increment

    def __str__(self) -> str:
        if self.renewed:
            return f"{self.allowance // DAY}d"
        return f"{self.allowance // SECOND}+{self.increment // SECOND}"

    @classmethod
    def parse(cls, text: str) -> Clock:
        """Returns the clock that ``str`` writes like this: ``300+5`` in seconds, or ``3d``.

        Raises:
            ValueError: the text is not a clock.
        """
        found = re.fullmatch(r"(?P<days>[0-9]+)d|(?P<start>[0-9]+)\+(?P<increment>[0-9]+)", text)
        if found is None:
            raise ValueError(f"{text!r} is not a clock; clocks look like 300+5 or 3d")
        if found["days"]:
            return cls(int(found["days"]) * DAY, renewed=True)
        return cls(int(found["start"]) * SECOND, int(found["increment"]) * SECOND)


@dataclass(frozen=True, slots=True)
class Terms:
    """What kind of game it is."""

    opponent: Opponent
    edition: Edition
    circle: tuple[int, ...]
    first: int | None
    """The seat that begins; None if the players are asked who last used a needle."""
    clock: Clock | None = None
    computer: int | None = None
    """The computer's seat."""
    level: int | None = None
    """How well the computer plays, 1 to 8."""

    @property
    def grace(self) -> int | None:
        """For how long a seat's clock waits for its first decision; None if it waits for none.

        Only a friend may not know yet that the game has begun: whoever plays against the computer,
        or on one screen, has begun it there. Days are long enough to notice.
        """
        live = self.clock is not None and not self.clock.renewed
        return FIRST_MOVE if live and self.opponent is Opponent.FRIEND else None

    def setup(self, first: int) -> Setup:
        """Returns the set-up once it is known who begins."""
        return Setup(self.circle, self.edition, first)
