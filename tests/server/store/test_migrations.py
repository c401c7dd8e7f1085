"""Migrations up and down keep the stored games."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, select, text

from patchwork.server.store import Store, UnknownVersion, migrations, schema
from patchwork.server.store.database import address
from patchwork.server.store.migrations import Result
from server.support.stored_games import OPEN, game, moved, opened, seq_of

NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{newest}"


def upgrade() -> None:
    with op.batch_alter_table("games") as games:
        games.add_column(sa.Column("mood", sa.Text, nullable=False, server_default="merry"))
    op.create_table("moods", sa.Column("mood", sa.Text, primary_key=True))
    {fault}


def downgrade() -> None:
    op.drop_table("moods")
    with op.batch_alter_table("games") as games:
        games.drop_column("mood")
"""


def run_on(url: str, work: Callable[[Connection], Result]) -> Result:
    """Runs a function in a transaction on a database, and returns its result."""
    return asyncio.run(migrations.alone(address(url), work))


def tables(connection: Connection) -> set[str]:
    return set(inspect(connection).get_table_names())


def differences(connection: Connection) -> list[object]:
    """Returns the differences between the database and the schema."""
    return list(compare_metadata(MigrationContext.configure(connection), schema.metadata))


async def fill(url: str) -> None:
    async with opened(url) as store:
        await store.create(game("one"), OPEN)
        await store.append("one", moved(2), OPEN, (game("two"), OPEN))
        await store.secret()


def contents(connection: Connection) -> list[list[object]]:
    columns = {
        table: [column for column in table.columns if column.name != "mood"]
        for table in schema.metadata.sorted_tables
    }
    return [
        [tuple(row) for row in connection.execute(select(*columns).order_by(*columns[:2]))]
        for columns in columns.values()
    ]


@pytest.fixture
def next_version(tmp_path: Path) -> Callable[[str], Path]:
    """Returns a function that makes a copy of the migrations with one more."""

    def make(fault: str = "") -> Path:
        folder = tmp_path / "migrations 50%"
        shutil.copytree(migrations.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
        text = NEXT.format(fault=fault, newest=schema.VERSION)
        (folder / "versions" / "next_moods.py").write_text(text)
        return folder

    return make


def test_the_newest_version_is_the_one_named_in_the_schema() -> None:
    assert migrations.known()[0] == schema.VERSION


def test_migrations_lead_to_the_tables_of_the_schema(database: str) -> None:
    asyncio.run(fill(database))
    assert run_on(database, differences) == []
    assert run_on(database, migrations.version) == schema.VERSION


def test_migrating_down_step_by_step_and_up_again(database: str) -> None:
    asyncio.run(fill(database))
    for _ in migrations.known():
        run_on(database, lambda connection: migrations.downgrade(connection, "-1"))
    assert run_on(database, tables) == {"alembic_version"}
    asyncio.run(fill(database))
    assert run_on(database, tables) == {*schema.metadata.tables, "alembic_version"}


def test_a_new_version_keeps_the_games_up_and_down(
    database: str, next_version: Callable[[str], Path]
) -> None:
    folder = next_version("")
    asyncio.run(fill(database))
    before = run_on(database, contents)
    assert before[0]

    run_on(database, lambda connection: migrations.upgrade(connection, folder=folder))
    assert run_on(database, contents) == before
    moods = run_on(
        database, lambda connection: connection.scalars(text("SELECT mood FROM games")).all()
    )
    assert moods == ["merry", "merry"]

    run_on(database, lambda connection: migrations.downgrade(connection, schema.VERSION, folder))
    assert run_on(database, contents) == before
    assert "moods" not in run_on(database, tables)
    assert run_on(database, differences) == []

    async def append_a_move() -> None:
        async with opened(database) as store:
            await store.append("one", moved(3), OPEN)
            assert await seq_of(store, "one") == 3

    asyncio.run(append_a_move())


@pytest.mark.parametrize("old", migrations.known()[1:])
def test_a_database_of_every_older_version_opens_with_its_games(database: str, old: str) -> None:
    asyncio.run(fill(database))
    before = run_on(database, contents)
    run_on(database, lambda connection: migrations.downgrade(connection, old))
    assert run_on(database, migrations.version) == old

    async def open_and_check() -> None:
        async with opened(database) as store:
            assert await seq_of(store, "one") == 2

    asyncio.run(open_and_check())
    assert run_on(database, migrations.version) == schema.VERSION
    assert run_on(database, contents) == before


def test_a_failed_migration_changes_nothing(
    database: str, next_version: Callable[[str], Path]
) -> None:
    folder = next_version("raise RuntimeError('halfway')")
    asyncio.run(fill(database))
    before = run_on(database, contents)
    with pytest.raises(RuntimeError, match="halfway"):
        run_on(database, lambda connection: migrations.upgrade(connection, folder=folder))
    assert run_on(database, contents) == before
    assert "moods" not in run_on(database, tables)
    assert run_on(database, migrations.version) == schema.VERSION


def test_a_newer_database_is_refused(database: str) -> None:
    asyncio.run(fill(database))
    newer = text("UPDATE alembic_version SET version_num = '9999'")
    run_on(database, lambda connection: connection.execute(newer))
    before = run_on(database, contents)
    with pytest.raises(UnknownVersion, match=f"9999.*{schema.VERSION}"):
        asyncio.run(Store.open(database))
    assert run_on(database, contents) == before


def test_several_stores_may_open_an_empty_database_at_once(database: str) -> None:
    async def main() -> None:
        stores = await asyncio.gather(*(Store.open(database) for _ in range(5)))
        for number, store in enumerate(stores):
            await store.create(game(f"game{number}"), OPEN)
            await store.close()

    asyncio.run(main())


def test_opening_an_up_to_date_database_does_not_import_alembic(sqlite_database: str) -> None:
    asyncio.run(fill(sqlite_database))
    code = (
        "import asyncio, sys; from patchwork.server.store import Store\n"
        "async def main(): await (await Store.open(sys.argv[1])).close()\n"
        "asyncio.run(main()); assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, sqlite_database], check=True)
