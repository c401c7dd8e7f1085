"""A match as messages of the wire."""

import logging

from patchwork.engine.analysis import Analysis
from patchwork.server import wire
from patchwork.server.engines.pool import Progress
from patchwork.server.game.events import Event, GameStatus, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import DAY, MINUTE, SECOND, Clock
from patchwork.server.store import Unavailable
from patchwork.server.tables.view import moves_view, position_view

_log = logging.getLogger(__name__)

_ASIDE = {Kind.ASK, Kind.DECLINE, Kind.REMATCH, Kind.NEXT, Kind.FORGET}
"""Events that leave the position as it was."""


def state(game: str, created: int, match: Match, player: str | None, now: int) -> wire.State:
    """Returns all there is to know about a game, for one who asks."""
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
    """Returns an event that was just applied, and what it changed."""
    return wire.Happened(
        event=event_view(event),
        status=_status(match, now),
        position=None if event.kind in _ASIDE else _position(match),
    )


def event_view(event: Event) -> wire.EventView:
    """Returns what others are told of an event."""
    return wire.EventView(
        seq=event.seq, kind=event.kind, seat=event.seat, at=event.at, data=event.data
    )


def thought(analysis: Analysis) -> wire.Thought:
    """Returns what the engine thinks of a position."""
    return wire.Thought(
        seat=analysis.seat,
        move=str(analysis.best),
        win=analysis.win,
        margin=analysis.margin,
        exact=analysis.exact,
        lines=[
            wire.Variation(
                moves=[str(move) for move in line.moves], win=line.win, margin=line.margin
            )
            for line in analysis.lines
        ],
    )


def thinking(progress: Progress) -> wire.Thinking:
    """Returns how far the computer is with its move."""
    return wire.Thinking(waiting=progress.waiting, part=progress.share)


def refused(refusal: Refusal, action: str | None = None) -> wire.Refused:
    """Returns why something did not happen."""
    return wire.Refused(id=action, code=refusal.code, detail=refusal.detail, reason=refusal.reason)


def unavailable(error: Unavailable) -> Refusal:
    """Returns what clients are told about a database that does not answer: not why."""
    _log.warning("the database does not answer: %s", error)
    return Refusal(Code.UNAVAILABLE, "the database does not answer")


def ending(status: GameStatus) -> wire.Ending | None:
    """Returns how a game ended, if it did."""
    if status.ending is None:
        return None
    return wire.Ending(
        reason=status.ending,
        winner=status.winner,
        scores=status.scores,
        tie_break=status.tie_break,
    )


def _position(match: Match) -> wire.PositionView | None:
    return position_view(match.game, choices=match.running) if match.game else None


def _status(match: Match, now: int) -> wire.Status:
    timed = match.terms.clock is not None
    return wire.Status(
        seq=match.seq,
        seats=(_seat(match, 0), _seat(match, 1)),
        first=match.first,
        asking=match.asking,
        clocks=wire.Clocks(left=match.clocks(now), running=match.turn) if timed else None,
        ending=ending(match.status()),
        rematch=sorted(match.rematch_requests),
        next=match.next,
    )


def _seat(match: Match, seat: int) -> wire.SeatView:
    occupant = match.seats[seat]
    return wire.SeatView(
        name=occupant.name if occupant else "",
        taken=occupant is not None,
        computer=seat == match.terms.computer,
    )


def clock_terms(clock: Clock | None) -> wire.ClockTerms | None:
    """Returns a clock as it was asked for."""
    if clock is None:
        return None
    if clock.renewed:
        return wire.ClockTerms(days=clock.allowance // DAY)
    return wire.ClockTerms(minutes=clock.allowance / MINUTE, increment=clock.increment // SECOND)
