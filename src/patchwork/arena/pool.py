"""Several worker processes that play games side by side, and what happens when one fails."""

from collections.abc import Generator, Iterable
from dataclasses import replace
from itertools import islice
from multiprocessing import connection, get_context
from time import monotonic

from patchwork.arena.players import Description
from patchwork.arena.schedule import Fault, Played, Task
from patchwork.arena.worker import NotStarted, Thinking, serve

TIMEOUT = 60.0
"""Seconds beyond its limit after which a player that has not moved loses the game."""
_START = 600.0
"""Seconds in which players must be ready; a slow machine may have to compile the engine first."""
_LOOK = 0.5
"""Seconds between two looks at the clock."""
_GRACE = 3.0
"""Seconds in which a worker may close its players before it is ended the hard way."""

# The other ways of starting processes copy threads and locks that only the parent can use.
_PROCESSES = get_context("spawn")


class PlayerNotStarted(Exception):
    """A player cannot take part at all."""

    def __init__(self, player: str, detail: str) -> None:
        super().__init__(f"{player} cannot be started: {detail}")
        self.player = player
        self.detail = detail


def play_all(tasks: Iterable[Task], jobs: int, timeout: float = TIMEOUT) -> Generator[Played]:
    """Yields games as they end, ``jobs`` of them played at a time.

    A player whose process dies or who does not answer in time loses the game. Closing the
    generator ends the games that are being played.

    Raises:
        PlayerNotStarted: a player cannot take part.
    """
    waiting = iter(tasks)
    workers: list[_Worker] = []
    try:
        for task in islice(waiting, jobs):
            workers.append(_Worker(timeout))
            workers[-1].begin(task)
        while workers:
            connection.wait([worker.pipe for worker in workers], _LOOK)
            for worker in tuple(workers):
                played = worker.heard()
                if played is None:
                    continue
                yield played
                following = next(waiting, None)
                if following is None:
                    worker.stop()
                    workers.remove(worker)
                else:
                    worker.begin(following)
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """The near end of a worker process."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._start()

    def _start(self) -> None:
        self.pipe, far_end = _PROCESSES.Pipe()
        self._process = _PROCESSES.Process(target=serve, args=(far_end,), daemon=True)
        self._process.start()
        far_end.close()  # so that the end of the process is the end of the pipe

    def begin(self, task: Task) -> None:
        """Gives the worker a game to play."""
        self._task = task
        self._forfeit: Played | None = None
        self._since = monotonic()
        self.pipe.send(task)

    def heard(self) -> Played | None:
        """Returns the game, if it is over by now, one way or another."""
        while self.pipe.poll():
            try:
                message = self.pipe.recv()
            except (EOFError, ConnectionError):
                self._process.join(_GRACE)
                return self._lost(
                    Fault.CRASHED, f"its process ended with status {self._process.exitcode}"
                )
            match message:
                case Thinking(forfeit):
                    self._forfeit, self._since = forfeit, monotonic()
                case Played():
                    return message
                case NotStarted(player, detail):
                    raise PlayerNotStarted(player, detail)
        if monotonic() - self._since < self._patience():
            return None
        return self._lost(Fault.SILENT, f"no answer within {self._patience():g} s")

    def stop(self) -> None:
        """Ends the process, with what its players keep running."""
        self.pipe.close()
        self._process.terminate()
        self._process.join(_GRACE)
        self._process.kill()
        self._process.join()

    def _patience(self) -> float:
        if self._forfeit is None:
            return _START
        limit = Description.parse(self._task.players[1 - self._forfeit.winner]).limit
        return self._timeout + ((limit and limit.time) or 0.0)

    def _lost(self, fault: Fault, detail: str) -> Played:
        """Returns the game as the player that was thinking loses it, and starts a new process."""
        self.stop()
        if self._forfeit is None:
            raise PlayerNotStarted(" or ".join(self._task.players), detail)
        lost = replace(self._forfeit, fault=fault, detail=detail)
        self._start()
        return lost
