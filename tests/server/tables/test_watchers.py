"""Spectators receive every message, in batches between which other tasks run."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from patchwork.server import presenter, wire
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.actions import PlayMove
from patchwork.server.game.clocks import Timekeeper
from patchwork.server.game.match import Match
from patchwork.server.game.terms import SECOND, Opponent
from patchwork.server.ops.metrics import Metrics
from patchwork.server.ops.pacing import Pacer
from patchwork.server.services import Limiters, Services
from patchwork.server.settings import Settings
from patchwork.server.store import Store, Unavailable
from patchwork.server.tables import subscribers, watchers
from patchwork.server.tables.opening import new_game
from patchwork.server.tables.subscriber import Subscriber
from patchwork.server.tables.table import Table
from patchwork.server.tables.watchers import Watchers
from server.support.fake_time import asynchronous
from server.support.matches import ANN, BOB, NOW

CROWD = 500


@pytest.fixture(autouse=True)
def share_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets spectators share one state even on a slow machine."""
    monkeypatch.setattr(watchers, "_STATE_SECONDS", 3600.0)


class Spectator(Subscriber):
    """Records the messages it receives."""

    def __init__(self, player: str | None = None) -> None:
        super().__init__(Requester(player, "127.0.0.1"))
        self.received: list[str] = []
        self.ended = False

    def send_text(self, text: str) -> None:
        self.received.append(text)

    def close(self) -> None:
        self.ended = True

    @property
    def kinds(self) -> list[str]:
        """The kinds of the received messages."""
        return [text.split('"')[3] for text in self.received]


class Openings:
    """Makes numbered states, after a given number of failures."""

    def __init__(self, failures: int = 0) -> None:
        self.made = 0
        self._failures = failures

    async def __call__(self) -> list[str]:
        await asyncio.sleep(0)
        if self._failures:
            self._failures -= 1
            raise Unavailable("the database is away")
        self.made += 1
        return [f"state {self.made}"]


async def wait_for_all(spectators: list[Spectator], number: int = 1) -> None:
    async with asyncio.timeout(60):
        while any(len(each.received) < number for each in spectators):
            await asyncio.sleep(0)


@asynchronous
async def test_spectators_share_one_state_and_receive_all_messages_in_order() -> None:
    openings = Openings()
    watching = Watchers(openings, Pacer())
    crowd = [Spectator() for _ in range(CROWD)]
    for spectator in crowd:
        watching.add(spectator)
    await wait_for_all(crowd)
    for number in range(5):
        watching.broadcast(f"event {number}")
        await asyncio.sleep(0)
    await wait_for_all(crowd, 6)
    expected = ["state 1", *(f"event {number}" for number in range(5))]
    assert all(spectator.received == expected for spectator in crowd)
    assert (openings.made, len(watching)) == (1, CROWD)


@asynchronous
async def test_a_crowd_is_served_in_batches() -> None:
    watching = Watchers(Openings(), Pacer())
    crowd = [Spectator() for _ in range(CROWD)]
    for spectator in crowd:
        watching.add(spectator)
    for messages in (1, 2):
        before = 0
        while before < CROWD:
            await asyncio.sleep(0)
            received = sum(len(each.received) >= messages for each in crowd)
            assert received - before <= watchers._BATCH
            before = received
        watching.broadcast("event")
        assert all(len(each.received) == messages for each in crowd), (
            "a broadcast to a crowd reaches nobody at once"
        )


@asynchronous
async def test_spectators_who_join_during_a_broadcast_receive_each_message_once() -> None:
    events = count(1)
    last = 0

    async def opening() -> list[str]:
        await asyncio.sleep(0)
        return [str(last)]

    watching = Watchers(opening, Pacer())
    crowd: list[Spectator] = []
    for _ in range(CROWD):
        crowd.append(Spectator())
        watching.add(crowd[-1])
        if len(crowd) % 7 == 0:
            last = next(events)
            watching.broadcast(str(last))
        await asyncio.sleep(0)
    async with asyncio.timeout(60):
        while any(each.received[-1:] != [str(last)] for each in crowd):
            await asyncio.sleep(0)
    for each in crowd:
        first = int(each.received[0])
        assert each.received == [str(number) for number in range(first, last + 1)]


@asynchronous
async def test_a_spectator_who_is_far_behind_gets_a_new_state() -> None:
    openings = Openings()
    watching = Watchers(openings, Pacer())
    crowd = [Spectator() for _ in range(CROWD)]
    for spectator in crowd:
        watching.add(spectator)
    await wait_for_all(crowd)
    for number in range(1000):
        watching.broadcast(str(number))
    await wait_for_all(crowd, 2)
    assert all(spectator.received == ["state 1", "state 2"] for spectator in crowd)


@asynchronous
async def test_a_few_spectators_are_served_at_once() -> None:
    watching = Watchers(Openings(), Pacer())
    few = [Spectator() for _ in range(3)]
    for spectator in few:
        watching.add(spectator)
    await wait_for_all(few)
    late = Spectator()
    watching.add(late)
    watching.broadcast("event")
    assert all(spectator.received == ["state 1", "event"] for spectator in few)
    await wait_for_all([late])
    assert late.received == ["state 2"]


@asynchronous
async def test_catching_up_sends_the_pending_messages_at_once() -> None:
    watching = Watchers(Openings(), Pacer())
    crowd = [Spectator() for _ in range(CROWD)]
    for spectator in crowd:
        watching.add(spectator)
    assert not watching.catch_up(spectator), "the state has not been sent yet"
    await wait_for_all(crowd)
    watching.broadcast("event")
    assert spectator.received == ["state 1"]
    assert watching.catch_up(spectator)
    assert spectator.received == ["state 1", "event"]
    watching.remove(spectator)
    watching.remove(spectator)
    watching.broadcast("too late")
    assert spectator not in watching
    assert spectator.received == ["state 1", "event"]


