"""The engine at work for all tables: a queue of jobs, and worker processes that do them.

The event loop never thinks itself. Who comes next is decided by fair queuing (``fair``), so that
nobody keeps others from their turn, and never two jobs of one table are done at a time. Where much
is to be thought, jobs that have a time have less of it.

Workers are expendable: one that ends, answers nonsense or does not answer in time is killed and
replaced, and its job goes back to its place in the queue.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from patchwork.engine.analysis import Limit
from patchwork.engine.levels import LEVELS
from patchwork.notation.errors import NotationError
from patchwork.notation.moves import parse_move
from patchwork.rules.position import Position
from patchwork.server.engines.fair_queue import Asker, FairQueue
from patchwork.server.engines.thinker import Question, Unable
from patchwork.server.engines.worker import Lost, Worker
from patchwork.server.wire import Thinking, Thought

_log = logging.getLogger(__name__)

_COMMAND = (sys.executable, "-P", "-m", "patchwork.server.engines.thinker")
_TRIES = 3
_TURN = 1.0
"""Seconds within which everybody's turn should come, if thoughts can be cut to that."""
_LEAST = 0.1
"""Seconds to which they may be cut: level 8 is then still much stronger than level 7."""
_NODE = 0.001
"""Seconds that a node is taken to need before there was a thought of the level."""
_NEWS = 1 / 8
"""The share of the latest thought in what those of its level are taken to need."""
_HELP = 4
"""Hints and analyses that may wait, or be thought, for one address."""


class Busy(Exception):
    """Too much is waiting already, or something for the same table; asking later may help."""


class Failed(Exception):
    """There is no answer."""


@dataclass(slots=True, eq=False)
class _Job:
    """A question of a table, and the future that awaits its answer."""

    asker: Asker
    table: str
    position: Position
    question: Question
    limit: Limit
    urgent: bool
    progress: Callable[[Thinking], None] | None
    answer: asyncio.Future[Thought]
    told: Thinking | None = None
    losses: int = 0
    """Workers that were lost over it."""
    worker: Worker | None = None
    """Who is at it."""
    began: float = 0.0

    def begin(self, worker: Worker, seconds: float, grace: float, now: float) -> None:
        """Has a worker think, in less than the usual time if there are not as many seconds."""
        self.worker, self.began = worker, now
        part, question, usual = 1.0, self.question, self.limit.time
        if usual is not None and seconds < usual:
            part = seconds / usual
            question = question.model_copy(update={"limit": replace(self.limit, time=seconds)})
        self.tell(Thinking(waiting=0, part=round(part, 2)))
        worker.ask(question, (usual or 0.0) + grace)

    def tell(self, progress: Thinking) -> None:
        """Says how far it is, if that is news."""
        if self.told != progress:
            self.told = progress
            self.answer.get_loop().call_soon(self._tell, progress)

    def _tell(self, progress: Thinking) -> None:
        if self.progress is not None and not self.answer.done():
            self.progress(progress)

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


