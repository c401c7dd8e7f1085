"""A pool of child processes that answer requests; one that fails is replaced.

A ``Worker`` is such a process as its parent sees it; ``child`` is the code at the other end.

A pool belongs to one thread, and none of its methods blocks except ``wait`` and ``close``. That
thread calls ``events`` whenever ``notify`` has been called, and at the time ``due``. An event loop
does so in a callback and a timer; without an event loop, ``wait`` does both.

Workers are expendable. One that ends, writes anything but a JSON object, writes without being asked
or takes too long is killed, and another takes its place. When the pool reports this, nothing of the
old process is left.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from threading import Event, Thread
from time import monotonic
from typing import Any

from patchwork.programs.errors import NotRunning
from patchwork.programs.program import TOO_LONG, Program
from patchwork.programs.schema import LONGEST_MESSAGE, READY, STOP, InvalidRequest, load_object


class Problem(StrEnum):
    """Why a worker had to be given up."""

    ENDED = "ended"
    LATE = "did not answer in time"
    NONSENSE = "wrote nonsense"
    REFUSED = "gave an answer that was refused"


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """How a worker failed."""

    problem: Problem
    status: int | None
    """Its exit status, negative for the number of a signal; None: it never ran."""
    detail: str
    """A description for the operator, with the command and the end of its error output."""

    def __str__(self) -> str:
        return self.detail


class Worker:
    """A child process as its parent sees it. It works on one request at a time."""

    def __init__(self, command: Sequence[str], notify: Callable[[], object]) -> None:
        """Starts the process.

        Raises:
            NotRunning: it cannot be started.
        """
        self._program = Program(command, notify=notify, longest_line=LONGEST_MESSAGE)
        self.deadline = inf
        """When it must have written something, by the monotonic clock."""
        self.is_ready = self.is_busy = False

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._program.pid

    def expect(self, seconds: float) -> None:
        """Gives it this many seconds from now to write something."""
        self.deadline = monotonic() + seconds

    def stop(self) -> None:
        """Asks it to answer its request at once, with what it has found so far."""
        self._program.write(STOP)

    def _ask(self, request: Mapping[str, Any], seconds: float) -> None:
        self.is_busy = True
        self.expect(seconds)
        self._program.write(json.dumps(request))

    def _finish(self) -> None:
        self.is_busy = False
        self.deadline = inf

    def _next(self) -> "Ready | Message | None":
        """Returns what it wrote; None if there is nothing yet.

        Raises:
            _Lost: it has to be given up.
        """
        try:
            line = self._program.take()
        except TimeoutError:
            if monotonic() < self.deadline:
                return None
            raise _Lost(Problem.LATE, "it did not answer in time") from None
        if line is None:
            raise _Lost(Problem.ENDED, "it ended")
        if line is TOO_LONG:
            raise _Lost(Problem.NONSENSE, "it wrote a line that is too long")
        if not self.is_ready:
            if line != READY:
                raise _Lost(Problem.NONSENSE, "it did not say that it is ready")
            self.is_ready = True
            self.deadline = inf
            return Ready(self)
        if not self.is_busy:
            raise _Lost(Problem.NONSENSE, "it wrote something without being asked")
        try:
            return Message(self, load_object(line))
        except InvalidRequest:
            raise _Lost(Problem.NONSENSE, "it wrote something that is not a JSON object") from None

    def _close(self, grace: float) -> None:
        self._program.close(grace=grace)

    def _failure(self, lost: "_Lost") -> Failure:
        status = self._program.status
        what = str(lost)
        if lost.problem is Problem.ENDED:
            what += f" with status {status}"
        return Failure(lost.problem, status, str(self._program.error(what)))


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker is ready for its first request."""

    worker: Worker


