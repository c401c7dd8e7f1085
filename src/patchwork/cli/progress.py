"""A line that shows the progress of a long command, apart from the command's output."""

from collections.abc import Callable
from time import monotonic
from typing import Self, TextIO

from patchwork.locales import Messages
from patchwork.terminal import screen

_BAR = 20
"""The width of the progress bar in characters."""
_LIVE, _PLAIN = 0.2, 60.0
"""Seconds between two updates, in a terminal and elsewhere, where every line remains."""


class StatusLine:
    """A line that is rewritten in a terminal; elsewhere, a new one is written now and then."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.live = stream.isatty()
        self._written = monotonic() - (_LIVE if self.live else 0.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def write(self, line: Callable[[], str]) -> None:
        """Writes the line that ``line`` returns, unless one was written just before."""
        if monotonic() - self._written < (_LIVE if self.live else _PLAIN):
            return
        self._written = monotonic()
        text = line()
        self._stream.write(f"\r{text[: screen.columns() - 1]}\x1b[K" if self.live else f"{text}\n")
        self._stream.flush()


class Progress(StatusLine):
    """Shows how many games are finished; in a terminal, with a bar."""

    def __init__(self, stream: TextIO, total: int, say: Messages) -> None:
        super().__init__(stream)
        self._total = total
        self._say = say

    def update(self, done: int, summary: Callable[[], str]) -> None:
        """Shows how many games are finished, and a summary, unless it did so just before."""

        def line() -> str:
            text = self._say("cli-match-progress", games=done, total=self._total)
            text = "  ".join(filter(None, (text, summary())))
            if not self.live:
                return text
            filled = _BAR * done // self._total
            return f"[{'#' * filled}{'.' * (_BAR - filled)}] {text}"

        self.write(line)
