"""Clauses E1 to E3 and the worked examples W1 to W5 of ``docs/rules.md``."""

import dataclasses
from itertools import pairwise

import pytest

import patchwork as pw
from support.quilts import CIRCLE, FULL, lay, quilt, table, without_purchases

SEATS = pytest.mark.parametrize("seat", [0, 1])
EDITIONS = pytest.mark.parametrize("edition", [pw.CLASSIC, pw.REVISED], ids=lambda e: e.name)
INCOME = (5, 11, 17, 23, 29, 35, 41, 47, 53)


def with_empty(empty: int) -> int:
    """Returns a quilt with this number of empty spaces."""
    return quilt(FULL) >> empty << empty


@SEATS
def test_E1_the_game_ends_when_the_second_token_comes_to_53(seat: int) -> None:
    position = table(pw.Player(buttons=9, time=52), pw.Player(time=52), seat=seat, circle=(3, 0, 1))
    assert (position.first_home, position.outcome) == (None, None)
    one_home = position.play(pw.Advance())
    assert (one_home.turn, one_home.phase) == (1 - seat, pw.Phase.TURN)
    assert (one_home.first_home, one_home.outcome) == (seat, None)
    assert pw.Advance() in one_home.legal_moves()
    for last in (pw.Advance(), lay(3)):
        both_home = one_home.play(last)
        assert (both_home.turn, both_home.phase) == (1 - seat, pw.Phase.OVER)
        assert both_home.first_home == seat
        assert both_home.outcome is not None
        assert both_home.legal_moves() == []


@SEATS
def test_E1_the_second_player_takes_turns_until_home(seat: int) -> None:
    me = pw.Player(buttons=9, time=50)
    position = table(me, pw.Player(time=53), seat=seat, circle=(23, 0, 1))
    for patch, row, time in ((23, 0, 51), (0, 3, 52)):
        position = position.play(lay(patch, row))
        assert (position.turn, position.phase) == (seat, pw.Phase.TURN)
        assert position.players[seat].time == time
        assert position.outcome is None
    assert position.play(pw.Advance()).phase is pw.Phase.OVER


@SEATS
def test_E1_leather_taken_on_the_way_to_53_is_placed_first(seat: int) -> None:
    me, other = pw.Player(buttons=7, time=49), pw.Player(time=49)
    taken = table(me, other, seat=seat, circle=(10, 0)).play(lay(10))  # 6 time, across 50
    assert (taken.turn, taken.phase, taken.first_home) == (seat, pw.Phase.LEATHER, seat)
    sewn = taken.play(pw.Leather(80))
    assert (sewn.turn, sewn.phase, sewn.first_home) == (1 - seat, pw.Phase.TURN, seat)
    over = sewn.play(pw.Advance())
    assert (over.phase, over.first_home) == (pw.Phase.OVER, seat)


@pytest.mark.parametrize(
    ("buttons", "empty", "tile", "score"),
    [
        (0, 0, False, 0),
        (0, 0, True, 7),
        (1, 0, False, 1),
        (0, 1, False, -2),
        (10, 3, True, 11),
        (5, 81, False, -157),
        (0, 81, False, -162),
        (40, 32, True, -17),
    ],
)
@SEATS
def test_E2_buttons_plus_7_for_the_tile_minus_2_for_each_empty_space(
    seat: int, buttons: int, empty: int, tile: bool, score: int
) -> None:
    me, other = pw.Player(with_empty(empty), buttons, 3, 53), pw.Player(with_empty(40), 9, 2, 53)
    over = table(me, other, seat=seat, phase=pw.Phase.OVER, tile=seat if tile else None)
    assert over.scores[seat] == score
    assert over.scores[1 - seat] == 9 - 80
    assert over.outcome is not None
    assert over.outcome.scores == over.scores
    # The same during the game.
    assert dataclasses.replace(over, phase=pw.Phase.TURN).scores == over.scores


