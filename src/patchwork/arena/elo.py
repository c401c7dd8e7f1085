"""What paired games say about strength: Elo with an interval, and who is the better player.

Games are played in pairs from one circle with seats swapped, so a pair is the observation and its
two games are not independent. No game is drawn, so a pair is won 2-0, split 1-1 or lost 0-2.

Everything here follows from one function of these three counts: the log-likelihood of a true score,
the shares of the outcomes chosen as favourably as that score allows. Unlike a variance that is
estimated from few pairs, it stays sensible where every pair ended alike.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import erf, inf, log, log10, sqrt

_LIKELY = 1.959964**2 / 2
"""How far below the best log-likelihood a 95 % interval reaches: half the squared quantile."""
_HALVINGS = 60
"""Steps that bring a bisection of the interval from 0 to 1 to the precision of a float."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """How many pairs of games a player lost 0-2, split 1-1 and won 2-0.

    Raises:
        ValueError: a count is negative.
    """

    lost: int = 0
    split: int = 0
    won: int = 0

    def __post_init__(self) -> None:
        if min(self.lost, self.split, self.won) < 0:
            raise ValueError(f"pairs are counted from 0 on, not {self}")

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
        """Returns the same pairs as the other player sees them."""
        return Pairs(self.won, self.split, self.lost)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A difference in Elo and its 95 % confidence interval; ends may be infinite."""

    elo: float
    low: float
    high: float


def elo(score: float) -> float:
    """Returns the difference in Elo at which a player is expected to score this, from 0 to 1."""
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return 400 * log10(score / (1 - score))


def expected_score(difference: float) -> float:
    """Returns the score expected of a player who is better by a difference in Elo."""
    return 1 / (1 + 10 ** (-difference / 400))


def log_likelihood(pairs: Pairs, score: float) -> float:
    """Returns how well a true score explains the pairs: the log of their probability.

    Of the ways in which won, split and lost pairs can add up to that score, the one that explains
    the pairs best is taken. With a share ``w`` of won pairs, ``2 (score - w)`` are split and
    ``1 - 2 score + w`` lost; the best ``w`` is the larger root of a quadratic equation.
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

    The interval holds the scores that are not much less likely than the one observed.
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
    """Returns the likelihood, from 0 to 1, that the player is the better one."""
    gain = log_likelihood(pairs, pairs.score) - log_likelihood(pairs, 0.5)
    deviations = sqrt(2 * max(0.0, gain))
    return (1 + erf((deviations if pairs.score > 0.5 else -deviations) / sqrt(2))) / 2


def _edge(likely: Callable[[float], bool], inside: float, outside: float) -> float:
    """Returns where, on the way from inside to outside, scores stop being likely."""
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
