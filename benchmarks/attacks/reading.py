"""Attackers who keep requesting pictures and replays, the page's script, or analyses."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from benchmarks.attacks.attack import Attack
from benchmarks.serving import Server

from server.support.live_server import Live, Visitor

_SECONDS = 15
"""How long an attack lasts."""
_CONNECTIONS = 300
"""Connections of an attack, except for analyses."""
_LOOPS = 12
"""Connections that request analyses."""
_ADDRESSES = 10
"""The number of addresses of the attackers."""
_PLIES = 20
"""Moves of the game that is requested."""
_PACE = 0.05
"""Seconds between an answer and the player's next action."""
_NO_LIMITS = {"play_messages": "0", "new_games_per_minute": "0"}
"""For the measured player; the attackers send no messages and open no games."""


async def _pictures(server: Server) -> Mapping[str, float]:
    async with Visitor(_address(server)) as ann:
        game = await _finished(ann)
        paths = [f"/api/tables/{game}/{kind}" for kind in ("picture", "replay")]
        return await _pinged(ann, server, paths)


async def _script(server: Server) -> Mapping[str, float]:
    async with Visitor(_address(server)) as ann:
        page = (await ann.http.get("/")).text
        scripts = re.findall(r'src="(/assets/[^"]*\.js)"', page)
        return await _pinged(ann, server, scripts)


async def _analyses(server: Server) -> Mapping[str, float]:
    async with Visitor(_address(server)) as ann:
        game = await _finished(ann)
        paths = [f"/api/tables/{game}/analysis?ply={ply}" for ply in range(_PLIES)]
        async with _reading(server, _LOOPS, paths) as read:
            taken: list[float] = []
            while not read.done():
                table = (await ann.open("computer", level=1, seed=3))["table"]["id"]
                async with ann.live(table) as live:
                    taken += await _repeated(partial(_reply, live), read)
        return _figures(taken, await read)


async def _pinged(ann: Visitor, server: Server, paths: list[str]) -> Mapping[str, float]:
    """Measures the pings of a player while attackers send requests."""
    table = (await ann.open("screen"))["table"]["id"]
    async with ann.live(table) as live, _reading(server, _CONNECTIONS, paths) as read:
        return _figures(await _repeated(partial(_ping, live), read), await read)


@asynccontextmanager
async def _reading(
    server: Server, connections: int, paths: list[str]
) -> AsyncIterator[asyncio.Task[Mapping[str, int]]]:
    """Has attackers send requests; the task returns how many answers had each status."""
    program = Path(__file__).with_name("flood.py")
    numbers = (server.port, connections, _ADDRESSES, _SECONDS)
    attackers = await asyncio.create_subprocess_exec(
        sys.executable, str(program), *map(str, numbers), *paths, stdout=asyncio.subprocess.PIPE
    )

    async def statuses_at_the_end() -> Mapping[str, int]:
        output, _ = await attackers.communicate()
        statuses: Mapping[str, int] = json.loads(output)
        return statuses

    task = asyncio.create_task(statuses_at_the_end())
    try:
        yield task
    finally:
        if attackers.returncode is None:
            attackers.kill()
        await asyncio.gather(task, return_exceptions=True)


async def _repeated(
    act: Callable[[], Awaitable[bool]], until: asyncio.Task[Mapping[str, int]]
) -> list[float]:
    """Repeats an action for as long as possible; returns how long each one took."""
    taken = []
    while not until.done():
        start = perf_counter()
        more = await act()
        taken.append(perf_counter() - start)
        if not more:
            break
        await asyncio.sleep(_PACE)
    return taken


async def _ping(live: Live) -> bool:
    await live.send("ping")
    await live.receive("pong")
    return True


async def _reply(live: Live) -> bool:
    """Moves, and waits for the computer's move; returns whether the game goes on."""
    moves = live.position.legal_moves()
    await live.play(str(Random(live.seq).choice(moves)))
    while live.state["status"]["ending"] is None and live.state["position"]["turn"] != 0:
        await live.receive("event")
    return live.state["status"]["ending"] is None


async def _finished(ann: Visitor) -> str:
    """Plays a game on one screen that ends early; returns its id."""
    game: str = (await ann.open("screen", seed=3))["table"]["id"]
    random = Random(3)
    async with ann.live(game) as live:
        for _ in range(_PLIES):
            await live.play(str(random.choice(live.position.legal_moves())))
        await live.act("resign")
    return game


def _address(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}"


def _figures(taken: list[float], statuses: Mapping[str, int]) -> Mapping[str, float]:
    in_order = sorted(1000 * seconds for seconds in taken)

    def share(part: float) -> float:
        return in_order[min(len(in_order) - 1, int(part * len(in_order)))]

    answers = {f"answers {status}": float(number) for status, number in sorted(statuses.items())}
    return {
        "p50 ms": share(0.5),
        "p95 ms": share(0.95),
        "p99 ms": share(0.99),
        "longest ms": in_order[-1],
        "measured": float(len(in_order)),
        **answers,
    }


ATTACKS = (
    Attack(
        "pictures",
        "300 connections request the picture and the replay of a finished game; a player's pings",
        _pictures,
        _NO_LIMITS,
    ),
    Attack(
        "script", "300 connections request the page's script; a player's pings", _script, _NO_LIMITS
    ),
    Attack(
        "analysis",
        "12 connections request analyses of a finished game; how long level 1 takes for a move",
        _analyses,
        _NO_LIMITS,
    ),
)
"""The attacks by requests."""
