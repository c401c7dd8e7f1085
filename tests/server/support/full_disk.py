"""Simulates a full disk, without special privileges."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Disk:
    """A folder whose files can be kept from growing, as on a full disk.

    Writing more fails with a system error, though with another code than on a full disk. The pragma
    ``max_page_count`` causes SQLite's own error for a full disk.
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
