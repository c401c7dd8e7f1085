"""The server's time goes on evenly, and what stops it is noticed."""

import asyncio
import logging
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchwork.server.game import clocks
from patchwork.server.game.clocks import Pauses, Timekeeper
from patchwork.server.game.terms import SECOND

NOON = 1_800_000_000.0


class Times:
    """Those of a machine: the time of day, and seconds that pass evenly."""

    def __init__(self) -> None:
        self.passed = 500.0
        self.put = 0.0
        """By how much the time of day was put forward."""

    def wall(self) -> float:
        return NOON + self.put + self.passed

    def steady(self) -> float:
        return self.passed

    def keeper(self) -> Timekeeper:
        return Timekeeper(self.wall, self.steady)


def watched(times: Times, keeper: Timekeeper, seconds: float) -> None:
    """Lets time pass while the process goes on."""
    end = times.passed + seconds
    while times.passed < end:
        times.passed = min(end, times.passed + 0.25)
        keeper.check()


def paused(keeper: Timekeeper) -> int:
    """All pauses since the server started."""
    began = round((NOON + 500) * SECOND)
    return keeper.pauses.between(began, 2**63)


def test_time_is_that_of_the_machine_and_goes_on() -> None:
    times = Times()
    keeper = times.keeper()
    assert keeper.now() == (NOON + 500) * SECOND
    watched(times, keeper, 100)
    assert keeper.now() == (NOON + 600) * SECOND
    assert paused(keeper) == 0


@pytest.mark.parametrize(("put", "word"), [(3600, "forward"), (-3600, "back"), (2, "forward")])
def test_a_clock_that_is_put_forward_or_back_is_noted_once_and_changes_nothing(
    put: float, word: str, caplog: pytest.LogCaptureFixture
) -> None:
    times = Times()
    keeper = times.keeper()
    watched(times, keeper, 10)
    times.put = put
    watched(times, keeper, 2)
    assert [f"{word} by {abs(put):.1f} s" in entry for entry in caplog.messages] == [True]
    times.put = 0
    watched(times, keeper, 10)
    assert len(caplog.messages) == 2
    assert keeper.now() == (NOON + 522) * SECOND
    assert paused(keeper) == 0


def test_small_corrections_are_not_worth_a_word(caplog: pytest.LogCaptureFixture) -> None:
    times = Times()
    keeper = times.keeper()
    times.put = 0.5
    watched(times, keeper, 10)
    assert caplog.messages == []


@pytest.mark.parametrize("first", ["now", "check"])
def test_a_pause_is_noticed_by_whoever_asks_first(
    first: str, caplog: pytest.LogCaptureFixture
) -> None:
    times = Times()
    keeper = times.keeper()
    watched(times, keeper, 10)
    times.passed += 20
    getattr(keeper, first)()
    assert paused(keeper) == 20 * SECOND
    assert ["was stopped for 20.0 s" in entry for entry in caplog.messages] == [True]
    watched(times, keeper, 10)
    assert paused(keeper) == 20 * SECOND
    assert keeper.now() == (NOON + 540) * SECOND, "the time of day goes on"
    assert caplog.records[0].levelno == logging.WARNING


def test_a_short_delay_is_no_pause() -> None:
    times = Times()
    keeper = times.keeper()
    for _ in range(100):
        times.passed += 0.9
        keeper.check()
    assert paused(keeper) == 0


def test_before_anybody_watches_there_are_no_pauses() -> None:
    times = Times()
    keeper = times.keeper()
    times.passed += 100
    keeper.now()
    assert paused(keeper) == 0


def test_it_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clocks, "_CHECK_SECONDS", 0.0)
    times = Times()

    async def main() -> None:
        keeper = times.keeper()
        watching = asyncio.create_task(keeper.watch())
        await asyncio.sleep(0)
        times.passed += 7
        async with asyncio.timeout(60):
            while not paused(keeper):
                await asyncio.sleep(0)
        watching.cancel()
        assert paused(keeper) == 7 * SECOND

    asyncio.run(main())


def test_the_clock_of_the_machine_is_the_one_it_seems() -> None:
    before = time.time()
    assert before - 1 <= Timekeeper().now() / SECOND <= time.time() + 1


# Pauses


def test_before_the_server_started_no_clock_ran() -> None:
    pauses = Pauses(1000)
    assert pauses.between(0, 500) == 500
    assert pauses.between(400, 3000) == 600
    assert pauses.between(1000, 3000) == 0
    assert Pauses().between(0, 3000) == 0


@given(
    st.lists(st.integers(0, 60), min_size=2, max_size=20, unique=True),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_pauses_are_counted_by_the_moment(moments: list[int], start: int, end: int) -> None:
    chosen = list(pairwise(sorted(moments)))[::2]
    pauses = Pauses()
    for pause in chosen:
        pauses.add(*pause)
    stood = {moment for begun, over in chosen for moment in range(begun, over)}
    assert pauses.between(start, end) == len(stood & set(range(start, end)))


def test_pauses_take_no_more_and_more_memory() -> None:
    pauses = Pauses()
    for number in range(10_000):
        pauses.add(2 * number, 2 * number + 1)
    assert pauses.between(19_000, 2**63) == 500
    assert pauses.between(0, 2**63) == clocks._KEPT_PAUSES
