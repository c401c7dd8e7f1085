"""Engines in processes of their own that analyse positions for all tables.

The event loop itself never searches. ``fair_queue`` decides which job is next: nobody can crowd out
others, and two jobs of one table never run at the same time. Under load, jobs with a time limit get
less time than they ask for.

If an engine process fails, its job goes back to its place in the queue.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import ClassVar

from patchwork.engine.analysis import Analysis, Limit
from patchwork.engine.levels import LEVELS
from patchwork.programs.errors import NoAnalysis, ProtocolError
from patchwork.programs.pool import Failure, Lost, Message, NotStarted, Pool, Ready, Worker
from patchwork.programs.program import python_command
from patchwork.programs.schema import AnalysisRequest, Options, analysis_from_json, request_as_json
from patchwork.rules.position import Position
from patchwork.server.engines.fair_queue import FairQueue, Requester

_log = logging.getLogger(__name__)

_MEMORY = 64
"""Megabytes of a search tree: room for seconds of level 8, and there is an engine for each core."""
_NICENESS = 10
"""By how much the server itself comes before its engines."""
_COMMAND = (
    *python_command("patchwork.programs.engine_child"),
    *("--memory", str(_MEMORY), "--nice", str(_NICENESS)),
)
_MOST_WAITING = 256
"""Jobs that may wait before those that are not urgent are refused."""
_TRIES = 3
"""Engine processes that may fail over a job before it is given up."""
_TURN = 1.0
"""Seconds within which everybody's turn should come, if jobs can be cut to that."""
_LEAST = 0.1
"""Seconds to which they may be cut: level 8 is then still much stronger than level 7."""
_NODE = 0.001
"""Seconds that a node is assumed to need until a job of its level has been measured."""
_SMOOTHING = 1 / 8
"""The weight of the latest job in the moving average of how long those of its level take."""
_HELP = 4
"""Hints and analyses that may wait or run for one address."""


class Busy(Exception):
    """Too much is waiting already, or something for the same table; asking later may help."""


class Failed(Exception):
    """There is no answer."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is."""

    waiting: int
    """How many other jobs come first; 0: it runs."""
    share: float | None = None
    """The part of its usual time that it gets, from 0 to 1; None while it waits."""


@dataclass(slots=True, eq=False)
class _Job:
    """A position to analyse for a table, and the future that awaits the analysis."""

    requester: Requester
    table: str
    request: AnalysisRequest
    limit: Limit
    urgent: bool
    report: Callable[[Progress], None] | None
    answer: asyncio.Future[Analysis]
    reported: Progress | None = None
    failures: int = 0
    """Engine processes that failed over it."""
    worker: Worker | None = None
    """The engine process that runs it."""
    began: float = 0.0

    def granted(self, seconds: float) -> tuple[AnalysisRequest, float]:
        """Returns the request, limited to this many seconds, and the share of its usual time."""
        usual = self.limit.time
        if usual is None or seconds >= usual:
            return self.request, 1.0
        options = replace(self.request.options, limit=replace(self.limit, time=seconds))
        return replace(self.request, options=options), seconds / usual

    def update(self, progress: Progress) -> None:
        """Reports its progress, unless that was reported already."""
        if self.reported != progress:
            self.reported = progress
            # In a turn of its own, where an error harms no other job.
            self.answer.get_loop().call_soon(self._report, progress)

    def _report(self, progress: Progress) -> None:
        if self.report is not None and not self.answer.done():
            self.report(progress)

    def settle(self, analysis: Analysis) -> None:
        """Hands over the answer, unless it is no longer wanted."""
        if not self.answer.done():
            self.answer.set_result(analysis)

    def fail(self, why: str) -> None:
        """Gives up, unless there is an answer or none is wanted any more."""
        if not self.answer.done():
            self.answer.set_exception(Failed(why))

    def retry(self, failure: Failure) -> None:
        """Notes that an engine process failed over it; after several, gives up."""
        self.failures += 1
        if self.failures == _TRIES:
            # Players may read this, so it does not quote the process.
            self.fail(
                f"{self.failures} engine processes failed over it; the last one {failure.problem}"
            )


