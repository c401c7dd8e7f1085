"""The child's end of a ``Pool``: what a worker process of ours runs.

A child writes ``READY`` once it has prepared itself. It then answers requests, one JSON object a
line, in their order; what it writes for each is up to it. ``STOP`` asks it to finish the request
it is working on at once. A child ends with its input, even in the middle of a request, so a
parent that is killed leaves no process behind that keeps computing.
"""

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from queue import SimpleQueue
from time import sleep
from typing import Any, NoReturn

from patchwork.programs.lines import read_lines
from patchwork.programs.schema import LONGEST_MESSAGE, READY, STOP, load_object

_STDIN, _STDOUT, _STDERR = 0, 1, 2
"""The standard streams of a process, by their file descriptors."""


class Child:
    """This process, as a child that answers requests. Make one, in the main thread, at the start.

    Standard output carries the answers alone: whatever libraries print goes to standard error.
    """

    def __init__(self, *, on_stop: Callable[[], None] = lambda: None, grace: float = 0.0) -> None:
        """Starts to listen.

        Args:
            on_stop: called, in a thread of its own, when a request is to be finished at once.
            grace: seconds that the main thread has to tidy up, at the end of the input; it gets
                ``SystemExit``. With none, the process ends on the spot.
        """
        self._on_stop = on_stop
        self._grace = grace
        self._requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._received = self._begun = self._stopped = 0
        """How many requests were received and begun, and up to which they are to be finished."""
        self._answers = os.dup(_STDOUT)
        os.dup2(_STDERR, _STDOUT)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is meant for the parent
        if grace:
            signal.signal(signal.SIGTERM, _exit)
        threading.Thread(target=self._listen, name="requests", daemon=True).start()

    @property
    def stopped(self) -> bool:
        """Whether the request being worked on is to be finished at once."""
        return self._stopped == self._begun > 0

    def ready(self) -> None:
        """Tells the parent that the child is prepared."""
        self._write(READY)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yields the requests as they come; the process ends instead of the iteration."""
        while True:
            request = self._requests.get()
            self._begun += 1
            yield request

    def send(self, message: Mapping[str, Any]) -> None:
        """Writes a message to the parent."""
        self._write(json.dumps(message))

    def _write(self, line: str) -> None:
        content = f"{line}\n".encode("ascii")
        try:
            while content:
                content = content[os.write(self._answers, content) :]
        except BrokenPipeError:  # the parent is gone
            raise SystemExit(0) from None

    def _listen(self) -> None:
        try:
            # Unbuffered: a buffer's lock, held while waiting, would disturb the end of the process.
            with open(_STDIN, "rb", buffering=0, closefd=False) as source:
                for line in read_lines(source, LONGEST_MESSAGE, unfinished=False):
                    self._hear(line)
        finally:
            if self._grace:
                self._interrupt_main_thread()
                sleep(self._grace)
            os._exit(0)

    def _hear(self, line: str | None) -> None:
        text = (line or "").strip()
        if text == STOP:
            self._stopped = self._received
            self._on_stop()
        else:
            request = load_object(text)
            self._received += 1
            self._requests.put(request)

    def _interrupt_main_thread(self) -> None:
        with suppress(AttributeError, OSError, ValueError):  # there is no such call everywhere
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def _exit(*_: object) -> NoReturn:
    raise SystemExit(0)
