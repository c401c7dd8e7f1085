"""Reads files and standard input, up to a limit."""

import errno
import os
from pathlib import Path
from typing import BinaryIO

LARGEST = 16 * 2**20
"""The most bytes that are read; they hold thousands of games."""


def read_file(path: Path) -> bytes:
    """Returns the content of a file.

    Raises:
        OSError: it cannot be read, or is larger than ``LARGEST``.
    """
    with path.open("rb") as file:
        return read_stream(file)


def read_stream(stream: BinaryIO) -> bytes:
    """Returns the rest of a stream.

    Raises:
        OSError: it cannot be read, or holds more than ``LARGEST``.
    """
    found = stream.read(LARGEST + 1)
    if len(found) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return found
