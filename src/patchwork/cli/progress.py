"""A line that says how far a long command is; it never mixes with what the command writes."""

from collections.abc import Callable
from time import monotonic
from typing import Self, TextIO

from patchwork.locales import Messages
from patchwork.terminal import screen

_BAR = 20
_LIVE, _PLAIN = 0.2, 60.0
"""Seconds between two lines, in a terminal and elsewhere, where each one stays."""


class StatusLine:
    """A line written again and again: in a terminal in one place, elsewhere now and then."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.live = stream.isatty()
        self._told = monotonic() - (_LIVE if self.live else 0.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def write(self, line: Callable[[], str]) -> None:
        """Writes what ``line`` says, unless it has just written."""
        if monotonic() - self._told < (_LIVE if self.live else _PLAIN):
            return
        self._told = monotonic()
        text = line()
        self._stream.write(f"\r{text[: screen.columns() - 1]}\x1b[K" if self.live else f"{text}\n")
        self._stream.flush()


class Progress(StatusLine):
    """Tells about games as they end, in a terminal with a bar that grows."""

    def __init__(self, stream: TextIO, total: int, say: Messages) -> None:
        super().__init__(stream)
        self._total = total
        self._say = say

    def update(self, done: int, summary: Callable[[], str]) -> None:
        """Tells that some games are over, unless it has just told; ``summary`` says what so far."""

        def line() -> str:
            text = self._say("cli-match-progress", games=done, total=self._total)
            told = "  ".join(filter(None, (text, summary())))
            if not self.live:
                return told
            filled = _BAR * done // self._total
            return f"[{'#' * filled}{'.' * (_BAR - filled)}] {told}"

        self.write(line)
