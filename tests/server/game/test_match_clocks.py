"""The players' clocks in a match."""

import pytest

from patchwork.notation.record import Termination
from patchwork.server.game import actions
from patchwork.server.game.clocks import Pauses
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import DAY, FIRST_MOVE, SECOND, Clock, Opponent
from server.support.matches import (
    ANN,
    BOB,
    COMPUTER,
    FRIEND,
    MINUTE_CLOCK,
    NOW,
    SCREEN,
    begun,
    decide,
    decisions,
    do,
    played_out,
    seated,
    terms,
)

DAYS = Clock(2 * DAY, renewed=True)


def test_the_clock_of_the_seat_to_move_runs_even_if_players_do_not_alternate() -> None:
    match = seated(terms(SCREEN, clock=Clock(60 * SECOND, 5 * SECOND)))
    do(match, actions.PlayMove, ANN, NOW + 10 * SECOND, move="3Aa1")  # one space ahead
    assert match.clocks(NOW + 10 * SECOND) == (55 * SECOND, 60 * SECOND)
    assert match.turn == 1
    do(match, actions.PlayMove, ANN, NOW + 12 * SECOND, move="13Aa1")  # three spaces
    assert match.turn == 0
    assert match.clocks(NOW + 13 * SECOND) == (54 * SECOND, 63 * SECOND)
    # Two spaces: level with the other token and on top of it, so she decides again.
    do(match, actions.PlayMove, ANN, NOW + 14 * SECOND, move="21Ae5")
    assert match.turn == 0
    assert match.clocks(NOW + 14 * SECOND) == (58 * SECOND, 63 * SECOND)
    assert match.clocks(NOW + 24 * SECOND) == (48 * SECOND, 63 * SECOND)


def test_a_daily_clock_is_reset_at_each_move() -> None:
    match = seated(terms(FRIEND, clock=DAYS))
    assert match.deadline == NOW + 2 * DAY
    decide(match, now=NOW + DAY)
    assert match.clocks(NOW + DAY) == (2 * DAY, 2 * DAY)
    assert match.deadline == NOW + 3 * DAY
    decide(match, now=NOW + 3 * DAY - 1)
    assert match.clocks(NOW + 3 * DAY) == (2 * DAY - 1, 2 * DAY)


@pytest.mark.parametrize("clock", [MINUTE_CLOCK, DAYS])
@pytest.mark.parametrize("by", ["server", ANN, BOB])
def test_the_flag_falls_exactly_at_the_deadline(clock: Clock, by: str) -> None:
    match = decisions(seated(terms(FRIEND, clock=clock)), 2)
    deadline = match.deadline
    assert deadline == NOW + match.clocks(NOW)[0]
    assert match.overdue(deadline - 1) is None
    with pytest.raises(Refusal) as refused:
        do(match, actions.FlagTimeout, now=deadline - 1)
    assert refused.value.code is Code.TIME_LEFT
    if by == "server":
        late = match.overdue(deadline)
        assert late is not None
        match.apply(late)
    else:
        do(match, actions.FlagTimeout, by, deadline)
    event = match.events[-1]
    assert (event.kind, event.seat) == (Kind.FLAG, 0)
    assert match.status().winner == 1
    assert match.status().ending is Termination.TIME
    assert match.clocks(deadline)[0] == 0
    assert match.overdue(deadline + DAY) is None


@pytest.mark.parametrize("ending", [actions.Resign, actions.Abort, actions.ClaimWin])
@pytest.mark.parametrize("clock", [MINUTE_CLOCK, DAYS])
def test_the_clock_stops_when_the_game_ends(ending: type[actions.Action], clock: Clock) -> None:
    early = ending is actions.Abort
    match = decisions(seated(terms(SCREEN if early else FRIEND, clock=clock)), 0 if early else 2)
    own, other = match.clocks(NOW)
    do(match, ending, ANN, NOW + 7 * SECOND, gone=frozenset({1}))
    remaining = (own - 7 * SECOND, other)
    assert match.clocks(NOW + 8 * SECOND) == remaining
    assert (
        Match(match.terms, match.events, pauses=Pauses(NOW + DAY)).clocks(NOW + 2 * DAY)
        == remaining
    )


