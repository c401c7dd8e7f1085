"""Reads files and standard input, but not endless ones."""

import errno
import os
from pathlib import Path
from typing import BinaryIO

LARGEST = 16 * 2**20
"""Bytes that are read at most; thousands of games have room in them."""


def read_file(path: Path) -> bytes:
    """Returns all that is in a file.

    Raises:
        OSError: it cannot be read, or is larger than ``LARGEST``.
    """
    with path.open("rb") as file:
        return read_stream(file)


def read_stream(stream: BinaryIO) -> bytes:
    """Returns all that a stream still holds.

    Raises:
        OSError: it cannot be read, or holds more than ``LARGEST``.
    """
    found = stream.read(LARGEST + 1)
    if len(found) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return found
