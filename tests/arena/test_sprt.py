"""The sequential test: its bounds, ratios computed by hand, and how often it errs."""

from math import log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchwork.arena.elo import Pairs, expected_score
from patchwork.arena.sprt import BOUND, Sprt, Verdict

counts = st.integers(0, 300)
any_pairs = st.builds(Pairs, counts, counts, counts)


def test_the_bound_in_the_literature() -> None:
    assert pytest.approx(2.944, abs=5e-4) == BOUND


def test_bounds_in_the_wrong_order_are_refused() -> None:
    for low, high in ((10, 0), (5, 5), (float("nan"), 1)):
        with pytest.raises(ValueError, match="must be below"):
            Sprt(low, high)


def test_ratios_by_hand() -> None:
    # Only won pairs: the ratio of the two expected scores, once for each pair.
    sprt = Sprt(0, 100)
    assert sprt.ratio(Pairs(won=7)) == pytest.approx(7 * log(expected_score(100) / 0.5))
    # Only split pairs: the higher hypothesis allows a share 2 (1 - s) of them, the lower one all.
    assert sprt.ratio(Pairs(split=7)) == pytest.approx(7 * log(2 * (1 - expected_score(100))))
    assert sprt.ratio(Pairs()) == 0


def test_many_pairs_agree_with_the_normal_approximation() -> None:
    pairs, sprt = Pairs(2400, 5000, 2600), Sprt(0, 10)
    low, high, mean = 0.5, expected_score(10), 0.51
    variance = (2400 * mean**2 + 5000 * (0.5 - mean) ** 2 + 2600 * (1 - mean) ** 2) / 10000
    approximation = 10000 * (high - low) * (2 * mean - low - high) / (2 * variance)
    assert sprt.ratio(pairs) == pytest.approx(approximation, rel=0.01)


@given(any_pairs, st.floats(-100, 100), st.floats(1, 100))
def test_the_opponents_view_is_the_opposite(pairs: Pairs, low: float, width: float) -> None:
    ours = Sprt(low, low + width).ratio(pairs)
    theirs = Sprt(-low - width, -low).ratio(pairs.reversed())
    assert ours == pytest.approx(-theirs, abs=1e-6)


@given(any_pairs)
def test_a_won_pair_speaks_for_the_higher_hypothesis(pairs: Pairs) -> None:
    sprt = Sprt(0, 20)
    more = Pairs(pairs.lost, pairs.split, pairs.won + 1)
    assert sprt.ratio(more) >= sprt.ratio(pairs) - 1e-9


def test_verdicts() -> None:
    sprt = Sprt(0, 50)
    assert sprt.verdict(Pairs(won=100)) is Verdict.ACCEPTED
    assert sprt.verdict(Pairs(lost=100)) is Verdict.REJECTED
    assert sprt.verdict(Pairs(3, 3, 3)) is Verdict.UNDECIDED


@pytest.mark.parametrize(("truth", "expected"), [(0, Verdict.REJECTED), (60, Verdict.ACCEPTED)])
def test_errors_are_as_rare_as_promised(truth: float, expected: Verdict) -> None:
    """200 matches between players whose difference is known; 5 % may go wrong, 10 % never do."""
    random, sprt = Random(1), Sprt(0, 60)
    score, mistakes = expected_score(truth), 0
    for _ in range(200):
        pairs = Pairs()
        while sprt.verdict(pairs) is Verdict.UNDECIDED:
            wins = (random.random() < score) + (random.random() < score)
            pairs = Pairs(
                pairs.lost + (wins == 0), pairs.split + (wins == 1), pairs.won + (wins == 2)
            )
        mistakes += sprt.verdict(pairs) is not expected
    assert mistakes <= 20
