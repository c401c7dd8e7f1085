"""How games end, and how the next one begins."""

import pytest

from patchwork.notation.record import Termination
from patchwork.server import wire
from patchwork.server.game.events import Kind
from patchwork.server.game.match import Refusal, Sitting
from patchwork.server.game.terms import Opponent
from patchwork.server.wire import Code
from server.courses import (
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
def test_who_resigns_loses_whosever_turn_it_is(resigning: str, winner: int, moves: int) -> None:
    course = decisions(begun(FRIEND), moves)
    do(course, wire.Resign, resigning)
    standing = course.standing()
    assert (standing.ending, standing.winner) == (Termination.RESIGNED, winner)
    assert (standing.turn, standing.deadline, standing.tie_break) == (None, None, False)


@pytest.mark.parametrize("moves", [0, 1, 2])
def test_before_one_screen_the_seat_to_decide_resigns(moves: int) -> None:
    course = decisions(begun(SCREEN), moves)
    turn = course.turn
    assert do(course, wire.Resign).seat == turn
    assert course.standing().winner != turn


@pytest.mark.parametrize(
    ("gone", "asker", "allowed"),
    [
        ({1}, ANN, True),
        ({0}, BOB, True),
        ({0}, ANN, False),
        ({1}, BOB, False),
        (set(), ANN, False),
        ({0, 1}, ANN, True),
    ],
)
def test_the_win_is_claimed_from_a_seat_that_is_gone(
    gone: set[int], asker: str, allowed: bool
) -> None:
    course = decisions(begun(FRIEND), 3)
    if allowed:
        event = do(course, wire.Claim, asker, gone=frozenset(gone))
        assert course.standing().winner == event.seat == (0 if asker == ANN else 1)
        assert course.standing().ending is Termination.LEFT
    else:
        with pytest.raises(Refusal) as refused:
            do(course, wire.Claim, asker, gone=frozenset(gone))
        assert refused.value.code is Code.NOT_GONE


def test_before_one_screen_nothing_can_be_claimed() -> None:
    with pytest.raises(Refusal) as refused:
        do(begun(SCREEN), wire.Claim, gone=BOTH_GONE)
    assert refused.value.code is Code.NOT_GONE


def test_an_aborted_game_has_no_winner() -> None:
    standing = aborted(decisions(begun(FRIEND), 1)).standing()
    assert (standing.ending, standing.winner) == (Termination.ABORTED, None)


def test_both_have_moved_only_while_their_moves_stand() -> None:
    course = decisions(begun(SCREEN), 2)
    do(course, wire.Undo)
    assert do(course, wire.Abort).kind is Kind.ABORT


def test_a_game_played_out_stands_as_the_rules_say() -> None:
    course = played_out(begun(FRIEND))
    assert course.game is not None
    outcome = course.game.position.outcome
    assert outcome is not None
    standing = course.standing()
    assert (standing.winner, standing.scores) == (outcome.winner, outcome.scores)
    assert standing.tie_break is outcome.tie_break
    assert standing.ending is Termination.PLAYED_OUT


# Rematch


@pytest.mark.parametrize("circle", ["same", "new"])
@pytest.mark.parametrize("opponent", [COMPUTER, SCREEN])
def test_alone_one_has_a_rematch_at_once(opponent: Opponent, circle: str) -> None:
    event = do(resigned(begun(opponent)), wire.Rematch, circle=circle)
    assert (event.kind, event.data) == (Kind.NEXT, circle)


@pytest.mark.parametrize("circle", ["same", "new"])
def test_with_a_friend_the_wish_of_the_one_who_asks_first_counts(circle: str) -> None:
    course = resigned(begun(FRIEND))
    other = "new" if circle == "same" else "same"
    assert do(course, wire.Rematch, BOB, circle=circle).kind is Kind.REMATCH
    assert course.wishes == {1: circle}
    event = do(course, wire.Rematch, ANN, circle=other)
    assert (event.kind, event.data) == (Kind.NEXT, circle)


# Leaving for good


@pytest.mark.parametrize(
    ("moves", "kind", "winner"), [(0, Kind.ABORT, None), (1, Kind.ABORT, None), (2, Kind.RESIGN, 1)]
)
def test_who_leaves_for_good_gives_up(moves: int, kind: Kind, winner: int | None) -> None:
    course = decisions(begun(FRIEND), moves)
    event = course.give_up(ANN, NOW)
    assert event is not None
    course.apply(event)
    assert (event.kind, course.standing().winner) == (kind, winner)
    assert course.give_up(ANN, NOW) is None


def test_nobody_sits_where_somebody_is_forgotten() -> None:
    course = resigned(begun(FRIEND))
    do(course, wire.Rematch, ANN)
    course.apply(course.forget(ANN))
    assert course.seats == [Sitting(None, ""), Sitting(BOB, "Bob")]
    assert course.events[-1].at == course.events[-2].at
    assert (course.seats_of(ANN), course.seats_of(BOB), course.wishes) == ([], [1], {})
    with pytest.raises(Refusal) as refused:
        do(course, wire.Rematch, BOB)
    assert refused.value.code is Code.NOT_BEGUN


def test_before_one_screen_both_are_forgotten() -> None:
    course = resigned(begun(SCREEN))
    course.apply(course.forget(ANN))
    assert course.seats == [Sitting(None, "")] * 2


def test_what_crosses_somebody_leaving_is_not_stale() -> None:
    course = resigned(begun(FRIEND))
    wish = action(course, wire.Rematch)
    course.apply(course.forget(ANN))
    with pytest.raises(Refusal) as refused:
        course.respond(wish, BOB, NOW)
    assert refused.value.code is Code.NOT_BEGUN
