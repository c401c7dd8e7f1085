"""Another program as a child process that is spoken to in lines; it can never take us along.

Whatever it does (ends, hangs, floods its output, ignores requests to end), there is a
``ProtocolError`` or an answer in time, and nothing of it is left after ``close``.
"""

import os
import shlex
import signal
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Lock, Thread
from time import monotonic
from typing import BinaryIO, Self, cast

from patchwork.protocol.streams import LineWriter, read_lines

_GRACE = 1.0
"""Seconds to end by itself, and again after being asked by the system, before it is killed."""
_SHORT_GRACE = 0.1
"""The same for a program that has done wrong."""
_LONGEST_LINE = 1 << 12
_MOST_UNREAD = 10_000
"""Lines kept until they are asked for; what a program writes beyond that is lost."""
_LAST_WORDS = 5
"""Lines of the error output that an error quotes."""


class ProtocolError(Exception):
    """A program did not do what its protocol demands; it has been ended."""


class NoAnswer(ProtocolError):
    """A program did not answer in time."""


class WrongMove(ProtocolError):
    """A program answered with a move that is illegal or none at all."""


class NotRunning(ProtocolError):
    """A program cannot be started or has ended."""


class Program:
    """A running program and the pipes to it."""

    def __init__(self, command: str | Sequence[str]) -> None:
        """Starts a program; a command in one string is split as a shell would.

        Raises:
            ProtocolError: it cannot be started.
        """
        try:
            words = shlex.split(command) if isinstance(command, str) else list(command)
            self.name = shlex.join(words)[:100]
            # A session of its own, so that its own children can be ended with it.
            self._process = Popen(
                words, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=os.name == "posix"
            )
        except (OSError, ValueError, IndexError) as error:
            raise NotRunning(f"{command!r} cannot be started: {error}") from error
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

    def send(self, line: str) -> None:
        """Writes a line to the program.

        Raises:
            ProtocolError: it has ended.
        """
        try:
            self._write(line)
        except (OSError, ValueError):
            raise self._ended() from None

    def receive(self, seconds: float) -> str | None:
        """Returns the next line it writes, or None if there is none in time.

        Raises:
            ProtocolError: it has ended.
        """
        try:
            line = self._lines.get(timeout=max(0.0, seconds))
        except Empty:
            return None
        if line is None:
            self._lines.put(None)  # for whoever asks next
            raise self._ended()
        return line

    def failure(self, what: str, kind: type[ProtocolError] = ProtocolError) -> ProtocolError:
        """Ends the program and returns the error that tells what it did wrong."""
        self.close(grace=_SHORT_GRACE)
        words = " | ".join(self._errors)
        return kind(
            f"{self.name}: {what}" + (f"; its error output ends with: {words}" if words else "")
        )

    def close(self, farewell: str | None = None, *, grace: float = _GRACE) -> None:
        """Ends the program: by ``farewell`` and the end of its input, or else by force."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            if farewell is not None:
                with suppress(OSError, ValueError):
                    self._write(farewell)
            with suppress(OSError):
                cast("BinaryIO", self._process.stdin).close()
            if not self._is_gone(grace):
                self._signal(signal.SIGTERM)
                if not self._is_gone(grace):
                    self._signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
                    self._is_gone(_GRACE)
            pipes = (self._process.stdout, self._process.stderr)
            for reader, pipe in zip(self._readers, pipes, strict=True):
                # A pipe still open in some runaway child of the program would block here for ever.
                if not reader.is_alive():
                    cast("BinaryIO", pipe).close()

    def _ended(self) -> ProtocolError:
        if self._closed:
            return NotRunning(f"{self.name}: it has been closed")
        self.close()
        return self.failure(
            f"it ended unexpectedly with status {self._process.returncode}", NotRunning
        )

    def _is_gone(self, seconds: float) -> bool:
        """Waits for the process and for all it wrote; tells whether both have come to an end."""
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
        for line in read_lines(cast("BinaryIO", self._process.stdout), _LONGEST_LINE):
            if line is not None and self._lines.qsize() < _MOST_UNREAD:
                self._lines.put(line.strip())
        self._lines.put(None)

    def _read_errors(self) -> None:
        for line in read_lines(cast("BinaryIO", self._process.stderr), _LONGEST_LINE):
            if line is not None and line.strip():
                self._errors.append(line.strip()[:200])


class Driver(ABC):
    """Whoever drives a program; as a context manager, it ends the program in any case."""

    @abstractmethod
    def close(self) -> None:
        """Ends the program, by force if it does not listen; safe to call again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
