"""Whose turn it is: players first, then those who come and watch, bit by bit."""

import asyncio
from contextlib import ExitStack

import pytest

from patchwork.server.ops import pacing
from patchwork.server.ops.pacing import Pacer
from patchwork.server.transport.handshakes import HandshakeQueue
from server.support.fake_time import asynchronous


async def rounds(number: int) -> None:
    """Lets the event loop go round so often."""
    for _ in range(number):
        await asyncio.sleep(0)


@asynchronous
async def test_turns_come_in_order_and_something_else_between_two_of_them() -> None:
    whose, done = Pacer(), ""

    async def act(name: str) -> None:
        nonlocal done
        for _ in range(3):
            async with whose.slot():
                done += name

    async def look() -> None:
        nonlocal done
        while len(done.replace(".", "")) < 6:
            done += "."
            await asyncio.sleep(0)

    await asyncio.gather(act("a"), act("b"), look())
    assert done.replace(".", "") == "ababab"
    assert "." in done.lstrip(".").rstrip("."), done
    assert "ab" not in done
    assert "ba" not in done


@asynchronous
async def test_nobody_has_a_turn_while_events_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "_LONGEST_WAIT", 60.0)
    whose, done = Pacer(), []

    async def act() -> None:
        async with whose.slot():
            done.append("turn")

    with ExitStack() as first:
        first.enter_context(whose.storing())
        with whose.storing():
            task = asyncio.create_task(act())
            await rounds(10)
        await rounds(10)
        assert done == []
    await task
    assert done == ["turn"]


@asynchronous
async def test_whoever_stores_for_long_does_not_stop_the_turns() -> None:
    whose = Pacer()
    with whose.storing():
        async with asyncio.timeout(60), whose.slot():
            pass


@asynchronous
async def test_sockets_that_are_asked_for_at_once_are_opened_one_by_one() -> None:
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
    await rounds(5)
    handshakes.wait(lambda: opened.append(100))
    while len(opened) < 101:
        await asyncio.sleep(0)
