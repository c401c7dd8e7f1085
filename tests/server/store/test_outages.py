"""The store survives failures of its database, its disk and its process."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from patchwork.server.store import Conflict, Store, Unavailable, writer
from patchwork.server.store import database as connections
from patchwork.server.store.backup import backup
from server.support.friends import eventually
from server.support.full_disk import Disk, small_disk
from server.support.postgres import Cluster
from server.support.stored_games import OPEN, game, moved, opened, pragma, seq_of


@asynccontextmanager
async def opened_with_a_game(url: str) -> AsyncIterator[Store]:
    async with opened(url) as store:
        await store.create(game("one"), OPEN)
        yield store


async def assert_refused(store: Store, seq: int) -> None:
    with pytest.raises(Unavailable):
        await store.append("one", moved(seq), OPEN)
    assert await seq_of(store, "one") == seq - 1


async def append_until_refused(store: Store) -> None:
    seq = 1
    try:
        while seq < 5_000:
            await store.append("one", moved(seq + 1), OPEN)
            seq += 1
    finally:
        assert await seq_of(store, "one") == seq


async def assert_writable(store: Store) -> None:
    seq = await seq_of(store, "one") + 1
    await store.append("one", moved(seq), OPEN)
    assert await seq_of(store, "one") == seq


def test_a_read_only_database_refuses_writes_until_it_is_writable(sqlite_database: str) -> None:
    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            await pragma(store, "query_only = ON")
            await assert_refused(store, 2)
            await store.check()
            await pragma(store, "query_only = OFF")
            await assert_writable(store)

    asyncio.run(main())


def test_a_read_only_postgres_refuses_writes_until_it_is_writable(
    postgres: Cluster, postgres_database: str
) -> None:
    name = postgres_database.rpartition("/")[2]

    async def set_read_only(value: str) -> None:
        for statement in (
            f"ALTER DATABASE {name} SET default_transaction_read_only = {value}",
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
        ):
            await asyncio.to_thread(postgres.execute, statement)

    async def main() -> None:
        async with opened_with_a_game(postgres_database) as store:
            await set_read_only("on")
            await assert_refused(store, 2)
            await set_read_only("off")
            await assert_writable(store)

    asyncio.run(main())


def test_a_full_database_refuses_writes_until_there_is_room(sqlite_database: str) -> None:
    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            # SQLite raises this to the current number of pages.
            await pragma(store, "max_page_count = 1")
            with pytest.raises(Unavailable, match="full"):
                await append_until_refused(store)
            await assert_refused(store, await seq_of(store, "one") + 1)
            await pragma(store, "max_page_count = 100000")
            await assert_writable(store)

    asyncio.run(main())


def test_a_full_disk_refuses_writes_until_there_is_room(tmp_path: Path) -> None:
    async def main(disk: Disk) -> None:
        async with opened_with_a_game(str(disk.folder / "server.db")) as store:
            disk.fill()
            with pytest.raises(Unavailable):
                await append_until_refused(store)
            await assert_refused(store, await seq_of(store, "one") + 1)
            disk.clear()
            await assert_writable(store)

    with small_disk(tmp_path / "disk") as disk:
        asyncio.run(main(disk))


def test_a_locked_database_refuses_writes_until_it_is_unlocked(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connections._PRAGMAS, "busy_timeout", 50)

    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            with closing(sqlite3.connect(sqlite_database, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                await assert_refused(store, 2)
            await assert_writable(store)

    asyncio.run(main())


@pytest.mark.parametrize("crash", [False, True], ids=["stopped", "crashed"])
def test_the_store_reconnects_to_a_restarted_postgres(
    postgres: Cluster, postgres_database: str, crash: bool
) -> None:
    async def main() -> None:
        async with opened_with_a_game(postgres_database) as store:
            await asyncio.gather(*(store.load("one") for _ in range(5)))
            await asyncio.to_thread(postgres.stop, crash=crash)
            for read in (store.check(), store.load("one"), store.games_of("a", limit=1)):
                with pytest.raises(Unavailable):
                    await read
            writes = [store.create(game(f"game{number}"), OPEN) for number in range(5)]
            for result in await asyncio.gather(*writes, return_exceptions=True):
                assert isinstance(result, Unavailable)
            await asyncio.to_thread(postgres.start)
            await assert_writable(store)
            await store.check()

    asyncio.run(main())


def test_a_postgres_crash_during_writes_loses_no_acknowledged_event(
    postgres: Cluster, postgres_database: str
) -> None:
    async def main() -> None:
        async with opened_with_a_game(postgres_database) as store:
            acknowledged = 1

            async def append() -> None:
                nonlocal acknowledged
                while True:
                    await store.append("one", moved(acknowledged + 1), OPEN)
                    acknowledged += 1

            task = asyncio.create_task(append())
            await eventually(lambda: acknowledged >= 20 or task.done())
            await asyncio.to_thread(postgres.stop, crash=True)
            with pytest.raises(Unavailable):
                await task
            await asyncio.to_thread(postgres.start)
            assert await seq_of(store, "one") in (acknowledged, acknowledged + 1)
            assert acknowledged > 1
            await assert_writable(store)

    asyncio.run(main())


def test_an_unreachable_database_cannot_be_opened(
    postgres: Cluster, postgres_database: str
) -> None:
    postgres.stop()
    with pytest.raises(Unavailable):
        asyncio.run(Store.open(postgres_database))


def test_acknowledged_events_survive_a_killed_process(database: str) -> None:
    async def prepare() -> None:
        async with opened_with_a_game(database):
            pass

    async def check(acknowledged: int) -> None:
        async with opened(database) as store:
            assert await seq_of(store, "one") in (acknowledged, acknowledged + 1)
            (found,) = await store.games_of("player-ann", limit=1)
            assert found.id == "one"

    asyncio.run(prepare())
    program = Path(__file__).parents[1] / "support" / "endless_writer.py"
    for events in (1, 7, 40):
        command = [sys.executable, str(program), database, "one"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            seen = [process.stdout.readline() for _ in range(events)]
            process.kill()
            seen += process.stdout.readlines()
        whole = [line for line in seen if line.endswith("\n")]
        asyncio.run(check(int(whole[-1])))


# The file is deleted or replaced


def test_a_deleted_file_refuses_reads_and_writes(sqlite_database: str) -> None:
    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            for suffix in ("", "-wal", "-shm"):
                Path(sqlite_database + suffix).unlink()
            for seq in (2, 2):
                with pytest.raises(Unavailable):
                    await store.append("one", moved(seq), OPEN)
                with pytest.raises(Unavailable):
                    await store.check()
                with pytest.raises(Unavailable):
                    await store.load("one")
            assert not Path(sqlite_database).exists(), "the store creates no empty file"

    asyncio.run(main())


def test_a_write_is_not_acknowledged_if_the_file_is_deleted_meanwhile(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = writer._write

    async def write_and_delete(*arguments: Any) -> Any:
        written = await write(*arguments)
        Path(sqlite_database).unlink()
        return written

    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            monkeypatch.setattr(writer, "_write", write_and_delete)
            with pytest.raises(Unavailable):
                await store.append("one", moved(2), OPEN)

    asyncio.run(main())


def test_a_file_that_is_moved_back_is_used_again(sqlite_database: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            await store.append("one", moved(2), OPEN)
            elsewhere = tmp_path / "elsewhere.db"
            Path(sqlite_database).rename(elsewhere)
            with pytest.raises(Unavailable):
                await store.append("one", moved(3), OPEN)
            elsewhere.rename(sqlite_database)
            await store.check()
            await assert_writable(store)
            assert await seq_of(store, "one") == 3
        async with opened(sqlite_database) as store:
            assert await seq_of(store, "one") == 3

    asyncio.run(main())


def test_a_backup_moved_into_its_place_is_used(sqlite_database: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            copy = tmp_path / "copy.db"
            await asyncio.to_thread(backup, sqlite_database, copy)
            for seq in (2, 3):
                await store.append("one", moved(seq), OPEN)
            for suffix in ("", "-wal", "-shm"):
                Path(sqlite_database + suffix).unlink()
            with pytest.raises(Unavailable):
                await store.append("one", moved(4), OPEN)
            copy.rename(sqlite_database)
            with pytest.raises(Conflict):
                await store.append("one", moved(4), OPEN)
            await assert_writable(store)
            assert await seq_of(store, "one") == 2

    asyncio.run(main())