def test_the_clock_stops_after_the_last_move() -> None:
    match = played_out(seated(terms(FRIEND, clock=MINUTE_CLOCK)))
    assert match.deadline is None
    assert match.clocks(NOW) == match.clocks(NOW + DAY)


def test_time_before_a_restart_is_charged_to_neither_player() -> None:
    match = decisions(seated(terms(FRIEND, clock=MINUTE_CLOCK)), 2)
    back = NOW + 50 * SECOND
    resumed = Match(match.terms, match.events, pauses=Pauses(back))
    assert resumed.clocks(back) == (65 * SECOND, 65 * SECOND)
    assert resumed.deadline == back + 65 * SECOND
    decide(resumed, now=back + 10 * SECOND)
    assert resumed.clocks(back + 10 * SECOND) == (60 * SECOND, 65 * SECOND)
    later = Match(match.terms, match.events, pauses=Pauses(NOW - DAY))
    assert later.deadline == match.deadline


def test_time_during_a_pause_of_the_server_is_charged_to_neither_player() -> None:
    match = decisions(seated(terms(FRIEND, clock=MINUTE_CLOCK)), 2)
    pauses = Pauses(NOW - DAY)
    known = Match(match.terms, match.events, pauses=pauses)
    pauses.add(NOW + 20 * SECOND, NOW + 30 * SECOND)
    assert known.clocks(NOW + 20 * SECOND) == (45 * SECOND, 65 * SECOND)
    assert known.clocks(NOW + 25 * SECOND) == (45 * SECOND, 65 * SECOND)
    assert known.clocks(NOW + 50 * SECOND) == (25 * SECOND, 65 * SECOND)
    assert known.deadline == NOW + 75 * SECOND
    pauses.add(NOW + 60 * SECOND, NOW + 60 * SECOND + DAY)
    assert known.overdue(NOW + 60 * SECOND + DAY) is None
    decide(known, now=NOW + 60 * SECOND + DAY)
    assert known.clocks(NOW + 61 * SECOND + DAY) == (20 * SECOND, 64 * SECOND)


def test_event_times_never_decrease_even_if_server_clocks_differ() -> None:
    match = decisions(seated(terms(SCREEN, clock=MINUTE_CLOCK)), 1, NOW + 30 * SECOND)
    event = decide(match, now=NOW + 20 * SECOND)
    assert event.at == NOW + 30 * SECOND
    assert match.clocks(NOW + 20 * SECOND) == (35 * SECOND, 65 * SECOND)
    assert match.clocks(NOW + 40 * SECOND) == (25 * SECOND, 65 * SECOND)


def test_a_daily_clock_runs_while_the_server_is_down() -> None:
    match = decisions(seated(terms(FRIEND, clock=DAYS)), 1)
    resumed = Match(match.terms, match.events, pauses=Pauses(NOW + DAY))
    assert resumed.deadline == match.deadline == NOW + 2 * DAY


def test_taking_back_a_move_restores_no_time() -> None:
    match = seated(terms(SCREEN, clock=Clock(60 * SECOND)))
    decide(match, now=NOW + 20 * SECOND)
    do(match, actions.Undo, now=NOW + 30 * SECOND)
    assert match.clocks(NOW + 30 * SECOND) == (40 * SECOND, 50 * SECOND)
    assert match.turn == 0
    assert match.clocks(NOW + 35 * SECOND) == (35 * SECOND, 50 * SECOND)


def test_taking_back_a_move_resets_a_daily_clock() -> None:
    match = decisions(seated(terms(FRIEND, clock=DAYS)), 1, NOW + DAY)
    do(match, actions.Undo, ANN, NOW + 2 * DAY)
    do(match, actions.AcceptUndo, BOB, NOW + 2 * DAY)
    assert match.clocks(NOW + 2 * DAY) == (2 * DAY, 2 * DAY)


def test_clocks_stay_in_range_when_the_time_of_day_is_set_back() -> None:
    match = seated(terms(SCREEN, clock=Clock(60 * SECOND, 5 * SECOND)))
    assert match.clocks(NOW + DAY) == (0, 60 * SECOND)
    assert match.clocks(NOW - DAY) == (60 * SECOND, 60 * SECOND)
    decide(match, now=NOW - DAY)
    assert match.clocks(NOW - DAY) == (65 * SECOND, 60 * SECOND)


