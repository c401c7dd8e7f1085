"""The server's clock is monotonic, and pauses of the process are noticed."""

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


class MachineClocks:
    """The fake clocks of a machine: the time of day, and a steady clock."""

    def __init__(self) -> None:
        self.passed = 500.0
        self.put = 0.0
        """Seconds by which the time of day was put forward."""

    def wall(self) -> float:
        return NOON + self.put + self.passed

    def steady(self) -> float:
        return self.passed

    def keeper(self) -> Timekeeper:
        return Timekeeper(self.wall, self.steady)


def run_for(machine: MachineClocks, keeper: Timekeeper, seconds: float) -> None:
    """Lets time pass while the process keeps checking the clock."""
    end = machine.passed + seconds
    while machine.passed < end:
        machine.passed = min(end, machine.passed + 0.25)
        keeper.check()


def total_pauses(keeper: Timekeeper) -> int:
    """Returns the length of all pauses since the server started."""
    began = round((NOON + 500) * SECOND)
    return keeper.pauses.between(began, 2**63)


def test_the_timekeeper_follows_the_machine() -> None:
    machine = MachineClocks()
    keeper = machine.keeper()
    assert keeper.now() == (NOON + 500) * SECOND
    run_for(machine, keeper, 100)
    assert keeper.now() == (NOON + 600) * SECOND
    assert total_pauses(keeper) == 0


@pytest.mark.parametrize(("put", "word"), [(3600, "forward"), (-3600, "back"), (2, "forward")])
def test_setting_the_machine_clock_is_logged_once_and_changes_nothing(
    put: float, word: str, caplog: pytest.LogCaptureFixture
) -> None:
    machine = MachineClocks()
    keeper = machine.keeper()
    run_for(machine, keeper, 10)
    machine.put = put
    run_for(machine, keeper, 2)
    assert [f"{word} by {abs(put):.1f} s" in entry for entry in caplog.messages] == [True]
    machine.put = 0
    run_for(machine, keeper, 10)
    assert len(caplog.messages) == 2
    assert keeper.now() == (NOON + 522) * SECOND
    assert total_pauses(keeper) == 0


def test_small_clock_corrections_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    machine = MachineClocks()
    keeper = machine.keeper()
    machine.put = 0.5
    run_for(machine, keeper, 10)
    assert caplog.messages == []


@pytest.mark.parametrize("first", ["now", "check"])
def test_a_pause_is_noticed_by_the_first_call_after_it(
    first: str, caplog: pytest.LogCaptureFixture
) -> None:
    machine = MachineClocks()
    keeper = machine.keeper()
    run_for(machine, keeper, 10)
    machine.passed += 20
    getattr(keeper, first)()
    assert total_pauses(keeper) == 20 * SECOND
    assert ["was stopped for 20.0 s" in entry for entry in caplog.messages] == [True]
    run_for(machine, keeper, 10)
    assert total_pauses(keeper) == 20 * SECOND
    assert keeper.now() == (NOON + 540) * SECOND, "the time of day includes the pause"
    assert caplog.records[0].levelno == logging.WARNING


def test_a_short_delay_is_not_a_pause() -> None:
    machine = MachineClocks()
    keeper = machine.keeper()
    for _ in range(100):
        machine.passed += 0.9
        keeper.check()
    assert total_pauses(keeper) == 0


def test_time_before_the_first_check_is_not_a_pause() -> None:
    machine = MachineClocks()
    keeper = machine.keeper()
    machine.passed += 100
    keeper.now()
    assert total_pauses(keeper) == 0


def test_the_watch_task_notices_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clocks, "_CHECK_SECONDS", 0.0)
    machine = MachineClocks()

    async def main() -> None:
        keeper = machine.keeper()
        watching = asyncio.create_task(keeper.watch())
        await asyncio.sleep(0)
        machine.passed += 7
        async with asyncio.timeout(60):
            while not total_pauses(keeper):
                await asyncio.sleep(0)
        watching.cancel()
        assert total_pauses(keeper) == 7 * SECOND

    asyncio.run(main())


def test_the_default_clock_is_the_time_of_day() -> None:
    before = time.time()
    assert before - 1 <= Timekeeper().now() / SECOND <= time.time() + 1


# Pauses


def test_the_time_before_the_server_started_counts_as_a_pause() -> None:
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
def test_the_overlap_of_pauses_and_an_interval_is_exact(
    moments: list[int], start: int, end: int
) -> None:
    chosen = list(pairwise(sorted(moments)))[::2]
    pauses = Pauses()
    for pause in chosen:
        pauses.add(*pause)
    paused_moments = {moment for begun, over in chosen for moment in range(begun, over)}
    assert pauses.between(start, end) == len(paused_moments & set(range(start, end)))


def test_only_the_latest_pauses_are_kept() -> None:
    pauses = Pauses()
    for number in range(10_000):
        pauses.add(2 * number, 2 * number + 1)
    assert pauses.between(19_000, 2**63) == 500
    assert pauses.between(0, 2**63) == clocks._KEPT_PAUSES
