"""Waiting for what happens in its own time, however slow or fast the machine is."""

import os
from collections.abc import Callable
from time import monotonic, sleep

PATIENCE = 60.0
"""Seconds after which something is taken never to happen, also on a busy machine."""


def wait_until(true: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Returns as soon as something is true."""
    end = monotonic() + patience
    while not true():
        assert monotonic() < end, "it never comes true"
        sleep(0.005)


def is_alive(process: int) -> bool:
    """Whether there is a process of that number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
