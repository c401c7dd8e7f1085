"""Rate limits hold for every sequence of requests, with bounded memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchwork.server.ops import limits
from patchwork.server.ops.limits import ConcurrencyLimiter, Limiter, address_key


def test_a_burst_is_allowed_and_then_a_steady_rate() -> None:
    limiter = Limiter(3, 30)
    assert [limiter.allow("a", 0) for _ in range(5)] == [True, True, True, False, False]
    assert limiter.wait("a", 0) == pytest.approx(10, abs=1)
    assert not limiter.allow("a", 8)
    assert limiter.allow("a", 10)
    assert not limiter.allow("a", 10)
    assert [limiter.allow("a", 100) for _ in range(4)] == [True, True, True, False]


def test_keys_have_limits_of_their_own() -> None:
    limiter = Limiter(1, 60)
    assert limiter.allow("a", 0)
    assert limiter.allow("b", 0)
    assert not limiter.allow("a", 0)


def test_zero_means_no_limit() -> None:
    limiter = Limiter(0, 60)
    assert all(limiter.allow("a", 0) for _ in range(1000))
    assert limiter.wait("a", 0) == 0
    assert len(limiter) == 0


def test_an_allowance_that_is_given_back_does_not_count() -> None:
    limiter = Limiter(2, 10)
    for _ in range(10):
        assert limiter.allow("a", 0)
        limiter.give_back("a")
    assert [limiter.allow("a", 0) for _ in range(3)] == [True, True, False]
    limiter.give_back("a")
    limiter.give_back("b")
    assert [limiter.allow("a", 0) for _ in range(2)] == [True, False]


def test_refused_requests_do_not_count() -> None:
    limiter = Limiter(1, 10)
    assert limiter.allow("a", 0)
    assert not any(limiter.allow("a", moment / 10) for moment in range(1, 50))
    assert limiter.allow("a", 10)


def test_a_request_is_allowed_after_the_announced_wait() -> None:
    limiter = Limiter(7, 20)
    for now in range(50):
        if not limiter.allow("a", now):
            assert limiter.allow("a", now + limiter.wait("a", now) + 1e-9)


def test_a_clock_that_is_set_back_is_harmless() -> None:
    limiter = Limiter(2, 10)
    assert limiter.allow("a", 100)
    assert limiter.allow("a", 50) is False
    assert limiter.allow("a", 101)


def test_old_keys_are_dropped() -> None:
    limiter = Limiter(5, 10)
    for moment in range(1000):
        assert limiter.allow(moment, moment)
    assert len(limiter) <= 11


def test_the_number_of_keys_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_KEYS", 100)
    limiter = Limiter(1, 10)
    for key in range(1000):
        assert limiter.allow(key, 0)
    assert len(limiter) == 100
    assert not limiter.allow(999, 0)


def test_a_costly_request_uses_more_of_the_limit() -> None:
    limiter = Limiter(10, 10)
    assert limiter.allow("a", 0, cost=9)
    assert limiter.allow("a", 0, cost=5), "a request passes as long as any allowance is left"
    assert not limiter.allow("a", 0)
    assert limiter.wait("a", 0) == pytest.approx(5, abs=1)
    assert not limiter.allow("a", 3)
    assert limiter.allow("a", 5)


def test_a_request_that_may_wait_gets_a_delay() -> None:
    limiter = Limiter(2, 2)
    assert [limiter.delay("a", 0, 3) for _ in range(7)] == pytest.approx(
        [0, 0, 1, 2, 3, None, None], abs=0.2
    )
    assert limiter.delay("a", 1.5, 3) == pytest.approx(2.5, abs=0.2)
    assert limiter.delay("b", 0, 3) == 0
    assert Limiter(0, 2).delay("a", 0, 3) == 0


def test_the_concurrency_limiter_counts_holders() -> None:
    limiter = ConcurrencyLimiter(2)
    assert [limiter.acquire("a") for _ in range(3)] == [True, True, False]
    assert limiter.acquire("b")
    assert limiter.total == 3
    limiter.release("a")
    assert limiter.acquire("a")
    assert not limiter.acquire("a")
    for key in "aab":
        limiter.release(key)
    assert limiter.total == 0
    assert all(ConcurrencyLimiter(0).acquire("a") for _ in range(100))


@given(
    count=st.integers(1, 50),
    seconds=st.floats(0.5, 100_000),
    start=st.floats(0, 2e9),
    gaps=st.lists(st.floats(0, 60), max_size=200),
)
def test_no_interval_exceeds_the_limit(
    count: int, seconds: float, start: float, gaps: list[float]
) -> None:
    limiter, now, allowed = Limiter(count, seconds), start, []
    for gap in gaps:
        now += gap
        if limiter.allow("a", now):
            allowed.append(now)
    for first, begin in enumerate(allowed):
        for last, end in enumerate(allowed[first:], 1):
            assert last <= count + (end - begin) * count / seconds + 0.11


@given(count=st.integers(1, 300), seconds=st.floats(0.5, 100_000), start=st.floats(0, 2e9))
def test_a_full_burst_is_allowed(count: int, seconds: float, start: float) -> None:
    limiter = Limiter(count, seconds)
    assert [limiter.allow("a", start) for _ in range(count + 1)] == [True] * count + [False]


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_addresses_are_counted_by_network(host: str, key: str) -> None:
    assert address_key(host) == key
