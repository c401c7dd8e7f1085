"""A line that says how far a long command is; it never mixes with what the command writes."""

from collections.abc import Callable
from time import monotonic
from typing import Self, TextIO

from patchwork.locales import Messages
from patchwork.terminal import screen

_BAR = 20
_LIVE, _PLAIN = 0.2, 60.0
"""Seconds between two lines, in a terminal and elsewhere, where each one stays."""


class Progress:
    """Tells about games as they end: in a terminal as a bar that grows, elsewhere now and then."""

    def __init__(self, stream: TextIO, total: int, say: Messages) -> None:
        self._stream = stream
        self._total = total
        self._say = say
        self._live = stream.isatty()
        self._told = monotonic() - (_LIVE if self._live else 0.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def tell(self, done: int, summary: Callable[[], str]) -> None:
        """Tells that some games are over, unless it has just told; ``summary`` says what so far."""
        if monotonic() - self._told < (_LIVE if self._live else _PLAIN):
            return
        self._told = monotonic()
        text = self._say("cli-match-progress", games=done, total=self._total)
        line = "  ".join(filter(None, (text, summary())))
        if self._live:
            filled = _BAR * done // self._total
            line = f"[{'#' * filled}{'.' * (_BAR - filled)}] {line}"
            self._stream.write(f"\r{line[: screen.columns() - 1]}\x1b[K")
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()
