"""Connections to SQLite and PostgreSQL, set up so that commits are durable."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, event, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, DisconnectionError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from patchwork.server.store.stored import Conflict, Unavailable

_TIMEOUT = 10
"""Seconds to wait for a lock, a connection or an answer; clients wait about as long for theirs."""

_RETRY_SECONDS = 0.01
"""Until a file that is locked is tried again."""
_PRAGMAS = {
    "busy_timeout": _TIMEOUT * 1000,
    "foreign_keys": "ON",
    "synchronous": "FULL",
    "secure_delete": "ON",
}
"""Of each connection to SQLite. Commits are synced to disk; deleted data is overwritten."""

_OPENED = "opened"
"""Under which a connection to SQLite keeps which file it has opened."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """The file that a connection has opened."""

    path: Path
    identity: tuple[int, int] | None

    @property
    def in_place(self) -> bool:
        """Whether it is still the file at its path."""
        return self.identity is not None and self.identity == _identity(self.path)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def address(url: str) -> URL:
    """Returns the URL of a database, from ``postgresql://…``, ``sqlite:///path`` or a plain path.

    Raises:
        ValueError: the text is none of these.
    """
    if "://" not in url:
        if not url:
            raise ValueError("the path of the database is empty")
        return URL.create("sqlite+aiosqlite", database=str(Path(url).expanduser()))
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise ValueError(f"{url!r} is not a URL") from error
    match parsed.get_backend_name():
        case "sqlite" if parsed.database not in (None, "", ":memory:"):
            return parsed.set(drivername="sqlite+aiosqlite")
        case "postgresql" | "postgres":
            query = dict(parsed.query)
            if "sslmode" in query:
                query["ssl"] = query.pop("sslmode")
            return parsed.set(drivername="postgresql+asyncpg", query=query)
    raise ValueError(f"{url!r} is neither a path, sqlite:///path nor postgresql://…")


def sqlite_path(url: URL) -> Path | None:
    """Returns the file of an SQLite database; None for PostgreSQL."""
    if url.get_backend_name() != "sqlite":
        return None
    assert url.database is not None
    return Path(url.database)


def prepare(path: Path) -> None:
    """Creates the file of an SQLite database if there is none, readable by its owner only.

    The database uses a write-ahead log, so that readers and the writer do not wait for each other.
    If several processes set this up at once, SQLite fails instead of waiting, so it is tried again.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # it contains the secret that signs identities
    deadline = time.monotonic() + _TIMEOUT
    while True:
        try:
            with closing(sqlite3.connect(path, timeout=0)) as connection:
                if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                    connection.execute("PRAGMA journal_mode = WAL")
                return
        except sqlite3.Error as error:
            locked = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if not locked or time.monotonic() > deadline:
                raise Unavailable(f"{path}: {error}") from error
            time.sleep(_RETRY_SECONDS)


def connect(url: URL, *, writing: bool = False, rebuilding: bool = False) -> AsyncEngine:
    """Returns an engine.

    Args:
        url: the database.
        writing: for the one task that writes: a single connection, whose transactions lock at once.
        rebuilding: for migrations that replace tables: SQLite does not check foreign keys.
    """
    options: dict[str, Any] = {"hide_parameters": True}
    if writing:
        options |= {"pool_size": 1, "max_overflow": 0}
    path = sqlite_path(url)
    if path is None:
        return create_async_engine(
            url,
            pool_pre_ping=True,
            connect_args={"timeout": _TIMEOUT, "command_timeout": _TIMEOUT},
            **options,
        )
    engine = create_async_engine(url, **options)
    begin = "BEGIN IMMEDIATE" if writing else "BEGIN"

    @event.listens_for(engine.sync_engine, "do_connect")
    def _connect(_: object, __: object, arguments: list[Any], options: dict[str, Any]) -> None:
        # A missing file is an error; it must not be created anew without the games. aiosqlite would
        # notice it, too, but does not wait for the end of its thread then.
        if not path.exists():
            raise FileNotFoundError(f"{path} was deleted")
        arguments[0] = f"{path.absolute().as_uri()}?mode=rw"
        options["uri"] = True

    @event.listens_for(engine.sync_engine, "connect")
    def _set_up(connection: Any, record: ConnectionPoolEntry) -> None:
        record.info[_OPENED] = _Opened(path, _identity(path))
        try:
            connection.isolation_level = None  # the driver must not begin transactions
            cursor = connection.cursor()
            pragmas = _PRAGMAS | {"foreign_keys": "OFF"} if rebuilding else _PRAGMAS
            for name, value in pragmas.items():
                cursor.execute(f"PRAGMA {name} = {value}")
            cursor.close()
        except BaseException:
            connection.close()  # ends its thread, too, to which nobody else has a reference yet
            raise

    @event.listens_for(engine.sync_engine, "checkout")
    def _check_out(_: object, record: ConnectionPoolEntry, __: object) -> None:
        if not record.info[_OPENED].in_place:
            # The pool then opens a new connection.
            raise DisconnectionError(f"{path} was deleted or replaced")

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def check_in_place(connection: AsyncConnection) -> None:
    """Makes sure that what was written is in the file at the path of the database.

    If that file is deleted or replaced, SQLite keeps writing to the old one until it is closed.

    Raises:
        FileNotFoundError: the file was deleted or replaced.
    """
    assert connection.sync_connection is not None
    opened = connection.sync_connection.info.get(_OPENED)
    if opened is not None and not opened.in_place:
        raise FileNotFoundError(f"{opened.path} was deleted or replaced")


@contextmanager
def translated() -> Iterator[None]:
    """Turns exceptions of drivers into those of the store, except those for invalid values."""
    try:
        yield
    except IntegrityError as error:
        raise Conflict(str(error.orig)) from error
    except DBAPIError as error:
        if _values_are_wrong(error):
            raise
        raise Unavailable(str(error.orig)) from error
    except (OSError, PoolTimeoutError) as error:
        raise Unavailable(f"{type(error).__name__}: {error}") from error


def _values_are_wrong(error: DBAPIError) -> bool:
    state = getattr(error.orig, "sqlstate", None) or ""
    refused_by_driver = error.orig is not None and isinstance(error.orig.__cause__, ValueError)
    return isinstance(error, DataError) or state.startswith("22") or refused_by_driver
