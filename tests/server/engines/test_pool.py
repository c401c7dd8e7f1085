"""Whatever engine processes do, every job gets an answer or an error, and no process is left."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import pytest
import uvloop

import patchwork as pw
from patchwork.engine import Analysis, Limit
from patchwork.engine.levels import LEVELS
from patchwork.programs.pool import Worker
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.engines.pool import Busy, EnginePool, Failed, Progress
from server.support.friends import eventually as until
from support.positions import START
from support.waiting import is_alive

FAKE = Path(__file__).parents[1] / "support" / "misbehaving_engine.py"
DIE, HANG, NONSENSE, ILLEGAL, FLOOD, UNABLE, OPEN_ENDED = range(1, 8)
POSITION = pw.Position.parse(START)

Run = Callable[[Coroutine[Any, Any, None]], None]


class FastRestarts(EnginePool):
    """Replaces failed engines quickly, with timeouts that not even a busy machine reaches."""

    RESTART_DELAYS = (0.01, 0.04)
    GRACE = 600.0
    START_TIMEOUT = 600.0
    REPORT_INTERVAL = 0.0


class ZeroTimeouts(FastRestarts):
    """Gives engines no time at all."""

    GRACE = 0.0
    START_TIMEOUT = 0.0


@dataclass(frozen=True)
class Alarm:
    """A timeout of an engine process, which expires only when a test says so."""

    seconds: float
    ring: Callable[[], None]


@pytest.fixture
def alarms(monkeypatch: pytest.MonkeyPatch) -> list[Alarm]:
    """The timeouts that were set so far; none expires by itself."""
    alarms: list[Alarm] = []

    def expect(worker: Worker, seconds: float) -> None:
        def ring() -> None:
            worker.deadline = 0.0
            worker._program._notify()

        worker.deadline = inf
        alarms.append(Alarm(seconds, ring))

    monkeypatch.setattr(Worker, "expect", expect)
    return alarms


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Runs a coroutine; warnings about resources that it left open are errors."""

    def run(main: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(asyncio.wait_for(main, 120))

    yield run
    gc.collect(1)


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
        # An empty file is one that the engine is still writing: killed now, it would forget.
        return bool(self.noted(f"fault-{HANG}"))

    def starts(self) -> list[int]:
        return self.noted("starts")

    def noted(self, name: str) -> list[int]:
        """The processes that noted something, in order."""
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
        # An answer nobody looks at would be told to whoever runs when it is thrown away.
        await asyncio.gather(*fakes.asked, return_exceptions=True)
    assert not fakes.engines.ready
    assert (fakes.engines.queued, fakes.engines.working) == (0, 0)
    assert not any(map(is_alive, fakes.starts()))


def test_starting_does_not_wait_for_workers(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            assert not fakes.engines.ready
            assert (await fakes.ask("a")).best == pw.Advance()
            assert fakes.engines.ready

    run(main())


@pytest.mark.parametrize("ticks", [0, 1, 2, 3, 5, None])
def test_stopping_at_any_moment_leaves_nothing(tmp_path: Path, run: Run, ticks: int | None) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path, workers=2) as fakes:
            asked = [fakes.ask(f"{number}", seed=HANG, lines=9) for number in range(3)]
            for _ in range(ticks or 0):
                await asyncio.sleep(0)
            if ticks is None:
                await until(lambda: fakes.engines.working == 2)
        with pytest.raises(Failed):
            await fakes.engines.analyse("later", POSITION, Requester(None, None))
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(answer) for answer in answers] == [Failed] * 3

    run(main())


def test_a_pool_that_never_started_can_be_stopped(run: Run) -> None:
    run(EnginePool(1).stop())


