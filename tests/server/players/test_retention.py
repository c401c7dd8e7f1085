"""Games that are too old are removed in batches, and no others."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from patchwork.notation.record import Termination
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.terms import DAY
from patchwork.server.players import retention
from patchwork.server.store import Cutoffs, Store, removing, store
from server.support.fake_time import Time, asynchronous
from server.support.friends import eventually, friends, refusal
from server.support.live_server import Visitor, serving
from server.support.stored_games import NOW, OPEN, TERMS, game, joined, opened

OVER = replace(OPEN, turn=None, ending=Termination.RESIGNED, winner=1)
WAITING = replace(TERMS, clock=None)


async def fill(kept: Store) -> None:
    """Stores games, named after their state and how many days ago they were touched last."""
    for days in (0, 10, 20, 30):
        at = NOW - days * DAY
        log = (replace(joined(), at=at),)
        for name, status in (
            ("open", OPEN),
            ("over", OVER),
            ("clock", replace(OPEN, deadline=at)),
        ):
            stored = game(f"{name}{days}", *log, created=NOW - 40 * DAY)
            await kept.create(stored, status)


async def names(kept: Store) -> set[str]:
    return {stored.id async for stored in kept.games()}


async def remove_all(kept: Store, cutoffs: Cutoffs) -> int:
    """Goes through all games once, and returns the number of batches."""
    last, steps = None, 0
    while last is not None or not steps:
        _, last = await kept.remove_old(cutoffs, last)
        steps += 1
    return steps


@pytest.mark.parametrize(
    ("unfinished", "finished", "removed"),
    [
        (None, None, set()),
        (15, None, {"open20", "open30"}),
        (None, 5, {"over10", "over20", "over30"}),
        (25, 15, {"open30", "over20", "over30"}),
        (40, 40, set()),
    ],
)
def test_only_games_older_than_the_cutoffs_are_removed(
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    unfinished: int | None,
    finished: int | None,
    removed: set[str],
) -> None:
    monkeypatch.setattr(store, "_SCANNED", 5)
    cutoffs = Cutoffs(
        None if unfinished is None else NOW - unfinished * DAY,
        None if finished is None else NOW - finished * DAY,
    )

    async def main() -> None:
        async with opened(database) as kept:
            await fill(kept)
            everything = await names(kept)
            assert await remove_all(kept, cutoffs) == 3
            assert await names(kept) == everything - removed
            for name in removed:
                assert await kept.load(name) is None
            assert len(await kept.games_of("player-ann", limit=50)) == 12 - len(removed)

    asyncio.run(main())


def test_a_rematch_stays_when_the_first_game_is_removed(database: str) -> None:
    first = game("first")
    event = Event(2, Kind.NEXT, 0, NOW, "second", player="player-ann", action="again")
    second = replace(game("second", replace(joined(), at=NOW + DAY)), rematch_of="first")

    async def main() -> None:
        async with opened(database) as kept:
            await kept.create(first, OVER)
            await kept.append("first", event, OVER, (second, OPEN))
            assert (await kept.remove_old(Cutoffs(None, NOW + 1), None))[0] == ["first"]
            found = await kept.load("second")
            assert found == replace(second, rematch_of=None)
            assert (await kept.remove_old(Cutoffs(NOW + 2 * DAY, None), None))[0] == ["second"]

    asyncio.run(main())


def test_a_game_that_changes_during_the_scan_stays(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another server may store a move between looking and removing."""
    look = removing.look

    async def main() -> None:
        async with opened(database) as kept, opened(database) as other:
            await kept.create(game("one", terms=WAITING), OPEN)

            async def slowly(*arguments: Any) -> object:
                found = await look(*arguments)
                event = joined(1, "player-ben", "Ben", seq=2)
                await other.append("one", replace(event, at=NOW + DAY), OPEN)
                return found

            monkeypatch.setattr(removing, "look", slowly)
            assert (await kept.remove_old(Cutoffs(NOW + 1, None), None))[0] == []
            stored = await kept.load("one")
            assert stored is not None
            assert Match(stored.terms, stored.events).seq == 2

    asyncio.run(main())


@asynchronous
async def test_a_server_removes_old_games_and_closes_their_tables(
    database: str, monkeypatch: pytest.MonkeyPatch, time: Time
) -> None:
    monkeypatch.setattr(retention, "_ROUND_SECONDS", 0.05)
    async with friends(database, keep_finished_days="10", keep_unfinished_days="30") as met:
        assert (await met.ann.act(met.game, "abort")).is_success
        running = (await met.ann.open())["table"]["id"]
        time.passed += 9 * DAY / 1000
        async with met.bob.live(met.game) as bob:
            time.passed += 2 * DAY / 1000
            await bob.receive("bye")

        async def gone() -> bool:
            return (await met.ann.http.get(f"/api/tables/{met.game}")).status_code == 404

        await eventually(gone)
        refusal(await met.ann.http.get(f"/api/tables/{met.game}"), 404, "no-such-table")
        (listed,) = (await met.ann.http.get("/api/me/games")).json()["games"]
        assert listed["id"] == running
        retention_days = (await met.ann.http.get("/api/keeping")).json()
        assert retention_days == {"unfinished": 30, "finished": 10}


@asynchronous
async def test_by_default_everything_is_kept(sqlite_database: str) -> None:
    async with serving(sqlite_database, EnginePool(0)) as address, Visitor(address) as ann:
        retention_days = (await ann.http.get("/api/keeping")).json()
        assert retention_days == {"unfinished": None, "finished": None}
