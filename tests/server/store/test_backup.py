"""Databases are backed up and restored while servers run."""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from patchwork.server.store import Conflict, Store
from patchwork.server.store.backup import BackupError, Problem, backup, restore
from server.support.friends import eventually
from server.support.stored_games import OPEN, game, moved, opened, seq_of


async def fill(url: str, events: int = 3) -> None:
    async with opened(url) as store:
        await store.create(game("one"), OPEN)
        for seq in range(2, events + 1):
            await store.append("one", moved(seq), OPEN)


async def length(url: str) -> int:
    async with opened(url) as store:
        return await seq_of(store, "one")


def refused(code: Problem, work: Callable[[], None]) -> None:
    with pytest.raises(BackupError) as caught:
        work()
    assert caught.value.code is code


def test_a_backup_is_one_private_and_complete_file(sqlite_database: str, tmp_path: Path) -> None:
    asyncio.run(fill(sqlite_database))
    folder = tmp_path / "copies"
    folder.mkdir()
    backup(f"sqlite:///{sqlite_database}", folder / "copy.db")
    (copy,) = folder.iterdir()
    assert copy.stat().st_mode & 0o077 == 0 or os.name == "nt"
    assert asyncio.run(length(str(copy))) == 3


def test_a_backup_of_a_database_in_use_is_consistent(sqlite_database: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(sqlite_database) as store:
            await asyncio.gather(*(store.create(game(f"game{n}"), OPEN) for n in range(20)))
            seq = 1

            async def play() -> None:
                nonlocal seq
                while True:
                    writes = (store.append(f"game{n}", moved(seq + 1), OPEN) for n in range(20))
                    await asyncio.gather(*writes)
                    seq += 1

            playing = asyncio.create_task(play())
            for number in range(5):
                least = seq
                await eventually(lambda least=least: seq > least)  # type: ignore[misc]
                target = tmp_path / f"copy{number}.db"
                least = seq
                await asyncio.to_thread(backup, sqlite_database, target)
                most = seq + 1
                async with opened(str(target)) as copy:
                    lengths = [await seq_of(copy, f"game{n}") for n in range(20)]
                assert least <= min(lengths)
                assert max(lengths) <= most
                assert not playing.done()
            playing.cancel()
            await asyncio.wait([playing])

    asyncio.run(main())


def test_a_backup_overwrites_a_file_only_on_request(sqlite_database: str, tmp_path: Path) -> None:
    asyncio.run(fill(sqlite_database))
    target = tmp_path / "copy.db"
    target.write_text("precious")
    refused(Problem.EXISTS, lambda: backup(sqlite_database, target))
    assert target.read_text() == "precious"
    backup(sqlite_database, target, overwrite=True)
    assert asyncio.run(length(str(target))) == 3


def test_backing_up_a_database_onto_itself_is_refused(sqlite_database: str) -> None:
    asyncio.run(fill(sqlite_database))
    path = Path(sqlite_database)
    refused(Problem.SAME_FILE, lambda: backup(sqlite_database, path, overwrite=True))
    refused(Problem.SAME_FILE, lambda: restore(path, sqlite_database))
    assert asyncio.run(length(sqlite_database)) == 3


def test_a_missing_source_is_refused(sqlite_database: str, tmp_path: Path) -> None:
    refused(Problem.MISSING, lambda: backup(sqlite_database, tmp_path / "copy.db"))
    refused(Problem.MISSING, lambda: restore(tmp_path / "copy.db", sqlite_database))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_target_folder_is_refused(sqlite_database: str, tmp_path: Path) -> None:
    asyncio.run(fill(sqlite_database))
    refused(Problem.FAILED, lambda: backup(sqlite_database, tmp_path / "no" / "copy.db"))


def test_backups_of_postgres_are_refused(tmp_path: Path) -> None:
    url, copy = "postgresql://host/name", tmp_path / "copy.db"
    refused(Problem.NOT_SQLITE, lambda: backup(url, copy))
    refused(Problem.NOT_SQLITE, lambda: restore(copy, url))


def test_a_backup_is_restored_to_a_new_place(sqlite_database: str, tmp_path: Path) -> None:
    asyncio.run(fill(sqlite_database))
    backup(sqlite_database, tmp_path / "copy.db")
    place = tmp_path / "new" / "server.db"
    restore(tmp_path / "copy.db", str(place))
    assert [path.name for path in place.parent.iterdir()] == ["server.db"]
    assert place.stat().st_mode & 0o077 == 0 or os.name == "nt"
    assert asyncio.run(length(str(place))) == 3


def test_open_stores_continue_with_the_restored_backup(
    sqlite_database: str, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"

    async def main() -> None:
        async with opened(sqlite_database) as one, opened(sqlite_database) as other:
            await one.create(game("one"), OPEN)
            await one.append("one", moved(2), OPEN)
            secret = await one.secret()
            await asyncio.to_thread(backup, sqlite_database, copy)
            for seq in range(3, 50):
                await one.append("one", moved(seq), OPEN)
            await one.create(game("two"), OPEN)

            await asyncio.to_thread(restore, copy, sqlite_database)
            for store, name, seq in ((one, "one", 50), (other, "one", 50), (one, "two", 2)):
                with pytest.raises(Conflict):
                    await store.append(name, moved(seq), OPEN)
            assert await one.load("two") is None
            assert await seq_of(other, "one") == 2
            await one.append("one", moved(3), OPEN)
            await other.append("one", moved(4), OPEN)
            assert await seq_of(one, "one") == 4
            assert await other.secret() == secret

    asyncio.run(main())
    assert asyncio.run(length(sqlite_database)) == 4
    with closing(sqlite3.connect(sqlite_database)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_backup_is_restored_under_load(sqlite_database: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"

    written = 0

    async def play(store: Store, name: str) -> None:
        nonlocal written
        while True:
            try:
                await store.append(name, moved(await seq_of(store, name) + 1), OPEN)
            except Conflict:
                continue
            written += 1

    async def main() -> None:
        async with opened(sqlite_database) as store:
            names = [f"game{number}" for number in range(10)]
            await asyncio.gather(*(store.create(game(name), OPEN) for name in names))
            backup(sqlite_database, copy)
            playing = [asyncio.create_task(play(store, name)) for name in names]
            for number in range(5):
                await eventually(lambda least=10 * number: written > least)  # type: ignore[misc]
                await asyncio.to_thread(restore, copy, sqlite_database)

            async def all_continue() -> bool:
                return all([await seq_of(store, name) > 1 for name in names])

            await eventually(all_continue)  # with the restored games
            assert not any(task.done() for task in playing)
            for task in playing:
                task.cancel()
            await asyncio.wait(playing)

    asyncio.run(main())


def overwrite_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 6] = bytes(4096 * 4)
    path.write_bytes(content)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: 4096 * 5])


def not_a_database(path: Path) -> None:
    path.write_text("something else entirely " * 99)


def empty_file(path: Path) -> None:
    path.write_bytes(b"")


def another_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE games (name)")


def newer_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")


def delete_games(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM games")


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (overwrite_pages, Problem.UNSOUND),
        (truncate, Problem.UNSOUND),
        (not_a_database, Problem.UNSOUND),
        (empty_file, Problem.UNSOUND),
        (another_database, Problem.UNSOUND),
        (delete_games, Problem.UNSOUND),
        (newer_version, Problem.UNKNOWN_VERSION),
    ],
)
def test_a_damaged_backup_is_not_restored(
    sqlite_database: str, tmp_path: Path, damage: Callable[[Path], None], code: Problem
) -> None:
    asyncio.run(fill(sqlite_database))
    copy = tmp_path / "copy.db"
    backup(sqlite_database, copy)
    damage(copy)
    refused(code, lambda: restore(copy, sqlite_database))
    assert asyncio.run(length(sqlite_database)) == 3
    assert {path.name for path in tmp_path.iterdir()} == {"copy.db", "server.db"}
