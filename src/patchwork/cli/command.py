"""What all commands share: how they are added, and how they report errors."""

import argparse
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from patchwork.cli.arguments import Parser
from patchwork.locales import Messages
from patchwork.notation.errors import NotationError
from patchwork.terminal import files
from patchwork.terminal.error_messages import located_message

INTERRUPTED: Final = 128 + signal.SIGINT
"""The exit status of a command that was interrupted, as shells report it: 130."""

DEFAULT_PAIRS: Final = 100
"""Pairs of games in a match, unless another number is given."""

Command = Callable[[argparse.Namespace, Messages], int]
"""Runs with the given options and returns the exit status."""
AddCommand = Callable[[str, Command], Parser]
"""Adds a command by its name (two words if it belongs to a group) and returns its parser."""


class CommandError(Exception):
    """A message for the user that ends the command with status 1."""


def forbid_together(options: argparse.Namespace, say: Messages, together: list[str]) -> None:
    """Ends the command if two options were given that exclude each other."""
    if len(together) > 1:
        first, second = together[:2]
        options.parser.error(say("cli-not-together", first=first, second=second))


def read_text(file: str, say: Messages) -> str:
    """Returns the text of a file, or of standard input for ``-``."""
    if file == "-" and sys.stdin is None:
        raise CommandError(say("cli-no-input"))
    with file_errors(say, file):
        if file == "-":
            return files.read_stream(sys.stdin.buffer).decode("utf-8")
        return files.read_file(Path(file)).decode("utf-8")


@contextmanager
def file_errors(say: Messages, file: object, text: str = "") -> Iterator[None]:
    """Turns errors with a file or its text into messages for the user."""
    try:
        yield
    except NotationError as error:
        raise CommandError(located_message(say, file, error, text)) from error
    except UnicodeDecodeError as error:
        raise CommandError(say("cli-not-text", file=str(file), byte=error.start)) from error
    except OSError as error:
        name = str(error.filename or file)
        raise CommandError(
            say("cli-cannot-open", file=name, detail=error.strerror or "")
        ) from error
