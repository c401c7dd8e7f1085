"""Backups of a server's SQLite database, made and restored while the server runs."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path

from sqlalchemy import URL, NullPool, create_engine

from patchwork.server.store import migrations
from patchwork.server.store.database import address, sqlite_path


class Problem(StrEnum):
    """Why a backup or restore failed."""

    NOT_SQLITE = "not-sqlite"
    MISSING = "missing"
    EXISTS = "exists"
    SAME_FILE = "same-file"
    UNSOUND = "unsound"
    UNKNOWN_VERSION = "unknown-version"
    FAILED = "failed"


class BackupError(Exception):
    """A backup or restore failed; nothing has changed."""

    def __init__(self, code: Problem, detail: str) -> None:
        super().__init__(f"{detail} ({code})")
        self.code = code
        self.detail = detail


def backup(url: str, target: Path, *, overwrite: bool = False) -> None:
    """Writes a consistent copy of a database to a file; the server may go on writing.

    Raises:
        BackupError: it is not an SQLite database, does not exist, or cannot be copied.
    """
    database = _file(url)
    _check_there(database)
    _check_different(database, target)
    if target.exists() and not overwrite:
        raise BackupError(Problem.EXISTS, f"{target} exists already")
    with _failing(f"{database} cannot be copied to {target}"), _aside(target) as copy:
        _copy(database, copy)
        _check_sound(copy)
        copy.replace(target)
        _sync_folder(target.parent)


def restore(source: Path, url: str) -> None:
    """Replaces the contents of a database by a copy; a running server continues with it.

    Raises:
        BackupError: the copy is damaged, or not a server's, or the database cannot be written.
    """
    database = _file(url)
    _check_there(source)
    _check_different(source, database)
    with _failing(f"{source} cannot be put in the place of {database}"):
        database.parent.mkdir(parents=True, exist_ok=True)
        with _aside(database) as copy:
            try:
                _copy(source, copy)
            except sqlite3.DatabaseError as error:
                raise BackupError(Problem.UNSOUND, f"{source}: {error}") from error
            _check_sound(copy)
            _upgrade(copy)
            if not database.exists():
                database.touch(mode=0o600)
            with closing(_open(copy)) as origin, closing(_open(database)) as place:
                place.execute("PRAGMA journal_mode = WAL")
                origin.backup(place)


def _file(url: str) -> Path:
    path = sqlite_path(address(url))
    if path is None:
        raise BackupError(
            Problem.NOT_SQLITE, "PostgreSQL makes its own copies: use pg_dump and pg_restore"
        )
    return path


def _check_there(path: Path) -> None:
    if not path.is_file():
        raise BackupError(Problem.MISSING, f"there is no file {path}")


def _check_different(one: Path, other: Path) -> None:
    if other.exists() and one.samefile(other):
        raise BackupError(Problem.SAME_FILE, f"{one} and {other} are the same file")


def _check_sound(path: Path) -> None:
    with closing(_open(path)) as connection:
        try:
            faults = [text for (text,) in connection.execute("PRAGMA integrity_check")]
            strays = connection.execute("PRAGMA foreign_key_check").fetchall()
        except sqlite3.DatabaseError as error:
            faults, strays = [str(error)], []
        if faults != ["ok"] or strays:
            raise BackupError(Problem.UNSOUND, f"the copy is damaged: {faults[0]}, {len(strays)}")
        try:
            ((version,),) = connection.execute("SELECT version_num FROM alembic_version")
        except (sqlite3.OperationalError, ValueError) as error:
            raise BackupError(Problem.UNSOUND, "the copy is no database of a server") from error
    if version not in migrations.known():
        raise BackupError(
            Problem.UNKNOWN_VERSION, f"the copy has schema version {version}, which is unknown here"
        )


def _upgrade(path: Path) -> None:
    engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool)
    with engine.begin() as connection:
        migrations.upgrade(connection)


def _open(path: Path) -> sqlite3.Connection:
    """Opens a database, which must exist."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=10)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _copy(source: Path, target: Path) -> None:
    with closing(_open(source)) as origin, closing(_open(target)) as copy:
        origin.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # a single file


@contextmanager
def _aside(target: Path) -> Iterator[Path]:
    """Yields an empty file next to another one, for its owner only, and deletes it at the end."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    try:
        yield Path(name)
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            Path(name + suffix).unlink(missing_ok=True)


@contextmanager
def _failing(what: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise BackupError(Problem.FAILED, f"{what}: {error}") from error


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":  # Windows cannot open folders; there, renaming is durable by itself
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