def test_asking_for_an_undo_does_not_stop_the_clock() -> None:
    match = decisions(seated(terms(FRIEND, clock=MINUTE_CLOCK)), 2)
    do(match, actions.Undo, BOB, NOW + 10 * SECOND)
    do(match, actions.DeclineUndo, ANN, NOW + 20 * SECOND)
    assert match.clocks(NOW + 30 * SECOND) == (35 * SECOND, 65 * SECOND)


def test_without_a_clock_there_is_no_deadline() -> None:
    match = begun(FRIEND)
    assert match.deadline is None
    assert match.overdue(NOW + 1000 * DAY) is None
    assert all(event.clocks is None for event in played_out(match).events)


# Before both have moved


def test_a_clock_waits_for_the_first_decision_of_its_seat() -> None:
    match = seated(terms(FRIEND, clock=MINUTE_CLOCK))
    assert match.clocks(NOW + 100 * SECOND) == (60 * SECOND, 60 * SECOND)
    assert match.grace(NOW + 100 * SECOND) == FIRST_MOVE - 100 * SECOND
    decide(match, now=NOW + 100 * SECOND)
    assert match.turn == 1
    assert match.grace(NOW + 110 * SECOND) == FIRST_MOVE - 10 * SECOND
    decide(match, now=NOW + 200 * SECOND)
    assert match.grace(NOW + 200 * SECOND) is None
    assert match.clocks(NOW + 210 * SECOND) == (55 * SECOND, 65 * SECOND)


def test_a_player_who_decides_again_before_the_other_has_decided_uses_the_clock() -> None:
    match = seated(terms(FRIEND, clock=MINUTE_CLOCK))
    do(match, actions.PlayMove, ANN, NOW, move="3Aa1")  # one space ahead
    do(match, actions.PlayMove, BOB, NOW, move="13Aa1")  # three spaces
    do(match, actions.Undo, BOB)
    do(match, actions.AcceptUndo, ANN)
    assert match.grace(NOW) == FIRST_MOVE, "what was taken back does not count"
    do(match, actions.PlayMove, BOB, NOW, move="13Aa1")
    assert (match.turn, match.grace(NOW)) == (0, None)
    assert match.clocks(NOW + SECOND)[0] == 64 * SECOND


@pytest.mark.parametrize("moves", [0, 1])
@pytest.mark.parametrize("clock", [MINUTE_CLOCK, DAYS])
def test_a_game_in_which_somebody_never_moved_is_cancelled_when_time_is_up(
    clock: Clock, moves: int
) -> None:
    match = decisions(seated(terms(FRIEND, clock=clock)), moves)
    deadline = NOW + (FIRST_MOVE if clock is MINUTE_CLOCK else clock.allowance)
    assert match.status().deadline == match.deadline == deadline
    assert match.overdue(deadline - 1) is None
    late = match.overdue(deadline)
    assert late is not None
    assert (late.kind, late.seat) == (Kind.ABORT, moves)
    match.apply(late)
    assert (match.status().ending, match.status().winner) == (Termination.ABORTED, None)


def test_a_grace_stands_still_while_the_server_is_away() -> None:
    match = seated(terms(FRIEND, clock=MINUTE_CLOCK))
    back = NOW + 500 * SECOND
    resumed = Match(match.terms, match.events, pauses=Pauses(back))
    assert resumed.grace(back) == FIRST_MOVE
    assert resumed.deadline == back + FIRST_MOVE


@pytest.mark.parametrize("opponent", [COMPUTER, SCREEN])
def test_where_nobody_is_waited_for_the_clock_runs_from_the_start(opponent: Opponent) -> None:
    match = seated(terms(opponent, clock=MINUTE_CLOCK))
    assert match.grace(NOW) is None
    assert match.clocks(NOW + SECOND) == (59 * SECOND, 60 * SECOND)
    late = match.overdue(NOW + 60 * SECOND)
    assert late is not None
    assert late.kind is Kind.ABORT


def test_an_old_log_in_which_time_ran_out_before_the_first_decision_keeps_its_result() -> None:
    match = seated(terms(FRIEND, clock=MINUTE_CLOCK))
    match.apply(Event(3, Kind.FLAG, 0, NOW + 60 * SECOND, "", clocks=(0, 60 * SECOND)))
    assert (match.status().ending, match.status().winner) == (Termination.TIME, 1)
    assert match.clocks(NOW + DAY) == (0, 60 * SECOND)
