"""A stored game as a record of the notation."""

from datetime import UTC, datetime

from patchwork.notation.record import Line, Ply, Record, Termination
from patchwork.server.game.match import Course

SUFFIX = ".patchwork"


def record(game: str, created: int, course: Course) -> Record:
    """Returns the record of a game, finished or not.

    Args:
        game: its id.
        created: when it was opened.
        course: what happened.
    """
    ending = course.ending
    moves = course.game.moves if course.game else ()
    return Record(
        course.setup(),
        Line(tuple(map(Ply, moves))),
        players=(_name(course, 0), _name(course, 1)),
        date=f"{datetime.fromtimestamp(created / 1000, UTC):%Y.%m.%d}",
        termination=ending.reason if ending else Termination.UNFINISHED,
        winner=ending.winner if ending else None,
        tags={"Game": game, "Clock": str(course.terms.clock)}
        if course.terms.clock
        else {"Game": game},
    )


def _name(course: Course, seat: int) -> str:
    if seat == course.terms.computer:
        return f"level:{course.terms.level}"
    sitting = course.seats[seat]
    return (sitting and sitting.name) or "?"