@asynchronous
async def test_spectators_wait_for_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchers, "_RETRY_SECONDS", 0.01)
    watching = Watchers(Openings(failures=3), Pacer())
    spectator = Spectator()
    watching.add(spectator)
    await wait_for_all([spectator])
    await watching.close()
    watching.remove(spectator)
    await watching.close()


# At a table


@asynccontextmanager
async def table_with(path: Path, *, joined: bool = True) -> AsyncIterator[Table]:
    """Yields a table that Ann has opened for a friend, and Bob has joined if ``joined``."""
    store = await Store.open(str(path / "server.db"))
    settings = Settings.read({})
    clock = Timekeeper(lambda: NOW / SECOND, lambda: 0.0)
    limiters = Limiters.of(settings)
    services = Services(settings, store, EnginePool(0), Metrics(), clock, Pacer(), limiters)
    game = new_game(wire.NewTable(opponent=Opponent.FRIEND), ANN, NOW)
    await store.create(game, Match(game.terms, game.events).status())
    table = Table(game.id, services, lambda _: None)
    if joined:
        await table.join(Requester(BOB, "127.0.0.1"), "Bob")
    try:
        yield table
    finally:
        await table.stop()
        await store.close()


@asynchronous
async def test_a_move_reaches_the_players_before_the_crowd(
    tmp_path: Path,
) -> None:
    async with table_with(tmp_path) as table:
        ann, bob = Spectator(ANN), Spectator(BOB)
        crowd = [Spectator() for _ in range(CROWD)]
        for each in (ann, *crowd, bob):
            assert await table.subscribe(each) == (each.player is not None)
        await wait_for_all(crowd)
        answer = await table.act(PlayMove(id="1", seq=2, move="A"), Requester(ANN, "127.0.0.1"))
        assert isinstance(answer, wire.Ack)
        assert "event" in ann.kinds
        assert "event" in bob.kinds
        assert sum("event" in each.kinds for each in crowd) < CROWD / 2
        async with asyncio.timeout(60):
            while not all("event" in each.kinds for each in crowd):
                await asyncio.sleep(0)
        assert all(each.kinds[:1] == ["state"] for each in crowd)


@asynchronous
async def test_the_state_is_made_once_for_a_crowd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, state = 0, presenter.state

    def counted_state(*args: Any) -> wire.State:
        nonlocal made
        made += 1
        return state(*args)

    # On a slow machine, presence messages could change the state while it is still being sent.
    monkeypatch.setattr(subscribers, "_GATHERING_SECONDS", 3600.0)
    async with table_with(tmp_path) as table:
        monkeypatch.setattr(presenter, "state", counted_state)
        crowd = [Spectator() for _ in range(CROWD)]
        for each in crowd:
            await table.subscribe(each)
        await wait_for_all(crowd, 2)
        for each in crowd:
            await table.send_state(each)
        await wait_for_all(crowd, 4)
        assert made == 1


@asynchronous
async def test_an_arriving_crowd_does_not_delay_a_player(tmp_path: Path) -> None:
    async with table_with(tmp_path) as table:
        crowd = [Spectator() for _ in range(CROWD)]
        coming = [asyncio.create_task(table.subscribe(each)) for each in crowd]
        await asyncio.sleep(0)
        ann = Spectator(ANN)
        assert await table.subscribe(ann)
        answer = await table.act(PlayMove(id="1", seq=2, move="A"), Requester(ANN, "127.0.0.1"))
        assert isinstance(answer, wire.Ack)
        assert sum(bool(each.received) for each in crowd) < CROWD / 2
        await asyncio.gather(*coming)
        await wait_for_all(crowd)


@asynchronous
async def test_a_crowd_gets_fewer_presence_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscribers, "_WATCHERS_PER_SECOND", 0.001)
    async with table_with(tmp_path) as table:
        ann, crowd = Spectator(ANN), [Spectator() for _ in range(CROWD)]
        for each in (ann, *crowd):
            await table.subscribe(each)
        await wait_for_all(crowd, 2)
        async with asyncio.timeout(60):
            while f'"watchers":{CROWD}}}' not in ann.received[-1]:
                await asyncio.sleep(0.01)
        # One more message may have been due before the crowd was complete.
        assert {each.kinds.count("presence") for each in crowd} <= {1, 2}


@asynchronous
async def test_a_pong_comes_after_all_events_it_counts(tmp_path: Path) -> None:
    async with table_with(tmp_path) as table:
        crowd = [Spectator() for _ in range(CROWD)]
        for eve in crowd:
            await table.subscribe(eve)
        await wait_for_all(crowd)
        await table.act(PlayMove(id="1", seq=2, move="A"), Requester(ANN, "127.0.0.1"))
        assert table.pong(eve) == wire.Pong(seq=3)
        assert "event" in eve.kinds


@asynchronous
async def test_a_spectator_who_joins_receives_messages_as_a_player(tmp_path: Path) -> None:
    async with table_with(tmp_path, joined=False) as table:
        early, late = Spectator(BOB), Spectator(BOB)
        await table.subscribe(early)
        await wait_for_all([early])
        joining = asyncio.create_task(table.join(Requester(BOB, "127.0.0.1"), "Bob"))
        await table.subscribe(late)
        await joining
        assert [kind for kind in early.kinds if kind != "presence"] == ["state", "event"]
        assert "state" in late.kinds
        await table.act(PlayMove(id="1", seq=2, move="A"), Requester(ANN, "127.0.0.1"))
        for each in (early, late):
            assert each.kinds[-1] == "event", "players receive events at once"
