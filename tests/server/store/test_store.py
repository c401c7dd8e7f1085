"""The store returns games as they were stored."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import event

from patchwork.notation.record import Termination
from patchwork.server.game.events import Event, GameStatus, Kind
from patchwork.server.game.terms import Opponent, Terms
from patchwork.server.store import Store, StoredGame, Unavailable
from patchwork.server.store.database import address
from server.support.postgres import Cluster
from server.support.stored_games import (
    ANN,
    BEN,
    NOW,
    OPEN,
    TERMS,
    VARIANTS,
    game,
    joined,
    moved,
    opened,
    played,
    pragma,
)


@pytest.mark.parametrize("terms", VARIANTS.values(), ids=VARIANTS)
def test_a_stored_game_is_loaded_unchanged(database: str, terms: Terms) -> None:
    events = (
        joined(name="Zoë 🧵 'Robert'); --"),
        joined(1, BEN, "", seq=2),
        moved(3),
        Event(4, Kind.MOVE, 1, NOW + 1, "17Bc4", (0, 2**40)),
        Event(5, Kind.FLAG, 0, 2**42),
    )
    stored = StoredGame("abcdefghijkl", terms, NOW - 5, events[:2])

    async def main() -> None:
        async with opened(database) as store:
            await store.create(stored, OPEN)
            for event in events[2:]:
                await store.append(stored.id, event, OPEN)
            assert await store.load(stored.id) == replace(stored, events=events)
            assert await store.load("another") is None
        async with opened(database) as store:
            assert await store.load(stored.id) == replace(stored, events=events)

    asyncio.run(main())


@pytest.mark.parametrize(
    "status",
    [
        OPEN,
        GameStatus(1, NOW, None, None, None, False),
        GameStatus(None, None, Termination.PLAYED_OUT, 1, (-162, 40), True),
        GameStatus(None, None, Termination.ABORTED, None, None, False),
    ],
)
def test_a_stored_status_is_listed_unchanged(database: str, status: GameStatus) -> None:
    async def main() -> None:
        async with opened(database) as store:
            await store.create(game("one"), status)
            await store.create(game("two"), OPEN)
            await store.append("two", moved(2), status)
            assert [found.status for found in await store.games_of(ANN, limit=9)] == 2 * [status]

    asyncio.run(main())


@pytest.mark.parametrize("terms", VARIANTS.values(), ids=VARIANTS)
def test_the_stored_status_follows_the_match(database: str, terms: Terms) -> None:
    statements: list[str] = []

    async def main() -> None:
        async with opened(database) as store:

            @event.listens_for(store._writing.sync_engine, "before_cursor_execute")
            def note(_c: object, _r: object, statement: str, *_: object) -> None:
                statements.append(statement)

            for seed in range(3):
                name = f"game{seed}"
                matches = played(terms, Random(seed))
                await store.create(game(name, *next(matches).events, terms=terms), OPEN)
                for match in matches:
                    await store.append(name, match.events[-1], match.status())
                    if match.seq % 10 and match.ending is None:
                        continue
                    found = await store.load(name)
                    assert found is not None
                    assert list(found.events) == match.events
                    listed = [
                        game for game in await store.games_of(ANN, limit=9) if game.id == name
                    ]
                    for entry in listed:
                        assert entry.status == match.status()
                        assert entry.updated == match.events[-1].at
                        assert entry.seats == tuple(match.seats_of(ANN))
                        assert entry.names == tuple(
                            occupant.name if occupant else "" for occupant in match.seats
                        )
                    assert bool(listed) == bool(match.seats_of(ANN))
                    clock = match.terms.clock
                    computer_resumes = (
                        match.computer_decides and clock is not None and clock.renewed
                    )
                    assert (name in await store.computer_to_move()) == computer_resumes
                    deadline = match.deadline
                    if deadline is not None:
                        assert name in await store.overdue(deadline)
                        assert name not in await store.overdue(deadline - 1)

    asyncio.run(main())
    assert not [text for text in statements if text.startswith(("DELETE", "UPDATE events"))]


def test_a_players_games_are_listed_latest_change_first(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            for number in range(5):
                await store.create(game(f"game{number}"), OPEN)
                await store.append(f"game{number}", moved(2, at=NOW + number), OPEN)
            await store.create(game("other", joined(player=BEN)), OPEN)
            await store.append("game1", joined(1, BEN, "Ben", seq=3), OPEN)
            await store.append("game1", moved(4, at=NOW + 10), OPEN)

            found = await store.games_of(ANN, limit=3)
            assert [entry.id for entry in found] == ["game1", "game4", "game3"]
            assert (found[0].names, found[0].seats) == (("Ann", "Ben"), (0,))
            assert (found[1].names, found[1].seats) == (("Ann", ""), (0,))
            rest = await store.games_of(ANN, limit=3, before=found[-1].updated)
            assert [entry.id for entry in rest] == ["game2", "game0"]
            assert [entry.seats for entry in await store.games_of(BEN, limit=1)] == [(1,)]
            assert await store.games_of("nobody", limit=3) == []

            over = replace(OPEN, turn=None, ending=Termination.RESIGNED, winner=1)
            for name in ("game1", "game4"):
                await store.append(name, moved(5 if name == "game1" else 3, at=NOW + 20), over)
            for running, expected in (
                (True, ["game3", "game2", "game0"]),
                (False, ["game1", "game4"]),
                (None, ["game1", "game4", "game3", "game2", "game0"]),
            ):
                listed = await store.games_of(ANN, limit=9, running=running)
                assert [entry.id for entry in listed] == expected

    asyncio.run(main())


def test_a_game_on_a_shared_screen_is_listed_once(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            terms = replace(TERMS, opponent=Opponent.SCREEN)
            both = (joined(), joined(1, ANN, "Ben", seq=2))
            await store.create(game("one", *both, terms=terms), OPEN)
            (found,) = await store.games_of(ANN, limit=3)
            assert (found.names, found.seats) == (("Ann", "Ben"), (0, 1))

    asyncio.run(main())


def test_a_rematch_is_stored_with_the_event_that_opens_it(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            await store.create(game("one"), OPEN)
            next_game = replace(game("two"), rematch_of="one")
            event = Event(2, Kind.NEXT, 0, NOW, "two")
            await store.append("one", event, OPEN, (next_game, OPEN))
            assert await store.load("two") == next_game

    asyncio.run(main())


def test_all_games_are_iterated_oldest_first(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            assert [found async for found in store.games()] == []
            stored = [game(f"game{number:03}", created=NOW - number // 9) for number in range(150)]
            await asyncio.gather(*(store.create(one, OPEN) for one in stored))
            found = [one async for one in store.games()]
            assert found == sorted(stored, key=lambda one: (one.created, one.id))

    asyncio.run(main())


def test_the_secret_is_made_once(database: str) -> None:
    async def main() -> None:
        async with opened(database) as one, opened(database) as other:
            found = await asyncio.gather(*(store.secret() for store in [one, other] * 5))
            assert len(set(found)) == 1
            assert len(found[0]) == 32
        async with opened(database) as again:
            assert await again.secret() == found[0]

    asyncio.run(main())


def test_a_working_database_passes_the_check(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            await store.check()

    asyncio.run(main())


def test_sqlite_is_configured_for_durability(sqlite_database: str) -> None:
    async def main() -> None:
        async with opened(sqlite_database) as store:
            assert await pragma(store, "journal_mode") == "wal"
            assert await pragma(store, "synchronous") == 2
            assert await pragma(store, "foreign_keys") == 1

    asyncio.run(main())


def test_the_database_file_is_private_to_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "some" / "folder" / "server.db"

    async def main() -> None:
        async with opened(f"sqlite:///{path}") as store:
            await store.create(game("one"), OPEN)
            for file in path.parent.iterdir():
                assert file.stat().st_mode & 0o077 == 0 or os.name == "nt"

    asyncio.run(main())
    assert path.exists()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("games/server.db", "sqlite+aiosqlite:///games/server.db"),
        ("/games/50%/server.db", "sqlite+aiosqlite:////games/50%25/server.db"),
        ("sqlite:///server.db", "sqlite+aiosqlite:///server.db"),
        ("sqlite:////var/server.db", "sqlite+aiosqlite:////var/server.db"),
        ("postgresql://u:p%40@host:5/name", "postgresql+asyncpg://u:p%40@host:5/name"),
        ("postgres://host/name", "postgresql+asyncpg://host/name"),
        (
            "postgresql://host/name?sslmode=require",
            "postgresql+asyncpg://host/name?ssl=require",
        ),
    ],
)
def test_database_urls_are_normalised(url: str, expected: str) -> None:
    assert address(url).render_as_string(hide_password=False) == expected


@pytest.mark.parametrize("url", ["", "sqlite://", "sqlite:///:memory:", "mysql://host/name", "://"])
def test_invalid_database_urls_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"empty|neither|not a URL"):
        asyncio.run(Store.open(url))


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "server.db"
    path.write_bytes(b"something else " * 100)
    with pytest.raises(Unavailable):
        asyncio.run(Store.open(str(path)))
    assert path.read_bytes() == b"something else " * 100


def test_a_folder_is_refused_as_a_database(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        asyncio.run(Store.open(str(tmp_path)))


def test_postgres_is_reached_over_its_unix_socket(postgres: Cluster) -> None:
    name = postgres.make_database()

    async def main() -> None:
        async with opened(postgres.url(name, by_socket=True)) as store:
            await store.check()

    asyncio.run(main())
    postgres.drop_database(name)
