"""A server killed at any ply, before or after storing a move, loses nothing."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from random import Random

import pytest
from websockets.exceptions import WebSocketException

import patchwork as pw
from patchwork.server.store import Store
from server.support.live_server import Json, Live, Visitor
from support.waiting import is_alive, wait_until

SEED = 11


class Servers:
    """One server after another, on the same port and database."""

    def __init__(self, mother: subprocess.Popen[str]) -> None:
        self._mother = mother
        self._pid: int | None = None
        self.port = self._read()

    def start(self, death: str = "") -> None:
        """Starts a server that kills itself at ``death``, and waits until it answers."""
        assert self._mother.stdin is not None
        self._mother.stdin.write(f"{death}\n")
        self._mother.stdin.flush()
        self._pid = self._read()

    def kill(self) -> None:
        """Kills the running server, if there still is one."""
        pid, self._pid = self._pid, None
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            wait_until(lambda: not is_alive(pid))

    def _read(self) -> int:
        assert self._mother.stdout is not None
        return int(self._mother.stdout.readline())


@contextmanager
def servers(database: str) -> Iterator[tuple[Servers, str]]:
    program = Path(__file__).parents[1] / "support" / "killable_server.py"
    command = [sys.executable, str(program), database]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as mother:  # type: ignore[call-overload]
        made = Servers(mother)
        try:
            yield made, f"http://127.0.0.1:{made.port}"
        finally:
            made.kill()
            mother.terminate()


def scripted_game() -> list[tuple[int, str]]:
    """Returns the seat and the move of each ply of a random game."""
    random = Random(SEED)
    game = pw.Game(pw.Setup.random(SEED))
    script = []
    while game.position.outcome is None:
        move = random.choice(game.position.legal_moves())
        script.append((game.position.turn, str(move)))
        game.push(move)
    return script


@asynccontextmanager
async def both_connected(ann: Visitor, bob: Visitor, game: str) -> AsyncIterator[tuple[Live, Live]]:
    """Connects both players, and checks that they receive the same state."""
    async with ann.live(game) as first, bob.live(game) as second:
        assert_same_state(first, second)
        yield first, second


def assert_same_state(first: Live, second: Live) -> None:
    for part in ("status", "position"):
        assert first.state[part] == second.state[part]


async def act(live: Live, action: Json) -> Json | None:
    """Sends an action; returns the answer, or None if the server died."""
    with suppress(WebSocketException):
        return await live.act(**action)
    return None


@pytest.mark.long
def test_killing_the_server_at_every_ply_loses_no_move(sqlite_database: str) -> None:
    async def test() -> None:
        with servers(sqlite_database) as (server, address):
            server.start()
            async with Visitor(address) as ann, Visitor(address) as bob:
                game = (await ann.open("friend", seed=SEED))["table"]["id"]
                await bob.join(game)
                server.kill()
                for seq, (seat, move) in enumerate(scripted_game(), 3):
                    action = {"t": "move", "id": f"m{seq}", "seq": seq - 1, "move": move}
                    ack = {"t": "ack", "v": 1, "id": f"m{seq}", "seq": seq}
                    # The server dies before the commit: the move did not happen for either player.
                    server.start(f"before {seq}")
                    async with both_connected(ann, bob, game) as players:
                        assert players[seat].seq == seq - 1
                        assert await act(players[seat], action) is None
                    server.kill()
                    # The server dies after the commit, before it announces the move.
                    server.start(f"after {seq}")
                    async with both_connected(ann, bob, game) as players:
                        assert players[seat].seq == seq - 1
                        assert await act(players[seat], action) is None
                    server.kill()
                    # Repeating the stored action is acknowledged, however often.
                    server.start()
                    async with both_connected(ann, bob, game) as players:
                        assert players[1 - seat].seq == seq
                        assert players[1 - seat].state["moves"][-1] == [seat, move]
                        assert await act(players[seat], action) == ack
                        assert await act(players[seat], action) == ack
                        server.kill()
                server.start()
                async with both_connected(ann, bob, game) as players:
                    assert players[0].state["status"]["ending"]["reason"] == "played out"
        assert await stored_moves(sqlite_database, game) == scripted_game()

    asyncio.run(test())


async def stored_moves(database: str, game: str) -> list[tuple[int, str]]:
    store = await Store.open(database)
    try:
        found = await store.load(game)
    finally:
        await store.close()
    assert found is not None
    return [(event.seat, event.data) for event in found.events if event.kind == "move"]


def test_an_acknowledged_move_survives_an_immediate_kill(sqlite_database: str) -> None:
    async def test() -> None:
        with servers(sqlite_database) as (server, address):
            server.start()
            async with Visitor(address) as ann, Visitor(address) as bob:
                game = (await ann.open("friend", seed=SEED))["table"]["id"]
                await bob.join(game)
                for seq, (seat, move) in enumerate(scripted_game(), 3):
                    async with both_connected(ann, bob, game) as players:
                        assert players[seat].seq == seq - 1
                        answer = await players[seat].act("move", id=f"m{seq}", move=move)
                        server.kill()
                        assert answer["seq"] == seq
                    server.start()
                async with both_connected(ann, bob, game) as players:
                    assert players[0].state["status"]["ending"]["reason"] == "played out"
        assert await stored_moves(sqlite_database, game) == scripted_game()

    asyncio.run(test())