def test_a_short_job_comes_before_long_ones(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        order: list[str] = []
        async with fake_engines(tmp_path) as fakes:
            first = fakes.ask("first", seed=100)
            await until(lambda: fakes.engines.working == 1)
            asked = {name: fakes.ask(name, limit=Limit(time=1.0)) for name in ("long", "longer")}
            asked["short"] = fakes.ask("short", level=4)
            for name, job in asked.items():
                job.add_done_callback(lambda _, name=name: order.append(name))  # type: ignore[misc]
            await asyncio.sleep(0)
            assert fakes.engines.queued == 3
            fakes.open(100)
            await asyncio.gather(first, *asked.values())
        assert order == ["short", "long", "longer"]

    run(main())


def test_waiting_jobs_are_told_how_many_come_first(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        told: dict[str, list[int]] = {name: [] for name in "abcd"}

        def ask(name: str, **options: Any) -> asyncio.Task[Analysis]:
            return fakes.ask(
                name, progress=lambda progress: told[name].append(progress.waiting), **options
            )

        async with fake_engines(tmp_path) as fakes:
            await until(lambda: fakes.engines.ready)
            a = ask("a", seed=100)
            b = ask("b", limit=Limit(time=1.0))
            c = ask("c", limit=Limit(time=1.0))
            await until(lambda: told["c"] == [2])
            d = ask("d")
            await until(lambda: told["c"] == [2, 3])
            b.cancel()
            await until(lambda: told["c"] == [2, 3, 2])
            fakes.open(100)
            await asyncio.gather(a, c, d)
        assert told["a"] == [0]
        assert told["b"] == [1, 2]
        assert told["c"][-1] == told["d"][-1] == 0
        assert told["d"][0] == 1

    run(main())


def test_a_job_is_told_that_it_waits_for_an_engine_to_be_ready(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        told: list[int] = []
        async with fake_engines(tmp_path) as fakes:
            await fakes.ask("a", progress=lambda progress: told.append(progress.waiting))
        assert told == [1, 0]

    run(main())


def test_under_load_jobs_have_less_time_and_are_told_so(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        parts: list[float] = []

        def ask(table: str, seed: int = 0) -> asyncio.Task[Analysis]:
            return fakes.ask(table, seed, limit=Limit(time=1.0), progress=note)

        def note(progress: Progress) -> None:
            if progress.share is not None:
                parts.append(progress.share)

        async with fake_engines(tmp_path) as fakes:
            alone = ask("alone", 100)
            await until(lambda: parts == [1.0])
            others = [ask(f"{number}") for number in range(20)]
            await asyncio.sleep(0)
            fakes.open(100)
            thoughts = await asyncio.gather(alone, *others)
        assert parts[:11] == [1.0] + 10 * [0.1]
        assert parts[-2:] == [0.5, 1.0]
        assert [thought.win for thought in thoughts] == pytest.approx(parts, abs=0.01)

    run(main())


def test_an_error_in_a_report_harms_no_other_job(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        errors: list[dict[str, Any]] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: errors.append(context))
        async with fake_engines(tmp_path) as fakes:
            await asyncio.gather(fakes.ask("a", progress=lambda _: 1 // 0), fakes.ask("b"))
            assert len(fakes.starts()) == 1
        assert {type(error["exception"]) for error in errors} == {ZeroDivisionError}

    run(main())


def test_a_full_queue_takes_only_urgent_jobs(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path, queue=2) as fakes:
            a = fakes.ask("a", seed=100)
            await until(lambda: fakes.engines.working == 1)
            rest = [fakes.ask("b", urgent=False), fakes.ask("c", urgent=False)]
            await asyncio.sleep(0)
            with pytest.raises(Busy):
                await fakes.ask("d", urgent=False)
            rest.append(fakes.ask("e"))
            await asyncio.sleep(0)
            assert fakes.engines.queued == 3
            fakes.open(100)
            await asyncio.gather(a, *rest)

    run(main())


def test_a_table_has_one_job_at_a_time(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        told: list[int] = []
        async with fake_engines(tmp_path, workers=2) as fakes:
            first = fakes.ask("a", seed=100)
            await until(lambda: fakes.engines.working == 1)
            with pytest.raises(Busy):
                await fakes.ask("a", urgent=False)
            second = fakes.ask("a", progress=lambda progress: told.append(progress.waiting))
            await fakes.ask("b")
            await fakes.ask("c")
            assert not second.done()
            await until(lambda: told[-1:] == [1])
            fakes.open(100)
            await asyncio.gather(first, second)
            assert told[-1] == 0

    run(main())


def test_a_table_with_a_waiting_move_gets_no_hint(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            move = fakes.ask("a")
            await asyncio.sleep(0)
            with pytest.raises(Busy):
                await fakes.ask("a", urgent=False)
            await move

    run(main())


def test_a_move_comes_before_the_hint_of_its_own_table(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            busy = fakes.ask("a", seed=100)
            await until(lambda: fakes.engines.working == 1)
            hint = fakes.ask("b", urgent=False, seed=101)
            await asyncio.sleep(0)
            move = fakes.ask("b")
            fakes.open(100)
            await asyncio.gather(busy, move)
            assert not hint.done()
            fakes.open(101)
            await hint

    run(main())


def test_a_cancelled_job_leaves_the_queue(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            a = fakes.ask("a", seed=100)
            await until(lambda: fakes.engines.working == 1)
            b = fakes.ask("b", seed=DIE)
            await asyncio.sleep(0)
            b.cancel()
            await asyncio.wait([b])
            assert fakes.engines.queued == 0
            fakes.open(100)
            await asyncio.gather(a, fakes.ask("b"))
            assert len(fakes.starts()) == 1

    run(main())


def test_hints_and_analyses_of_an_address_are_limited(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        ann = Requester("ann", "fakes")
        async with fake_engines(tmp_path) as fakes:
            asked = [fakes.ask(f"{n}", 100, ann, urgent=False) for n in range(4)]
            await asyncio.sleep(0)
            for requester in (ann, Requester("bob", "fakes")):
                with pytest.raises(Busy):
                    await fakes.ask("more", requester=requester, urgent=False)
            asked += [fakes.ask("move", requester=ann), fakes.ask("other", urgent=False)]
            fakes.open(100)
            await asyncio.gather(*asked)
            await fakes.ask("more", requester=ann, urgent=False)

    run(main())


def test_a_cancelled_job_that_runs_keeps_its_table_busy(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path, workers=2) as fakes:
            first = fakes.ask("a", seed=100)
            await until(lambda: fakes.engines.working == 1)
            first.cancel()
            second = fakes.ask("a")
            await fakes.ask("b")
            assert first.cancelled()
            assert not second.done()
            fakes.open(100)
            assert (await second).best == pw.Advance()
            await fakes.ask("c")
            assert len(fakes.starts()) == 2
            await until(lambda: bool(fakes.noted("stops")))  # it reads no line while it is busy
            assert len(fakes.noted("stops")) == 1

    run(main())


def test_a_cancelled_job_is_not_retried(tmp_path: Path, run: Run, alarms: list[Alarm]) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            first = fakes.ask("a", seed=HANG, lines=9)
            await until(fakes.hangs)
            first.cancel()
            second = fakes.ask("b")
            alarms[-1].ring()
            await second
            assert len(fakes.starts()) == 2

    run(main())


@pytest.mark.parametrize("fault", [DIE, HANG, NONSENSE, ILLEGAL, FLOOD, OPEN_ENDED])
def test_a_worker_that_fails_is_replaced_and_its_job_done(
    tmp_path: Path, run: Run, alarms: list[Alarm], fault: int
) -> None:
    async def main() -> None:
        told: list[int] = []
        async with fake_engines(tmp_path) as fakes:
            await fakes.ask("a")
            asked = fakes.ask(
                "a", seed=fault, progress=lambda progress: told.append(progress.waiting)
            )
            if fault == HANG:
                await until(fakes.hangs)
                alarms[-1].ring()
            thought = await asked
            first, second = fakes.starts()
            assert thought.margin == second
            assert not is_alive(first)
            assert told == [0, 1, 0]

    run(main())


def test_a_job_goes_back_to_its_place_in_the_queue(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        order: list[str] = []
        async with fake_engines(tmp_path) as fakes:
            for name, seed in {"a": DIE, "b": 0, "c": 0}.items():
                job = fakes.ask(name, seed)
                job.add_done_callback(lambda _, name=name: order.append(name))  # type: ignore[misc]
            await until(lambda: len(order) == 3)
        assert order == ["a", "b", "c"]

    run(main())


def test_a_job_that_makes_three_workers_fail_is_given_up(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path, workers=2) as fakes:
            bad = fakes.ask("a", seed=DIE, lines=3)
            assert (await fakes.ask("b")).best == pw.Advance()
            with pytest.raises(Failed, match="3 engine processes"):
                await bad
            assert (await fakes.ask("a")).best == pw.Advance()

    run(main())


def test_a_request_without_an_answer_fails_at_once(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            with pytest.raises(Failed, match="out of wool"):
                await fakes.ask("a", seed=UNABLE)
            assert (await fakes.ask("a")).best == pw.Advance()
            assert len(fakes.starts()) == 1

    run(main())


def test_a_worker_has_the_time_of_its_limit_and_a_grace_period(
    tmp_path: Path, run: Run, alarms: list[Alarm]
) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            await fakes.ask("a", limit=Limit(time=7.0))
            await fakes.ask("a", limit=Limit(nodes=1))
            await fakes.ask("a", level=1, limit=None)
        own = LEVELS[0].limit.time or 0.0
        assert [alarm.seconds for alarm in alarms] == [600.0, 607.0, 600.0, 600.0 + own]

    run(main())


def test_workers_that_never_answer_are_given_up(tmp_path: Path, run: Run) -> None:
    class Impatient(FastRestarts):
        GRACE = 0.0

    async def main() -> None:
        async with fake_engines(tmp_path, kind=Impatient) as fakes:
            with pytest.raises(
                Failed, match=r"3 engine processes .*; the last one did not answer in time$"
            ):
                await fakes.ask("a", seed=HANG, lines=9)

    run(main())


def test_workers_that_are_never_ready_are_given_up(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path, start="mute", kind=ZeroTimeouts) as fakes:
            with pytest.raises(Failed, match="no engine process can be started"):
                await fakes.ask("a", urgent=False)

    run(main())


def test_a_worker_that_dies_while_idle_is_replaced(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            await fakes.ask("a")
            os.kill(fakes.starts()[0], signal.SIGKILL)
            await until(lambda: len(fakes.starts()) == 2)
            assert (await fakes.ask("a")).margin == fakes.starts()[1]

    run(main())


def test_a_job_for_a_worker_that_has_just_died_is_done(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            await fakes.ask("a")
            os.kill(fakes.starts()[0], signal.SIGKILL)
            assert (await fakes.ask("a")).margin == fakes.starts()[1]

    run(main())


@pytest.mark.parametrize("start", ["crash-twice", "mute", "chatty"])
def test_a_worker_that_starts_badly_is_replaced(
    tmp_path: Path, run: Run, alarms: list[Alarm], start: str
) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path, start=start) as fakes:
            asked = fakes.ask("a")
            if start == "mute":
                await until(lambda: len(alarms) == len(fakes.starts()) == 1)
                alarms[0].ring()
            assert (await asked).best == pw.Advance()
            assert len(fakes.starts()) == (3 if start == "crash-twice" else 2)

    run(main())


@pytest.mark.parametrize("start", ["gossip", "short-lived"])
def test_a_worker_that_behaves_badly_while_idle_is_replaced(
    tmp_path: Path, run: Run, start: str
) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path, start=start) as fakes:
            await until(lambda: len(fakes.starts()) == 2)
            assert (await fakes.ask("a")).margin == fakes.starts()[1]

    run(main())


def test_if_no_worker_starts_moves_wait_and_hints_fail(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path, start="crash") as fakes:
            move = fakes.ask("a")
            for _ in range(2):
                with pytest.raises(Failed):
                    await fakes.ask("b", urgent=False)
            assert not move.done()
            assert fakes.engines.queued == 1

    run(main())


def test_a_command_that_does_not_exist_is_retried(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        engines = FastRestarts(1, command=(str(tmp_path / "nothing"),))
        await engines.start()
        with pytest.raises(Failed):
            await engines.analyse("a", POSITION, Requester(None, None), urgent=False)
        await engines.stop()

    run(main())
