"""The engine pool: the order of jobs, and the progress reports to waiting clients."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import patchwork as pw
from patchwork.engine import Analysis, Limit
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.engines.pool import Busy, EnginePool, Failed, Progress
from server.support.fake_engines import (
    DIE,
    HANG,
    POSITION,
    Alarm,
    Run,
    fake_engines,
)
from server.support.friends import eventually as until


def test_starting_does_not_wait_for_workers(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            assert not fakes.engines.ready
            assert (await fakes.ask("a")).best == pw.Advance()
            assert fakes.engines.ready

    run(main())


@pytest.mark.parametrize("ticks", [0, 1, 2, 3, 5, None])
def test_stopping_at_any_moment_fails_all_jobs(tmp_path: Path, run: Run, ticks: int | None) -> None:
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


def test_waiting_jobs_report_how_many_jobs_come_first(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        reports: dict[str, list[int]] = {name: [] for name in "abcd"}

        def ask(name: str, **options: Any) -> asyncio.Task[Analysis]:
            return fakes.ask(
                name, progress=lambda progress: reports[name].append(progress.waiting), **options
            )

        async with fake_engines(tmp_path) as fakes:
            await until(lambda: fakes.engines.ready)
            a = ask("a", seed=100)
            b = ask("b", limit=Limit(time=1.0))
            c = ask("c", limit=Limit(time=1.0))
            await until(lambda: reports["c"] == [2])
            d = ask("d")
            await until(lambda: reports["c"] == [2, 3])
            b.cancel()
            await until(lambda: reports["c"] == [2, 3, 2])
            fakes.open(100)
            await asyncio.gather(a, c, d)
        assert reports["a"] == [0]
        assert reports["b"] == [1, 2]
        assert reports["c"][-1] == reports["d"][-1] == 0
        assert reports["d"][0] == 1

    run(main())


def test_a_job_reports_that_it_waits_for_an_engine_to_be_ready(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        reports: list[int] = []
        async with fake_engines(tmp_path, start="gated") as fakes:
            asked = fakes.ask("a", progress=lambda progress: reports.append(progress.waiting))
            await until(lambda: reports == [1])
            fakes.open(100)
            await asked
        assert reports == [1, 0]

    run(main())


def test_under_load_jobs_get_less_time_and_report_their_share(tmp_path: Path, run: Run) -> None:
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


def test_an_error_in_a_progress_callback_does_not_affect_other_jobs(
    tmp_path: Path, run: Run
) -> None:
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
        reports: list[int] = []
        async with fake_engines(tmp_path, workers=2) as fakes:
            first = fakes.ask("a", seed=100)
            await until(lambda: fakes.engines.working == 1)
            with pytest.raises(Busy):
                await fakes.ask("a", urgent=False)
            second = fakes.ask("a", progress=lambda progress: reports.append(progress.waiting))
            await fakes.ask("b")
            await fakes.ask("c")
            assert not second.done()
            await until(lambda: reports[-1:] == [1])
            fakes.open(100)
            await asyncio.gather(first, second)
            assert reports[-1] == 0

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
