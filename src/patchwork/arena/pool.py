"""Plays several games at a time in child processes; a player whose process fails loses its game."""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from patchwork.arena.child import CLEANUP_TIME
from patchwork.arena.players import Description
from patchwork.arena.schedule import Fault, PlayedGame, Task
from patchwork.arena.schema import played_from_json, task_as_json
from patchwork.programs.pool import Failure, Lost, Message, NotStarted, Pool, Problem, Ready, Worker
from patchwork.programs.program import python_command

TIMEOUT = 60.0
"""Seconds beyond its time limit after which a player that has not moved forfeits the game."""
_START_TIMEOUT = 600.0
"""Seconds until players must be ready; a slow machine may have to compile the engine first."""
_COMMAND = python_command("patchwork.arena.child")


class PlayerNotStarted(Exception):
    """A player could not be created."""

    def __init__(self, player: str, detail: str) -> None:
        super().__init__(f"{player} cannot be started: {detail}")
        self.player = player
        self.detail = detail


def play_all(tasks: Iterable[Task], jobs: int, timeout: float = TIMEOUT) -> Generator[PlayedGame]:
    """Plays ``jobs`` games at a time and yields them as they finish.

    A player whose process dies, or that does not answer in time, forfeits the game. Closing the
    generator ends the games in progress.

    Raises:
        PlayerNotStarted: a player could not be created.
    """
    waiting = iter(tasks)
    first = list(islice(waiting, jobs))
    waiting = chain(first, waiting)
    games: dict[Worker, _Game] = {}
    pool = Pool(_COMMAND, len(first), start_timeout=_START_TIMEOUT, grace=CLEANUP_TIME)
    try:
        while len(pool):
            for event in pool.wait():
                match event:
                    case Ready(worker):
                        _begin(pool, worker, waiting, games, timeout)
                    case Message(worker, content):
                        played = games[worker].update(worker, content)
                        if played is not None:
                            pool.finish(worker)
                            yield played
                            _begin(pool, worker, waiting, games, timeout)
                    case Lost(worker, failure):
                        yield games.pop(worker).lost(failure)
                    case NotStarted(failure):
                        raise PlayerNotStarted(" or ".join(first[0].players), failure.detail)
    finally:
        pool.close()


def _begin(
    pool: Pool,
    worker: Worker,
    waiting: Iterator[Task],
    games: "dict[Worker, _Game]",
    timeout: float,
) -> None:
    """Gives a worker its next game, or ends it if there is none."""
    task = next(waiting, None)
    if task is None:
        pool.dismiss(worker)
        return
    games[worker] = _Game(task, timeout)
    pool.ask(worker, task_as_json(task), _START_TIMEOUT)


class _Game:
    """A game that a worker is playing."""

    def __init__(self, task: Task, timeout: float) -> None:
        self._task = task
        self._timeout = timeout
        self._seconds = _START_TIMEOUT
        """How long the worker may go without writing."""
        self._forfeit: PlayedGame | None = None
        """The game as the player to move would forfeit it."""

    def update(self, worker: Worker, content: dict[str, Any]) -> PlayedGame | None:
        """Takes a message of the worker; returns the game if it is finished.

        Raises:
            PlayerNotStarted: a player could not be created.
        """
        match content:
            case {"forfeit": forfeit}:
                self._forfeit = played_from_json(forfeit, self._task.seed)
                player = self._task.players[1 - self._forfeit.winner]
                limit = Description.parse(player).limit
                self._seconds = self._timeout + ((limit and limit.time) or 0.0)
                worker.expect(self._seconds)
                return None
            case {"not_started": {"player": player, "detail": detail}}:
                raise PlayerNotStarted(player, detail)
            case _:
                return played_from_json(content["played"], self._task.seed)

    def lost(self, failure: Failure) -> PlayedGame:
        """Returns the game, forfeited by the player to move, after the loss of the worker.

        Raises:
            PlayerNotStarted: the players were still being created.
        """
        fault, detail = Fault.CRASHED, f"its process ended with status {failure.status}"
        if failure.problem is Problem.LATE:
            fault, detail = Fault.NO_ANSWER, f"no answer within {self._seconds:g} s"
        if self._forfeit is None:
            raise PlayerNotStarted(" or ".join(self._task.players), detail)
        return replace(self._forfeit, fault=fault, detail=detail)
