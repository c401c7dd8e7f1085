"""What is taken back, by whom, and over what."""

import pytest

from patchwork.rules.position import Phase
from patchwork.server import wire
from patchwork.server.game.events import Kind
from patchwork.server.game.match import LONGEST, Refusal
from patchwork.server.game.terms import Opponent
from patchwork.server.wire import Code
from server.courses import (
    ANN,
    BOB,
    COMPUTER,
    FRIEND,
    SCREEN,
    asked,
    begun,
    decide,
    decisions,
    do,
    played_out,
    seated,
    terms,
)


def test_undo_against_the_computer_goes_back_over_its_replies() -> None:
    course = seated(terms(COMPUTER))
    decide(course)
    assert course.computer_decides
    decide(course)
    decide(course)
    moves = course.game.moves if course.game else ()
    decide(course)  # the computer
    event = do(course, wire.Undo)
    assert (event.kind, event.data) == (Kind.TAKEBACK, "2")
    assert course.game is not None
    assert course.game.moves == moves[:2]
    assert course.turn == 0
    assert do(course, wire.Undo).data == "0"
    with pytest.raises(Refusal) as refused:
        do(course, wire.Undo)
    assert refused.value.code is Code.NOTHING_TO_UNDO


def test_undo_while_the_computer_thinks_takes_the_last_decision_back() -> None:
    course = decisions(begun(COMPUTER), 1)
    assert course.computer_decides
    do(course, wire.Undo)
    assert course.turn == 0


@pytest.mark.parametrize("opponent", [SCREEN, FRIEND])
def test_no_log_grows_without_end(opponent: Opponent) -> None:
    course = decisions(begun(opponent), 1)
    while course.seq < LONGEST:
        do(course, wire.Undo)
        if opponent is FRIEND:
            do(course, wire.Decline, BOB)
        else:
            decide(course)
    with pytest.raises(Refusal) as refused:
        do(course, wire.Undo)
    assert refused.value.code is Code.TOO_MANY
    assert LONGEST <= played_out(course).seq < LONGEST + 100


def test_what_the_computer_alone_has_decided_cannot_be_undone() -> None:
    course = decisions(seated(terms(COMPUTER, first=1)), 1)
    with pytest.raises(Refusal) as refused:
        do(course, wire.Undo)
    assert refused.value.code is Code.NOTHING_TO_UNDO


def test_undo_on_one_screen_takes_the_last_decision_back_whosever_it_was() -> None:
    course = decisions(begun(SCREEN), 5)
    for left in range(4, -1, -1):
        assert do(course, wire.Undo).data == str(left)
        assert course.turn == left % 2
    with pytest.raises(Refusal):
        do(course, wire.Undo)


@pytest.mark.parametrize("opponent", [COMPUTER, SCREEN])
def test_a_leather_patch_is_taken_back_without_the_move_that_brought_it(opponent: Opponent) -> None:
    course = decisions(seated(terms(opponent, first=1)), 20)
    assert course.game is not None
    position = course.game.position
    assert (position.phase, position.turn) == (Phase.LEATHER, 0)
    decide(course)
    assert do(course, wire.Undo).data == "20"
    assert course.game.position == position
    assert do(course, wire.Undo).data == "19"
    assert (course.game.position.phase, course.turn) == (Phase.TURN, 0)


def test_with_a_friend_the_askers_last_decision_is_taken_back_over_all_that_followed() -> None:
    course = decisions(begun(FRIEND), 4)
    assert course.turn == 0
    do(course, wire.Undo, ANN)
    assert course.asking == 0
    event = do(course, wire.Accept, BOB)
    assert (event.kind, event.seat, event.data) == (Kind.TAKEBACK, 1, "2")
    assert course.turn == 0
    assert course.asking is None


def test_a_declined_request_may_be_repeated() -> None:
    course = decisions(begun(FRIEND), 2)
    do(course, wire.Undo, BOB)
    do(course, wire.Decline, ANN)
    assert course.asking is None
    do(course, wire.Undo, BOB)
    assert do(course, wire.Accept, ANN).data == "1"


def test_a_request_ends_with_the_game() -> None:
    course = asked(begun(FRIEND))
    do(course, wire.Resign, BOB)
    assert course.asking is None
