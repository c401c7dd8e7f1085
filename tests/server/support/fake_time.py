"""Time that passes only when a test lets it: of the server, and of the event loop."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from math import inf
from time import time
from typing import Any, ParamSpec

from patchwork.server.game.clocks import Timekeeper

P = ParamSpec("P")


class Time:
    """The server's time, which passes only when tests let it, however long a machine takes."""

    def __init__(self) -> None:
        self.passed = 0.0
        self._began = time()

    def keeper(self) -> Timekeeper:
        """Tells this time, of which the server is there all the while."""
        return Timekeeper(self.seconds, self.seconds, longest=inf)

    def seconds(self) -> float:
        """Tells it as a clock."""
        return self._began + self.passed


class SkippableLoop(asyncio.SelectorEventLoop):
    """An event loop whose time also passes at once, when tests let it."""

    skipped = 0.0

    def time(self) -> float:
        return super().time() + self.skipped


def skip(seconds: float) -> None:
    """Lets time pass in the loop that runs."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SkippableLoop)
    loop.skipped += seconds


def asynchronous(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Runs a test in an event loop of its own."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=SkippableLoop) as runner:
            runner.run(test(*args, **kwargs))

    return run
