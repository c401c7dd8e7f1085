"""Lines between programs: read safely whatever arrives, and written whole and at once."""

from collections.abc import Iterator
from threading import Lock
from typing import BinaryIO, Final

LONGEST: Final = 1 << 16
"""Bytes of a line; nothing that makes sense is nearly as long."""


def read_lines(source: BinaryIO, longest: int = LONGEST) -> Iterator[str | None]:
    """Yields the lines of a stream; bad UTF-8 is replaced.

    A line that is too long becomes None, as soon as it is known to be: it may never end.
    """
    while piece := source.readline(longest):
        if len(piece) < longest or piece.endswith(b"\n"):
            yield piece.decode("utf-8", "replace")
            continue
        yield None
        while piece and not piece.endswith(b"\n"):
            piece = source.readline(longest)


class LineWriter:
    """Writes lines of ASCII to a stream: whole ones, from any thread, each flushed."""

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
