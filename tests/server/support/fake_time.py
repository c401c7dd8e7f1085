"""Fake clocks for the server and for the event loop."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from math import inf
from time import time
from typing import Any, ParamSpec

from patchwork.server.game.clocks import Timekeeper

P = ParamSpec("P")


class Time:
    """The server's clock, which stands still unless a test sets ``passed``."""

    def __init__(self) -> None:
        self.passed = 0.0
        self._began = time()

    def keeper(self) -> Timekeeper:
        """Returns a clock that shows this time and never sees a pause."""
        return Timekeeper(self.seconds, self.seconds, longest=inf)

    def seconds(self) -> float:
        """Returns the time in seconds."""
        return self._began + self.passed


class SkippableLoop(asyncio.SelectorEventLoop):
    """An event loop whose time a test can advance."""

    skipped = 0.0

    def time(self) -> float:
        return super().time() + self.skipped


def skip(seconds: float) -> None:
    """Advances the time of the running event loop."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SkippableLoop)
    loop.skipped += seconds


def asynchronous(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Decorates a test so that it runs in an event loop of its own."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=SkippableLoop) as runner:
            runner.run(test(*args, **kwargs))

    return run
