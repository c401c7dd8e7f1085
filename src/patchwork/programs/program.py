"""Another program as a child process, with which we exchange lines of text.

Even if it ends, hangs, floods its output or ignores requests to end, the caller gets an answer or a
``ProtocolError`` in time, and nothing of the program is left after ``close``.

Two threads read what it writes, because threads serve every caller: some wait on a queue, and an
event loop is woken by ``notify``. If this were built on asyncio, the library could not be used in a
thread that already runs an event loop, as a notebook's does.
"""

import os
import shlex
import signal
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Lock, Thread
from time import monotonic
from typing import BinaryIO, Final, Self, cast

from patchwork.programs.errors import NotRunning, ProtocolError
from patchwork.programs.lines import LineWriter, read_lines

_GRACE = 1.0
"""Seconds that a program has to end by itself, and again after SIGTERM, before it is killed."""
SHORT_GRACE: Final = 0.1
"""The same for a program that violated its protocol or has nothing to clean up."""
_DEATH = 60.0
"""Seconds until a killed process must be gone; far more than even an overloaded machine needs."""
_LONGEST_LINE = 1 << 12
"""Bytes. The longest line of UPI is an ``info`` about a whole game, of about 500."""
_MOST_UNREAD = 10_000
"""Lines that are kept until they are read; what a program writes beyond that is lost."""
_QUOTED_LINES = 5
"""How many of the last lines of the error output an error message quotes."""
_QUOTED_CHARACTERS = 200
"""How much of each of those lines."""
_LONGEST_NAME = 100
"""How many characters of a command an error message quotes."""
TOO_LONG: Final = "\n"
"""What ``take`` returns in place of a line that is too long. No real line equals it."""


def python_command(module: str) -> tuple[str, ...]:
    """Returns the command that runs a module in this Python, from whatever folder it is started."""
    return sys.executable, "-P", "-m", module


