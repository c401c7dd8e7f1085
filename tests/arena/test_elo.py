"""Elo from pairs: published values, an independent computation, and properties."""

from math import erf, exp, inf, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchwork.arena.elo import (
    Estimate,
    Pairs,
    elo,
    estimate,
    expected_score,
    log_likelihood,
    superiority,
)

counts = st.integers(0, 300)
some_pairs = st.builds(Pairs, counts, counts, counts).filter(lambda pairs: pairs.count > 0)
scores = st.floats(0.02, 0.98)


@pytest.mark.parametrize(
    ("score", "difference"),
    [(0.5, 0.0), (0.75, 190.85), (0.25, -190.85), (0.64, 99.95), (0.76, 200.24), (10 / 11, 400.0)],
)
def test_elo_of_scores(score: float, difference: float) -> None:
    # Two figures of the tables of the chess federations: 0.64 is 100 points, 0.76 is 200.
    assert elo(score) == pytest.approx(difference, abs=0.005)
    assert expected_score(difference) == pytest.approx(score, abs=1e-4)


def test_the_elo_of_a_clean_sweep_is_infinite() -> None:
    assert elo(0) == -inf
    assert elo(1) == inf


@given(scores)
def test_elo_and_expected_score_are_inverse_and_antisymmetric(score: float) -> None:
    assert expected_score(elo(score)) == pytest.approx(score)
    assert elo(1 - score) == pytest.approx(-elo(score), abs=1e-9)


def test_counts() -> None:
    pairs = Pairs(lost=1, split=5, won=4)
    assert (pairs.count, pairs.wins, pairs.losses, pairs.score) == (10, 13, 7, 0.65)
    assert pairs.reversed() == Pairs(4, 5, 1)
    with pytest.raises(ValueError, match="must not be negative"):
        Pairs(-1, 0, 0)


def slow_log_likelihood(pairs: Pairs, score: float) -> float:
    """By Lagrange's multipliers instead of a quadratic: bisects for the multiplier.

    The best shares with a given mean are p / (1 + x (a - score)), where p are the shares observed,
    a the scores of the outcomes, and x is such that the mean is right (Van den Bergh).
    """
    observed = [(count / pairs.count, value) for count, value in _outcomes(pairs) if count]
    values = [value for _, value in observed]
    if not min(values) < score < max(values):
        return -inf
    low = -1 / (max(values) - score)
    high = 1 / (score - min(values))
    for _ in range(200):
        middle = (low + high) / 2
        if sum(p * (a - score) / (1 + middle * (a - score)) for p, a in observed) > 0:
            low = middle
        else:
            high = middle
    return pairs.count * sum(p * log(p / (1 + low * (a - score))) for p, a in observed)


def _outcomes(pairs: Pairs) -> list[tuple[int, float]]:
    return [(pairs.lost, 0.0), (pairs.split, 0.5), (pairs.won, 1.0)]


@given(some_pairs.filter(lambda pairs: pairs.lost > 0 and pairs.won > 0), scores)
def test_the_likelihood_agrees_with_an_independent_computation(pairs: Pairs, score: float) -> None:
    expected = slow_log_likelihood(pairs, score)
    assert log_likelihood(pairs, score) == pytest.approx(expected, rel=1e-7, abs=1e-7)


@given(st.builds(Pairs, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), scores)
def test_no_other_probabilities_with_that_mean_are_likelier(pairs: Pairs, score: float) -> None:
    best = log_likelihood(pairs, score)
    least, most = max(0.0, 2 * score - 1), score
    for step in range(1, 100):
        won = least + (most - least) * step / 100
        shares = (1 - 2 * score + won, 2 * (score - won), won)
        found = sum(
            count * log(share)
            for (count, _), share in zip(_outcomes(pairs), shares, strict=True)
            if count
        )
        assert found <= best + 1e-9


def test_clean_sweeps_by_hand() -> None:
    # All pairs won: the likeliest distribution of mean s wins a share s of the pairs.
    pairs = Pairs(won=100)
    assert log_likelihood(pairs, 0.9) == pytest.approx(100 * log(0.9))
    found = estimate(pairs)
    assert found.elo == found.high == inf
    assert found.low == pytest.approx(elo(exp(-(1.959964**2) / 2 / 100)))
    # All pairs split: of mean s below a half, at most a share 2 s is split.
    found = estimate(Pairs(split=3))
    assert found.elo == 0
    assert found.low == pytest.approx(elo(0.5 * exp(-(1.959964**2) / 2 / 3)))
    assert found.high == pytest.approx(-found.low)


def test_no_pairs_say_nothing() -> None:
    assert estimate(Pairs()) == Estimate(0.0, -inf, inf)
    assert superiority(Pairs()) == 0.5


def test_many_pairs_agree_with_the_normal_distribution() -> None:
    pairs = Pairs(lost=1000, split=2500, won=1500)
    mean = 0.55
    variance = (1000 * mean**2 + 2500 * (0.5 - mean) ** 2 + 1500 * (1 - mean) ** 2) / 5000
    deviation = sqrt(variance / 5000)
    found = estimate(pairs)
    assert found.elo == pytest.approx(34.86, abs=0.01)
    assert found.low == pytest.approx(elo(mean - 1.96 * deviation), abs=0.1)
    assert found.high == pytest.approx(elo(mean + 1.96 * deviation), abs=0.1)
    assert superiority(Pairs(1240, 2480, 1280)) == pytest.approx(
        (1 + erf(0.004 / sqrt(0.12598 / 5000) / sqrt(2))) / 2, abs=1e-3
    )


def test_split_pairs_make_the_interval_narrower() -> None:
    """The same score says less if the games of a pair have the same winner."""
    alike, opposed = estimate(Pairs(40, 0, 60)), estimate(Pairs(0, 80, 20))
    assert alike.elo == opposed.elo
    assert opposed.high - opposed.low < (alike.high - alike.low) / 2


@given(some_pairs)
def test_the_opponents_view_is_the_opposite(pairs: Pairs) -> None:
    ours, theirs = estimate(pairs), estimate(pairs.reversed())
    assert theirs.elo == pytest.approx(-ours.elo)
    assert theirs.low == pytest.approx(-ours.high, abs=1e-6)
    assert theirs.high == pytest.approx(-ours.low, abs=1e-6)
    assert superiority(pairs) + superiority(pairs.reversed()) == pytest.approx(1)


@given(some_pairs)
def test_the_interval_contains_the_estimate_and_winning_raises_it(pairs: Pairs) -> None:
    before = estimate(pairs)
    assert before.low <= before.elo <= before.high
    after = estimate(Pairs(pairs.lost, pairs.split, pairs.won + 1))
    assert after.elo >= before.elo
    assert superiority(Pairs(pairs.lost, pairs.split, pairs.won + 1)) >= superiority(pairs) - 1e-12


@given(some_pairs.filter(lambda pairs: pairs.lost > 0 and pairs.won > 0))
def test_more_of_the_same_narrows_the_interval(pairs: Pairs) -> None:
    once = estimate(pairs)
    twice = estimate(Pairs(2 * pairs.lost, 2 * pairs.split, 2 * pairs.won))
    assert twice.elo == pytest.approx(once.elo, abs=1e-9)
    assert twice.high - twice.low < once.high - once.low
