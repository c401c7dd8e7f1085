"""What pairs of games say about strength: Elo with a confidence interval, and who is better.

Games are played in pairs from one circle with seats swapped. Since the two games of a pair are not
independent, the pair is the unit of observation. No game is drawn, so a pair is won 2-0, split 1-1
or lost 0-2.

Everything here follows from one function of these three counts: the log-likelihood of a true score,
maximised over the probabilities of the outcomes that add up to that score. Unlike a variance
estimated from few pairs, it remains meaningful if all pairs ended alike.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import erf, inf, log, log10, sqrt
from typing import Final

QUANTILE: Final = 1.959964
"""95 % of a normal distribution lie within this many standard deviations."""
_LIKELY = QUANTILE**2 / 2
"""How far below the maximum the log-likelihood may be within a 95 % interval (Wilks' theorem)."""
SCALE: Final = 400
"""Points of Elo by which odds of 10 to 1 differ, by definition."""
_HALVINGS = 60
"""Bisections that narrow the interval from 0 to 1 down to the precision of a float."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """How many pairs of games a player has lost 0-2, split 1-1 and won 2-0.

    Raises:
        ValueError: a count is negative.
    """

    lost: int = 0
    split: int = 0
    won: int = 0

    def __post_init__(self) -> None:
        if min(self.lost, self.split, self.won) < 0:
            raise ValueError(f"the numbers of pairs must not be negative: {self}")

    @property
    def count(self) -> int:
        """The number of pairs."""
        return self.lost + self.split + self.won

    @property
    def wins(self) -> int:
        """The number of games won."""
        return self.split + 2 * self.won

    @property
    def losses(self) -> int:
        """The number of games lost."""
        return self.split + 2 * self.lost

    @property
    def score(self) -> float:
        """The share of games won; a half if there are none."""
        return self.wins / (2 * self.count) if self.count else 0.5

    def reversed(self) -> "Pairs":
        """Returns the same pairs from the other player's point of view."""
        return Pairs(self.won, self.split, self.lost)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A difference in Elo and its 95 % confidence interval, which may be unbounded."""

    elo: float
    low: float
    high: float


def elo(score: float) -> float:
    """Returns the difference in Elo at which this score, from 0 to 1, is expected."""
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return SCALE * log10(score / (1 - score))


def expected_score(difference: float) -> float:
    """Returns the score expected of a player that is better by a difference in Elo."""
    return 1 / (1 + 10 ** (-difference / SCALE))


def log_likelihood(pairs: Pairs, score: float) -> float:
    """Returns the log-likelihood of a true score, given the pairs.

    Among the probabilities of winning, splitting and losing a pair that add up to that score, it
    takes those that explain the pairs best. If pairs are won with probability ``w``, they are split
    with ``2 (score - w)`` and lost with ``1 - 2 score + w``; the best ``w`` is the larger root of a
    quadratic equation.
    """
    total, slack = pairs.count, 1 - 2 * score
    if total == 0:
        return 0.0
    linear = pairs.won * (score - slack) - pairs.split * slack + pairs.lost * score
    root = sqrt(max(0.0, linear**2 + 4 * total * pairs.won * score * slack))
    won = min(max((linear + root) / (2 * total), -slack, 0.0), score)
    return (
        _weighted_log(pairs.won, won)
        + _weighted_log(pairs.split, 2 * (score - won))
        + _weighted_log(pairs.lost, slack + won)
    )


def estimate(pairs: Pairs) -> Estimate:
    """Returns the difference in Elo that pairs show, with its 95 % confidence interval.

    The interval consists of the scores that are not much less likely than the one observed.
    """
    best = pairs.score
    least = log_likelihood(pairs, best) - _LIKELY

    def likely(score: float) -> bool:
        return log_likelihood(pairs, score) >= least

    return Estimate(
        elo(best) if pairs.count else 0.0,
        elo(_edge(likely, best, 0.0)),
        elo(_edge(likely, best, 1.0)),
    )


def superiority(pairs: Pairs) -> float:
    """Returns the likelihood of superiority: of the player being the better one, from 0 to 1."""
    gain = log_likelihood(pairs, pairs.score) - log_likelihood(pairs, 0.5)
    deviations = sqrt(2 * max(0.0, gain))
    return (1 + erf((deviations if pairs.score > 0.5 else -deviations) / sqrt(2))) / 2


def _edge(likely: Callable[[float], bool], inside: float, outside: float) -> float:
    """Returns where, between inside and outside, scores cease to be likely."""
    if likely(outside):
        return outside
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if likely(middle):
            inside = middle
        else:
            outside = middle
    return inside


def _weighted_log(count: int, share: float) -> float:
    if count == 0:
        return 0.0
    return count * log(share) if share > 0 else -inf
