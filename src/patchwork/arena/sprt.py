"""The sequential probability ratio test: when a match has said enough to stop.

Two hypotheses about the difference in Elo are compared after every pair. The ratio of their
likelihoods says which explains the pairs better, each with the shares of won and split pairs that
suit it best (the generalised test of Van den Bergh, as used to test chess engines).
"""

from dataclasses import dataclass
from enum import StrEnum
from math import log

from patchwork.arena.elo import Pairs, expected_score, log_likelihood

ERROR = 0.05
"""The probability of either mistake: accepting what is not so, rejecting what is."""
BOUND = log((1 - ERROR) / ERROR)
"""The log-likelihood ratio at which the test ends, either way: 2.944."""


class Verdict(StrEnum):
    """What the test says."""

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
        """Returns the log-likelihood ratio: above 0 if ``high`` explains the pairs better."""
        return log_likelihood(pairs, expected_score(self.high)) - log_likelihood(
            pairs, expected_score(self.low)
        )

    def verdict(self, pairs: Pairs) -> Verdict:
        """Returns what the pairs so far say."""
        ratio = self.ratio(pairs)
        if ratio >= BOUND:
            return Verdict.ACCEPTED
        return Verdict.REJECTED if ratio <= -BOUND else Verdict.UNDECIDED
