"""A match as messages."""

import json

import pytest

from patchwork.notation.record import Termination
from patchwork.rules.moves import Reason
from patchwork.rules.position import Position
from patchwork.server import presenter, wire
from patchwork.server.game import actions
from patchwork.server.game.events import Event, GameStatus, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import DAY, SECOND, Clock, Opponent
from server.support.matches import (
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


def state(match: Match, player: str | None = ANN, now: int = NOW) -> wire.State:
    told = presenter.state("game", NOW, match, player, now)
    assert wire.State.model_validate_json(told.model_dump_json()) == told
    return told


def happened(match: Match, event: Event, now: int = NOW) -> wire.Happened:
    told = presenter.happened(match, event, now)
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
    match = decisions(seated(terms(FRIEND, clock=Clock(60 * SECOND))), 3)
    do(match, actions.Undo, BOB, id="secret id")
    for message in (state(match, EVE), happened(match, match.events[-1])):
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
    match = Match(terms(FRIEND))
    name = '<b>"O\'Hara" \\ & עדה</b>'
    match.apply(match.join(ANN, name, NOW))
    told = json.loads(state(match).model_dump_json())
    assert told["status"]["seats"][0]["name"] == name


@pytest.mark.parametrize("opponent", Opponent)
def test_moves_that_stand_are_told_with_who_decided(opponent: Opponent) -> None:
    match = seated(terms(opponent))
    for text in ("3Aa1", "13Ba2", "21Af1"):
        assert match.game is not None
        decide(match, next(m for m in match.game.position.legal_moves() if str(m) == text))
    assert state(match).moves == [(0, "3Aa1"), (1, "13Ba2"), (0, "21Af1")]
    if opponent is FRIEND:
        do(match, actions.Undo, BOB)
        do(match, actions.AcceptUndo, ANN)
        assert state(match).moves == [(0, "3Aa1")]


def test_what_an_event_changes_makes_the_old_state_the_new_one() -> None:
    """A client that keeps the state up to date from events knows what a new one is told."""
    match = Match(terms(FRIEND, first=None, clock=Clock(60 * SECOND, 2 * SECOND)))
    known = state(match)
    steps = 0

    def hear() -> None:
        nonlocal known, steps
        steps += 1
        event = match.events[-1]
        told = happened(match, event)
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
                "you": match.seats_of(ANN),
            }
        )
        assert known == state(match)

    match.apply(match.join(ANN, "Ann", NOW))
    hear()
    match.apply(match.join(BOB, "Bob", NOW))
    hear()
    do(match, actions.ChooseFirst, BOB, first=1)
    hear()
    for number in range(30):
        decide(match)
        hear()
        if number % 7 == 3:
            do(match, actions.Undo, ANN)
            hear()
            do(match, actions.AcceptUndo if number % 2 else actions.DeclineUndo, BOB)
            hear()
    do(match, actions.Resign, BOB)
    hear()
    do(match, actions.Rematch, ANN)
    hear()
    do(match, actions.Rematch, BOB)
    hear()
    assert steps > 40
    assert known.status.rematch == [0]
    assert known.status.next is not None


def test_events_that_leave_the_position_do_not_repeat_it() -> None:
    match = decisions(seated(terms(FRIEND)), 2)
    for kind, player in ((actions.Undo, ANN), (actions.DeclineUndo, BOB)):
        assert happened(match, do(match, kind, player)).position is None
    assert happened(match, decide(match)).position is not None
    assert happened(match, do(match, actions.Resign)).position is not None
    assert happened(match, do(match, actions.Rematch)).position is None


def test_after_the_end_nothing_is_offered() -> None:
    match = seated(terms(FRIEND))
    do(match, actions.Resign)
    position = state(match).position
    assert position is not None
    assert (position.advance, position.offers) == (None, [])


def test_clocks_are_those_of_the_moment() -> None:
    match = seated(terms(FRIEND, clock=Clock(60 * SECOND, SECOND)))
    told = state(match, now=NOW + 7 * SECOND)
    assert told.status.clocks == wire.Clocks(left=(53 * SECOND, 60 * SECOND), running=0)
    assert told.table.clock == wire.ClockTerms(minutes=1, increment=1)
    late = match.overdue(NOW + DAY)
    assert late is not None
    match.apply(late)
    told = state(match, now=NOW + DAY)
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
    match = played_out(seated(terms(FRIEND)))
    told = state(match)
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
    assert presenter.ending(GameStatus(0, None, None, None, None, False)) is None


def test_a_refusal_is_told_with_its_reason() -> None:
    refusal = Refusal(Code.ILLEGAL_MOVE, "why", Reason.OVERLAPS)
    assert presenter.refused(refusal, "7") == wire.Refused(
        id="7", code=Code.ILLEGAL_MOVE, detail="why", reason=Reason.OVERLAPS
    )
    assert presenter.refused(refusal).id is None