class EnginePool:
    """Engine processes and the jobs that wait for them."""

    START_TIMEOUT: ClassVar = 180.0
    """Seconds until an engine process must be ready: the first one ever compiles the engine."""
    GRACE: ClassVar = 20.0
    """Seconds that an answer may take beyond its limit."""
    RESTART_DELAYS: ClassVar = (0.1, 10.0)
    """Seconds until a failed process is replaced: at first, and at most if no job gets done."""
    REPORT_INTERVAL: ClassVar = 0.25
    """Seconds between two reports to those who wait of how many come first."""

    def __init__(
        self, engines: int, *, queue: int = _MOST_WAITING, command: Sequence[str] = _COMMAND
    ) -> None:
        """Prepares for some engines; while ``queue`` jobs wait, only urgent ones are accepted."""
        self._most = queue
        self._pool = Pool(
            command,
            engines,
            start_timeout=self.START_TIMEOUT,
            restart_delays=self.RESTART_DELAYS,
            one_at_a_time=True,
            notify=self._notify,
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = False
        self._queue: FairQueue[_Job] = FairQueue(_TURN * engines)
        self._foreseen: dict[int | None, float] = {}
        """The seconds that jobs without a time limit are expected to take, by level."""
        self._reporting: asyncio.TimerHandle | None = None
        self._alarm: asyncio.TimerHandle | None = None
        """Wakes the loop when an engine process is late or to be started."""
        self._ready: set[Worker] = set()
        self._idle: set[Worker] = set()
        self._running: dict[Worker, _Job] = {}

    async def start(self) -> None:
        """Starts the engine processes, which get ready in the background."""
        self._loop = asyncio.get_running_loop()
        self._handle_events()

    async def stop(self) -> None:
        """Ends all engine processes; jobs without an answer fail."""
        self._stopped = True
        for timer in (self._reporting, self._alarm):
            if timer is not None:
                timer.cancel()
        for job in self._jobs():
            job.fail("the server stops")
        await asyncio.to_thread(self._pool.close)
        for job in self._running.values():
            self._queue.finish(job, 0.0)
        for workers in (self._ready, self._idle, self._running):
            workers.clear()

    @property
    def ready(self) -> bool:
        """Whether an engine is ready."""
        return bool(self._ready)

    @property
    def queued(self) -> int:
        """How many jobs wait."""
        return len(self._queue)

    @property
    def working(self) -> int:
        """How many jobs run."""
        return len(self._running)

    async def analyse(
        self,
        table: str,
        position: Position,
        requester: Requester,
        *,
        level: int | None = None,
        limit: Limit | None = None,
        lines: int = 1,
        seed: int = 0,
        urgent: bool = True,
        progress: Callable[[Progress], None] | None = None,
    ) -> Analysis:
        """Returns what the engine thinks of a position.

        An urgent job is always accepted. It comes before those of its table that are not urgent,
        and waits while a job of its table runs, even if that one is no longer wanted. A job that is
        cancelled leaves the queue; if it runs, its engine is asked to stop.

        Args:
            table: no two jobs of a table run at the same time.
            position: an unfinished one.
            requester: who waits for it; the engines' time is shared among requesters.
            level: 1 to 8; 8 if not given.
            limit: the level's own if not given.
            lines: how many first moves to report.
            seed: the same seed and number of nodes give the same answer.
            urgent: whether the game waits for it.
            progress: called when it begins to run, and from time to time while it waits.

        Raises:
            Busy: it is not urgent, and the queue is full, there is a job of the table already, or
                there are several that are not urgent for the same address.
            Failed: several engine processes failed over it, the engine has no answer, the server
                stops, or it is not urgent and no engine process can be started.
        """
        if self._stopped:
            raise Failed("the server stops")
        if not urgent:
            self._refuse_help(table, requester)
        own = LEVELS[-1 if level is None else level - 1].limit
        job = _Job(
            requester,
            table,
            AnalysisRequest(position, Options(level, limit, lines), seed),
            limit=limit or own,
            urgent=urgent,
            report=progress,
            answer=asyncio.get_running_loop().create_future(),
        )
        usual = job.limit.time
        seconds, least = (self._foresee(job), None) if usual is None else (usual, _LEAST)
        self._queue.push(job, requester, table, seconds, least=least, second=not urgent)
        self._dispatch()
        try:
            return await job.answer
        finally:
            if job in self._queue:
                self._queue.remove(job)
                self._dispatch()
            elif job.worker is not None:
                job.worker.stop()

    def _refuse_help(self, table: str, requester: Requester) -> None:
        """Refuses what the game does not wait for if there is too much of it.

        Raises:
            Busy: there is.
        """
        if len(self._queue) >= self._most:
            raise Busy(f"{len(self._queue)} jobs are waiting already")
        jobs = list(self._jobs())
        if any(job.table == table for job in jobs):
            raise Busy("there is a job for this table already")
        if (
            sum(not job.urgent and job.requester.address == requester.address for job in jobs)
            >= _HELP
        ):
            raise Busy(f"{_HELP} hints or analyses for this address are unfinished")

    def _jobs(self) -> Iterator[_Job]:
        yield from self._queue.order()
        yield from self._running.values()

    def _dispatch(self) -> None:
        """Gives jobs to idle engines; those that keep waiting will get a report."""
        loop = asyncio.get_running_loop()
        while self._idle and (granted := self._queue.pop()) is not None:
            job, seconds = granted
            if job.answer.done():  # cancelled; its caller is about to notice
                self._queue.finish(job, 0.0)
                continue
            worker = self._idle.pop()
            self._running[worker] = job
            job.worker, job.began = worker, loop.time()
            request, share = job.granted(seconds)
            job.update(Progress(waiting=0, share=round(share, 2)))
            timeout = (job.limit.time or 0.0) + self.GRACE
            self._pool.ask(worker, request_as_json(request), timeout)
        if len(self._queue) and self._reporting is None and not self._stopped:
            self._reporting = loop.call_later(self.REPORT_INTERVAL, self._report)
        self._set_alarm()

    def _report(self) -> None:
        """Reports to the waiting jobs how many come first."""
        self._reporting = None
        for first, job in enumerate(self._queue.order(), 1):
            job.update(Progress(waiting=first))

    def _notify(self) -> None:
        """Wakes the event loop; called in any thread."""
        with suppress(RuntimeError):  # the loop is closed
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._handle_events)

    def _handle_events(self) -> None:
        if self._stopped:
            return
        for event in self._pool.events():
            match event:
                case Ready(worker):
                    self._ready.add(worker)
                    self._idle.add(worker)
                case Message(worker, content):
                    self._receive(worker, content)
                case Lost(worker, failure):
                    self._lose(worker, failure)
                case NotStarted(failure):
                    self._note_failed_start(failure)
        self._dispatch()

    def _receive(self, worker: Worker, content: dict[str, object]) -> None:
        """Takes an answer; an engine process whose answer is wrong is replaced."""
        job = self._running[worker]
        try:
            job.settle(analysis_from_json(content, job.request.position))
        except NoAnalysis as error:
            job.fail(str(error))
        except ProtocolError as error:
            self._pool.refuse(worker, str(error))
            return
        self._pool.finish(worker)
        del self._running[worker]
        self._idle.add(worker)
        self._put_away(job)

    def _lose(self, worker: Worker, failure: Failure) -> None:
        _log.warning("an engine process is replaced: %s", failure)
        self._ready.discard(worker)
        self._idle.discard(worker)
        job = self._running.pop(worker, None)
        if job is not None:
            job.retry(failure)
            self._put_away(job)

    def _note_failed_start(self, failure: Failure) -> None:
        _log.warning("an engine process cannot be started: %s", failure)
        if not self.ready:
            for job in tuple(self._queue.order()):
                if not job.urgent:  # a move keeps waiting, since the game cannot go on without it
                    job.fail("no engine process can be started")

    def _set_alarm(self) -> None:
        """Has the loop handle events again when a process is late or has to be started."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        seconds = self._pool.due() - monotonic()
        if self._loop is not None and not self._stopped and seconds < inf:
            self._alarm = self._loop.call_later(max(0.0, seconds), self._handle_events)

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
            level = job.request.options.level
            self._foreseen[level] = foreseen + _SMOOTHING * (seconds - foreseen)

    def _foresee(self, job: _Job) -> float:
        """Returns the seconds that a job without a time limit will probably take."""
        return self._foreseen.get(job.request.options.level, _NODE * (job.limit.nodes or 0))
