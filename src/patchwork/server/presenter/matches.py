"""Matches as messages: the complete state, each event, and entries in lists of games."""

from collections.abc import Sequence

from patchwork.server import wire
from patchwork.server.game import record
from patchwork.server.game.events import Event, GameStatus, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.terms import DAY, MINUTE, SECOND, Clock
from patchwork.server.presenter.positions import moves_view, position_view
from patchwork.server.store import Listed, StoredGame

_POSITION_UNCHANGED = {Kind.ASK, Kind.DECLINE, Kind.REMATCH, Kind.NEXT, Kind.FORGET}
"""Events that do not change the position."""


def state(game: str, created: int, match: Match, player: str | None, now: int) -> wire.State:
    """Returns everything there is to know about a game, as one player sees it.

    Args:
        game: the id of the game.
        created: when it was opened.
        match: the game.
        player: who will receive the message; None for a spectator.
        now: the time.
    """
    terms = match.terms
    return wire.State(
        table=wire.TableView(
            id=game,
            opponent=terms.opponent,
            edition=terms.edition.name,
            level=terms.level,
            clock=clock_terms(terms.clock),
            created=created,
            circle=list(terms.circle),
        ),
        you=match.seats_of(player),
        status=_status(match, now),
        moves=moves_view(match.game) if match.game else [],
        position=_position(match),
    )


def happened(match: Match, event: Event, now: int) -> wire.Happened:
    """Returns an event that has just been applied to a match, and what it changed."""
    return wire.Happened(
        event=event_view(event),
        status=_status(match, now),
        position=None if event.kind in _POSITION_UNCHANGED else _position(match),
    )


def event_view(event: Event) -> wire.EventView:
    """Returns those parts of an event that everyone may know."""
    return wire.EventView(
        seq=event.seq, kind=event.kind, seat=event.seat, at=event.at, data=event.data
    )


def summary(game: Listed, now: int) -> wire.Summary:
    """Returns an entry in the list of a player's games."""
    deadline = game.status.deadline
    return wire.Summary(
        id=game.id,
        opponent=game.terms.opponent,
        level=game.terms.level,
        edition=game.terms.edition.name,
        you=list(game.seats),
        names=game.names,
        turn=game.status.turn,
        ending=ending(game.status),
        left=None if deadline is None else max(0, deadline - now),
        created=game.created,
        updated=game.updated,
    )


def own_game(game: StoredGame, players: Sequence[str]) -> wire.OwnGame:
    """Returns a game with everything that is kept of it, for a player with all these ids."""
    match = Match(game.terms, game.events)
    return wire.OwnGame(
        id=game.id,
        created=game.created,
        opponent=game.terms.opponent,
        level=game.terms.level,
        edition=game.terms.edition.name,
        clock=clock_terms(game.terms.clock),
        you=match.seats_of(match.seated(players)),
        names=(_name(match, 0), _name(match, 1)),
        ending=ending(match.status()),
        events=[event_view(event) for event in game.events],
        record=record.record(game.id, game.created, match).format(),
    )


def ending(status: GameStatus) -> wire.Ending | None:
    """Returns how a game ended, or None if it has not."""
    if status.ending is None:
        return None
    return wire.Ending(
        reason=status.ending,
        winner=status.winner,
        scores=status.scores,
        tie_break=status.tie_break,
    )


def clock_terms(clock: Clock | None) -> wire.ClockTerms | None:
    """Returns a clock in the form in which a client asked for it."""
    if clock is None:
        return None
    if clock.renewed:
        return wire.ClockTerms(days=clock.allowance // DAY)
    return wire.ClockTerms(minutes=clock.allowance / MINUTE, increment=clock.increment // SECOND)


def _position(match: Match) -> wire.PositionView | None:
    return position_view(match.game, choices=match.running) if match.game else None


def _status(match: Match, now: int) -> wire.Status:
    return wire.Status(
        seq=match.seq,
        seats=(_seat(match, 0), _seat(match, 1)),
        first=match.first,
        asking=match.asking,
        clocks=_clocks(match, now),
        ending=ending(match.status()),
        rematch=sorted(match.rematch_requests),
        next=match.next,
    )


def _clocks(match: Match, now: int) -> wire.Clocks | None:
    if match.terms.clock is None:
        return None
    grace = match.grace(now)
    if grace is None or match.turn is None:
        return wire.Clocks(left=match.clocks(now), running=match.turn, grace=None)
    waiting = wire.Grace(seat=match.turn, left=grace)
    return wire.Clocks(left=match.clocks(now), running=None, grace=waiting)


def _seat(match: Match, seat: int) -> wire.SeatView:
    return wire.SeatView(
        name=_name(match, seat),
        taken=match.seats[seat] is not None,
        computer=seat == match.terms.computer,
    )


def _name(match: Match, seat: int) -> str:
    occupant = match.seats[seat]
    return occupant.name if occupant else ""
