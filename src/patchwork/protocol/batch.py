"""Analysis of many positions: a JSON object a line in, one or more a line out (docs/upi.md).

Requests are answered one after another, in their order. One that makes no sense is answered with
an object that says so; it does not keep the next from being answered.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from patchwork.engine.analysis import MEMORY, Analysis, Limit
from patchwork.notation.errors import NotationError
from patchwork.notation.moves import parse_move
from patchwork.notation.position import parse_position
from patchwork.protocol.streams import LineWriter, read_lines
from patchwork.rules.position import Phase, Position

if TYPE_CHECKING:
    from patchwork.engine import Engine

LONGEST = 1 << 20
"""Bytes of a request."""
_FIELDS = ("id", "position", "moves", "after", "level", "nodes", "time", "lines")
_MOST_LINES = 1345
"""No position has more legal moves."""
_LONGEST_TIME = 10**6


class _Mistake(ValueError):
    """A request that makes no sense, and the field that is wrong."""

    def __init__(self, field: str | None, what: str) -> None:
        super().__init__(what)
        self.field = field


@dataclass(frozen=True, slots=True)
class _Request:
    id: str | int
    positions: tuple[tuple[int, Position], ...]
    """Those to analyse, each with the number of moves before it."""
    level: int | None
    limit: Limit | None
    lines: int


def serve(source: BinaryIO, sink: BinaryIO, *, threads: int = 1, memory: int = MEMORY) -> None:
    """Answers every request of a stream.

    Raises:
        OSError: the answers cannot be written any more.
    """
    write = LineWriter(sink)
    batch = Batch(threads=threads, memory=memory)
    for line in read_lines(source, LONGEST):
        if line is None:
            write(json.dumps(_error(None, None, f"a request is longer than {LONGEST} bytes")))
        elif line.strip():
            for answer in batch.answers(line):
                write(json.dumps(answer))


class Batch:
    """Answers requests, with one engine as long as they ask for the same level."""

    def __init__(self, *, threads: int = 1, memory: int = MEMORY) -> None:
        """Uses so many threads and megabytes."""
        self._threads = threads
        self._memory = memory
        self._engine: Engine | None = None
        self._level: int | None = None

    def answers(self, text: str) -> Iterator[dict[str, Any]]:
        """Yields an answer for each position that a request asks about, or one error."""
        name = None
        try:
            content = _load(text)
            name = _id(content)
            request = _read(name, content)
            for after, position in request.positions:
                analysis = self._engine_of(request.level).analyse(
                    position, request.limit, lines=request.lines
                )
                yield _answer(request.id, after, analysis)
        except _Mistake as mistake:
            yield _error(name, mistake.field, str(mistake))
        except Exception as error:  # of the engine: the next request may fare better
            yield _error(name, None, str(error) or type(error).__name__)

    def _engine_of(self, level: int | None) -> "Engine":
        from patchwork.engine import Engine

        if self._engine is None or self._level != level:
            self._engine = None  # so that there is never room for two
            self._engine = Engine(level, threads=self._threads, memory=self._memory)
            self._level = level
        return self._engine


def _load(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _Mistake(None, f"a request is one line of JSON: {error}") from error
    if not isinstance(content, dict):
        raise _Mistake(None, "a request is a JSON object")
    return content


def _id(content: dict[str, Any]) -> str | int:
    name = content.get("id")
    if not isinstance(name, str | int) or isinstance(name, bool):
        raise _Mistake("id", "id is a string or a whole number")
    return name


def _read(name: str | int, content: dict[str, Any]) -> _Request:
    for field in content:
        if field not in _FIELDS:
            raise _Mistake(field, f"there is no such field; the fields are {', '.join(_FIELDS)}")
    positions = _positions(content)
    after = content.get("after", [len(positions) - 1])
    if not isinstance(after, list) or not after:
        raise _Mistake("after", "after is a list of numbers of moves")
    for number in after:
        if type(number) is not int or not 0 <= number < len(positions):
            raise _Mistake("after", f"after is of numbers from 0 to {len(positions) - 1}")
        if positions[number].phase is Phase.OVER:
            raise _Mistake("after", f"the game is over after {number} moves")
    time, nodes = _time(content), _whole(content, "nodes", 0, 10**15)
    return _Request(
        id=name,
        positions=tuple((number, positions[number]) for number in after),
        level=_whole(content, "level", 1, 8),
        limit=None if time is None and nodes is None else Limit(time, nodes),
        lines=_whole(content, "lines", 1, _MOST_LINES) or 1,
    )


def _positions(content: dict[str, Any]) -> list[Position]:
    """Returns the position of a request and that after each of its moves."""
    text, moves = content.get("position"), content.get("moves", [])
    if not isinstance(text, str):
        raise _Mistake("position", "position is a string")
    if not isinstance(moves, list):
        raise _Mistake("moves", "moves is a list of strings")
    try:
        positions = [parse_position(text)]
    except NotationError as error:
        raise _Mistake("position", str(error)) from error
    for number, move in enumerate(moves, 1):
        if not isinstance(move, str):
            raise _Mistake("moves", "moves is a list of strings")
        try:
            positions.append(positions[-1].play(parse_move(positions[-1], move)))
        except NotationError as error:
            raise _Mistake("moves", f"move {number}: {error}") from error
    return positions


def _whole(content: dict[str, Any], field: str, least: int, most: int) -> int | None:
    value = content.get(field)
    if value is None:
        return None
    if type(value) is not int or not least <= value <= most:
        raise _Mistake(field, f"{field} is a whole number from {least} to {most}")
    return value


def _time(content: dict[str, Any]) -> float | None:
    value = content.get("time")
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value <= _LONGEST_TIME:
        raise _Mistake("time", f"time is a number of seconds from 0 to {_LONGEST_TIME}")
    return float(value)


def _answer(name: str | int, after: int, analysis: Analysis) -> dict[str, Any]:
    return {
        "id": name,
        "after": after,
        "best": str(analysis.best),
        "win": round(analysis.win, 4),
        "margin": round(analysis.margin, 2),
        "scores": analysis.scores and [round(score, 2) for score in analysis.scores],
        "seat": analysis.seat,
        "exact": analysis.exact,
        "visits": analysis.visits,
        "lines": [
            {
                "moves": [str(move) for move in line.moves],
                "win": round(line.win, 4),
                "margin": round(line.margin, 2),
                "visits": line.visits,
            }
            for line in analysis.lines
        ],
    }


def _error(name: str | int | None, field: str | None, what: str) -> dict[str, Any]:
    return {"id": name, "error": what, "field": field}
