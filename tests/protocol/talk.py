"""A conversation with the engine, line by line."""

import io
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue
from typing import BinaryIO, cast

from patchwork.protocol.upi import serve


class Talk(io.RawIOBase):
    """A conversation with the engine in a thread of its own."""

    def __init__(self) -> None:
        self._lines: Queue[str] = Queue()
        reading, writing = os.pipe()
        self._source = os.fdopen(reading, "rb")
        self._input = os.fdopen(writing, "wb", buffering=0)
        self._thread = threading.Thread(
            target=serve, args=(self._source, cast("BinaryIO", self)), daemon=True
        )
        self._thread.start()

    def write(self, data: object) -> int:
        assert isinstance(data, bytes)
        assert data.endswith(b"\n")
        assert data.isascii()
        self._lines.put(data.decode("ascii").removesuffix("\n"))
        return len(data)

    def say(self, line: str) -> None:
        self._input.write(f"{line}\n".encode())

    def next(self) -> str:
        return self._lines.get(timeout=300)

    def until(self, word: str) -> list[str]:
        """Returns what the engine writes up to a line that begins with a word."""
        lines = [self.next()]
        while not lines[-1].startswith(word):
            lines.append(self.next())
        return lines

    def silent(self) -> bool:
        """Returns whether the engine has written nothing more."""
        self.say("isready")
        return self.next() == "readyok"

    def leave(self) -> None:
        if not self._input.closed:
            self._input.close()
        self._thread.join(300)
        assert not self._thread.is_alive()
        self._source.close()


@contextmanager
def talk(*lines: str) -> Iterator[Talk]:
    conversation = Talk()
    try:
        for line in lines:
            conversation.say(line)
        yield conversation
    finally:
        conversation.leave()
