"""Event loops, errors and deadlines for the tests of connections."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from functools import partial

import pytest
import uvloop

from patchwork.server.transport import uvicorn_protocols


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a test on Python's event loop and on uvloop, which the server uses where it exists."""
    monkeypatch.setattr(asyncio.events, "new_event_loop", request.param)


@pytest.fixture
def errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Checks that no errors are logged."""
    yield
    for when in ("setup", "call"):
        assert [each for each in caplog.get_records(when) if each.levelno >= logging.ERROR] == []


class Alarms:
    """The fake deadlines of all connections, which expire when a test rings them."""

    def __init__(self) -> None:
        self.running: dict[Alarm, float] = {}

    def ring(self, seconds: float) -> int:
        """Expires all deadlines of this length, and returns how many there were."""
        due = [each for each, length in self.running.items() if length == seconds]
        for each in due:
            each.stop()
            each.action()
        return len(due)


class Alarm:
    """A fake deadline."""

    def __init__(self, alarms: Alarms, _: object, action: Callable[[], None]) -> None:
        self._alarms = alarms
        self.action = action

    def start(self, seconds: float) -> None:
        self._alarms.running.setdefault(self, seconds)

    def stop(self) -> None:
        self._alarms.running.pop(self, None)


@pytest.fixture
def alarms(monkeypatch: pytest.MonkeyPatch) -> Alarms:
    """The deadlines of all connections, which expire when the test rings them."""
    alarms = Alarms()
    monkeypatch.setattr(uvicorn_protocols, "_Deadline", partial(Alarm, alarms))
    return alarms
