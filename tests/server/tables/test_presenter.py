"""The course of a game as messages."""

import json

import pytest

from patchwork.notation.record import Termination
from patchwork.rules.moves import Reason
from patchwork.rules.position import Position
from patchwork.server import wire
from patchwork.server.game.events import Event, Kind, Standing
from patchwork.server.game.match import Course, Refusal
from patchwork.server.game.terms import DAY, SECOND, Clock, Opponent
from patchwork.server.tables import presenter
from patchwork.server.wire import Code
from server.courses import (
    ANN,
    BOB,
    COMPUTER,
    EVE,
    FRIEND,
    NOW,
    SCREEN,
    decide,
    decisions,
    do,
    played_out,
    seated,
    terms,
    waiting,
)


def state(course: Course, player: str | None = ANN, now: int = NOW) -> wire.State:
    told = presenter.state("game", NOW, course, player, now)
    assert wire.State.model_validate_json(told.model_dump_json()) == told
    return told


def happened(course: Course, event: Event, now: int = NOW) -> wire.Happened:
    told = presenter.happened(course, event, now)
    assert wire.Happened.model_validate_json(told.model_dump_json()) == told
    return told


@pytest.mark.parametrize(
    ("opponent", "player", "seats"),
    [
        (COMPUTER, ANN, [0]),
        (SCREEN, ANN, [0, 1]),
        (FRIEND, ANN, [0]),
        (FRIEND, BOB, [1]),
        (FRIEND, EVE, []),
        (COMPUTER, None, []),
        (FRIEND, None, []),
    ],
)
def test_everybody_is_told_their_own_seats(
    opponent: Opponent, player: str | None, seats: list[int]
) -> None:
    assert state(seated(terms(opponent)), player).you == seats


def test_nobody_is_told_who_the_others_are() -> None:
    course = decisions(seated(terms(FRIEND, clock=Clock(60 * SECOND))), 3)
    do(course, wire.Undo, BOB, id="secret id")
    for message in (state(course, EVE), happened(course, course.events[-1])):
        text = message.model_dump_json()
        for secret in (f'"{ANN}"', f'"{BOB}"', "secret id"):
            assert secret not in text


def test_a_table_that_waits_has_no_position() -> None:
    told = state(waiting(first=None))
    assert told.position is None
    assert told.moves == []
    assert told.status.first is None
    assert told.status.seats == (
        wire.SeatView(name="Ann", taken=True, computer=False),
        wire.SeatView(name="", taken=False, computer=False),
    )


def test_the_computer_has_a_seat() -> None:
    seats = state(seated(terms(COMPUTER, computer=0))).status.seats
    assert seats[0] == wire.SeatView(name="", taken=True, computer=True)
    assert seats[1] == wire.SeatView(name="Ann", taken=True, computer=False)


def test_names_are_told_as_they_are() -> None:
    course = Course(terms(FRIEND))
    name = '<b>"O\'Hara" \\ & עדה</b>'
    course.apply(course.join(ANN, name, NOW))
    told = json.loads(state(course).model_dump_json())
    assert told["status"]["seats"][0]["name"] == name


@pytest.mark.parametrize("opponent", Opponent)
def test_moves_that_stand_are_told_with_who_decided(opponent: Opponent) -> None:
    course = seated(terms(opponent))
    for text in ("3Aa1", "13Ba2", "21Af1"):
        assert course.game is not None
        decide(course, next(m for m in course.game.position.legal_moves() if str(m) == text))
    assert state(course).moves == [(0, "3Aa1"), (1, "13Ba2"), (0, "21Af1")]
    if opponent is FRIEND:
        do(course, wire.Undo, BOB)
        do(course, wire.Accept, ANN)
        assert state(course).moves == [(0, "3Aa1")]


