"""Messages about a match."""

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
    message = presenter.state("game", NOW, match, player, now)
    assert wire.State.model_validate_json(message.model_dump_json()) == message
    return message


def happened(match: Match, event: Event, now: int = NOW) -> wire.Happened:
    message = presenter.happened(match, event, now)
    assert wire.Happened.model_validate_json(message.model_dump_json()) == message
    return message


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
def test_the_state_names_the_requesters_own_seats(
    opponent: Opponent, player: str | None, seats: list[int]
) -> None:
    assert state(seated(terms(opponent)), player).you == seats


def test_messages_reveal_no_player_ids_or_action_ids() -> None:
    match = decisions(seated(terms(FRIEND, clock=Clock(60 * SECOND))), 3)
    do(match, actions.Undo, BOB, id="secret id")
    for message in (state(match, EVE), happened(match, match.events[-1])):
        text = message.model_dump_json()
        for secret in (f'"{ANN}"', f'"{BOB}"', "secret id"):
            assert secret not in text


def test_a_waiting_table_has_no_position() -> None:
    message = state(waiting(first=None))
    assert message.position is None
    assert message.moves == []
    assert message.status.first is None
    assert message.status.seats == (
        wire.SeatView(name="Ann", taken=True, computer=False),
        wire.SeatView(name="", taken=False, computer=False),
    )


def test_the_computer_has_a_seat() -> None:
    seats = state(seated(terms(COMPUTER, computer=0))).status.seats
    assert seats[0] == wire.SeatView(name="", taken=True, computer=True)
    assert seats[1] == wire.SeatView(name="Ann", taken=True, computer=False)


def test_names_are_sent_unchanged() -> None:
    match = Match(terms(FRIEND))
    name = '<b>"O\'Hara" \\ & עדה</b>'
    match.apply(match.join(ANN, name, NOW))
    message = json.loads(state(match).model_dump_json())
    assert message["status"]["seats"][0]["name"] == name


@pytest.mark.parametrize("opponent", Opponent)
def test_the_state_holds_the_moves_that_were_not_taken_back(opponent: Opponent) -> None:
    match = seated(terms(opponent))
    for text in ("3Aa1", "13Ba2", "21Af1"):
        assert match.game is not None
        decide(match, next(m for m in match.game.position.legal_moves() if str(m) == text))
    assert state(match).moves == [(0, "3Aa1"), (1, "13Ba2"), (0, "21Af1")]
    if opponent is FRIEND:
        do(match, actions.Undo, BOB)
        do(match, actions.AcceptUndo, ANN)
        assert state(match).moves == [(0, "3Aa1")]


def test_applying_events_to_a_state_gives_the_current_state() -> None:
    """A client that applies events ends up with the same state as one that connects later."""
    match = Match(terms(FRIEND, first=None, clock=Clock(60 * SECOND, 2 * SECOND)))
    known = state(match)
    steps = 0

    def apply_last_event() -> None:
        nonlocal known, steps
        steps += 1
        event = match.events[-1]
        message = happened(match, event)
        assert message.event.seq == known.status.seq + 1
        moves = list(known.moves)
        if message.event.kind is Kind.MOVE:
            moves.append((message.event.seat, message.event.data))
        if message.event.kind is Kind.TAKEBACK:
            moves = moves[: int(message.event.data)]
        known = known.model_copy(
            update={
                "status": message.status,
                "moves": moves,
                "position": message.position or known.position,
                "you": match.seats_of(ANN),
            }
        )
        assert known == state(match)

    match.apply(match.join(ANN, "Ann", NOW))
    apply_last_event()
    match.apply(match.join(BOB, "Bob", NOW))
    apply_last_event()
    do(match, actions.ChooseFirst, BOB, first=1)
    apply_last_event()
    for number in range(30):
        decide(match)
        apply_last_event()
        if number % 7 == 3:
            do(match, actions.Undo, ANN)
            apply_last_event()
            do(match, actions.AcceptUndo if number % 2 else actions.DeclineUndo, BOB)
            apply_last_event()
    do(match, actions.Resign, BOB)
    apply_last_event()
    do(match, actions.Rematch, ANN)
    apply_last_event()
    do(match, actions.Rematch, BOB)
    apply_last_event()
    assert steps > 40
    assert known.status.rematch == [0]
    assert known.status.next is not None


def test_events_that_do_not_change_the_position_omit_it() -> None:
    match = decisions(seated(terms(FRIEND)), 2)
    for kind, player in ((actions.Undo, ANN), (actions.DeclineUndo, BOB)):
        assert happened(match, do(match, kind, player)).position is None
    assert happened(match, decide(match)).position is not None
    assert happened(match, do(match, actions.Resign)).position is not None
    assert happened(match, do(match, actions.Rematch)).position is None


def test_after_the_end_no_moves_are_offered() -> None:
    match = seated(terms(FRIEND))
    do(match, actions.Resign)
    position = state(match).position
    assert position is not None
    assert (position.advance, position.offers) == (None, [])


def test_the_state_holds_the_current_clocks() -> None:
    match = decisions(seated(terms(FRIEND, clock=Clock(60 * SECOND, SECOND))), 2)
    message = state(match, now=NOW + 7 * SECOND)
    running = wire.Clocks(left=(54 * SECOND, 61 * SECOND), running=0, grace=None)
    assert message.status.clocks == running
    assert message.table.clock == wire.ClockTerms(minutes=1, increment=1)
    late = match.overdue(NOW + DAY)
    assert late is not None
    match.apply(late)
    message = state(match, now=NOW + DAY)
    assert message.status.clocks == wire.Clocks(left=(0, 61 * SECOND), running=None, grace=None)
    assert state(seated(terms(FRIEND))).status.clocks is None


def test_the_state_says_who_still_has_a_grace_and_for_how_long() -> None:
    match = seated(terms(FRIEND, clock=Clock(60 * SECOND)))
    for seat in (0, 1):
        clocks = state(match, now=NOW + 7 * SECOND).status.clocks
        grace = wire.Grace(seat=seat, left=113 * SECOND)
        assert clocks == wire.Clocks(left=(60 * SECOND,) * 2, running=None, grace=grace)
        decisions(match, 1)
    clocks = state(match, now=NOW).status.clocks
    assert clocks == wire.Clocks(left=(60 * SECOND,) * 2, running=0, grace=None)


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
def test_every_kind_of_clock_has_a_state(clock: Clock | None) -> None:
    state(seated(terms(FRIEND, clock=clock)))


def test_the_state_of_a_finished_game_holds_the_scores() -> None:
    match = played_out(seated(terms(FRIEND)))
    message = state(match)
    assert message.position is not None
    position = Position.parse(message.position.text)
    outcome = position.outcome
    assert outcome is not None
    assert message.status.ending == wire.Ending(
        reason=Termination.PLAYED_OUT,
        winner=outcome.winner,
        scores=outcome.scores,
        tie_break=outcome.tie_break,
    )


def test_a_running_game_has_no_ending() -> None:
    assert presenter.ending(GameStatus(0, None, None, None, None, False)) is None


def test_a_refusal_carries_its_reason() -> None:
    refusal = Refusal(Code.ILLEGAL_MOVE, "why", Reason.OVERLAPS)
    assert presenter.refused(refusal, "7") == wire.Refused(
        id="7", code=Code.ILLEGAL_MOVE, detail="why", reason=Reason.OVERLAPS
    )
    assert presenter.refused(refusal).id is None
