"""Lines of text between processes: read safely whatever arrives, and written whole."""

from collections.abc import Iterator
from threading import Lock
from typing import BinaryIO, Final

LONGEST: Final = 1 << 16
"""Bytes in a line. No sensible line comes close."""


def read_lines(
    source: BinaryIO, longest: int = LONGEST, *, unfinished: bool = True
) -> Iterator[str | None]:
    """Yields the lines of a stream; invalid UTF-8 is replaced.

    A line that is too long is yielded as None as soon as it exceeds the limit: it may never end.

    Args:
        source: the stream.
        longest: the limit, in bytes.
        unfinished: whether a last line without a line break counts as a line.
    """
    while piece := source.readline(longest):
        if piece.endswith(b"\n") or (len(piece) < longest and unfinished):
            yield piece.decode("utf-8", "replace")
            continue
        if len(piece) < longest:
            return
        yield None
        while piece and not piece.endswith(b"\n"):
            piece = source.readline(longest)


class LineWriter:
    """Writes lines of ASCII to a stream, from any thread; each is written whole and flushed."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._lock = Lock()

    def __call__(self, line: str) -> None:
        """Writes a line.

        Raises:
            OSError: the reader has closed its end.
        """
        with self._lock:
            self._sink.write(line.encode("ascii", "backslashreplace") + b"\n")
            self._sink.flush()
