"""Simulates a full disk, as far as a process can without special rights."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Disk:
    """A folder whose files can be kept from growing, as on a full disk.

    As on a full disk, writing more fails with an error of the system, though with another code. The
    pragma ``max_page_count`` brings about SQLite's own error for a full disk.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(self) -> None:
        """Lets no file of this process grow beyond the largest one in the folder."""
        largest = max(path.stat().st_size for path in self.folder.iterdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, self._before[1]))

    def clear(self) -> None:
        """Lets files grow again."""
        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)


@contextmanager
def small_disk(folder: Path) -> Iterator[Disk]:
    """Yields a new disk, which is cleared at the end."""
    folder.mkdir()
    disk = Disk(folder)
    try:
        yield disk
    finally:
        disk.clear()
