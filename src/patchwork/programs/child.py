"""The child's end of a ``Pool``: what every worker process of ours is built on.

A child writes ``READY`` once it is prepared. It then answers requests in the order in which they
come; requests and answers are JSON objects, one a line. ``STOP`` asks it to answer the request it
is working on at once. A child ends when its input does, even in the middle of a request: if the
parent is killed, no child is left computing.
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
    """This process, as a child that answers requests. Create it first thing in the main thread.

    Standard output carries nothing but answers: what libraries print goes to standard error.
    """

    def __init__(self, *, on_stop: Callable[[], None] = lambda: None, grace: float = 0.0) -> None:
        """Starts to listen.

        Args:
            on_stop: called in another thread when the current request is to be answered at once.
            grace: seconds that the main thread has to clean up when the input ends: there,
                ``SystemExit`` is raised. Without any, the process ends immediately.
        """
        self._on_stop = on_stop
        self._grace = grace
        self._requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._received = self._begun = self._stopped = 0
        """The numbers of the last request received, begun and to be answered at once."""
        self._answers = os.dup(_STDOUT)
        os.dup2(_STDERR, _STDOUT)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is meant for the parent
        if grace:
            signal.signal(signal.SIGTERM, _exit)
        threading.Thread(target=self._listen, name="requests", daemon=True).start()

    @property
    def stopped(self) -> bool:
        """Whether the current request is to be answered at once."""
        return self._stopped == self._begun > 0

    def ready(self) -> None:
        """Announces to the parent that the child is prepared."""
        self._write(READY)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yields the requests as they come, until the process ends."""
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
            # Unbuffered, because a buffer's lock, held while waiting, could block the exit.
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
        with suppress(AttributeError, OSError, ValueError):  # not every platform has the call
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def _exit(*_: object) -> NoReturn:
    raise SystemExit(0)
