"""A match as a record in the notation."""

from datetime import UTC, datetime

from patchwork.notation.record import Line, Ply, Record, Termination
from patchwork.server.game.match import Match

SUFFIX = ".patchwork"
"""Of files that hold a record."""


def record(game: str, created: int, match: Match) -> Record:
    """Returns the record of a game, finished or not.

    Args:
        game: the id of the game.
        created: when it was opened.
        match: the game.
    """
    ending = match.ending
    moves = match.game.moves if match.game else ()
    return Record(
        match.setup(),
        Line(tuple(map(Ply, moves))),
        players=(_name(match, 0), _name(match, 1)),
        date=f"{datetime.fromtimestamp(created / 1000, UTC):%Y.%m.%d}",
        termination=ending.reason if ending else Termination.UNFINISHED,
        winner=ending.winner if ending else None,
        tags={"Game": game, "Clock": str(match.terms.clock)}
        if match.terms.clock
        else {"Game": game},
    )


def _name(match: Match, seat: int) -> str:
    if seat == match.terms.computer:
        return f"level:{match.terms.level}"
    occupant = match.seats[seat]
    return (occupant and occupant.name) or "?"