class Thinkers:
    """Worker processes and the jobs that wait for them."""

    WARM_UP: ClassVar = 180.0
    """Seconds a worker may take until it is ready: the first one ever compiles the engine."""
    GRACE: ClassVar = 20.0
    """Seconds an answer may take beyond its limit."""
    PAUSES: ClassVar = (0.1, 10.0)
    """Seconds until a lost worker is replaced: at first, and at most when none gets a job done."""
    GATHERING: ClassVar = 0.25
    """Seconds from one time that those who wait are told how many come first to the next."""

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
        self._queue: FairQueue[_Job] = FairQueue(_TURN * workers)
        self._foreseen: dict[int | None, float] = {}
        """The seconds that thoughts without a time are taken to need, by level."""
        self._telling: asyncio.TimerHandle | None = None
        self._idle: set[Worker] = set()
        self._running: dict[Worker, _Job] = {}

    async def start(self) -> None:
        """Starts the workers, which get ready in the background."""
        self._tasks = [asyncio.create_task(self._keep_a_worker()) for _ in range(self._workers)]

    async def stop(self) -> None:
        """Ends all workers; what is not answered by now fails."""
        self._stopped = True
        if self._telling is not None:
            self._telling.cancel()
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
        asker: Asker,
        *,
        level: int | None = None,
        limit: Limit | None = None,
        lines: int = 1,
        seed: int = 0,
        urgent: bool = True,
        progress: Callable[[Thinking], None] | None = None,
    ) -> Thought:
        """Returns what the engine thinks of a position.

        An urgent job is always taken. It comes before those of its table that are not, and waits
        while a worker thinks for its table, even if nobody wants that thought any more. A job that
        is cancelled leaves the queue; if it has begun, the worker is asked to stop.

        Args:
            table: no two jobs of a table are done at a time.
            position: an unfinished one.
            asker: who waits for it, and so has the less of the workers for other thoughts.
            level: 1 to 8; 8 if nothing is said.
            limit: the level's own if not given.
            lines: how many first moves to tell about.
            seed: the same seed and number of nodes give the same answer.
            urgent: the game waits for it.
            progress: is told when it begins, and from time to time how many others come first.

        Raises:
            Busy: it is not urgent, and the queue is full, there is a job of the table already, or
                there are several that are not urgent for the same address.
            Failed: several workers were lost over it, the engine has no answer, the server stops,
                or it is not urgent and no worker can be started.
        """
        if self._stopped:
            raise Failed("the server stops")
        if not urgent:
            self._refuse_help(table, asker)
        own = LEVELS[-1 if level is None else level - 1].limit
        job = _Job(
            asker,
            table,
            position,
            Question(position=str(position), level=level, limit=limit, lines=lines, seed=seed),
            limit=limit or own,
            urgent=urgent,
            progress=progress,
            answer=asyncio.get_running_loop().create_future(),
        )
        usual = job.limit.time
        seconds, least = (self._foresee(job), None) if usual is None else (usual, _LEAST)
        self._queue.push(job, asker, table, seconds, least=least, second=not urgent)
        self._dispatch()
        try:
            return await job.answer
        finally:
            if job in self._queue:
                self._queue.remove(job)
                self._dispatch()
            elif job.worker is not None:
                job.worker.stop()

    def _refuse_help(self, table: str, asker: Asker) -> None:
        """Refuses what the game does not wait for where there is too much of it.

        Raises:
            Busy: there is.
        """
        if len(self._queue) >= self._most:
            raise Busy(f"{len(self._queue)} jobs wait already")
        jobs = list(self._jobs())
        if any(job.table == table for job in jobs):
            raise Busy("there is a job of this table already")
        if sum(not job.urgent and job.asker.address == asker.address for job in jobs) >= _HELP:
            raise Busy(f"{_HELP} hints or analyses for this address are not there yet")

    def _jobs(self) -> Iterator[_Job]:
        yield from self._queue.order()
        yield from self._running.values()

    def _dispatch(self) -> None:
        """Gives jobs to idle workers; those left over are soon told how many come first."""
        loop = asyncio.get_running_loop()
        while self._idle and (granted := self._queue.pop()) is not None:
            job, seconds = granted
            if job.answer.done():  # whoever wanted it is about to notice
                self._queue.finish(job, 0.0)
            else:
                worker = self._idle.pop()
                self._running[worker] = job
                job.begin(worker, seconds, self.GRACE, loop.time())
        if len(self._queue) and self._telling is None and not self._stopped:
            self._telling = loop.call_later(self.GATHERING, self._tell)

    def _tell(self) -> None:
        """Tells those who wait how many come first."""
        self._telling = None
        for first, job in enumerate(self._queue.order(), 1):
            job.tell(Thinking(waiting=first))

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
                for job in self._queue.order():
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
            if job is not None:
                self._put_away(job)
            self._dispatch()

    def _put_away(self, job: _Job) -> None:
        """Counts the time of a job that is answered; one that is not goes back to its place."""
        job.worker = None
        if not job.answer.done():
            self._queue.back(job)
            return
        seconds = asyncio.get_running_loop().time() - job.began
        self._queue.finish(job, seconds)
        if job.limit.time is None and not job.answer.cancelled():
            foreseen = self._foresee(job)
            self._foreseen[job.question.level] = foreseen + _NEWS * (seconds - foreseen)

    def _foresee(self, job: _Job) -> float:
        """Returns the seconds that a thought without a time will probably take."""
        return self._foreseen.get(job.question.level, _NODE * (job.limit.nodes or 0))
