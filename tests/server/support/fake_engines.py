"""Pools of fake engines that misbehave on request, and timeouts that tests trigger."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import patchwork as pw
from patchwork.engine import Analysis, Limit
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.engines.pool import EnginePool
from support.positions import START
from support.waiting import is_alive

FAKE = Path(__file__).with_name("misbehaving_engine.py")
DIE, HANG, NONSENSE, ILLEGAL, FLOOD, UNABLE, OPEN_ENDED = range(1, 8)
POSITION = pw.Position.parse(START)

Run = Callable[[Coroutine[Any, Any, None]], None]


class FastRestarts(EnginePool):
    """Restarts failed engines quickly, with timeouts too long for any busy machine to reach."""

    RESTART_DELAYS = (0.01, 0.04)
    GRACE = 600.0
    START_TIMEOUT = 600.0
    REPORT_INTERVAL = 0.0


class ZeroTimeouts(FastRestarts):
    """A pool whose timeouts expire at once."""

    GRACE = 0.0
    START_TIMEOUT = 0.0


@dataclass(frozen=True)
class Alarm:
    """A timeout of an engine process, which expires only when a test rings it."""

    seconds: float
    ring: Callable[[], None]


class FakeEngines:
    """A pool of fake engines, and a folder that controls them."""

    def __init__(
        self, folder: Path, workers: int, start: str, queue: int, kind: type[EnginePool]
    ) -> None:
        self.folder = folder
        command = (sys.executable, "-I", "-S", str(FAKE), str(folder), start)
        self.engines = kind(workers, queue=queue, command=command)
        self.asked: list[asyncio.Task[Analysis]] = []

    def ask(
        self, table: str, seed: int = 0, requester: Requester | None = None, **options: Any
    ) -> asyncio.Task[Analysis]:
        """Asks for an analysis, from an address of its own unless a requester is given."""
        options = {"limit": Limit(nodes=1)} | options
        requester = requester or Requester(table, table)
        thinking = self.engines.analyse(table, POSITION, requester, seed=seed, **options)
        self.asked.append(asyncio.create_task(thinking))
        return self.asked[-1]

    def open(self, gate: int) -> None:
        (self.folder / str(gate)).touch()

    def hangs(self) -> bool:
        # While the file is empty, the engine is still writing it, and must not be killed yet.
        return bool(self.noted(f"fault-{HANG}"))

    def starts(self) -> list[int]:
        return self.noted("starts")

    def noted(self, name: str) -> list[int]:
        """Returns the ids of the processes that noted something, in order."""
        file = self.folder / name
        return [int(line) for line in file.read_text().split()] if file.exists() else []


@asynccontextmanager
async def fake_engines(
    folder: Path,
    workers: int = 1,
    start: str = "well",
    queue: int = 256,
    kind: type[EnginePool] = FastRestarts,
) -> AsyncIterator[FakeEngines]:
    fakes = FakeEngines(folder, workers, start, queue, kind)
    await fakes.engines.start()
    try:
        yield fakes
    finally:
        await fakes.engines.stop()
        # An answer that is never awaited would be reported in another test.
        await asyncio.gather(*fakes.asked, return_exceptions=True)
    assert not fakes.engines.ready
    assert (fakes.engines.queued, fakes.engines.working) == (0, 0)
    assert not any(map(is_alive, fakes.starts()))
