"""The ``info`` lines of UPI, in which an engine reports what it thinks."""

import math
from dataclasses import dataclass
from itertools import pairwise

from patchwork.engine.analysis import Analysis, Line
from patchwork.notation.moves import parse_move
from patchwork.rules.moves import Move
from patchwork.rules.position import Position

_FIGURES = ("nodes", "line", "visits", "seat", "win", "margin", "exact")


def format_infos(analysis: Analysis, seconds: float) -> list[str]:
    """Returns an ``info`` for each line of play in an analysis, best first."""
    return [
        f"info time {seconds * 1000:.0f} nodes {analysis.visits} line {number}"
        f" visits {line.visits} seat {analysis.seat} win {line.win:.4f} margin {line.margin:.2f}"
        f" exact {analysis.exact:d} pv {' '.join(map(str, line.moves))}"
        for number, line in enumerate(analysis.lines, 1)
    ]


@dataclass(frozen=True, slots=True)
class Info:
    """The content of one ``info``."""

    line: Line
    nodes: int
    exact: bool


def line_number(text: str) -> int | None:
    """Returns the number of the line of play in an ``info``, by default 1; None if it has none."""
    head, found, _ = text.partition(" pv ")
    if not found or head.split()[:2] == ["info", "string"]:
        return None
    number = _figures(head).get("line", "1")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 5 else None


def parse_info(text: str, position: Position) -> Info:
    """Returns the content of an ``info`` about a line of play from a position.

    Raises:
        ValueError: a figure is missing or invalid, or a move is illegal.
    """
    head, _, moves = text.partition(" pv ")
    figures = _figures(head)
    missing = [name for name in ("nodes", "seat", "win", "margin") if name not in figures]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    if int(figures["seat"]) != position.turn:
        raise ValueError(f"seat {figures['seat']} does not decide")
    nodes, win, margin = int(figures["nodes"]), float(figures["win"]), float(figures["margin"])
    if nodes < 0 or not 0 <= win <= 1 or not math.isfinite(margin):
        raise ValueError("a figure is out of range")
    line = Line(_play(position, moves.split()), win, margin, int(figures.get("visits", "0")))
    return Info(line, nodes, figures.get("exact") == "1")


def _figures(head: str) -> dict[str, str]:
    return {word: value for word, value in pairwise(head.split()) if word in _FIGURES}


def _play(position: Position, texts: list[str]) -> tuple[Move, ...]:
    if not texts:
        raise ValueError("there are no moves")
    moves = []
    for text in texts:
        moves.append(parse_move(position, text))
        position = position.play(moves[-1])
    return tuple(moves)
