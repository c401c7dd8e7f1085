"""A worker process, as the server sees it; ``thinker`` is the program that it runs."""

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Self

from pydantic import TypeAdapter, ValidationError

from patchwork.server.engines.thinker import READY, STOP, Question, Unable
from patchwork.server.wire import Thought

_LONGEST_LINE = 1 << 20
_ANSWER: Final[TypeAdapter[Thought | Unable]] = TypeAdapter(Thought | Unable)


class Lost(Exception):
    """A worker is of no more use: it ended, wrote nonsense or nothing in time."""


class Worker:
    """A process that is asked one question at a time; whoever awaits its answer must end it."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._alarm: asyncio.TimerHandle | None = None
        self._ending = "it ended"

    @classmethod
    async def start(cls, command: Sequence[str], seconds: float) -> Self:
        """Returns a worker that is ready.

        Raises:
            Lost: there is none in time.
        """
        spawning = asyncio.create_task(_spawn(command))
        try:
            worker = cls(await asyncio.shield(spawning))
        except asyncio.CancelledError:  # what has half begun would go on by itself
            await asyncio.wait([spawning])
            if spawning.exception() is None:
                await cls(spawning.result()).end()
            raise
        except OSError as error:
            raise Lost(f"it cannot be started: {error}") from error
        try:
            worker._expect(seconds)
            if await worker._hear() != READY:
                raise Lost("it did not say that it is ready")
        except BaseException:
            await worker.end()
            raise
        return worker

    def ask(self, question: Question, seconds: float) -> None:
        """Asks a question; if there is no answer in time, the worker is killed."""
        self._expect(seconds)
        self._write(question.model_dump_json().encode() + b"\n")

    def stop(self) -> None:
        """Asks for the answer at once, be it as it may."""
        self._write(STOP)

    async def answer(self) -> Thought | Unable:
        """Returns what the worker answers, also to a question that is not yet asked.

        Raises:
            Lost: there is no answer, or the worker ended before it was asked.
        """
        try:
            return _ANSWER.validate_json(await self._hear())
        except ValidationError as error:
            raise Lost("it answered nonsense") from error

    async def end(self) -> None:
        """Kills the worker and waits until nothing of it is left, also if that is cancelled."""
        self._kill()
        ending = asyncio.create_task(self._tidy_up())
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:
            await asyncio.wait([ending])
            raise

    async def _tidy_up(self) -> None:
        with suppress(OSError):
            await self._process.communicate()
        await self._process.wait()

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, RuntimeError):  # it has ended, as whoever awaits answers will notice
            self._process.stdin.write(line)

    async def _hear(self) -> bytes:
        assert self._process.stdout is not None
        try:
            line = await self._process.stdout.readline()
        except (OSError, ValueError) as error:
            raise Lost(f"nothing can be read from it: {error}") from error
        finally:
            if self._alarm is not None:
                self._alarm.cancel()
        if not line.endswith(b"\n"):
            raise Lost(self._ending)
        return line

    def _expect(self, seconds: float) -> None:
        self._alarm = asyncio.get_running_loop().call_later(seconds, self._expire)

    def _expire(self) -> None:
        self._ending = "it did not answer in time"
        self._kill()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()


async def _spawn(command: Sequence[str]) -> Process:
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=PIPE,
        stdout=PIPE,
        limit=_LONGEST_LINE,
        start_new_session=True,  # Ctrl-C in the terminal is not for the workers
    )
