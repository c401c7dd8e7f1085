"""Batch analysis: requests and answers are lines of JSON, as ``docs/upi.md`` specifies.

Requests are answered one after another, in order. An invalid one is answered with an error and does
not affect the next.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from patchwork.engine.analysis import MEMORY
from patchwork.notation.errors import NotationError
from patchwork.notation.moves import parse_move
from patchwork.programs.lines import LineWriter, read_lines
from patchwork.programs.schema import (
    InvalidRequest,
    Options,
    analysis_as_json,
    error_as_json,
    load_object,
    option_fields,
    position_field,
)
from patchwork.rules.position import Phase, Position

if TYPE_CHECKING:
    from patchwork.engine import Engine

LONGEST = 1 << 20
"""Bytes of a request."""
_FIELDS = ("id", "position", "moves", "after", "level", "nodes", "time", "lines")


@dataclass(frozen=True, slots=True)
class _Request:
    positions: tuple[tuple[int, Position], ...]
    """The positions to analyse, each with the number of moves played before it."""
    options: Options


def serve(source: BinaryIO, sink: BinaryIO, *, threads: int = 1, memory: int = MEMORY) -> None:
    """Answers every request of a stream.

    Raises:
        OSError: the answers can no longer be written.
    """
    write = LineWriter(sink)
    batch = Batch(threads=threads, memory=memory)
    for line in read_lines(source, LONGEST):
        if line is None:
            what = f"a request is longer than {LONGEST} bytes"
            write(json.dumps({"id": None, **error_as_json(what)}))
        elif line.strip():
            for answer in batch.answers(line):
                write(json.dumps(answer))


class Batch:
    """Answers requests; they share an engine as long as they ask for the same level."""

    def __init__(self, *, threads: int = 1, memory: int = MEMORY) -> None:
        """Makes a batch whose engine uses this many threads and megabytes."""
        self._threads = threads
        self._memory = memory
        self._engine: Engine | None = None
        self._level: int | None = None

    def answers(self, text: str) -> Iterator[dict[str, Any]]:
        """Yields an answer for each position of a request, or one error."""
        name = None
        try:
            content = load_object(text)
            name = _id(content)
            request = _read(content)
            options = request.options
            engine = self._engine_of(options.level)
            for after, position in request.positions:
                analysis = engine.analyse(position, options.limit, lines=options.lines)
                yield {"id": name, "after": after, **analysis_as_json(analysis, rounded=True)}
        except InvalidRequest as invalid:
            yield {"id": name, **error_as_json(str(invalid), invalid.field)}
        except Exception as error:  # of the engine: the next request may fare better
            yield {"id": name, **error_as_json(str(error) or type(error).__name__)}

    def _engine_of(self, level: int | None) -> "Engine":
        from patchwork.engine import Engine

        if self._engine is None or self._level != level:
            self._engine = None  # so that there are never two in memory
            self._engine = Engine(level, threads=self._threads, memory=self._memory)
            self._level = level
        return self._engine


def _id(content: dict[str, Any]) -> str | int:
    name = content.get("id")
    if not isinstance(name, str | int) or isinstance(name, bool):
        raise InvalidRequest("id", "id must be a string or a whole number")
    return name


def _read(content: dict[str, Any]) -> _Request:
    for field in content:
        if field not in _FIELDS:
            what = f"unknown field; the fields are {', '.join(_FIELDS)}"
            raise InvalidRequest(field, what)
    positions = _positions(content)
    after = content.get("after", [len(positions) - 1])
    if not isinstance(after, list) or not after:
        raise InvalidRequest("after", "after must be a list of numbers of moves")
    for number in after:
        if type(number) is not int or not 0 <= number < len(positions):
            raise InvalidRequest("after", f"after must hold numbers from 0 to {len(positions) - 1}")
        if positions[number].phase is Phase.OVER:
            raise InvalidRequest("after", f"the game is over after {number} moves")
    return _Request(tuple((number, positions[number]) for number in after), option_fields(content))


def _positions(content: dict[str, Any]) -> list[Position]:
    """Returns the position of a request and the one after each of its moves."""
    positions, moves = [position_field(content)], content.get("moves", [])
    if not isinstance(moves, list):
        raise InvalidRequest("moves", "moves must be a list of strings")
    for number, move in enumerate(moves, 1):
        if not isinstance(move, str):
            raise InvalidRequest("moves", "moves must be a list of strings")
        try:
            positions.append(positions[-1].play(parse_move(positions[-1], move)))
        except NotationError as error:
            raise InvalidRequest("moves", f"move {number}: {error}") from error
    return positions
