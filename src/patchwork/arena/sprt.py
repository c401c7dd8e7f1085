"""The sequential probability ratio test (SPRT): when a match has shown enough to be stopped.

After every pair, two hypotheses about the difference in Elo are compared. The ratio of their
likelihoods says which one explains the pairs better, each with the probabilities of winning and
splitting a pair that suit it best (Van den Bergh's generalised test, used to test chess engines).
"""

from dataclasses import dataclass
from enum import StrEnum
from math import log

from patchwork.arena.elo import Pairs, expected_score, log_likelihood

ERROR = 0.05
"""The probability of either mistake: accepting what is false, rejecting what is true."""
BOUND = log((1 - ERROR) / ERROR)
"""The log-likelihood ratio at which the test ends, either way: 2.944."""


class Verdict(StrEnum):
    """The result of the test so far."""

    ACCEPTED = "accepted"
    """The difference is the higher one, or more."""
    REJECTED = "rejected"
    """The difference is the lower one, or less."""
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of whether a player is better by ``high`` Elo rather than by ``low``.

    Raises:
        ValueError: ``low`` is not below ``high``.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(
                f"the lower bound must be below the upper one: {self.low}, {self.high}"
            )

    def ratio(self, pairs: Pairs) -> float:
        """Returns the log-likelihood ratio; it is positive if ``high`` is the likelier one."""
        return log_likelihood(pairs, expected_score(self.high)) - log_likelihood(
            pairs, expected_score(self.low)
        )

    def verdict(self, pairs: Pairs) -> Verdict:
        """Returns the result of the test after some pairs."""
        ratio = self.ratio(pairs)
        if ratio >= BOUND:
            return Verdict.ACCEPTED
        return Verdict.REJECTED if ratio <= -BOUND else Verdict.UNDECIDED
