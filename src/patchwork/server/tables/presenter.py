"""The course of a game as messages of the wire."""

import logging

from patchwork.server import wire
from patchwork.server.game.events import Event, Kind, Standing
from patchwork.server.game.match import Course, Refusal
from patchwork.server.game.terms import DAY, MINUTE, SECOND, Clock
from patchwork.server.store import Unavailable
from patchwork.server.tables.view import moves_view, position_view
from patchwork.server.wire import Code

_log = logging.getLogger(__name__)

_ASIDE = {Kind.ASK, Kind.DECLINE, Kind.REMATCH, Kind.NEXT, Kind.FORGET}
"""Events that leave the position as it was."""


def state(game: str, created: int, course: Course, player: str | None, now: int) -> wire.State:
    """Returns all there is to know about a game, for one who asks."""
    terms = course.terms
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
        you=course.seats_of(player),
        status=_status(course, now),
        moves=moves_view(course.game) if course.game else [],
        position=_position(course),
    )


def happened(course: Course, event: Event, now: int) -> wire.Happened:
    """Returns an event that was just applied, and what it changed."""
    return wire.Happened(
        event=event_view(event),
        status=_status(course, now),
        position=None if event.kind in _ASIDE else _position(course),
    )


def event_view(event: Event) -> wire.EventView:
    """Returns what others are told of an event."""
    return wire.EventView(
        seq=event.seq, kind=event.kind, seat=event.seat, at=event.at, data=event.data
    )


def refused(refusal: Refusal, action: str | None = None) -> wire.Refused:
    """Returns why something did not happen."""
    return wire.Refused(id=action, code=refusal.code, detail=refusal.detail, reason=refusal.reason)


def unavailable(error: Unavailable) -> Refusal:
    """Returns what clients are told about a database that does not answer: not why."""
    _log.warning("the database does not answer: %s", error)
    return Refusal(Code.UNAVAILABLE, "the database does not answer")


def ending(standing: Standing) -> wire.Ending | None:
    """Returns how a game ended, if it did."""
    if standing.ending is None:
        return None
    return wire.Ending(
        reason=standing.ending,
        winner=standing.winner,
        scores=standing.scores,
        tie_break=standing.tie_break,
    )


def _position(course: Course) -> wire.PositionView | None:
    return position_view(course.game, choices=course.running) if course.game else None


def _status(course: Course, now: int) -> wire.Status:
    timed = course.terms.clock is not None
    return wire.Status(
        seq=course.seq,
        seats=(_seat(course, 0), _seat(course, 1)),
        first=course.first,
        asking=course.asking,
        clocks=wire.Clocks(left=course.clocks(now), running=course.turn) if timed else None,
        ending=ending(course.standing()),
        rematch=sorted(course.wishes),
        next=course.next,
    )


def _seat(course: Course, seat: int) -> wire.SeatView:
    sitting = course.seats[seat]
    return wire.SeatView(
        name=sitting.name if sitting else "",
        taken=sitting is not None,
        computer=seat == course.terms.computer,
    )


def clock_terms(clock: Clock | None) -> wire.ClockTerms | None:
    """Returns a clock as it was asked for."""
    if clock is None:
        return None
    if clock.renewed:
        return wire.ClockTerms(days=clock.allowance // DAY)
    return wire.ClockTerms(minutes=clock.allowance / MINUTE, increment=clock.increment // SECOND)
