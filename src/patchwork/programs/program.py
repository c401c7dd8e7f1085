"""Another program as a child process that is spoken to in lines.

Whatever it does (ends, hangs, floods its output, ignores requests to end), there is a
``ProtocolError`` or an answer in time, and nothing of it is left after ``close``.

Two threads read what it writes, because threads serve every caller: line protocols and the arena
wait on a queue, and an event loop is woken by ``notify``. Built on asyncio, the library could not
be used in a thread that already runs an event loop, as that of a notebook does.
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
"""Seconds to end by itself, and again after SIGTERM, before it is killed."""
SHORT_GRACE: Final = 0.1
"""The same for a program that has broken its protocol or has nothing to tidy up."""
_DEATH = 60.0
"""Seconds in which a killed process must be gone; far more than an overloaded machine needs."""
_LONGEST_LINE = 1 << 12
"""Bytes. The longest line of UPI is an ``info`` about a whole game, of about 500."""
_MOST_UNREAD = 10_000
"""Lines kept until they are asked for; what a program writes beyond that is lost."""
_LAST_WORDS = 5
"""Lines of the error output that an error quotes."""
_LONGEST_WORDS = 200
"""Characters of each of them."""
_LONGEST_NAME = 100
"""Characters of a command that an error quotes."""
TOO_LONG: Final = "\n"
"""What ``take`` returns instead of a line that is too long; no line is equal to it."""


def python_command(module: str) -> tuple[str, ...]:
    """Returns the command that runs a module in a Python like this one, wherever it is started."""
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
            command: its file and arguments; a string is split as a shell would.
            notify: called, in a thread of its own, whenever ``take`` has something new to return.
            longest_line: bytes of the longest line that it may write.

        Raises:
            NotRunning: it cannot be started.
        """
        try:
            words = shlex.split(command) if isinstance(command, str) else list(command)
            self.name = shlex.join(words)[:_LONGEST_NAME]
            # A session of its own: Ctrl+C in the terminal is not meant for it, and whatever it
            # starts can be ended with it.
            self._process = Popen(
                words, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=os.name == "posix"
            )
        except (OSError, ValueError, IndexError) as error:
            raise NotRunning(f"{command!r} cannot be started: {error}") from error
        self._notify = notify
        self._longest_line = longest_line
        self._write = LineWriter(cast("BinaryIO", self._process.stdin))
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._errors: deque[str] = deque(maxlen=_LAST_WORDS)
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
        """Its process id, which is that of its process group, too."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """Its exit status once it has been closed; the negative number of the signal, if killed."""
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
        """Returns the next line it writes; None if there is none in time, or it is too long.

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
            TimeoutError: there is none in time.
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
        words = " | ".join(self._errors)
        return kind(
            f"{self.name}: {what}" + (f"; its error output ends with: {words}" if words else "")
        )

    def failure(self, what: str, kind: type[ProtocolError] = ProtocolError) -> ProtocolError:
        """Ends the program and returns the error that says what it did wrong."""
        self.close(grace=SHORT_GRACE)
        return self.error(what, kind)

    def end_input(self, farewell: str | None = None) -> None:
        """Writes a last line, if given, and closes the pipe: a program that is well then ends."""
        if farewell is not None:
            self.write(farewell)
        with suppress(OSError):
            cast("BinaryIO", self._process.stdin).close()

    def kill(self) -> None:
        """Kills the program and all it started, without waiting; ``close`` is still needed."""
        self._signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)

    def close(self, farewell: str | None = None, *, grace: float = _GRACE) -> None:
        """Ends the program: by ``farewell`` and the end of its input, or else by force.

        Args:
            farewell: a last line for it.
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
            self.kill()  # at least what it started and left behind
            with suppress(TimeoutExpired):
                self._process.wait(_DEATH)
            self._is_gone(_GRACE)
            pipes = (self._process.stdout, self._process.stderr)
            for reader, pipe in zip(self._readers, pipes, strict=True):
                # A process in another session may still hold the pipe: closing it would block.
                if not reader.is_alive():
                    cast("BinaryIO", pipe).close()

    def _ended(self) -> ProtocolError:
        if self._closed:
            return NotRunning(f"{self.name}: it has been closed")
        self.close()
        return self.error(f"it ended unexpectedly with status {self.status}", NotRunning)

    def _is_gone(self, seconds: float) -> bool:
        """Waits for the process and for all it wrote; returns whether both have come to an end."""
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
        # Half a line at the end is no answer: the program ended while it wrote it.
        for line in read_lines(output, self._longest_line, unfinished=False):
            if self._lines.qsize() < _MOST_UNREAD:
                self._lines.put(TOO_LONG if line is None else line.strip())
                self._notify()
        self._lines.put(None)
        self._notify()

    def _read_errors(self) -> None:
        for line in read_lines(cast("BinaryIO", self._process.stderr), self._longest_line):
            if line is not None and line.strip():
                self._errors.append(line.strip()[:_LONGEST_WORDS])


class Driver(ABC):
    """Whoever drives a program; as a context manager, it ends the program in any case."""

    @abstractmethod
    def close(self) -> None:
        """Ends the program, by force if it does not listen; safe to call again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
