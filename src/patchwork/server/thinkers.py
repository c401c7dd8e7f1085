"""The engine at work for all tables: a queue of jobs, and worker processes that do them.

The event loop never thinks itself. Jobs are done in the order in which they came, those that
somebody waits for (moves) before the others (hints, analyses), and never two of one table at a
time, so no table keeps others from their turn.

Workers are expendable: one that ends, answers nonsense or does not answer in time is killed and
replaced, and its job goes back to its place in the queue.
"""

import asyncio
import logging
import sys
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar

from patchwork.engine.analysis import Limit
from patchwork.engine.levels import LEVELS
from patchwork.notation.errors import NotationError
from patchwork.notation.moves import parse_move
from patchwork.rules.position import Position
from patchwork.server.thinker import Question, Unable
from patchwork.server.wire import Thought
from patchwork.server.worker import Lost, Worker

_log = logging.getLogger(__name__)

_COMMAND = (sys.executable, "-P", "-m", "patchwork.server.thinker")
_TRIES = 3


class Busy(Exception):
    """Too much is waiting already, or something for the same table; asking later may help."""


class Failed(Exception):
    """There is no answer."""


@dataclass(slots=True, eq=False)
class _Job:
    """A question of a table, and the future that awaits its answer."""

    table: str
    position: Position
    question: Question
    seconds: float
    """How long an answer may take, besides the grace."""
    urgent: bool
    number: int
    waiting: Callable[[int], None] | None
    answer: asyncio.Future[Thought]
    told: int | None = None
    losses: int = 0
    """Workers that were lost over it."""

    @property
    def rank(self) -> tuple[bool, int]:
        """Lower ones come first."""
        return not self.urgent, self.number

    def tell(self, first: int) -> None:
        """Says how many jobs come first, if that is news."""
        if self.told != first:
            self.told = first
            self.answer.get_loop().call_soon(self._tell, first)

    def _tell(self, first: int) -> None:
        if self.waiting is not None and not self.answer.done():
            self.waiting(first)

    def settle(self, answer: Thought | Unable) -> None:
        """Takes a worker's answer.

        Raises:
            Lost: its move is illegal.
        """
        if isinstance(answer, Unable):
            self.fail(answer.error)
            return
        try:
            parse_move(self.position, answer.move)
        except NotationError as error:
            raise Lost(f"it answered an illegal move: {error.detail}") from error
        if not self.answer.done():
            self.answer.set_result(answer)

    def lose(self, why: Lost) -> None:
        """Notes that a worker was lost over it; after several, gives up."""
        self.losses += 1
        if self.losses == _TRIES:
            self.fail(f"{self.losses} workers were lost over it, of the last one is known: {why}")

    def fail(self, why: str) -> None:
        """Gives up, unless there is an answer or nobody wants it any more."""
        if not self.answer.done():
            self.answer.set_exception(Failed(why))


_RANK = attrgetter("rank")


