"""Positions, games and errors as JSON objects, for programs."""

from collections.abc import Iterator

from patchwork.notation.errors import NotationError
from patchwork.notation.record import Record
from patchwork.rules.game import Game
from patchwork.rules.position import Position
from patchwork.rules.quilt import cells
from patchwork.terminal.error_messages import game_number


def position_as_json(position: Position) -> dict[str, object]:
    """Returns a position, as text and in parts."""
    outcome = position.outcome
    return {
        "position": str(position),
        "edition": position.edition.name,
        "turn": position.turn,
        "phase": position.phase,
        "players": [
            {
                "buttons": p.buttons,
                "income": p.income,
                "time": p.time,
                "filled": list(cells(p.quilt)),
            }
            for p in position.players
        ],
        "circle": position.circle,
        "offer": position.offer,
        "leather": position.leather,
        "tile": position.tile,
        "first_home": position.first_home,
        "scores": position.scores,
        "winner": None if outcome is None else outcome.winner,
        "tie_break": None if outcome is None else outcome.tie_break,
    }


def steps_as_json(record: Record) -> Iterator[dict[str, object]]:
    """Yields the moves of the main line, each with its comments and the position after it."""
    game, before = Game(record.setup), record.line.comment
    for number, ply in enumerate(record.line.plies, 1):
        seat = game.position.turn
        game.push(ply.move)
        yield {
            "number": number,
            "seat": seat,
            "move": str(ply.move),
            "nags": ply.nags,
            "comment_before": before,
            "comment": ply.comment,
            **position_as_json(game.position),
        }
        before = ""


def error_as_json(problem: str | None, error: NotationError | None, text: str) -> dict[str, object]:
    """Returns whether a file is valid, and if not, what is wrong with it and where."""
    if error is None:
        return {"ok": problem is None, "message": problem}
    return {
        "ok": False,
        "message": problem,
        "problem": error.problem,
        "reason": error.reason,
        "detail": error.detail,
        "line": error.line,
        "column": error.column,
        "game": game_number(error, text),
        "number": error.number,
    }
