"""The log of a match: a line of JSON for the match, and one for every finished game.

Each line is on disk before the next game begins. A match that was interrupted, in whatever way, can
be continued.
"""

import json
import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from patchwork.arena.schedule import PlayedGame, Schedule
from patchwork.arena.schema import played_as_json, played_from_json

_FORMAT = 1
"""The version of the format, which the first line of a log gives."""


class LogProblem(StrEnum):
    """Why a log cannot be used."""

    ANOTHER_MATCH = "another-match"
    DAMAGED = "damaged"
    IN_USE = "in-use"


class LogError(Exception):
    """A log with which a match cannot be continued. The file remains unchanged."""

    def __init__(self, problem: LogProblem, detail: str) -> None:
        super().__init__(f"{detail} ({problem})")
        self.problem = problem
        self.detail = detail


class Log:
    """A log file, open for appending games.

    Raises:
        LogError: it belongs to another match, is damaged, or another process is writing it.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path, schedule: Schedule) -> None:
        self._file = path.open("a+b")
        try:
            self._lock()
            self.played: Sequence[PlayedGame] = self._read(schedule)
        except BaseException:
            self._file.close()
            raise

    def append(self, played: PlayedGame) -> None:
        """Adds a game; when this returns, the game is on disk."""
        self._write(played_as_json(played))

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _lock(self) -> None:
        if os.name == "posix":  # other systems have no such lock
            import fcntl

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise LogError(LogProblem.IN_USE, "another process is writing this log") from None

    def _read(self, schedule: Schedule) -> tuple[PlayedGame, ...]:
        self._file.seek(0)
        lines = self._file.read().split(b"\n")
        # A last line without a line break was being written when the process died.
        header = {
            "patchwork-match": _FORMAT,
            "pairings": [list(players) for players in schedule.pairings],
            "seed": schedule.seed,
            "edition": schedule.edition,
        }
        if len(lines) == 1:
            if not _line(header).startswith(lines[0]):
                raise LogError(LogProblem.ANOTHER_MATCH, "this is not the log of a match")
            self._file.truncate(0)
            self._write(header)
            return ()
        found = _object(lines[0], 1)
        if found != header:
            raise LogError(LogProblem.ANOTHER_MATCH, f"this log begins with {json.dumps(found)}")
        tasks = {task.key: task for task in schedule.tasks()}
        played = {}
        for number, line in enumerate(lines[1:-1], 2):
            game = _read_game(_object(line, number), schedule.seed, number)
            if game.task.key in played:
                raise LogError(
                    LogProblem.DAMAGED, f"line {number} is a game that an earlier line holds"
                )
            played[game.task.key] = game
        self._file.truncate(self._file.tell() - len(lines[-1]))
        # The log may hold more pairs than this match has.
        return tuple(game for key, game in played.items() if key in tasks)

    def _write(self, entry: dict[str, object]) -> None:
        self._file.write(_line(entry))
        self._file.flush()
        os.fsync(self._file.fileno())


def _line(entry: dict[str, object]) -> bytes:
    return json.dumps(entry).encode("ascii") + b"\n"


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise LogError(LogProblem.DAMAGED, f"line {number} is not a JSON object")
    return found


def _read_game(entry: dict[str, Any], seed: int, number: int) -> PlayedGame:
    try:
        return played_from_json(entry, seed)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LogError(LogProblem.DAMAGED, f"line {number} is not a game: {error!r}") from error
