"""Waits for events, however slow or fast the machine is."""

import os
from collections.abc import Callable
from time import monotonic, sleep

PATIENCE = 60.0
"""Seconds after which an event is assumed never to happen, even on a busy machine."""


def wait_until(true: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Returns as soon as a condition is true."""
    end = monotonic() + patience
    while not true():
        assert monotonic() < end, "it never comes true"
        sleep(0.005)


def is_alive(process: int) -> bool:
    """Returns whether a process with this id exists."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
