"""A match as a record in the notation, and who played in a record."""

import re
from datetime import UTC, datetime

from patchwork.notation.reader import read_tags
from patchwork.notation.record import Line, Ply, Record, Termination
from patchwork.server.game.match import Match
from patchwork.server.game.names import readable

SUFFIX = ".patchwork"
"""Of files that hold a record."""
_NOBODY = "?"
_LEVEL = re.compile("level:([0-9])")
"""What stands for the name of an unknown player, and of the computer."""
_SHOWN = 1000
"""Characters of a name that are looked at."""


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
    return (occupant and occupant.name) or _NOBODY


def players(text: str) -> tuple[str | int, str | int]:
    """Returns who played: readable names, empty if unknown, or levels of the computer.

    Args:
        text: the canonical text of a record. It may be long and come from anywhere, so no more is
            read than the names, with which it begins, and of those no more than can be shown.
    """
    tags = read_tags("\n".join(text.split("\n", 2)[:2]))
    return _player(tags["Player0"]), _player(tags["Player1"])


def _player(name: str) -> str | int:
    level = _LEVEL.fullmatch(name)
    if level:
        return int(level[1])
    return "" if name == _NOBODY else readable(name[:_SHOWN])
