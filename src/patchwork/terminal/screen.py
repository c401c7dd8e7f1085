"""The screen and the keyboard: what fits, and how people are told things."""

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
"""The indentation of a line, and the words before a gap in it."""
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def prepare() -> None:
    """Makes sure that no character and no closed stream for messages can stop the program."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def edit_lines() -> None:
    """Gives the keyboard line editing and a history, where Python has them."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401


def columns() -> int:
    """Returns how wide the terminal is at the moment; a file or a pipe has room for everything."""
    return shutil.get_terminal_size((drawing.WIDTH, 24)).columns if _on_screen() else drawing.WIDTH


def table(
    position: Position,
    layouts: tuple[Layout, Layout] | None,
    names: tuple[str, str],
    compact: bool,
) -> str:
    """Returns the table as large as the terminal allows, or the compact one if that is wanted."""
    if compact or columns() < drawing.NARROWEST:
        return drawing.compact(position, names)
    return drawing.table(position, layouts, names, columns())


def wrapped(text: str) -> str:
    """Returns a text with its long lines broken between words, to fit the terminal."""
    if not _on_screen():
        return text
    return "\n".join(_filled(line, columns()) for line in text.split("\n"))


def print_text(text: str) -> None:
    """Prints a text for people, which may hold names and comments from anybody's file."""
    print(wrapped(harmless(text)))


def harmless(text: str) -> str:
    """Returns a text without the characters by which it could take over a terminal."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def _on_screen() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _filled(line: str, width: int) -> str:
    """Returns a line broken to a width; what follows a gap goes on below itself."""
    label = _LABEL.match(line)
    assert label is not None
    indent = label.end() if label.end() < width // 2 else 4
    return textwrap.fill(
        line,
        max(width, 20),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
