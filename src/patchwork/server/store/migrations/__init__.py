"""Migrates a database to the newest schema. Alembic is imported only if there is work to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import (
    URL,
    Column,
    Connection,
    MetaData,
    Table,
    Text,
    func,
    inspect,
    select,
    text,
)
from sqlalchemy.ext.asyncio import AsyncEngine

from patchwork.server.store import schema
from patchwork.server.store.database import connect
from patchwork.server.store.stored import UnknownVersion

if TYPE_CHECKING:
    from alembic.config import Config

Result = TypeVar("Result")

FOLDER = Path(__file__).parent
_LOCK = 0x7061746368
"""The advisory lock in PostgreSQL: any number; this one spells ``patch``."""
_versions = Table("alembic_version", MetaData(), Column("version_num", Text))


async def run(reading: AsyncEngine) -> None:
    """Migrates a database to the newest schema.

    Raises:
        UnknownVersion: the database has a schema that this version does not know.
    """
    async with reading.connect() as connection:
        found = await connection.run_sync(version)
    if found != schema.VERSION:
        await alone(reading.url, upgrade)


async def alone(url: URL, work: Callable[[Connection], Result]) -> Result:
    """Does some work on the schema in a transaction, while no other process does."""
    engine = connect(url, writing=True, rebuilding=True)
    try:
        async with engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                await connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            result = await connection.run_sync(work)
            if connection.dialect.name == "sqlite":
                strays = await connection.execute(text("PRAGMA foreign_key_check"))
                assert not strays.all(), "a migration left rows that refer to nothing"
            return result
    finally:
        await engine.dispose()


def version(connection: Connection) -> str | None:
    """Returns the version of a database's schema; None if the database is empty."""
    if not inspect(connection).has_table(_versions.name):
        return None
    return connection.scalar(select(_versions.c.version_num))


def upgrade(connection: Connection, to: str = "head", folder: Path = FOLDER) -> None:
    """Migrates a database up to a version, within the transaction of the connection.

    Raises:
        UnknownVersion: the database has a schema that this version does not know.
    """
    from alembic import command

    _check_known(connection, folder)
    command.upgrade(_config(connection, folder), to)


def downgrade(connection: Connection, to: str = "base", folder: Path = FOLDER) -> None:
    """Migrates a database down to a version, within the transaction of the connection.

    Raises:
        UnknownVersion: the database has a schema that this version does not know.
    """
    from alembic import command

    _check_known(connection, folder)
    command.downgrade(_config(connection, folder), to)


def known(folder: Path = FOLDER) -> list[str]:
    """Returns the known versions, the newest first."""
    from alembic.script import ScriptDirectory

    return [script.revision for script in ScriptDirectory(str(folder)).walk_revisions()]


def _check_known(connection: Connection, folder: Path) -> None:
    found = version(connection)
    if found is not None and found not in known(folder):
        raise UnknownVersion(
            f"the database has schema version {found}; "
            f"the newest one that this version of patchwork knows is {schema.VERSION}"
        )


def _config(connection: Connection, folder: Path) -> Config:
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    return config
