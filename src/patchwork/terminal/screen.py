"""The screen and the keyboard: sizes, line editing, and text printed for people."""

import os
import re
import shutil
import sys
import textwrap
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from patchwork.render import ascii as drawing
from patchwork.rules.game import Layout
from patchwork.rules.position import Position

_LABEL = re.compile(r" *(?:\S.*? {2,})?")
"""The indentation of a line, and its label: the words before a gap of two spaces or more."""
_LINES = 24
"""The height of a terminal that does not tell its size."""
_NARROW = 20
"""Columns below which lines are not broken any narrower."""
_INDENT = 4
"""Columns by which continuation lines are indented where the label is too long for that."""
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def prepare() -> None:
    """Makes sure that neither a character nor a closed error stream can stop the program."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def edit_lines() -> None:
    """Enables line editing and a history at the keyboard, where Python has them."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401


def columns() -> int:
    """Returns the current width of the terminal; a file or a pipe is as wide as needed."""
    return (
        shutil.get_terminal_size((drawing.WIDTH, _LINES)).columns if _on_screen() else drawing.WIDTH
    )


def table(
    position: Position,
    layouts: tuple[Layout, Layout] | None,
    names: tuple[str, str],
    compact: bool,
) -> str:
    """Returns the table, as large as the terminal allows, or compact."""
    if compact or columns() < drawing.NARROWEST:
        return drawing.compact(position, names)
    return drawing.table(position, layouts, names, columns())


def wrapped(text: str) -> str:
    """Returns a text with long lines broken between words to fit the terminal."""
    if not _on_screen():
        return text
    return "\n".join(_filled(line, columns()) for line in text.split("\n"))


def print_text(text: str) -> None:
    """Prints a text for people, which may hold names and comments from untrusted files."""
    print(wrapped(harmless(text)))


def harmless(text: str) -> str:
    """Returns a text without control characters, which could take over a terminal."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def _on_screen() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _filled(line: str, width: int) -> str:
    """Returns a line broken to a width; what follows a label continues below itself."""
    label = _LABEL.match(line)
    assert label is not None
    indent = label.end() if label.end() < width // 2 else _INDENT
    return textwrap.fill(
        line,
        max(width, _NARROW),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
