"""Measures how long a server under load takes to acknowledge a move.

    python benchmarks/server.py [--json] [--tables N ...] [--seconds S] [--database URL]
        [--source FOLDER]

It starts a server in a process of its own and plays games between people: two sockets and one move
per second at each table, with the tables spread evenly over the second. All tables play the same
game, so that the client, which runs on the same machine, has little to do. Without ``--database``,
the server uses SQLite in a temporary folder. It takes about two and a half minutes.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).parents[1]))

import httpx
from benchmarks.serving import NO_LIMITS, SOURCE, Server
from websockets.asyncio.client import ClientConnection, connect

import patchwork as pw

SEED = 4
"""Of the game that all tables play."""
PACE = 1.0
"""Seconds from one move at a table to the next."""


@dataclass(frozen=True)
class Figures:
    """The figures for a number of tables; times are in milliseconds."""

    tables: int
    moves: int
    moves_per_s: float
    p50: float
    p95: float
    p99: float
    longest: float
    server_cpu: float
    """The share of one core."""
    client_cpu: float
    memory_mb: float
    """The memory of the server, without its engine processes."""

    def __str__(self) -> str:
        return (
            f"{self.tables:4} tables, {self.moves_per_s:5.0f} moves/s:"
            f" p50 {self.p50:5.1f} ms, p95 {self.p95:5.1f}, p99 {self.p99:5.1f},"
            f" longest {self.longest:5.1f}; server {self.server_cpu:4.0%} of a core,"
            f" {self.memory_mb:.0f} MB; client {self.client_cpu:4.0%}"
        )


class Table:
    """A table with two players who follow a script."""

    def __init__(self, sockets: tuple[ClientConnection, ClientConnection]) -> None:
        self._sockets = sockets
        self._acks: dict[str, asyncio.Future[float]] = {}
        self._readers = [asyncio.create_task(self._read(each)) for each in sockets]

    @classmethod
    async def open(cls, http: httpx.AsyncClient, port: int) -> "Table":
        """Opens a table and takes both of its seats."""
        tokens = [(await http.post("/api/tokens")).json()["token"] for _ in range(2)]
        headers = [{"Authorization": f"Bearer {token}"} for token in tokens]
        terms = {"opponent": "friend", "seed": SEED}
        opened = await http.post("/api/tables", json=terms, headers=headers[0])
        game = opened.json()["table"]["id"]
        await http.post(f"/api/tables/{game}/join", json={}, headers=headers[1])
        address = f"ws://127.0.0.1:{port}/api/tables/{game}/live"
        one, other = [
            await connect(address, additional_headers=each, compression=None, max_size=None)
            for each in headers
        ]
        return cls((one, other))

    async def play(self, script: list[tuple[int, str]], start: float, until: float) -> list[float]:
        """Plays one move per second and returns how long each took."""
        taken = []
        for number, (seat, move) in enumerate(script):
            due = start + number * PACE
            if due >= until:
                break
            await asyncio.sleep(due - time.perf_counter())
            action = f"m{number}"
            message = {"t": "move", "id": action, "seq": number + 2, "move": move}
            acknowledged = self._acks[action] = asyncio.get_running_loop().create_future()
            sent = time.perf_counter()
            await self._sockets[seat].send(json.dumps(message))
            taken.append(await acknowledged - sent)
        return taken

    async def close(self) -> None:
        """Closes both sockets."""
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        for each in self._sockets:
            await each.close()

    async def _read(self, reading: ClientConnection) -> None:
        async for text in reading:
            assert isinstance(text, str)
            if text.startswith('{"t":"ack"'):
                self._acks[json.loads(text)["id"]].set_result(time.perf_counter())
            elif text.startswith('{"t":"refused"'):
                raise RuntimeError(text)


def script() -> list[tuple[int, str]]:
    """Returns a game as pairs of the seat to decide and its move."""
    random = Random(SEED)
    game = pw.Game(pw.Setup.random(SEED))
    while game.position.outcome is None:
        game.push(random.choice(game.position.legal_moves()))
    return [
        (position.turn, str(move))
        for position, move in zip(game.positions(), game.moves, strict=False)
    ]


async def measure(database: str, source: Path, tables: int, seconds: float) -> Figures:
    """Returns the figures for a number of tables on a fresh server."""
    server = Server(database, source, **NO_LIMITS)
    try:
        await server.wait_until_ready()
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}") as http:
            playing = [await Table.open(http, server.port) for _ in range(tables)]
        moves = script()
        start = time.perf_counter() + 0.5
        until = start + min(seconds, len(moves) * PACE)
        cpu, own = server.cpu(), time.process_time()
        results = await asyncio.gather(
            *(
                table.play(moves, start + number * PACE / tables, until)
                for number, table in enumerate(playing)
            )
        )
        lasted = time.perf_counter() - start
        cpu, own, memory = server.cpu() - cpu, time.process_time() - own, server.memory()
        await asyncio.gather(*(table.close() for table in playing))
    finally:
        server.stop()
    taken = sorted(1000 * each for result in results for each in result)
    parts = statistics.quantiles(taken, n=100)
    return Figures(
        tables=tables,
        moves=len(taken),
        moves_per_s=round(len(taken) / lasted, 1),
        p50=round(parts[49], 1),
        p95=round(parts[94], 1),
        p99=round(parts[98], 1),
        longest=round(taken[-1], 1),
        server_cpu=round(cpu / lasted, 2),
        client_cpu=round(own / lasted, 2),
        memory_mb=round(memory, 1),
    )


@contextmanager
def _place(database: str | None) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="patchwork-load-") as folder:
        yield database or str(Path(folder) / "server.db")


def main() -> None:
    """Measures and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print a JSON array")
    parser.add_argument("--tables", type=int, nargs="+", default=[50, 100, 200, 400])
    parser.add_argument(
        "--seconds",
        type=float,
        default=30.0,
        help="at most, for each number of tables",
    )
    parser.add_argument("--database", help="by default, SQLite in a temporary folder")
    parser.add_argument(
        "--source", type=Path, default=SOURCE, help="folder of the package to measure"
    )
    options = parser.parse_args()
    found = []
    for tables in options.tables:
        with _place(options.database) as database:
            figures = asyncio.run(
                measure(database, options.source.resolve(), tables, options.seconds)
            )
        found.append(vars(figures))
        if not options.json:
            print(figures, flush=True)
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
