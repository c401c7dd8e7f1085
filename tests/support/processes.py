"""The resources of this process: child processes, open files and threads."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from support.waiting import wait_until


def open_files() -> int:
    """Returns how many files and pipes this process has open."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def child_processes() -> set[str]:
    """Returns the child processes of this one, including ended ones not yet waited for."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == os.getpid():
                found.add(process.name)
    return found


@contextmanager
def nothing_is_left() -> Iterator[None]:
    """Checks that no threads, open files or child processes, dead or alive, remain."""
    threads, before = set(threading.enumerate()), (open_files(), child_processes())
    yield
    assert threads.issuperset(threading.enumerate())
    wait_until(lambda: (open_files(), child_processes()) == before)  # the system tidies up, too
