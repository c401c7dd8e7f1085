"""Lines between programs: read whatever comes, written so that they arrive at once."""

from collections.abc import Iterator
from threading import Lock
from typing import BinaryIO

LONGEST = 1 << 16
"""Bytes of a line; nothing that makes sense is nearly as long."""


def read_lines(source: BinaryIO, longest: int = LONGEST) -> Iterator[str | None]:
    """Yields the lines of a stream, None for each that is too long; bad UTF-8 is replaced."""
    while piece := source.readline(longest):
        if len(piece) < longest or piece.endswith(b"\n"):
            yield piece.decode("utf-8", "replace")
            continue
        while piece and not piece.endswith(b"\n"):
            piece = source.readline(longest)
        yield None


class LineWriter:
    """Writes lines of ASCII to a stream, whole ones from any thread, each flushed."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._lock = Lock()

    def __call__(self, line: str) -> None:
        """Writes a line.

        Raises:
            OSError: nobody reads any more.
        """
        with self._lock:
            self._sink.write(line.encode("ascii", "backslashreplace") + b"\n")
            self._sink.flush()
