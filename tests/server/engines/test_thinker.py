"""The real worker: the engine in a process of its own."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import pytest

import patchwork as pw
from patchwork.engine import Limit
from patchwork.server.engines.fair_queue import Asker
from patchwork.server.engines.queue import Failed, Thinkers
from patchwork.server.engines.thinker import READY, STOP, Question
from patchwork.server.wire import Thought
from support.positions import LEATHER, MIDDLE, OVER, START
from support.waiting import PATIENCE

ANN = Asker("ann", "127.0.0.1")
Think = Callable[[Callable[[Thinkers], Awaitable[None]]], None]


@pytest.fixture(scope="module")
def think() -> Iterator[Think]:
    """Thinkers with one real worker, which takes long to start the first time ever."""
    with asyncio.Runner() as runner:
        thinkers = Thinkers(1)
        runner.run(thinkers.start())

        async def until_done(main: Callable[[Thinkers], Awaitable[None]]) -> None:
            await asyncio.wait_for(main(thinkers), 300)

        yield lambda main: runner.run(until_done(main))
        runner.run(thinkers.stop())


@pytest.mark.parametrize("text", [START, MIDDLE, LEATHER], ids=["start", "middle", "leather"])
def test_the_engine_answers_and_repeats_itself(think: Think, text: str) -> None:
    position = pw.Position.parse(text)

    async def main(thinkers: Thinkers) -> None:
        first = await thinkers.think("a", position, ANN, level=1, seed=7)
        await thinkers.think("a", position, ANN, level=2, lines=2)
        again = await thinkers.think("a", position, ANN, level=1, seed=7)
        assert again == first
        assert first.seat == position.turn
        assert first.lines[0].moves[0] == first.move
        position.play(pw.parse_move(position, first.move))

    think(main)


def test_the_engine_thinks_for_as_long_as_it_is_told_in_several_lines(think: Think) -> None:
    async def main(thinkers: Thinkers) -> None:
        thought = await thinkers.think(
            "a", pw.Position.parse(START), ANN, limit=Limit(time=0.1), lines=3, urgent=False
        )
        assert len(thought.lines) == 3

    think(main)


def test_the_engine_has_no_answer_when_the_game_is_over(think: Think) -> None:
    async def main(thinkers: Thinkers) -> None:
        with pytest.raises(Failed, match="the game is over"):
            await thinkers.think("a", pw.Position.parse(OVER), ANN)

    think(main)


@contextmanager
def worker() -> Iterator[subprocess.Popen[bytes]]:
    """Yields a worker that is ready."""
    command = [sys.executable, "-m", "patchwork.server.engines.thinker"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            assert heard(process) == READY
            yield process
        finally:
            process.kill()


def say(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin
    process.stdin.write(line)
    process.stdin.flush()


def heard(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout
    return process.stdout.readline()


def question(seconds: float) -> bytes:
    asked = Question(position=START, level=8, limit=Limit(time=seconds), lines=1, seed=0)
    return asked.model_dump_json().encode() + b"\n"


def test_a_worker_that_is_stopped_answers_with_what_it_has() -> None:
    with worker() as process:
        for lines in ([STOP, question(0.1)], [question(3600), STOP], [question(3600) + STOP]):
            for line in lines:
                say(process, line)
            assert Thought.model_validate_json(heard(process)).seat == 0


def test_a_worker_ends_with_its_input_while_it_thinks() -> None:
    with worker() as process:
        say(process, question(1e6))
        process.send_signal(signal.SIGINT)
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.close()
        assert process.wait(PATIENCE) == 0, "an interruption is not for workers"
        assert process.stdout.read() == b""
        assert process.stderr.read() == b""


def test_the_server_does_without_numba() -> None:
    code = "import patchwork.server.engines.queue, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
