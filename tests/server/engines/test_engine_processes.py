"""The real engine process, alone and in a pool."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import pytest

import patchwork as pw
from patchwork.engine import Limit
from patchwork.programs.schema import (
    READY,
    STOP,
    AnalysisRequest,
    Options,
    analysis_from_json,
    request_as_json,
)
from patchwork.server.engines.fair_queue import Requester
from patchwork.server.engines.pool import EnginePool, Failed
from support.positions import LEATHER, MIDDLE, OVER, START
from support.waiting import PATIENCE

ANN = Requester("ann", "127.0.0.1")
WithEngines = Callable[[Callable[[EnginePool], Awaitable[None]]], None]


@pytest.fixture(scope="module")
def with_engines() -> Iterator[WithEngines]:
    """A pool with one real engine, which has to be compiled the first time."""
    with asyncio.Runner() as runner:
        engines = EnginePool(1)
        runner.run(engines.start())

        async def run_with_timeout(main: Callable[[EnginePool], Awaitable[None]]) -> None:
            await asyncio.wait_for(main(engines), 300)

        yield lambda main: runner.run(run_with_timeout(main))
        runner.run(engines.stop())


@pytest.mark.parametrize("text", [START, MIDDLE, LEATHER], ids=["start", "middle", "leather"])
def test_the_same_seed_gives_the_same_answer(with_engines: WithEngines, text: str) -> None:
    position = pw.Position.parse(text)

    async def main(engines: EnginePool) -> None:
        first = await engines.analyse("a", position, ANN, level=1, seed=7)
        await engines.analyse("a", position, ANN, level=2, lines=2)
        again = await engines.analyse("a", position, ANN, level=1, seed=7)
        assert again == first
        assert first.seat == position.turn
        assert first.lines[0].moves[0] == first.best
        position.play(first.best)

    with_engines(main)


def test_the_engine_obeys_a_time_limit_and_reports_several_lines(with_engines: WithEngines) -> None:
    async def main(engines: EnginePool) -> None:
        thought = await engines.analyse(
            "a", pw.Position.parse(START), ANN, limit=Limit(time=0.1), lines=3, urgent=False
        )
        assert len(thought.lines) == 3

    with_engines(main)


def test_the_engine_has_no_answer_when_the_game_is_over(with_engines: WithEngines) -> None:
    async def main(engines: EnginePool) -> None:
        with pytest.raises(Failed, match="the game is over"):
            await engines.analyse("a", pw.Position.parse(OVER), ANN)

    with_engines(main)


@contextmanager
def child() -> Iterator[subprocess.Popen[bytes]]:
    """Yields an engine process that is ready."""
    command = [sys.executable, "-m", "patchwork.programs.engine_child", "--memory", "16"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            assert read_line(process) == f"{READY}\n".encode()
            yield process
        finally:
            process.kill()


def write_line(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin
    process.stdin.write(line)
    process.stdin.flush()


def read_line(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout
    return process.stdout.readline()


def request(seconds: float) -> bytes:
    options = Options(level=8, limit=Limit(time=seconds))
    content = request_as_json(AnalysisRequest(pw.Position.parse(START), options))
    return json.dumps(content).encode() + b"\n"


def test_a_stopped_process_answers_with_its_best_move_so_far() -> None:
    stop = f"{STOP}\n".encode()
    with child() as process:
        for lines in ([stop, request(0.1)], [request(3600), stop], [request(3600) + stop]):
            for line in lines:
                write_line(process, line)
            answer = analysis_from_json(json.loads(read_line(process)), pw.Position.parse(START))
            assert answer.seat == 0


def test_a_process_exits_when_its_input_is_closed_even_during_a_search() -> None:
    with child() as process:
        write_line(process, request(1e6))
        process.send_signal(signal.SIGINT)
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.close()
        assert process.wait(PATIENCE) == 0, "Ctrl+C is meant for the parent"
        assert process.stdout.read() == b""
        assert process.stderr.read() == b""


def test_the_server_process_does_not_import_numba() -> None:
    code = "import patchwork.server.engines.pool, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