@SEATS
@pytest.mark.parametrize(("mine", "yours"), [(7, 6), (30, 6), (6, 7), (6, 30)])
@pytest.mark.parametrize("first_home", [0, 1])
def test_E3_the_higher_score_wins_whoever_was_home_first(
    seat: int, mine: int, yours: int, first_home: int
) -> None:
    me, other = pw.Player(buttons=mine, time=53), pw.Player(buttons=yours, time=53)
    over = dataclasses.replace(
        table(me, other, seat=seat, phase=pw.Phase.OVER), first_home=first_home
    )
    scores = (mine - 162, yours - 162) if seat == 0 else (yours - 162, mine - 162)
    winner = seat if mine > yours else 1 - seat
    assert over.outcome == pw.Outcome(winner, scores, tie_break=False)


@SEATS
@EDITIONS
def test_E3_on_equal_scores_the_first_home_wins(seat: int, edition: pw.Edition) -> None:
    level = table(pw.Player(time=52), pw.Player(time=52), seat=seat, edition=edition)
    over = level.play(pw.Advance()).play(pw.Advance())
    assert over.turn == 1 - seat  # the last to arrive, whose token is on top
    assert over.outcome == pw.Outcome(seat, (6 - 162, 6 - 162), tie_break=True)


@SEATS
@pytest.mark.parametrize(("more", "tie"), [(-1, False), (0, True), (1, False)])
def test_E3_one_button_decides(seat: int, more: int, tie: bool) -> None:
    me, other = pw.Player(buttons=9 + more, time=52), pw.Player(buttons=10, time=53)
    outcome = table(me, other, seat=seat).play(pw.Advance()).outcome
    assert outcome is not None
    assert outcome.tie_break == tie
    assert outcome.winner == (seat if more > 0 else 1 - seat)


@SEATS
def test_W1_14_buttons_the_tile_and_5_empty_spaces_make_11(seat: int) -> None:
    me = pw.Player(with_empty(5), 14, 0, 53)
    over = table(me, pw.Player(time=53), seat=seat, phase=pw.Phase.OVER, tile=seat)
    assert over.scores[seat] == 14 + 7 - 10 == 11


@SEATS
def test_W2_18_buttons_and_2_empty_spaces_make_14_and_win_against_11(seat: int) -> None:
    me, other = pw.Player(with_empty(2), 18, 0, 53), pw.Player(with_empty(5), 14, 0, 53)
    over = table(me, other, seat=seat, phase=pw.Phase.OVER, tile=1 - seat)
    assert (over.scores[seat], over.scores[1 - seat]) == (18 - 4, 11)
    assert over.outcome is not None
    assert over.outcome.winner == seat


@SEATS
def test_W3_a_token_3_behind_advances_4_and_receives_4(seat: int) -> None:
    after = table(pw.Player(time=12), pw.Player(time=15), seat=seat).play(pw.Advance())
    assert after.players[seat] == pw.Player(buttons=5 + 4, time=12 + 4)


@SEATS
@pytest.mark.parametrize(
    ("patch", "again"), [(0, True), (2, True), (6, True), (14, False), (22, False), (8, False)]
)
def test_W4_a_token_3_behind_that_moves_3_or_fewer_moves_again(
    seat: int, patch: int, again: bool
) -> None:
    before = table(pw.Player(time=12), pw.Player(time=15), seat=seat, circle=(patch, 20))
    assert (pw.PATCHES[patch].time <= 3) == again
    assert before.play(lay(patch)).turn == (seat if again else 1 - seat)


def test_W5_a_patch_with_income_2_brings_2_at_every_line_from_then_on() -> None:
    start = pw.Setup((8, *range(1, 8), *range(9, 33), 0)).start()
    bought = start.play(lay(8))  # 4 buttons, 6 time, income 2
    assert bought.players[0] == pw.Player(lay(8).cells, buttons=5 - 4 + 2, income=2, time=6)
    positions = without_purchases(bought)
    for position, following in pairwise(positions):
        before, after = position.players[0], following.players[0]
        crossed = [line for line in INCOME if before.time < line <= after.time]
        assert after.buttons - before.buttons == after.time - before.time + 2 * len(crossed)
    assert positions[-1].players[0].buttons == (5 - 4) + (53 - 6) + 9 * 2


def test_W5_without_income_a_line_brings_nothing() -> None:
    end = without_purchases(pw.Setup(CIRCLE).start())[-1]
    assert [player.buttons for player in end.players] == [5 + 53, 5 + 53]
