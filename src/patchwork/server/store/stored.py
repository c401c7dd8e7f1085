"""What the store keeps, as values and as rows, and its exceptions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from patchwork.notation.record import Termination
from patchwork.rules.timeboard import EDITION_BY_NAME
from patchwork.server.game.events import Event, GameStatus, Kind
from patchwork.server.game.terms import Clock, Opponent, Terms


class Conflict(Exception):
    """Another server has added to the log of a game: read it again."""


class Unavailable(Exception):
    """The database does not answer, or refuses to write.

    It is unknown whether the last write happened: read the game again.
    """


class UnknownVersion(Exception):
    """The database has a schema that this version of the program does not know."""


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game with its terms and its log."""

    id: str
    terms: Terms
    created: int
    events: tuple[Event, ...]
    rematch_of: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A game in the list of a player's games."""

    id: str
    terms: Terms
    created: int
    updated: int
    names: tuple[str, str]
    """Empty for the computer and for a free seat."""
    seats: tuple[int, ...]
    """Those of the player whose list it is."""
    status: GameStatus


def game_row(game: StoredGame, status: GameStatus) -> dict[str, object]:
    """Returns the row of a new game."""
    terms = game.terms
    return {
        "id": game.id,
        "created": game.created,
        "opponent": terms.opponent.value,
        "edition": terms.edition.name,
        "circle": ",".join(map(str, terms.circle)),
        "first": terms.first,
        "clock": None if terms.clock is None else str(terms.clock),
        "computer": terms.computer,
        "level": terms.level,
        "rematch_of": game.rematch_of,
        "seq": len(game.events),
        "updated": game.events[-1].at if game.events else game.created,
        **status_columns(status),
    }


def status_columns(status: GameStatus) -> dict[str, object]:
    """Returns the columns of a game's row that hold its status."""
    score0, score1 = status.scores or (None, None)
    return {
        "turn": status.turn,
        "deadline": status.deadline,
        "ending": None if status.ending is None else status.ending.value,
        "winner": status.winner,
        "score0": score0,
        "score1": score1,
        "tie_break": status.tie_break,
    }


def event_row(game: str, event: Event) -> dict[str, object]:
    """Returns the row of an event."""
    clock0, clock1 = event.clocks or (None, None)
    return {
        "game": game,
        "seq": event.seq,
        "kind": event.kind.value,
        "seat": event.seat,
        "at": event.at,
        "data": event.data,
        "clock0": clock0,
        "clock1": clock1,
        "player": event.player,
        "action": event.action,
    }


def seat_rows(game: str, events: Iterable[Event]) -> list[dict[str, object]]:
    """Returns the rows of the seats that players take with some events."""
    return [
        {"game": game, "seat": event.seat, "player": event.player, "name": event.data}
        for event in events
        if event.kind is Kind.JOIN
    ]


def terms_of(row: Row[Any]) -> Terms:
    """Returns the terms in a game's row."""
    return Terms(
        opponent=Opponent(row.opponent),
        edition=EDITION_BY_NAME[row.edition],
        circle=tuple(map(int, row.circle.split(","))),
        first=row.first,
        clock=None if row.clock is None else Clock.parse(row.clock),
        computer=row.computer,
        level=row.level,
    )


def status_of(row: Row[Any]) -> GameStatus:
    """Returns the status in a game's row."""
    return GameStatus(
        turn=row.turn,
        deadline=row.deadline,
        ending=None if row.ending is None else Termination(row.ending),
        winner=row.winner,
        scores=None if row.score0 is None else (row.score0, row.score1),
        tie_break=row.tie_break,
    )


def event_of(row: Row[Any]) -> Event:
    """Returns the event in a row."""
    return Event(
        seq=row.seq,
        kind=Kind(row.kind),
        seat=row.seat,
        at=row.at,
        data=row.data,
        clocks=None if row.clock0 is None else (row.clock0, row.clock1),
        player=row.player,
        action=row.action,
    )