class Thinkers:
    """Worker processes and the jobs that wait for them."""

    WARM_UP: ClassVar = 180.0
    """Seconds a worker may take until it is ready: the first one ever compiles the engine."""
    GRACE: ClassVar = 20.0
    """Seconds an answer may take beyond its limit."""
    PAUSES: ClassVar = (0.1, 10.0)
    """Seconds until a lost worker is replaced: at first, and at most when none gets a job done."""

    def __init__(
        self, workers: int, *, queue: int = 256, command: Sequence[str] = _COMMAND
    ) -> None:
        """Prepares for worker processes; where ``queue`` jobs wait, only urgent ones are taken."""
        self._workers = workers
        self._most = queue
        self._command = command
        self._tasks: list[asyncio.Task[None]] = []
        self._starting = asyncio.Lock()
        self._warm = 0
        self._stopped = False
        self._count = 0
        self._queue: list[_Job] = []
        self._idle: set[Worker] = set()
        self._running: dict[Worker, _Job] = {}

    async def start(self) -> None:
        """Starts the workers, which get ready in the background."""
        self._tasks = [asyncio.create_task(self._keep_a_worker()) for _ in range(self._workers)]

    async def stop(self) -> None:
        """Ends all workers; what is not answered by now fails."""
        self._stopped = True
        for job in self._jobs():
            job.fail("the server stops")
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    @property
    def ready(self) -> bool:
        """Whether there is a worker that has nothing left to prepare."""
        return self._warm > 0

    @property
    def queued(self) -> int:
        """How many jobs wait."""
        return len(self._queue)

    @property
    def working(self) -> int:
        """How many jobs are being done."""
        return len(self._running)

    async def think(
        self,
        table: str,
        position: Position,
        *,
        level: int | None = None,
        limit: Limit | None = None,
        lines: int = 1,
        seed: int = 0,
        urgent: bool = True,
        waiting: Callable[[int], None] | None = None,
    ) -> Thought:
        """Returns what the engine thinks of a position.

        An urgent job is always taken. It comes before all that are not, also of its own table, and
        waits while a worker thinks for its table, even if nobody wants that thought any more. A job
        that is cancelled leaves the queue; if it has begun, it is finished for nobody.

        Args:
            table: no two jobs of a table are done at a time.
            position: an unfinished one.
            level: 1 to 8; 8 if nothing is said.
            limit: the level's own if not given.
            lines: how many first moves to tell about.
            seed: the same seed and number of nodes give the same answer.
            urgent: somebody waits for it.
            waiting: is told how many jobs must end first, whenever that changes; 0: it begins.

        Raises:
            Busy: it is not urgent, and the queue is full or there is a job of the table already.
            Failed: several workers were lost over it, the engine has no answer, the server stops,
                or it is not urgent and no worker can be started.
        """
        if self._stopped:
            raise Failed("the server stops")
        if not urgent and len(self._queue) >= self._most:
            raise Busy(f"{len(self._queue)} jobs wait already")
        if not urgent and any(job.table == table for job in self._jobs()):
            raise Busy("there is a job of this table already")
        own = LEVELS[-1 if level is None else level - 1].limit
        self._count += 1
        job = _Job(
            table,
            position,
            Question(position=str(position), level=level, limit=limit, lines=lines, seed=seed),
            seconds=(limit or own).time or 0.0,
            urgent=urgent,
            number=self._count,
            waiting=waiting,
            answer=asyncio.get_running_loop().create_future(),
        )
        insort(self._queue, job, key=_RANK)
        self._dispatch()
        try:
            return await job.answer
        finally:
            if job in self._queue:
                self._queue.remove(job)
                self._dispatch()

    def _jobs(self) -> Iterator[_Job]:
        yield from self._queue
        yield from self._running.values()

    def _dispatch(self) -> None:
        """Gives jobs to idle workers, and tells those left over how many come first."""
        tables = {job.table for job in self._running.values()}
        for job in tuple(self._queue):
            if self._idle and job.table not in tables and not job.answer.done():
                worker = self._idle.pop()
                self._queue.remove(job)
                self._running[worker] = job
                tables.add(job.table)
                job.tell(0)
                worker.ask(job.question, job.seconds + self.GRACE)
        for first, job in enumerate(self._queue, 1):
            job.tell(first)

    async def _keep_a_worker(self) -> None:
        """Has a worker do jobs, and another one whenever one is lost."""
        shortest, longest = self.PAUSES
        pause = shortest
        while True:
            try:
                worker = await self._start_a_worker()
                self._warm += 1
                try:
                    while True:
                        await self._do_a_job(worker)
                        pause = shortest
                finally:
                    self._warm -= 1
                    await worker.end()
            except Lost as lost:
                _log.warning("a worker is replaced in %.1f s: %s", pause, lost)
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)

    async def _start_a_worker(self) -> Worker:
        try:
            async with self._starting:  # one by one: what the first compiles, the others load
                return await Worker.start(self._command, self.WARM_UP)
        except Lost:
            if not self.ready:
                for job in self._queue:
                    if not job.urgent:  # a move waits for better times: the game goes on with it
                        job.fail("no worker can be started")
            raise

    async def _do_a_job(self, worker: Worker) -> None:
        """Lets a worker do a job, as soon as there is one."""
        self._idle.add(worker)
        self._dispatch()
        try:
            answer = await worker.answer()
            if worker not in self._running:
                raise Lost("it answered without being asked")
            self._running[worker].settle(answer)
        except Lost as lost:
            if worker in self._running:
                self._running[worker].lose(lost)
            raise
        finally:
            self._idle.discard(worker)
            job = self._running.pop(worker, None)
            if job is not None and not job.answer.done():
                insort(self._queue, job, key=_RANK)
            self._dispatch()
