"""A crowd comes to watch a table while its players are playing."""

import asyncio
import json
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from random import Random

import httpx
from benchmarks.attacks.attack import Attack
from benchmarks.serving import NO_LIMITS, Server
from websockets.asyncio.client import ClientConnection, connect

import patchwork as pw

_SPECTATORS = 2_000
"""The size of the crowd."""
_PACE = 0.1
"""Seconds from one move to the next."""
_SEED = 4
"""Of the game that is played."""
_BEFORE = 5
"""Moves before the crowd comes."""
_LONGEST = 30.0
"""Seconds that the measurement takes at most."""


async def crowd(server: Server) -> Mapping[str, float]:
    """Measures moves while spectators come, and for a while after the last one has come."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}") as http:
        tokens = [(await http.post("/api/tokens")).json()["token"] for _ in range(2)]
        headers = [{"Authorization": f"Bearer {token}"} for token in tokens]
        terms = {"opponent": "friend", "seed": _SEED}
        opened = await http.post("/api/tables", json=terms, headers=headers[0])
        game = opened.json()["table"]["id"]
        await http.post(f"/api/tables/{game}/join", json={}, headers=headers[1])
    address = f"ws://127.0.0.1:{server.port}/api/tables/{game}/live"
    sockets = [
        await connect(address, additional_headers=each, compression=None, max_size=None)
        for each in headers
    ]
    players = Players(sockets)
    for _ in range(_BEFORE):
        await players.move()
    program = Path(__file__).with_name("spectators.py")
    command = (sys.executable, str(program), str(server.port), game, str(_SPECTATORS))
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert process.stdout is not None
    began = time.perf_counter()
    coming = asyncio.create_task(process.stdout.readline())
    taken = []
    try:
        while players.moves:
            sent = time.perf_counter()
            with suppress(TimeoutError):
                async with asyncio.timeout(began + _LONGEST - sent):
                    await players.move()
            taken.append(time.perf_counter() - sent)
            if time.perf_counter() > began + _LONGEST:
                break  # the last move was not acknowledged, but counts with this time
            await asyncio.sleep(_PACE - taken[-1])
        there, joined = map(float, (await coming).split())
    finally:
        coming.cancel()
        process.kill()
        await process.wait()
        await players.leave()
    milliseconds = sorted(1000 * each for each in taken)
    return {
        "spectators": there,
        "all there after s": joined,
        "moves": len(taken),
        "p50 ms": _share(milliseconds, 0.50),
        "p95 ms": _share(milliseconds, 0.95),
        "p99 ms": _share(milliseconds, 0.99),
        "longest ms": milliseconds[-1],
    }


def _share(ordered: list[float], share: float) -> float:
    """Returns the quantile of some figures."""
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


class Players:
    """Two friends who follow a script."""

    def __init__(self, sockets: list[ClientConnection]) -> None:
        self.moves = _moves()
        """The moves still to be played."""
        self._seq = 2
        self._sockets = sockets
        self._answers = asyncio.Queue[str]()
        self._readers = [asyncio.create_task(self._read(each)) for each in sockets]

    async def move(self) -> None:
        """Plays the next move; returns when it is acknowledged."""
        seat, move = self.moves.pop(0)
        message = {"t": "move", "id": f"m{self._seq}", "seq": self._seq, "move": move}
        await self._sockets[seat].send(json.dumps(message))
        answer = await self._answers.get()
        if not answer.startswith('{"t":"ack"'):
            raise RuntimeError(answer)
        self._seq += 1

    async def leave(self) -> None:
        """Closes the sockets."""
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        for each in self._sockets:
            await each.close()

    async def _read(self, socket: ClientConnection) -> None:
        async for text in socket:
            if str(text).startswith(('{"t":"ack"', '{"t":"refused"')):
                self._answers.put_nowait(str(text))


def _moves() -> list[tuple[int, str]]:
    """Returns a long game, with advances wherever possible, as pairs of a seat and its move."""
    random, game = Random(_SEED), pw.Game(pw.Setup.random(_SEED))
    while game.position.outcome is None:
        legal = game.position.legal_moves()
        game.push(pw.Advance() if pw.Advance() in legal else random.choice(legal))
    return [
        (position.turn, str(move))
        for position, move in zip(game.positions(), game.moves, strict=False)
    ]


ATTACKS = (
    Attack(
        "crowd",
        f"{_SPECTATORS:,} spectators come to a table at once while its two players play; how long"
        " the moves take until they are acknowledged",
        crowd,
        NO_LIMITS,
    ),
)
