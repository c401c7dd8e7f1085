"""Writes share commits, and each is stored whole and once."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import event

from patchwork.server.game.events import Event, Kind
from patchwork.server.store import Conflict, Store, Unavailable
from server.support.stored_games import (
    BEN,
    NOW,
    OPEN,
    counted_commits,
    game,
    joined,
    moved,
    opened,
    seq_of,
)


async def outcomes(*writes: Coroutine[object, object, None]) -> list[type[BaseException] | None]:
    """Returns the type of exception that each of some concurrent writes raises, or None."""
    results = await asyncio.gather(*writes, return_exceptions=True)
    return [None if result is None else type(result) for result in results]


async def assert_conflict(write: Coroutine[object, object, None]) -> None:
    with pytest.raises(Conflict):
        await write


def test_an_event_must_follow_the_last_one(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            await store.create(game("one"), OPEN)
            for event in (moved(1), moved(3), moved(0)):
                await assert_conflict(store.append("one", event, OPEN))
            await assert_conflict(store.append("unknown", moved(2), OPEN))
            assert await seq_of(store, "one") == 1
            await store.append("one", moved(2), OPEN)
            await assert_conflict(store.append("one", moved(2, "another"), OPEN))
            assert await seq_of(store, "one") == 2

    asyncio.run(main())


def test_an_action_id_is_stored_once_per_game_and_player(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            await store.create(game("one"), OPEN)
            await store.create(game("two"), OPEN)
            await store.append("one", moved(2, "again"), OPEN)
            await assert_conflict(store.append("one", moved(3, "again"), OPEN))
            await store.append("one", replace(moved(3, "again"), player=BEN), OPEN)
            await store.append("two", moved(2, "again"), OPEN)
            for seq in (4, 5):
                event = Event(seq, Kind.MOVE, 1, NOW, "A")
                await store.append("one", event, OPEN)
            assert await seq_of(store, "one") == 5

    asyncio.run(main())


def test_game_ids_seats_and_rematches_are_unique(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            await store.create(game("one"), OPEN)
            await assert_conflict(store.create(game("one"), OPEN))
            await assert_conflict(store.append("one", joined(0, BEN, seq=2), OPEN))
            await store.create(replace(game("two"), rematch_of="one"), OPEN)
            await assert_conflict(store.create(replace(game("three"), rematch_of="one"), OPEN))
            await assert_conflict(store.create(replace(game("four"), rematch_of="nothing"), OPEN))
            assert await seq_of(store, "one") == 1
            assert await store.load("three") is None

    asyncio.run(main())


def test_an_event_and_the_game_it_opens_are_stored_atomically(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            await store.create(game("one"), OPEN)
            await store.create(game("taken"), OPEN)
            await assert_conflict(store.append("one", moved(2), OPEN, (game("taken"), OPEN)))
            assert await seq_of(store, "one") == 1
            await assert_conflict(store.append("one", moved(3), OPEN, (game("next"), OPEN)))
            assert await store.load("next") is None

    asyncio.run(main())


def test_waiting_writes_share_a_commit(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            commits = counted_commits(store)
            names = [f"game{number}" for number in range(100)]
            await asyncio.gather(*(store.create(game(name), OPEN) for name in names))
            assert len(commits) <= 2
            for seq in range(2, 7):
                await asyncio.gather(*(store.append(name, moved(seq), OPEN) for name in names))
            assert len(commits) <= 12
            assert [await seq_of(store, name) for name in names] == [6] * 100

    asyncio.run(main())


def test_more_writes_than_fit_into_one_commit_are_stored(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            names = [f"game{number}" for number in range(600)]
            await asyncio.gather(*(store.create(game(name), OPEN) for name in names))
            await asyncio.gather(*(store.append(name, moved(2), OPEN) for name in names))
            assert len([found async for found in store.games() if len(found.events) == 2]) == 600

    asyncio.run(main())


def test_a_conflicting_write_does_not_affect_others_in_its_commit(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            for name in ("one", "two", "three"):
                await store.create(game(name), OPEN)
            commits = counted_commits(store)
            assert await outcomes(
                store.append("one", moved(2), OPEN),
                store.append("two", moved(7), OPEN),
                store.append("three", moved(2), OPEN),
            ) == [None, Conflict, None]
            assert len(commits) <= 2
            assert [await seq_of(store, name) for name in ("one", "two", "three")] == [2, 1, 2]

    asyncio.run(main())


def test_a_constraint_violation_does_not_affect_others_in_its_commit(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            for name in ("one", "two", "three"):
                await store.create(game(name), OPEN)
            await store.append("two", moved(2, "again"), OPEN)
            assert await outcomes(
                store.append("one", moved(2), OPEN),
                store.append("two", moved(3, "again"), OPEN),
                store.create(game("one"), OPEN),
                store.create(game("four"), OPEN),
                store.append("three", moved(2), OPEN),
            ) == [None, Conflict, Conflict, None, None]
            names = ("one", "two", "three", "four")
            assert [await seq_of(store, name) for name in names] == [2, 2, 2, 1]

    asyncio.run(main())


@pytest.mark.parametrize("event", [moved(2, at=2**80), moved(2, "\ud800")], ids=["time", "text"])
def test_an_unstorable_event_does_not_affect_others_in_its_commit(
    database: str, event: Event
) -> None:
    async def main() -> None:
        async with opened(database) as store:
            for name in ("one", "two", "three"):
                await store.create(game(name), OPEN)
            first, second, third = await outcomes(
                store.append("one", moved(2), OPEN),
                store.append("two", event, OPEN),
                store.append("three", moved(2), OPEN),
            )
            assert (first, third) == (None, None)
            assert second not in (None, Conflict, Unavailable)
            assert [await seq_of(store, name) for name in ("one", "two", "three")] == [2, 1, 2]

    asyncio.run(main())


def test_a_commit_may_hold_several_events_of_one_game(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            results = await outcomes(
                store.create(game("one"), OPEN),
                store.append("one", moved(2), OPEN),
                store.append("one", moved(3), replace(OPEN, turn=1)),
                store.append("one", moved(3, "late"), OPEN),
            )
            assert results == [None, None, None, Conflict]
            assert await seq_of(store, "one") == 3
            assert (await store.games_of("player-ann", limit=1))[0].status.turn == 1

    asyncio.run(main())


def cancel_task(task: asyncio.Task[None], *_: object) -> None:
    task.cancel()


def test_a_cancelled_write_does_not_affect_others_in_its_commit(database: str) -> None:
    async def main() -> None:
        async with opened(database) as store:
            names = [f"game{number}" for number in range(10)]
            await asyncio.gather(*(store.create(game(name), OPEN) for name in names))
            for moment in (None, "begin", "before_cursor_execute", "commit"):
                seqs = [await seq_of(store, name) for name in names]
                tasks = [
                    asyncio.create_task(store.append(name, moved(seq + 1), OPEN))
                    for name, seq in zip(names, seqs, strict=True)
                ]
                if moment is None:
                    await asyncio.sleep(0)
                    tasks[3].cancel()
                else:
                    cancel = partial(cancel_task, tasks[3])
                    event.listen(store._writing.sync_engine, moment, cancel, once=True)
                await asyncio.wait(tasks)
                assert tasks[3].cancelled()
                for name, seq, task in zip(names, seqs, tasks, strict=True):
                    if not task.cancelled():
                        assert task.exception() is None
                        assert await seq_of(store, name) == seq + 1

    asyncio.run(main())


def test_closing_the_store_finishes_waiting_writes(database: str) -> None:
    async def main() -> None:
        store = await Store.open(database)
        tasks = [
            asyncio.create_task(store.create(game(f"game{number}"), OPEN)) for number in range(300)
        ]
        await asyncio.sleep(0)
        await store.close()
        await asyncio.gather(*tasks)
        with pytest.raises(Unavailable):
            await store.create(game("late"), OPEN)
        async with opened(database) as store:
            assert len([found async for found in store.games()]) == 300

    asyncio.run(main())


def test_two_servers_on_one_database_never_fork_a_log(database: str) -> None:
    async def main() -> None:
        async with opened(database) as one, opened(database) as other:
            names = [f"game{number}" for number in range(20)]
            await asyncio.gather(*(one.create(game(name), OPEN) for name in names))

            async def play(store: Store, name: str, prefix: str) -> int:
                written = 0
                for number in range(10):
                    seq = await seq_of(store, name) + 1
                    try:
                        await store.append(name, moved(seq, f"{prefix}{number}"), OPEN)
                    except Conflict:
                        continue
                    written += 1
                return written

            written = await asyncio.gather(
                *(
                    play(store, name, prefix)
                    for name in names
                    for store, prefix in ((one, "a"), (other, "b"))
                )
            )
            lengths = [await seq_of(one, name) for name in names]
            assert sum(written) == sum(length - 1 for length in lengths)

    asyncio.run(main())