def test_what_an_event_changes_makes_the_old_state_the_new_one() -> None:
    """A client that keeps the state up to date from events knows what a new one is told."""
    course = Course(terms(FRIEND, first=None, clock=Clock(60 * SECOND, 2 * SECOND)))
    known = state(course)
    steps = 0

    def hear() -> None:
        nonlocal known, steps
        steps += 1
        event = course.events[-1]
        told = happened(course, event)
        assert told.event.seq == known.status.seq + 1
        moves = list(known.moves)
        if told.event.kind is Kind.MOVE:
            moves.append((told.event.seat, told.event.data))
        if told.event.kind is Kind.TAKEBACK:
            moves = moves[: int(told.event.data)]
        known = known.model_copy(
            update={
                "status": told.status,
                "moves": moves,
                "position": told.position or known.position,
                "you": course.seats_of(ANN),
            }
        )
        assert known == state(course)

    course.apply(course.join(ANN, "Ann", NOW))
    hear()
    course.apply(course.join(BOB, "Bob", NOW))
    hear()
    do(course, wire.Begin, BOB, first=1)
    hear()
    for number in range(30):
        decide(course)
        hear()
        if number % 7 == 3:
            do(course, wire.Undo, ANN)
            hear()
            do(course, wire.Accept if number % 2 else wire.Decline, BOB)
            hear()
    do(course, wire.Resign, BOB)
    hear()
    do(course, wire.Rematch, ANN)
    hear()
    do(course, wire.Rematch, BOB)
    hear()
    assert steps > 40
    assert known.status.rematch == [0]
    assert known.status.next is not None


def test_events_that_leave_the_position_do_not_repeat_it() -> None:
    course = decisions(seated(terms(FRIEND)), 2)
    for kind, player in ((wire.Undo, ANN), (wire.Decline, BOB)):
        assert happened(course, do(course, kind, player)).position is None
    assert happened(course, decide(course)).position is not None
    assert happened(course, do(course, wire.Resign)).position is not None
    assert happened(course, do(course, wire.Rematch)).position is None


def test_after_the_end_nothing_is_offered() -> None:
    course = seated(terms(FRIEND))
    do(course, wire.Resign)
    position = state(course).position
    assert position is not None
    assert (position.advance, position.offers) == (None, [])


def test_clocks_are_those_of_the_moment() -> None:
    course = seated(terms(FRIEND, clock=Clock(60 * SECOND, SECOND)))
    told = state(course, now=NOW + 7 * SECOND)
    assert told.status.clocks == wire.Clocks(left=(53 * SECOND, 60 * SECOND), running=0)
    assert told.table.clock == wire.ClockTerms(minutes=1, increment=1)
    late = course.overdue(NOW + DAY)
    assert late is not None
    course.apply(late)
    told = state(course, now=NOW + DAY)
    assert told.status.clocks == wire.Clocks(left=(0, 60 * SECOND), running=None)
    assert state(seated(terms(FRIEND))).status.clocks is None


@pytest.mark.parametrize(
    "clock",
    [
        None,
        Clock(15 * SECOND),
        Clock(20 * SECOND),
        Clock(10800 * SECOND, 180 * SECOND),
        Clock(DAY, renewed=True),
        Clock(14 * DAY, renewed=True),
    ],
)
def test_clocks_of_all_kinds_can_be_told(clock: Clock | None) -> None:
    state(seated(terms(FRIEND, clock=clock)))


def test_a_game_played_out_is_told_with_its_scores() -> None:
    course = played_out(seated(terms(FRIEND)))
    told = state(course)
    assert told.position is not None
    position = Position.parse(told.position.text)
    outcome = position.outcome
    assert outcome is not None
    assert told.status.ending == wire.Ending(
        reason=Termination.PLAYED_OUT,
        winner=outcome.winner,
        scores=outcome.scores,
        tie_break=outcome.tie_break,
    )


def test_a_running_game_has_no_ending() -> None:
    assert presenter.ending(Standing(0, None, None, None, None, False)) is None


def test_a_refusal_is_told_with_its_reason() -> None:
    refusal = Refusal(Code.ILLEGAL_MOVE, "why", Reason.OVERLAPS)
    assert presenter.refused(refusal, "7") == wire.Refused(
        id="7", code=Code.ILLEGAL_MOVE, detail="why", reason=Reason.OVERLAPS
    )
    assert presenter.refused(refusal).id is None
