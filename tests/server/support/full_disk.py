"""A full disk, as far as a process may bring one about without special rights."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Disk:
    """A folder whose files may be kept from growing, as on a disk that is full.

    What is written beyond that fails, as there, when the system is asked to write. Codes of the
    errors differ; SQLite's own for a full disk comes by the pragma ``max_page_count``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(self) -> None:
        """Lets no file of this process become larger than the largest in the folder."""
        largest = max(path.stat().st_size for path in self.folder.iterdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, self._before[1]))

    def clear(self) -> None:
        """Lets files grow again."""
        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)


@contextmanager
def small_disk(folder: Path) -> Iterator[Disk]:
    """A new disk, which is cleared at the end."""
    folder.mkdir()
    disk = Disk(folder)
    try:
        yield disk
    finally:
        disk.clear()