class Program:
    """A running program and the pipes to it."""

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        notify: Callable[[], object] = lambda: None,
        longest_line: int = _LONGEST_LINE,
    ) -> None:
        """Starts a program.

        Args:
            command: the program and its arguments; a string is split as a shell would split it.
            notify: called in another thread whenever ``take`` has something new to return.
            longest_line: how long a line it may write, in bytes.

        Raises:
            NotRunning: it cannot be started.
        """
        try:
            arguments = shlex.split(command) if isinstance(command, str) else list(command)
            self.name = shlex.join(arguments)[:_LONGEST_NAME]
            # In a session of its own, Ctrl+C in the terminal does not reach it, and the processes
            # that it starts can be ended with it.
            self._process = Popen(
                arguments,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=os.name == "posix",
            )
        except (OSError, ValueError, IndexError) as error:
            raise NotRunning(f"{command!r} cannot be started: {error}") from error
        self._notify = notify
        self._longest_line = longest_line
        self._write = LineWriter(cast("BinaryIO", self._process.stdin))
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._errors: deque[str] = deque(maxlen=_QUOTED_LINES)
        self._closing = Lock()
        self._closed = False
        self._readers = [
            Thread(target=self._read_output, name="program-output", daemon=True),
            Thread(target=self._read_errors, name="program-errors", daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def pid(self) -> int:
        """Its process id, which is also that of its process group."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """Its exit status, once it has been closed; a negative number is that of a signal."""
        return self._process.returncode

    def send(self, line: str) -> None:
        """Writes a line to the program.

        Raises:
            NotRunning: it has ended.
        """
        if not self.write(line):
            raise self._ended()

    def write(self, line: str) -> bool:
        """Writes a line to the program; returns whether its input is still open."""
        try:
            self._write(line)
        except (OSError, ValueError):
            return False
        return True

    def receive(self, seconds: float) -> str | None:
        """Returns the next line it writes; None if none comes in time, or the line is too long.

        Raises:
            NotRunning: it has ended.
        """
        try:
            line = self.take(seconds)
        except TimeoutError:
            return None
        if line is None:
            raise self._ended()
        return None if line is TOO_LONG else line

    def take(self, seconds: float = 0.0) -> str | None:
        """Returns the next line it writes, ``TOO_LONG``, or None at the end of its output.

        Raises:
            TimeoutError: none comes in time.
        """
        try:
            line = self._lines.get(timeout=max(0.0, seconds))
        except Empty:
            raise TimeoutError from None
        if line is None:
            self._lines.put(None)  # for the next call
        return line

    def error(self, what: str, kind: type[ProtocolError] = ProtocolError) -> ProtocolError:
        """Returns an error that says what the program did wrong and quotes its error output."""
        errors = " | ".join(self._errors)
        return kind(
            f"{self.name}: {what}" + (f"; its error output ends with: {errors}" if errors else "")
        )

    def failure(self, what: str, kind: type[ProtocolError] = ProtocolError) -> ProtocolError:
        """Ends the program and returns the error that says what it did wrong."""
        self.close(grace=SHORT_GRACE)
        return self.error(what, kind)

    def end_input(self, farewell: str | None = None) -> None:
        """Writes a last line, if given, and closes the pipe, which makes a sound program end."""
        if farewell is not None:
            self.write(farewell)
        with suppress(OSError):
            cast("BinaryIO", self._process.stdin).close()

    def kill(self) -> None:
        """Kills the program and all that it started, without waiting; ``close`` is still needed."""
        self._signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)

    def close(self, farewell: str | None = None, *, grace: float = _GRACE) -> None:
        """Ends the program: with ``farewell`` and the end of its input, or else by force.

        Args:
            farewell: the last line that it is sent.
            grace: seconds that it has to end by itself, and again after SIGTERM.
        """
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self.end_input(farewell)
            if not self._is_gone(grace):
                self._signal(signal.SIGTERM)
                self._is_gone(grace)
            self.kill()  # also what it started and left behind
            with suppress(TimeoutExpired):
                self._process.wait(_DEATH)
            self._is_gone(_GRACE)
            pipes = (self._process.stdout, self._process.stderr)
            for reader, pipe in zip(self._readers, pipes, strict=True):
                # A process in another session may still hold the pipe; closing it would block.
                if not reader.is_alive():
                    cast("BinaryIO", pipe).close()

    def _ended(self) -> ProtocolError:
        if self._closed:
            return NotRunning(f"{self.name}: it has been closed")
        self.close()
        return self.error(f"it ended unexpectedly with status {self.status}", NotRunning)

    def _is_gone(self, seconds: float) -> bool:
        """Waits for the end of the process and of its output; returns whether both have come."""
        deadline = monotonic() + seconds
        with suppress(TimeoutExpired):
            self._process.wait(seconds)
        for reader in self._readers:
            reader.join(max(0.0, deadline - monotonic()))
        running = any(reader.is_alive() for reader in self._readers)
        return self._process.returncode is not None and not running

    def _signal(self, number: signal.Signals) -> None:
        with suppress(OSError):
            if os.name == "posix":
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)

    def _read_output(self) -> None:
        output = cast("BinaryIO", self._process.stdout)
        # Half a line at the end is no answer: the program ended while writing it.
        for line in read_lines(output, self._longest_line, unfinished=False):
            if self._lines.qsize() < _MOST_UNREAD:
                self._lines.put(TOO_LONG if line is None else line.strip())
                self._notify()
        self._lines.put(None)
        self._notify()

    def _read_errors(self) -> None:
        for line in read_lines(cast("BinaryIO", self._process.stderr), self._longest_line):
            if line is not None and line.strip():
                self._errors.append(line.strip()[:_QUOTED_CHARACTERS])


class Driver(ABC):
    """A class that drives a program and, as a context manager, always ends it."""

    @abstractmethod
    def close(self) -> None:
        """Ends the program, by force if need be. It is safe to call this again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
