"""Ladders: many players on one Elo scale."""

from math import inf

import pytest

from patchwork.arena.elo import Pairs, elo, estimate, expected_score
from patchwork.arena.ladder import ladder, pairings


def strengths(results: dict[tuple[str, str], Pairs], anchor: str = "a") -> dict[str, float]:
    players = sorted({name for names in results for name in names})
    return {rated.player: rated.estimate.elo for rated in ladder(players, results, anchor)}


def test_who_plays_whom() -> None:
    assert pairings("abc") == (("a", "b"), ("a", "c"), ("b", "c"))
    assert pairings("abcd", neighbours=1) == (("a", "b"), ("b", "c"), ("c", "d"))
    assert len(pairings("abcd", neighbours=2)) == 5
    assert pairings("abcd", neighbours=9) == pairings("abcd")
    with pytest.raises(ValueError, match="at least two players"):
        pairings("a")
    with pytest.raises(ValueError, match="one is listed twice"):
        pairings("aba")


def test_two_players_are_rated_as_their_match_says() -> None:
    pairs = Pairs(100, 500, 400)
    best, anchor = ladder(["a", "b"], {("b", "a"): pairs}, "a")
    assert (best.player, anchor.player) == ("b", "a")
    assert (anchor.estimate.elo, anchor.estimate.low, anchor.estimate.high) == (0, 0, 0)
    alone = estimate(pairs)
    assert best.estimate.elo == pytest.approx(alone.elo)
    assert best.estimate.low == pytest.approx(alone.low, abs=1)
    assert best.estimate.high == pytest.approx(alone.high, abs=1)


def test_a_chain_adds_up() -> None:
    found = strengths({("b", "a"): Pairs(100, 200, 700), ("c", "b"): Pairs(200, 200, 600)})
    assert found["b"] == pytest.approx(elo(0.8))
    assert found["c"] == pytest.approx(elo(0.8) + elo(0.7))


def test_known_strengths_are_found_again() -> None:
    truth = {"a": 0.0, "b": 130.0, "c": -75.0, "d": 610.0}
    games = 10**9  # whole pairs of so many games have nearly the expected score
    results = {}
    for names in pairings("abcd"):
        won = round(games * expected_score(truth[names[0]] - truth[names[1]]))
        results[names] = Pairs(lost=games - won, won=won)
    assert strengths(results) == pytest.approx(truth, abs=0.01)
    assert strengths(results, "b") == pytest.approx(
        {p: e - 130 for p, e in truth.items()}, abs=0.01
    )


def test_contradicting_results_have_the_likeliest_ratings() -> None:
    results = {
        ("a", "b"): Pairs(10, 20, 30),
        ("b", "c"): Pairs(12, 9, 40),
        ("c", "a"): Pairs(15, 30, 20),
    }
    found = strengths(results)
    # Where it is likeliest, everybody has won as many games as expected (Zermelo 1929).
    for player in "abc":
        won = expected = 0.0
        for (first, second), pairs in results.items():
            score = 2 * pairs.count * expected_score(found[first] - found[second])
            if player == first:
                won, expected = won + pairs.wins, expected + score
            if player == second:
                won, expected = won + pairs.losses, expected + 2 * pairs.count - score
        assert won == pytest.approx(expected)


def test_a_clean_sweep_stays_finite() -> None:
    results = {("b", "a"): Pairs(won=50), ("c", "b"): Pairs(won=50)}
    for rated in ladder("abc", results, "a"):
        assert -inf < rated.estimate.low <= rated.estimate.elo <= rated.estimate.high < inf
    found = strengths(results)
    assert 600 < found["b"] < 1200
    assert found["c"] == pytest.approx(2 * found["b"])


def test_more_pairs_narrow_the_intervals() -> None:
    few = ladder("ab", {("b", "a"): Pairs(1, 2, 3)}, "a")[0].estimate
    many = ladder("ab", {("b", "a"): Pairs(10, 20, 30)}, "a")[0].estimate
    assert few.elo == pytest.approx(many.elo)
    assert many.high - many.low < (few.high - few.low) / 2


def test_incomparable_players_are_refused() -> None:
    with pytest.raises(ValueError, match="z is not one"):
        ladder("ab", {("a", "b"): Pairs(1, 1, 1)}, "z")
    with pytest.raises(ValueError, match="no results connect c, d with a"):
        ladder(
            "abcd",
            {("a", "b"): Pairs(1, 1, 1), ("c", "d"): Pairs(1, 1, 1), ("a", "c"): Pairs()},
            "a",
        )
