"""Taking back moves: which ones, and at whose request."""

import pytest

from patchwork.rules.position import Phase
from patchwork.server.game import actions
from patchwork.server.game.events import Kind
from patchwork.server.game.match import UNDO_LIMIT
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import Opponent
from server.support.matches import (
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


def test_undo_against_the_computer_takes_back_its_replies_too() -> None:
    match = seated(terms(COMPUTER))
    decide(match)
    assert match.computer_decides
    decide(match)
    decide(match)
    moves = match.game.moves if match.game else ()
    decide(match)  # the computer
    event = do(match, actions.Undo)
    assert (event.kind, event.data) == (Kind.TAKEBACK, "2")
    assert match.game is not None
    assert match.game.moves == moves[:2]
    assert match.turn == 0
    assert do(match, actions.Undo).data == "0"
    with pytest.raises(Refusal) as refused:
        do(match, actions.Undo)
    assert refused.value.code is Code.NOTHING_TO_UNDO


def test_undo_while_the_computer_thinks_takes_back_the_last_move() -> None:
    match = decisions(begun(COMPUTER), 1)
    assert match.computer_decides
    do(match, actions.Undo)
    assert match.turn == 0


@pytest.mark.parametrize("opponent", [SCREEN, FRIEND])
def test_undo_is_refused_once_the_log_is_too_long(opponent: Opponent) -> None:
    match = decisions(begun(opponent), 1)
    while match.seq < UNDO_LIMIT:
        do(match, actions.Undo)
        if opponent is FRIEND:
            do(match, actions.DeclineUndo, BOB)
        else:
            decide(match)
    with pytest.raises(Refusal) as refused:
        do(match, actions.Undo)
    assert refused.value.code is Code.TOO_MANY
    assert UNDO_LIMIT <= played_out(match).seq < UNDO_LIMIT + 100


def test_moves_of_the_computer_alone_cannot_be_undone() -> None:
    match = decisions(seated(terms(COMPUTER, first=1)), 1)
    with pytest.raises(Refusal) as refused:
        do(match, actions.Undo)
    assert refused.value.code is Code.NOTHING_TO_UNDO


def test_undo_on_a_shared_screen_takes_back_the_last_move_of_either_seat() -> None:
    match = decisions(begun(SCREEN), 5)
    for left in range(4, -1, -1):
        assert do(match, actions.Undo).data == str(left)
        assert match.turn == left % 2
    with pytest.raises(Refusal):
        do(match, actions.Undo)


@pytest.mark.parametrize("opponent", [COMPUTER, SCREEN])
def test_undo_of_a_leather_patch_keeps_the_move_that_won_it(opponent: Opponent) -> None:
    match = decisions(seated(terms(opponent, first=1)), 20)
    assert match.game is not None
    position = match.game.position
    assert (position.phase, position.turn) == (Phase.LEATHER, 0)
    decide(match)
    assert do(match, actions.Undo).data == "20"
    assert match.game.position == position
    assert do(match, actions.Undo).data == "19"
    assert (match.game.position.phase, match.turn) == (Phase.TURN, 0)


def test_an_accepted_undo_takes_back_the_askers_last_move_and_all_later_ones() -> None:
    match = decisions(begun(FRIEND), 4)
    assert match.turn == 0
    do(match, actions.Undo, ANN)
    assert match.asking == 0
    event = do(match, actions.AcceptUndo, BOB)
    assert (event.kind, event.seat, event.data) == (Kind.TAKEBACK, 1, "2")
    assert match.turn == 0
    assert match.asking is None


def test_a_declined_undo_request_may_be_repeated() -> None:
    match = decisions(begun(FRIEND), 2)
    do(match, actions.Undo, BOB)
    do(match, actions.DeclineUndo, ANN)
    assert match.asking is None
    do(match, actions.Undo, BOB)
    assert do(match, actions.AcceptUndo, ANN).data == "1"


def test_an_undo_request_ends_with_the_game() -> None:
    match = asked(begun(FRIEND))
    do(match, actions.Resign, BOB)
    assert match.asking is None
