"""Event loops for the engine pool, and timeouts that tests trigger."""

import asyncio
import gc
from collections.abc import Coroutine, Iterator
from math import inf
from typing import Any

import pytest
import uvloop

from patchwork.programs.pool import Worker
from server.support.fake_engines import Alarm, Run


@pytest.fixture
def alarms(monkeypatch: pytest.MonkeyPatch) -> list[Alarm]:
    """The timeouts set so far, none of which expires by itself."""
    alarms: list[Alarm] = []

    def expect(worker: Worker, seconds: float) -> None:
        def ring() -> None:
            worker.deadline = 0.0
            worker._program._notify()

        worker.deadline = inf
        alarms.append(Alarm(seconds, ring))

    monkeypatch.setattr(Worker, "expect", expect)
    return alarms


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Runs a coroutine; warnings about resources that it left open are errors."""

    def run(main: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(asyncio.wait_for(main, 120))

    yield run
    gc.collect(1)
