"""Requests to an engine and its answers as JSON: one schema for every process that analyses.

Batch analysis (``docs/upi.md``) documents it and adds fields of its own; ``engine_child`` adds
``seed``.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from patchwork.engine.analysis import Analysis, Limit, Line
from patchwork.engine.levels import LEVELS
from patchwork.notation.errors import NotationError
from patchwork.notation.moves import parse_move, read_move
from patchwork.notation.position import parse_position
from patchwork.programs.errors import NoAnalysis, ProtocolError, WrongMove
from patchwork.rules.moves import MOST_LEGAL_MOVES, Move
from patchwork.rules.position import Position
from patchwork.rules.setup import SEEDS

READY: Final = '{"ready": true}'
"""The first line of a child: it is prepared."""
STOP: Final = '{"stop": true}'
"""Makes a child answer with what it has found so far; without a request, it means nothing."""
LONGEST_MESSAGE: Final = 1 << 20
"""Bytes in a line between a parent and its child; an analysis of all legal moves fits in."""

_LONGEST_TIME = 10**6
"""Seconds: more than eleven days."""
_MOST_NODES = 10**15
"""More than an engine searches in years, and still exact in every JSON parser."""
_WIN_DIGITS, _POINT_DIGITS = 4, 2
"""The decimals of an answer for people; the estimates are far less certain than that."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to analyse a position."""

    level: int | None = None
    """None: the strongest one."""
    limit: Limit | None = None
    """None: the level's own."""
    lines: int = 1
    """How many first moves to report."""


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """A position to analyse."""

    position: Position
    options: Options = Options()
    seed: int = 0
    """Determines the engine's random choices."""


class InvalidRequest(ValueError):
    """An invalid request, and the field at fault; None: the request as a whole."""

    def __init__(self, field: str | None, what: str) -> None:
        super().__init__(what)
        self.field = field


def load_object(text: str) -> dict[str, Any]:
    """Returns the JSON object in a line.

    Raises:
        InvalidRequest: the line holds something else.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(None, f"a request must be one line of JSON: {error}") from error
    if not isinstance(content, dict):
        raise InvalidRequest(None, "a request must be a JSON object")
    return content


def request_as_json(request: AnalysisRequest) -> dict[str, Any]:
    """Returns a request as JSON."""
    limit = request.options.limit
    return {
        "position": str(request.position),
        "level": request.options.level,
        "time": limit and limit.time,
        "nodes": limit and limit.nodes,
        "lines": request.options.lines,
        "seed": request.seed,
    }


def request_from_json(content: Mapping[str, Any]) -> AnalysisRequest:
    """Returns the request in JSON.

    Raises:
        InvalidRequest: it is invalid.
    """
    position, options = position_field(content), option_fields(content)
    return AnalysisRequest(position, options, _whole_number(content, "seed", 0, SEEDS - 1) or 0)


def position_field(content: Mapping[str, Any]) -> Position:
    """Returns the position of a request.

    Raises:
        InvalidRequest: it has none.
    """
    text = content.get("position")
    if not isinstance(text, str):
        raise InvalidRequest("position", "position must be a string")
    try:
        return parse_position(text)
    except NotationError as error:
        raise InvalidRequest("position", str(error)) from error


def option_fields(content: Mapping[str, Any]) -> Options:
    """Returns how a request asks for its position to be analysed.

    Raises:
        InvalidRequest: a field is invalid.
    """
    time, nodes = _seconds(content), _whole_number(content, "nodes", 0, _MOST_NODES)
    return Options(
        level=_whole_number(content, "level", 1, len(LEVELS)),
        limit=None if time is None and nodes is None else Limit(time, nodes),
        lines=_whole_number(content, "lines", 1, MOST_LEGAL_MOVES) or 1,
    )


def analysis_as_json(analysis: Analysis, *, rounded: bool = False) -> dict[str, Any]:
    """Returns an analysis as JSON, rounded for people or in full."""
    win = (lambda value: round(value, _WIN_DIGITS)) if rounded else float
    points = (lambda value: round(value, _POINT_DIGITS)) if rounded else float
    return {
        "best": str(analysis.best),
        "win": win(analysis.win),
        "margin": points(analysis.margin),
        "scores": analysis.scores and [points(score) for score in analysis.scores],
        "seat": analysis.seat,
        "exact": analysis.exact,
        "visits": analysis.visits,
        "lines": [
            {
                "moves": [str(move) for move in line.moves],
                "win": win(line.win),
                "margin": points(line.margin),
                "visits": line.visits,
            }
            for line in analysis.lines
        ],
    }


def error_as_json(what: str, field: str | None = None) -> dict[str, Any]:
    """Returns the answer to a request that cannot be answered."""
    return {"error": what, "field": field}


def analysis_from_json(content: Mapping[str, Any], position: Position) -> Analysis:
    """Returns the analysis in an answer to a request about a position.

    The best move must be legal. The moves in the lines of play are parsed but not checked.

    Raises:
        NoAnalysis: the engine has no answer.
        WrongMove: the best move is illegal.
        ProtocolError: the answer is invalid.
    """
    try:
        if "error" in content:
            raise NoAnalysis(content["error"])
        best, scores = content["best"], content.get("scores")
        return Analysis(
            best=parse_move(position, best),
            win=float(content["win"]),
            margin=float(content["margin"]),
            seat=_seat(content["seat"], position),
            lines=tuple(
                Line(_moves(line["moves"]), line["win"], line["margin"], line["visits"])
                for line in content["lines"]
            ),
            visits=int(content["visits"]),
            exact=bool(content["exact"]),
            scores=None if scores is None else (float(scores[0]), float(scores[1])),
        )
    except NotationError as error:
        raise WrongMove(f"it answered with an illegal move: {error}") from error
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ProtocolError("it answered with something that is not an analysis") from error


def _seat(seat: object, position: Position) -> int:
    if seat != position.turn:
        raise ValueError(f"seat {seat!r} does not decide")
    return position.turn


def _moves(texts: list[str]) -> tuple[Move, ...]:
    return tuple(map(read_move, texts))


def _whole_number(content: Mapping[str, Any], field: str, least: int, most: int) -> int | None:
    value = content.get(field)
    if value is None:
        return None
    if type(value) is not int or not least <= value <= most:
        raise InvalidRequest(field, f"{field} must be a whole number from {least} to {most}")
    return value


def _seconds(content: Mapping[str, Any]) -> float | None:
    value = content.get("time")
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value <= _LONGEST_TIME:
        raise InvalidRequest("time", f"time must be a number of seconds from 0 to {_LONGEST_TIME}")
    return float(value)
