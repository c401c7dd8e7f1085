"""How games end, and how the next one begins."""

import pytest

from patchwork.notation.record import Termination
from patchwork.server.game import actions
from patchwork.server.game.events import Kind
from patchwork.server.game.match import Occupant
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import Opponent
from server.support.matches import (
    ANN,
    BOB,
    BOTH_GONE,
    COMPUTER,
    FRIEND,
    NOW,
    SCREEN,
    aborted,
    action,
    begun,
    decisions,
    do,
    played_out,
    resigned,
)


@pytest.mark.parametrize(("resigning", "winner"), [(ANN, 1), (BOB, 0)])
@pytest.mark.parametrize("moves", [0, 1, 2])
def test_the_player_who_resigns_loses_regardless_of_the_turn(
    resigning: str, winner: int, moves: int
) -> None:
    match = decisions(begun(FRIEND), moves)
    do(match, actions.Resign, resigning)
    status = match.status()
    assert (status.ending, status.winner) == (Termination.RESIGNED, winner)
    assert (status.turn, status.deadline, status.tie_break) == (None, None, False)


@pytest.mark.parametrize("moves", [0, 1, 2])
def test_on_a_shared_screen_the_seat_to_move_resigns(moves: int) -> None:
    match = decisions(begun(SCREEN), moves)
    turn = match.turn
    assert do(match, actions.Resign).seat == turn
    assert match.status().winner != turn


@pytest.mark.parametrize(
    ("gone", "requester", "allowed"),
    [
        ({1}, ANN, True),
        ({0}, BOB, True),
        ({0}, ANN, False),
        ({1}, BOB, False),
        (set(), ANN, False),
        ({0, 1}, ANN, True),
    ],
)
def test_only_the_opponent_of_an_absent_player_may_claim_the_win(
    gone: set[int], requester: str, allowed: bool
) -> None:
    match = decisions(begun(FRIEND), 3)
    if allowed:
        event = do(match, actions.ClaimWin, requester, gone=frozenset(gone))
        assert match.status().winner == event.seat == (0 if requester == ANN else 1)
        assert match.status().ending is Termination.LEFT
    else:
        with pytest.raises(Refusal) as refused:
            do(match, actions.ClaimWin, requester, gone=frozenset(gone))
        assert refused.value.code is Code.NOT_GONE


@pytest.mark.parametrize("moves", [0, 1])
@pytest.mark.parametrize("claimer", [ANN, BOB])
def test_no_win_is_claimed_before_both_have_moved(claimer: str, moves: int) -> None:
    match = decisions(begun(FRIEND), moves)
    event = do(match, actions.ClaimWin, claimer, gone=BOTH_GONE)
    assert (event.kind, match.status().winner) == (Kind.ABORT, None)


def test_on_a_shared_screen_the_win_cannot_be_claimed() -> None:
    with pytest.raises(Refusal) as refused:
        do(begun(SCREEN), actions.ClaimWin, gone=BOTH_GONE)
    assert refused.value.code is Code.NOT_GONE


def test_an_aborted_game_has_no_winner() -> None:
    status = aborted(decisions(begun(FRIEND), 1)).status()
    assert (status.ending, status.winner) == (Termination.ABORTED, None)


def test_a_game_can_be_aborted_again_after_a_move_is_taken_back() -> None:
    match = decisions(begun(SCREEN), 2)
    do(match, actions.Undo)
    assert do(match, actions.Abort).kind is Kind.ABORT


def test_the_result_of_a_finished_game_follows_the_rules() -> None:
    match = played_out(begun(FRIEND))
    assert match.game is not None
    outcome = match.game.position.outcome
    assert outcome is not None
    status = match.status()
    assert (status.winner, status.scores) == (outcome.winner, outcome.scores)
    assert status.tie_break is outcome.tie_break
    assert status.ending is Termination.PLAYED_OUT


# Rematch


@pytest.mark.parametrize("circle", ["same", "new"])
@pytest.mark.parametrize("opponent", [COMPUTER, SCREEN])
def test_a_rematch_without_a_friend_begins_at_once(opponent: Opponent, circle: str) -> None:
    event = do(resigned(begun(opponent)), actions.Rematch, circle=circle)
    assert (event.kind, event.data) == (Kind.NEXT, circle)


@pytest.mark.parametrize("circle", ["same", "new"])
def test_the_first_player_to_ask_for_a_rematch_chooses_the_circle(circle: str) -> None:
    match = resigned(begun(FRIEND))
    other = "new" if circle == "same" else "same"
    assert do(match, actions.Rematch, BOB, circle=circle).kind is Kind.REMATCH
    assert match.rematch_requests == {1: circle}
    event = do(match, actions.Rematch, ANN, circle=other)
    assert (event.kind, event.data) == (Kind.NEXT, circle)


# Deleting a player


@pytest.mark.parametrize(
    ("moves", "kind", "winner"), [(0, Kind.ABORT, None), (1, Kind.ABORT, None), (2, Kind.RESIGN, 1)]
)
def test_deleting_a_player_ends_their_running_game(
    moves: int, kind: Kind, winner: int | None
) -> None:
    match = decisions(begun(FRIEND), moves)
    event = match.give_up(ANN, NOW)
    assert event is not None
    match.apply(event)
    assert (event.kind, match.status().winner) == (kind, winner)
    assert match.give_up(ANN, NOW) is None


def test_a_deleted_player_is_removed_from_the_seat() -> None:
    match = resigned(begun(FRIEND))
    do(match, actions.Rematch, ANN)
    match.apply(match.forget(ANN))
    assert match.seats == [Occupant(None, ""), Occupant(BOB, "Bob")]
    assert match.events[-1].at == match.events[-2].at
    assert (match.seats_of(ANN), match.seats_of(BOB), match.rematch_requests) == ([], [1], {})
    with pytest.raises(Refusal) as refused:
        do(match, actions.Rematch, BOB)
    assert refused.value.code is Code.NOT_BEGUN


def test_deleting_the_player_of_a_shared_screen_clears_both_seats() -> None:
    match = resigned(begun(SCREEN))
    match.apply(match.forget(ANN))
    assert match.seats == [Occupant(None, "")] * 2


def test_an_action_that_crosses_a_deletion_is_not_stale() -> None:
    match = resigned(begun(FRIEND))
    rematch = action(match, actions.Rematch)
    match.apply(match.forget(ANN))
    with pytest.raises(Refusal) as refused:
        match.respond(rematch, BOB, NOW)
    assert refused.value.code is Code.NOT_BEGUN