@dataclass(frozen=True, slots=True)
class Message:
    """A busy worker wrote something. Call ``Pool.finish`` if this completes its answer."""

    worker: Worker
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker that had been ready failed; another will take its place."""

    worker: Worker
    failure: Failure


@dataclass(frozen=True, slots=True)
class NotStarted:
    """A worker failed before it was ready; the pool will try again."""

    failure: Failure


class Pool:
    """A number of workers that run the same command."""

    def __init__(
        self,
        command: Sequence[str],
        size: int,
        *,
        start_timeout: float,
        grace: float = 0.0,
        restart_delays: tuple[float, float] = (0.0, 0.0),
        one_at_a_time: bool = False,
        notify: Callable[[], object] = lambda: None,
    ) -> None:
        """Makes a pool; the first call of ``events`` or ``wait`` starts its workers.

        Args:
            command: the program that each worker runs, and its arguments.
            size: the number of workers.
            start_timeout: seconds that a worker may take to get ready.
            grace: seconds that a worker may take to clean up before it is killed.
            restart_delays: seconds until a worker that failed is replaced: the first delay, which
                doubles with every failure until there is an answer, and the longest one.
            one_at_a_time: start one worker after another, so that what the first one compiles can
                be loaded by the others.
            notify: called in any thread when ``events`` may have something new.
        """
        self._command = tuple(command)
        self._start_timeout = start_timeout
        self._grace = grace
        self._delays = restart_delays
        self._one_at_a_time = one_at_a_time
        self._tell = notify
        self._awake = Event()
        self._slots = [_Slot(restart_delays[0]) for _ in range(size)]
        self._closers: set[Thread] = set()

    def __len__(self) -> int:
        """The number of workers, those being replaced included."""
        return len(self._slots)

    def events(self) -> Iterator[Ready | Message | Lost | NotStarted]:
        """Yields what has happened since the last call."""
        self._awake.clear()
        for slot in tuple(self._slots):
            while (event := self._event(slot)) is not None:
                yield event

    def due(self) -> float:
        """Returns when ``events`` must be called even if no worker writes anything.

        This is a time of the monotonic clock, or infinity.
        """
        return min((self._due(slot) for slot in self._slots), default=inf)

    def wait(self) -> Iterator[Ready | Message | Lost | NotStarted]:
        """Waits until something may have happened, then yields what has."""
        if self._slots:
            seconds = self.due() - monotonic()
            self._awake.wait(None if seconds == inf else max(0.0, seconds))
        yield from self.events()

    def ask(self, worker: Worker, request: Mapping[str, Any], seconds: float) -> None:
        """Sends an idle worker a request; it has this many seconds to write something."""
        worker._ask(request, seconds)

    def finish(self, worker: Worker) -> None:
        """Notes that a worker has answered; it is idle again."""
        worker._finish()
        self._slot_of(worker).delay = self._delays[0]

    def refuse(self, worker: Worker, why: str) -> None:
        """Replaces a worker because its answer is wrong."""
        self._close(self._slot_of(worker), _Lost(Problem.REFUSED, why))

    def dismiss(self, worker: Worker) -> None:
        """Ends a worker that is no longer needed, without a replacement."""
        slot = self._slot_of(worker)
        self._slots.remove(slot)
        self._start_thread(worker)

    def close(self) -> None:
        """Ends all workers; returns when nothing of them is left."""
        for slot in self._slots:
            if slot.worker is not None and slot.closer is None:
                self._start_thread(slot.worker)
        self._slots.clear()
        for closer in tuple(self._closers):
            closer.join()

    def _event(self, slot: "_Slot") -> Ready | Message | Lost | NotStarted | None:
        if slot not in self._slots:
            return None
        if slot.closer is not None:
            return self._closed(slot)
        if slot.worker is None:
            return self._start(slot)
        try:
            return slot.worker._next()
        except _Lost as lost:
            self._close(slot, lost)
            return None

    def _start(self, slot: "_Slot") -> NotStarted | None:
        if monotonic() < slot.start or (self._one_at_a_time and self._is_starting()):
            return None
        try:
            slot.worker = Worker(self._command, self._notify)
        except NotRunning as error:
            self._delay(slot)
            return NotStarted(Failure(Problem.ENDED, None, str(error)))
        slot.worker.expect(self._start_timeout)
        return None

    def _is_starting(self) -> bool:
        return any(slot.worker is not None and not slot.worker.is_ready for slot in self._slots)

    def _close(self, slot: "_Slot", lost: "_Lost") -> None:
        assert slot.worker is not None
        slot.lost = lost
        slot.closer = self._start_thread(slot.worker)

    def _closed(self, slot: "_Slot") -> Lost | NotStarted | None:
        assert slot.worker is not None
        assert slot.lost is not None
        assert slot.closer is not None
        if slot.closer in self._closers:
            return None
        worker, failure = slot.worker, slot.worker._failure(slot.lost)
        slot.worker = slot.closer = slot.lost = None
        self._delay(slot)
        return Lost(worker, failure) if worker.is_ready else NotStarted(failure)

    def _delay(self, slot: "_Slot") -> None:
        slot.start = monotonic() + slot.delay
        slot.delay = min(2 * slot.delay, self._delays[1])

    def _due(self, slot: "_Slot") -> float:
        if slot.closer is not None:
            return inf
        if slot.worker is not None:
            return slot.worker.deadline
        return inf if self._one_at_a_time and self._is_starting() else slot.start

    def _slot_of(self, worker: Worker) -> "_Slot":
        return next(slot for slot in self._slots if slot.worker is worker)

    def _start_thread(self, worker: Worker) -> Thread:
        """Closes a worker in another thread, since that may take a while."""

        def close() -> None:
            worker._close(self._grace)
            self._closers.discard(closer)
            self._notify()

        closer = Thread(target=close, name="worker-closer")
        self._closers.add(closer)
        closer.start()
        return closer

    def _notify(self) -> None:
        if not self._awake.is_set():
            self._awake.set()
            self._tell()


class _Lost(Exception):
    """A worker has to be given up."""

    def __init__(self, problem: Problem, what: str) -> None:
        super().__init__(what)
        self.problem = problem


class _Slot:
    """The place in a pool that one worker after another takes."""

    def __init__(self, delay: float) -> None:
        self.worker: Worker | None = None
        self.delay = delay
        """Seconds until the next worker starts, should this one fail."""
        self.start = 0.0
        """When a worker starts, if there is none."""
        self.lost: _Lost | None = None
        """Why the worker is being closed."""
        self.closer: Thread | None = None
        """What closes it."""
