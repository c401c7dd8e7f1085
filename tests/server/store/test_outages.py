"""The store survives what happens to its database, its disk and its process."""

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


async def refuses(store: Store, seq: int) -> None:
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


async def goes_on(store: Store) -> None:
    seq = await seq_of(store, "one") + 1
    await store.append("one", moved(seq), OPEN)
    assert await seq_of(store, "one") == seq


def test_a_read_only_database_refuses_until_it_is_no_longer_so(sqlite_database: str) -> None:
    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            await pragma(store, "query_only = ON")
            await refuses(store, 2)
            await store.check()
            await pragma(store, "query_only = OFF")
            await goes_on(store)

    asyncio.run(main())


def test_a_read_only_postgres_refuses_until_it_is_no_longer_so(
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
            await refuses(store, 2)
            await set_read_only("off")
            await goes_on(store)

    asyncio.run(main())


def test_a_full_database_refuses_until_there_is_room(sqlite_database: str) -> None:
    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            await pragma(store, "max_page_count = 1")  # which makes it as many as there are
            with pytest.raises(Unavailable, match="full"):
                await append_until_refused(store)
            await refuses(store, await seq_of(store, "one") + 1)
            await pragma(store, "max_page_count = 100000")
            await goes_on(store)

    asyncio.run(main())


def test_a_full_disk_refuses_until_there_is_room(tmp_path: Path) -> None:
    async def main(disk: Disk) -> None:
        async with opened_with_a_game(str(disk.folder / "server.db")) as store:
            disk.fill()
            with pytest.raises(Unavailable):
                await append_until_refused(store)
            await refuses(store, await seq_of(store, "one") + 1)
            disk.clear()
            await goes_on(store)

    with small_disk(tmp_path / "disk") as disk:
        asyncio.run(main(disk))


def test_a_lock_held_too_long_refuses_until_it_is_gone(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connections._PRAGMAS, "busy_timeout", 50)

    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            with closing(sqlite3.connect(sqlite_database, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                await refuses(store, 2)
            await goes_on(store)

    asyncio.run(main())


@pytest.mark.parametrize("crash", [False, True], ids=["stopped", "crashed"])
def test_a_postgres_that_was_away_is_used_again(
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
            await goes_on(store)
            await store.check()

    asyncio.run(main())


def test_a_postgres_that_goes_away_in_the_middle_loses_nothing(
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
            await goes_on(store)

    asyncio.run(main())


def test_a_database_that_is_away_cannot_be_opened(
    postgres: Cluster, postgres_database: str
) -> None:
    postgres.stop()
    with pytest.raises(Unavailable):
        asyncio.run(Store.open(postgres_database))


def test_what_was_acknowledged_survives_the_end_of_the_process(database: str) -> None:
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


# The file is not there any more


def test_nothing_is_stored_in_a_file_that_was_deleted(sqlite_database: str) -> None:
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
            assert not Path(sqlite_database).exists(), "nor is there an empty one"

    asyncio.run(main())


def test_what_is_written_while_the_file_is_deleted_is_not_acknowledged(
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


def test_a_file_that_comes_back_is_gone_on_with(sqlite_database: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with opened_with_a_game(sqlite_database) as store:
            await store.append("one", moved(2), OPEN)
            elsewhere = tmp_path / "elsewhere.db"
            Path(sqlite_database).rename(elsewhere)
            with pytest.raises(Unavailable):
                await store.append("one", moved(3), OPEN)
            elsewhere.rename(sqlite_database)
            await store.check()
            await goes_on(store)
            assert await seq_of(store, "one") == 3
        async with opened(sqlite_database) as store:
            assert await seq_of(store, "one") == 3

    asyncio.run(main())


def test_a_copy_that_is_put_in_its_place_is_gone_on_with(
    sqlite_database: str, tmp_path: Path
) -> None:
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
            await goes_on(store)
            assert await seq_of(store, "one") == 2

    asyncio.run(main())
