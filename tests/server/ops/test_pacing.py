"""The pacer runs slots one by one, with other tasks in between."""

import asyncio
from contextlib import ExitStack

import pytest

from patchwork.server.ops import pacing
from patchwork.server.ops.pacing import Pacer
from patchwork.server.transport.handshakes import HandshakeQueue
from server.support.fake_time import asynchronous


async def run_loop(number: int) -> None:
    """Runs this many iterations of the event loop."""
    for _ in range(number):
        await asyncio.sleep(0)


@asynchronous
async def test_slots_come_in_order_with_other_tasks_in_between() -> None:
    pacer, trace = Pacer(), ""

    async def use_slots(name: str) -> None:
        nonlocal trace
        for _ in range(3):
            async with pacer.slot():
                trace += name

    async def run_another_task() -> None:
        nonlocal trace
        while len(trace.replace(".", "")) < 6:
            trace += "."
            await asyncio.sleep(0)

    await asyncio.gather(use_slots("a"), use_slots("b"), run_another_task())
    assert trace.replace(".", "") == "ababab"
    assert "." in trace.lstrip(".").rstrip("."), trace
    assert "ab" not in trace
    assert "ba" not in trace


@asynchronous
async def test_slots_wait_while_events_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "_LONGEST_WAIT", 60.0)
    pacer, trace = Pacer(), []

    async def use_slots() -> None:
        async with pacer.slot():
            trace.append("turn")

    with ExitStack() as first:
        first.enter_context(pacer.storing())
        with pacer.storing():
            task = asyncio.create_task(use_slots())
            await run_loop(10)
        await run_loop(10)
        assert trace == []
    await task
    assert trace == ["turn"]


@asynchronous
async def test_slots_do_not_wait_forever_for_a_slow_store() -> None:
    pacer = Pacer()
    with pacer.storing():
        async with asyncio.timeout(60), pacer.slot():
            pass


@asynchronous
async def test_simultaneous_handshakes_are_completed_one_by_one() -> None:
    opened: list[int] = []
    handshakes = HandshakeQueue(Pacer())
    for number in range(100):
        handshakes.wait(lambda number=number: opened.append(number))  # type: ignore[misc]
    before = 0
    while len(opened) < 100:
        await asyncio.sleep(0)
        assert len(opened) <= before + 1
        before = len(opened)
    assert opened == list(range(100))
    await run_loop(5)
    handshakes.wait(lambda: opened.append(100))
    while len(opened) < 101:
        await asyncio.sleep(0)
