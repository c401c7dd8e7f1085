"""A ladder: many players on one Elo scale.

In the Bradley-Terry model, every player has a strength, and the difference between two strengths
determines the expected score. The ladder has the strengths under which the games are most likely.
Its confidence intervals follow from the variance of the scores of pairs, since the two games of a
pair share a circle and are not independent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np
from numpy.typing import NDArray

from patchwork.arena.elo import QUANTILE, SCALE, Estimate, Pairs

_ELO = SCALE / log(10)
"""Elo points in one unit of log odds."""
_LEAST_WINS = 0.5
"""The least wins that a player is credited with in a pairing: otherwise, a clean sweep would put an
infinite distance between two players."""
_STEP = 2.0
"""The most by which one Newton step changes a strength, in log odds."""
_STEPS = 200
"""Newton steps at most; a few dozen suffice."""
_CONVERGED = 1e-9
"""A change of every strength, in log odds, that is small enough to stop."""
_TINY = 1e-300
"""Avoids a division by zero."""
_PSEUDO_PAIRS = 0.5
"""Pairs added to each outcome, lest a few pairs that all ended alike look certain."""


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """A player and its strength, relative to the anchor's."""

    player: str
    estimate: Estimate


def pairings(players: Sequence[str], neighbours: int | None = None) -> tuple[tuple[str, str], ...]:
    """Returns who plays whom: all players, or only those at most this many places apart.

    Raises:
        ValueError: there are fewer than two players, or one is listed twice.
    """
    if len(players) < 2:
        raise ValueError(f"a ladder needs at least two players, not {len(players)}")
    if len(set(players)) != len(players):
        raise ValueError("a ladder rates each player once, but one is listed twice")
    reach = len(players) if neighbours is None else neighbours
    return tuple(
        (players[first], players[second])
        for first, second in combinations(range(len(players)), 2)
        if second - first <= reach
    )


def ladder(
    players: Sequence[str], results: Mapping[tuple[str, str], Pairs], anchor: str
) -> tuple[RatedPlayer, ...]:
    """Returns all players, strongest first; the anchor's strength is 0.

    Args:
        players: all players.
        results: the pairs of games that two players played, as seen by the first of them.
        anchor: one of the players.

    Raises:
        ValueError: the anchor is not one of the players, or some player is connected to it by no
            chain of results.
    """
    if anchor not in players:
        raise ValueError(f"{anchor} is not one of the players")
    played = {names: pairs for names, pairs in results.items() if pairs.count}
    _check_connected(players, played, anchor)
    others = [player for player in players if player != anchor]
    place = {player: number for number, player in enumerate(others)}
    observed = [
        (
            _direction(names, place),
            max(pairs.wins, _LEAST_WINS),
            max(pairs.losses, _LEAST_WINS),
            pairs,
        )
        for names, pairs in played.items()
    ]
    strengths = np.zeros(len(others))
    for _ in range(_STEPS):
        slope, curvature = np.zeros(len(others)), np.zeros((len(others), len(others)))
        for direction, wins, losses, _pairs in observed:
            expected = 1 / (1 + np.exp(-direction @ strengths))
            slope += direction * (wins - (wins + losses) * expected)
            weight = (wins + losses) * expected * (1 - expected)
            curvature += weight * np.outer(direction, direction)
        step = np.linalg.solve(curvature, slope)
        strengths += step * min(1.0, _STEP / max(np.abs(step).max(), _TINY))
        if np.abs(step).max() < _CONVERGED:
            break
    spread = sum(
        (
            _variance(pairs) * np.outer(direction, direction)
            for direction, _wins, _losses, pairs in observed
        ),
        np.zeros_like(curvature),
    )
    inverse = np.linalg.inv(curvature)
    deviations = np.sqrt(np.diag(inverse @ spread @ inverse))
    ratings = [RatedPlayer(anchor, Estimate(0.0, 0.0, 0.0))]
    for player, number in place.items():
        elo, margin = _ELO * float(strengths[number]), QUANTILE * _ELO * float(deviations[number])
        ratings.append(RatedPlayer(player, Estimate(elo, elo - margin, elo + margin)))
    return tuple(sorted(ratings, key=lambda rated: -rated.estimate.elo))


def _direction(names: tuple[str, str], place: Mapping[str, int]) -> NDArray[np.float64]:
    """Returns the coefficient of each strength in the difference of two; the anchor has none."""
    direction = np.zeros(len(place))
    for name, sign in zip(names, (1, -1), strict=True):
        if name in place:
            direction[place[name]] += sign
    return direction


def _variance(pairs: Pairs) -> float:
    """Returns the variance of the number of games won in all pairs together."""
    shares = [
        (count + _PSEUDO_PAIRS) / (pairs.count + 3 * _PSEUDO_PAIRS)
        for count in (pairs.lost, pairs.split, pairs.won)
    ]
    mean = shares[1] + 2 * shares[2]
    return pairs.count * sum(share * (wins - mean) ** 2 for wins, share in enumerate(shares))


def _check_connected(
    players: Sequence[str], played: Iterable[tuple[str, str]], anchor: str
) -> None:
    reached, waiting = {anchor}, [anchor]
    links = list(played)
    while waiting:
        player = waiting.pop()
        for names in links:
            if player in names:
                found = set(names) - reached
                reached |= found
                waiting += found
    missing = [player for player in players if player not in reached]
    if missing:
        raise ValueError(f"no results connect {', '.join(missing)} with {anchor}")
