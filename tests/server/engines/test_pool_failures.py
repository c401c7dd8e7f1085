"""Whatever engine processes do, every job gets an answer or an error, and no process remains."""

import os
import signal
from pathlib import Path

import pytest

import patchwork as pw
from patchwork.engine import Limit
from patchwork.engine.levels import LEVELS
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.engines.pool import Failed
from server.support.fake_engines import (
    DIE,
    FLOOD,
    HANG,
    ILLEGAL,
    NONSENSE,
    OPEN_ENDED,
    POSITION,
    UNABLE,
    Alarm,
    FastRestarts,
    Run,
    ZeroTimeouts,
    fake_engines,
)
from server.support.friends import eventually as until
from support.waiting import is_alive


@pytest.mark.parametrize("fault", [DIE, HANG, NONSENSE, ILLEGAL, FLOOD, OPEN_ENDED])
def test_a_failed_worker_is_replaced_and_its_job_is_retried(
    tmp_path: Path, run: Run, alarms: list[Alarm], fault: int
) -> None:
    async def main() -> None:
        reports: list[int] = []
        async with fake_engines(tmp_path) as fakes:
            await fakes.ask("a")
            asked = fakes.ask(
                "a", seed=fault, progress=lambda progress: reports.append(progress.waiting)
            )
            if fault == HANG:
                await until(fakes.hangs)
                alarms[-1].ring()
            thought = await asked
            first, second = fakes.starts()
            assert thought.margin == second
            assert not is_alive(first)
            assert reports == [0, 1, 0]

    run(main())


def test_a_failed_job_keeps_its_place_in_the_queue(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        order: list[str] = []
        async with fake_engines(tmp_path) as fakes:
            for name, seed in {"a": DIE, "b": 0, "c": 0}.items():
                job = fakes.ask(name, seed)
                job.add_done_callback(lambda _, name=name: order.append(name))  # type: ignore[misc]
            await until(lambda: len(order) == 3)
        assert order == ["a", "b", "c"]

    run(main())


def test_a_job_fails_after_three_workers_have_failed_on_it(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path, workers=2) as fakes:
            bad = fakes.ask("a", seed=DIE, lines=3)
            assert (await fakes.ask("b")).best == pw.Advance()
            with pytest.raises(Failed, match="3 engine processes"):
                await bad
            assert (await fakes.ask("a")).best == pw.Advance()

    run(main())


def test_an_error_reported_by_the_engine_fails_the_job_without_retrying(
    tmp_path: Path, run: Run
) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            with pytest.raises(Failed, match="out of wool"):
                await fakes.ask("a", seed=UNABLE)
            assert (await fakes.ask("a")).best == pw.Advance()
            assert len(fakes.starts()) == 1

    run(main())


def test_a_worker_times_out_after_its_time_limit_plus_a_grace_period(
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


def test_a_job_fails_if_no_worker_ever_answers(tmp_path: Path, run: Run) -> None:
    class Impatient(FastRestarts):
        GRACE = 0.0

    async def main() -> None:
        async with fake_engines(tmp_path, kind=Impatient) as fakes:
            with pytest.raises(
                Failed, match=r"3 engine processes .*; the last one did not answer in time$"
            ):
                await fakes.ask("a", seed=HANG, lines=9)

    run(main())


def test_a_job_fails_if_no_worker_becomes_ready(tmp_path: Path, run: Run) -> None:
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


def test_a_job_given_to_a_worker_that_has_just_died_is_retried(tmp_path: Path, run: Run) -> None:
    async def main() -> None:
        async with fake_engines(tmp_path) as fakes:
            await fakes.ask("a")
            os.kill(fakes.starts()[0], signal.SIGKILL)
            assert (await fakes.ask("a")).margin == fakes.starts()[1]

    run(main())


@pytest.mark.parametrize("start", ["crash-twice", "mute", "chatty"])
def test_a_worker_that_fails_to_start_is_replaced(
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
def test_a_worker_that_misbehaves_while_idle_is_replaced(
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
