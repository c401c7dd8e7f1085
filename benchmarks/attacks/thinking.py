"""Attackers who keep the computer thinking while a fair player plays against it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from statistics import quantiles
from typing import Any

import httpx
from benchmarks.attacks.attack import Attack
from benchmarks.serving import Server
from websockets.asyncio.client import ClientConnection, connect

FAIR_ADDRESS = "127.0.0.2"
ATTACKERS = [f"127.0.0.{number}" for number in range(3, 11)]
GAMES = 5
"""Games of each attacker: as many as the server's default limits allow at the same time."""
BEFORE, PLAYING, DRAINING = 3.0, 20.0, 60.0
"""Seconds of the attack alone, of fair play alongside it, and at most until the queue is empty."""
PACE = 0.3
"""Seconds that the fair player takes to decide."""
PINGS = 2.5
"""Seconds between two pings."""


class Player:
    """Plays games against the computer from an address, one after another."""

    def __init__(self, server: Server, address: str, level: int, pace: float) -> None:
        self._server = server
        self._address = address
        self._level = level
        self._pace = pace
        self._since: float | None = None
        self._waits: list[float] = []

    def waits(self) -> list[float]:
        """Returns the seconds that each move of the computer took, the current one included."""
        since = [] if self._since is None else [time.perf_counter() - self._since]
        return self._waits + since

    async def play(self) -> None:
        """Plays until it is cancelled."""
        while True:
            async with self._open() as socket:
                await self._play(socket)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[ClientConnection]:
        """Opens a game and the socket of its table."""
        terms = {"opponent": "computer", "level": self._level}
        async with client(self._server, self._address) as http:
            token = (await http.post("/api/tokens")).json()["token"]
            headers = {"Authorization": f"Bearer {token}"}
            while True:
                opened = await http.post("/api/tables", json=terms, headers=headers)
                if opened.status_code != httpx.codes.TOO_MANY_REQUESTS:
                    break
                await asyncio.sleep(1.0)
        async with connect(
            f"ws://127.0.0.1:{self._server.port}/api/tables/{opened.json()['table']['id']}/live",
            additional_headers=headers,
            compression=None,
            max_size=None,
            local_addr=(self._address, 0),
        ) as socket:
            pinging = asyncio.create_task(_ping(socket))
            try:
                yield socket
            finally:
                pinging.cancel()

    async def _play(self, socket: ClientConnection) -> None:
        """Plays a game."""
        async for text in socket:
            message = json.loads(text)
            if message["t"] not in ("state", "event") or message["position"] is None:
                continue
            now = time.perf_counter()
            if self._since is not None:
                self._waits.append(now - self._since)
                self._since = None
            if message["status"]["ending"] is not None:
                return
            if message["position"]["turn"] == 0:
                await asyncio.sleep(self._pace)
                seq = message["status"]["seq"]
                move = {
                    "t": "move",
                    "id": str(seq),
                    "seq": seq,
                    "move": decide(message["position"]),
                }
                await socket.send(json.dumps(move))
            else:
                self._since = now


async def _ping(socket: ClientConnection) -> None:
    while True:
        await asyncio.sleep(PINGS)
        await socket.send('{"t": "ping"}')


def decide(position: dict[str, Any]) -> str:
    """Returns a move that takes few spaces, so that a game has many moves."""
    if position["leather_choice"] is not None:
        return f"L{_corner(position['leather_choice'])}"
    offers = [offer for offer in position["offers"] if offer["refused"] is None]
    if not offers:
        return "A"
    offer = min(offers, key=lambda offer: offer["effect"]["space"])
    orientation = offer["orientations"][0]
    return f"{offer['patch']}{orientation['letter']}{_corner(orientation)}"


def _corner(choice: dict[str, Any]) -> str:
    row, column = divmod(choice["places"].index("1"), 9)
    return f"{'abcdefghi'[column]}{row + 1}"


def client(server: Server, address: str) -> httpx.AsyncClient:
    """Returns a client at a loopback address."""
    transport = httpx.AsyncHTTPTransport(local_address=address)
    url = f"http://127.0.0.1:{server.port}"
    return httpx.AsyncClient(base_url=url, transport=transport, timeout=60)


async def drained(server: Server) -> float:
    """Returns the seconds until no engine job waits or runs."""
    start = time.perf_counter()
    async with client(server, FAIR_ADDRESS) as http:
        while time.perf_counter() < start + DRAINING:
            lines = (await http.get("/metrics")).text.splitlines()
            left = [line for line in lines if line.startswith("patchwork_thinkers_")]
            if all(line.endswith(" 0.0") for line in left):
                break
            await asyncio.sleep(0.05)
    return time.perf_counter() - start


@asynccontextmanager
async def playing(players: Iterable[Player]) -> AsyncIterator[None]:
    """Has players play until the end of the block."""
    tasks = [asyncio.create_task(player.play()) for player in players]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, Exception):
                raise result


async def measure(server: Server, addresses: Iterable[str]) -> Mapping[str, float]:
    """Measures the moves of level 4 while attackers play games of level 8 from other addresses."""
    attackers = [Player(server, address, 8, 0.0) for address in addresses for _ in range(GAMES)]
    fair = Player(server, FAIR_ADDRESS, 4, PACE)
    async with playing(attackers):
        await asyncio.sleep(BEFORE)
        async with playing([fair]):
            await asyncio.sleep(PLAYING)
            waits = sorted(1000 * wait for wait in fair.waits())
    parts = quantiles(waits, n=20) if len(waits) > 1 else [waits[0]] * 19
    thoughts = sum(len(attacker.waits()) for attacker in attackers)
    return {
        "moves": len(waits),
        "p50 ms": parts[9],
        "p95 ms": parts[18],
        "longest ms": waits[-1],
        "drained s": await drained(server),
        "attackers' moves": thoughts,
    }


ATTACKS = (
    Attack(
        "thinking",
        "40 games of level 8 from 8 addresses; how long level 4 takes for a move meanwhile",
        lambda server: measure(server, ATTACKERS),
    ),
    Attack(
        "one-address",
        "5 games of level 8 from one address; how long level 4 takes for a move meanwhile",
        lambda server: measure(server, ATTACKERS[:1]),
    ),
)
