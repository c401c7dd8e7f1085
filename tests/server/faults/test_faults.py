"""Sockets break and servers die in the middle of games; see ``soak.py`` for the faults."""

import asyncio
import io
from pathlib import Path
from typing import Any

import pytest

from patchwork.cli.progress import StatusLine
from patchwork.server.store import Store
from patchwork.server.tables.table import Table
from server.soak import Soak
from server.support.fake_time import Time
from server.support.friends import eventually, presence
from server.support.live_server import Visitor, serving


@pytest.mark.long
def test_twenty_games_survive_cut_sockets_and_killed_servers(
    sqlite_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # This test is not about speed, so that slow machines get generous time limits.
    monkeypatch.setattr("server.soak.LATEST", 600.0)
    monkeypatch.setattr("server.soak._START", 600.0)
    monkeypatch.setattr("server.soak._GAME", 1800.0)
    monkeypatch.setattr("patchwork.cli.progress._PLAIN", 0.0)
    file = io.StringIO()
    progress = StatusLine(file)
    soak = Soak(sqlite_database, tmp_path, games=20, tables=10, kills=(100, 160), progress=progress)
    findings = asyncio.run(soak.run())
    assert findings.sound, str(findings)
    assert findings.games == 20
    assert findings.kills >= 3
    assert findings.seen["cut"] > 10
    assert findings.backups == 3
    lines = file.getvalue().splitlines()
    assert [line.split(",")[0] for line in lines] == [f"{n} games" for n in range(1, 21)]


def test_a_move_is_broadcast_even_if_its_sender_has_disconnected(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Store.append

    async def test() -> None:
        stored, resume = asyncio.Event(), asyncio.Event()

        async def append_slowly(store: Store, *args: Any, **options: Any) -> None:
            await append(store, *args, **options)
            stored.set()
            await resume.wait()

        async with (
            serving(sqlite_database) as address,
            Visitor(address) as ann,
            Visitor(address) as bob,
            Visitor(address) as carl,
        ):
            game = (await ann.open("friend", seed=3, seat=0, first=0))["table"]["id"]
            await bob.join(game)
            async with ann.live(game) as first, bob.live(game) as second:
                async with carl.live(game):
                    monkeypatch.setattr(Store, "append", append_slowly)
                    await first.send("move", id="m1", seq=first.seq, move="A")
                    await stored.wait()
                    first.socket.transport.abort()
                # Informing Ann that the spectator has left makes the server notice, during her
                # move, that her socket is dead.
                try:
                    await presence(second, watchers=0, present=[False, True])
                finally:
                    resume.set()
                event = await second.receive("event", "state")
                assert event["event"]["data"] == "A"
                async with ann.live(game) as again:
                    answer = await again.act("move", id="m1", seq=2, move="A")
                    assert (answer["t"], answer["seq"]) == ("ack", 3)

    asyncio.run(test())


def test_an_unreadable_game_does_not_delay_the_clocks_of_others(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch, time: Time
) -> None:
    wake, broken = Table.wake, set[str]()

    async def wake_or_raise(table: Table) -> None:
        if table.id in broken:
            raise ValueError("a log that makes no sense")
        await wake(table)

    monkeypatch.setattr("patchwork.server.tables.registry._ROUND_SECONDS", 0.1)
    monkeypatch.setattr(Table, "wake", wake_or_raise)

    async def test() -> None:
        async with (
            serving(sqlite_database) as address,
            Visitor(address) as ann,
            Visitor(address) as bob,
        ):
            games = []
            for _ in range(3):
                opened = await ann.open("friend", clock={"minutes": 0.25})
                games.append(opened["table"]["id"])
                await bob.join(games[-1])
            broken.update(games[:2])
            time.passed = 121.0
            store = await Store.open(sqlite_database)
            try:

                async def ended() -> bool:
                    found = await store.load(games[2])
                    return found is not None and found.events[-1].kind == "abort"

                await eventually(ended)
            finally:
                await store.close()

    asyncio.run(test())
