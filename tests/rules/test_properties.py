"""Properties of every game (F1 to F5 of ``docs/rules.md``), and positions as values."""

import dataclasses
import pickle
from functools import partial
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.patches import PATCHES, turned
from patchwork.rules.quilt import places
from support.quilts import CIRCLE, LONGEST, lay, table

INCOME = (5, 11, 17, 23, 29, 35, 41, 47, 53)
FULL = (1 << 81) - 1
whole_games = settings(deadline=None, max_examples=100)


def played(seed: int, edition: pw.Edition, first: int, care: float) -> pw.Game:
    """Returns a whole game; with more care, more patches are bought and fit better."""
    chance = Random(seed)
    game = pw.Game(pw.Setup.random(seed, edition, first))
    while moves := game.position.legal_moves():
        assert len(game.moves) < LONGEST
        move = chance.choice(moves)
        if len(moves) > 1 and chance.random() < care:
            quilt = game.position.players[game.position.turn].quilt
            move = min(moves[1:], key=partial(ragged, quilt))
        game.push(move)
    return game


def ragged(quilt: int, move: pw.Advance | pw.Buy | pw.Leather) -> int:
    """Returns how many empty spaces border on filled ones after a move, minus those it fills."""
    cells = move.cells if isinstance(move, pw.Buy) else 0
    if isinstance(move, pw.Leather):
        cells = 1 << move.cell
    filled = quilt | cells
    left, right = FULL // 511, FULL // 511 << 8  # the outer columns
    border = filled << 9 | filled >> 9 | (filled & ~right) << 1 | (filled & ~left) >> 1
    return (border & FULL & ~filled).bit_count() - cells.bit_count()


games = st.builds(
    played,
    seed=st.integers(0, 2**53 - 1),
    edition=st.sampled_from([pw.CLASSIC, pw.REVISED]),
    first=st.integers(0, 1),
    care=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
)


def test_the_games_include_rare_events() -> None:
    """Without tiles, leather and tokens stopped on 53, the tests below would prove little."""
    careful = [played(seed, pw.CLASSIC, 0, 1.0) for seed in range(20)]
    assert {game.position.tile for game in careful} == {None, 0, 1}
    assert any(len(game.position.circle) < 7 for game in careful)
    assert any(
        before.players[before.turn].time + pw.PATCHES[move.patch].time > 53
        for game in careful
        for before, move in zip(game.positions(), game.moves, strict=False)
        if isinstance(move, pw.Buy)
    )


@whole_games
@given(games)
def test_F1_no_lead_exceeds_6_and_no_advance_7(game: pw.Game) -> None:
    for position in game.positions():
        assert abs(position.players[0].time - position.players[1].time) <= 6
    for (before, after), move in zip(pairwise(game.positions()), game.moves, strict=True):
        if isinstance(move, pw.Advance):
            seat = before.turn
            assert 1 <= after.players[seat].time - before.players[seat].time <= 7


def test_F1_both_limits_are_reached() -> None:
    start = pw.Setup((8, *range(1, 8), *range(9, 33), 0)).start()
    ahead = start.play(lay(8))
    assert ahead.players[0].time - ahead.players[1].time == 6
    assert ahead.play(pw.Advance()).players[1].time == 7


@whole_games
@given(games)
def test_F2_a_move_takes_one_leather_patch_at_most_and_then_the_other_player_moves(
    game: pw.Game,
) -> None:
    for before, after in pairwise(game.positions()):
        assert len(before.leather) - len(after.leather) in (0, 1)
        if after.leather != before.leather:
            me, other = after.players[before.turn], after.players[1 - before.turn]
            assert me.time > other.time
        if after.phase is pw.Phase.LEATHER:
            assert after.turn == before.turn
            assert [player.time for player in after.players] != [53, 53]
        if before.phase is pw.Phase.LEATHER:
            assert (after.turn, after.phase) == (1 - before.turn, pw.Phase.TURN)


def test_F3_all_patches_are_larger_than_two_quilts() -> None:
    assert sum(patch.size for patch in pw.PATCHES) == 166 > 2 * 81


@whole_games
@given(games)
def test_F3_the_circle_is_never_empty(game: pw.Game) -> None:
    assert all(position.circle for position in game.positions())
    assert all(position.offer for position in game.positions())


@whole_games
@given(games)
def test_F4_the_same_moves_lead_to_the_same_end(game: pw.Game) -> None:
    again = pw.Game(game.setup)
    for move in game.moves:
        again.push(move)
    assert again.positions() == game.positions()
    end = game.position
    assert end.phase is pw.Phase.OVER
    assert [player.time for player in end.players] == [53, 53]
    assert end.outcome is not None
    assert len(game.moves) <= LONGEST


@whole_games
@given(games)
def test_F5_time_runs_forward_quilts_fill_and_the_circle_shrinks_by_one(game: pw.Game) -> None:
    for (before, after), move in zip(pairwise(game.positions()), game.moves, strict=True):
        me, then = after.players[before.turn], before.players[before.turn]
        assert after.players[1 - before.turn] == before.players[1 - before.turn]
        assert me.buttons >= 0
        assert me.quilt & then.quilt == then.quilt
        assert me.quilt >> 81 == 0
        match move:
            case pw.Buy(patch, cells):
                assert set(before.circle) - set(after.circle) == {patch}
                assert len(after.circle) == len(before.circle) - 1
                assert me.quilt == then.quilt + cells
                assert me.time > then.time
            case pw.Leather(cell):
                assert after.circle == before.circle
                assert me.quilt == then.quilt + (1 << cell)
                assert me.time == then.time
            case _:
                assert after.circle == before.circle
                assert me.quilt == then.quilt
                assert me.time > then.time


@whole_games
@given(games)
def test_a_game_is_paid_for_by_what_it_earned(game: pw.Game) -> None:
    """Sums over a whole game, computed without the code that pays each move."""
    for seat in (0, 1):
        layout = game.layout(seat)
        player = game.position.players[seat]
        patches = [pw.PATCHES[patch] for patch, _ in layout if patch is not None]
        assert player.quilt.bit_count() == sum(cells.bit_count() for _, cells in layout)
        assert player.income == sum(patch.income for patch in patches)
        earned = 0
        for (before, after), move in zip(pairwise(game.positions()), game.moves, strict=True):
            if before.turn == seat:
                start, end = before.players[seat].time, after.players[seat].time
                crossed = sum(start < line <= end for line in INCOME)
                earned += crossed * after.players[seat].income
                earned += (end - start) * isinstance(move, pw.Advance)
        assert player.buttons == 5 + earned - sum(patch.cost for patch in patches)


@settings(deadline=None, max_examples=15)
@given(games)
def test_legal_moves_are_distinct_and_those_that_play_accepts(game: pw.Game) -> None:
    chance = Random(len(game.moves))
    for position, played_move in zip(game.positions(), game.moves, strict=False):
        moves = position.legal_moves()
        assert len(set(moves)) == len(moves)
        assert played_move in moves
        for move in chance.sample(moves, min(5, len(moves))):
            position.play(move)
        patch = chance.randrange(33)
        for cells in chance.sample(pw.PATCHES[patch].placements, 5):
            purchase = pw.Buy(patch, cells)
            if purchase not in moves:
                with pytest.raises(pw.IllegalMove):
                    position.play(purchase)


@settings(deadline=None, max_examples=15)
@given(games)
def test_the_repr_of_a_position_can_be_evaluated(game: pw.Game) -> None:
    for position in game.positions():
        assert eval(repr(position), {"Position": pw.Position}) == position


def test_the_text_of_a_position() -> None:
    start = pw.Setup(CIRCLE, first=1).start()
    text = (
        "classic 1:turn 9/9/9/9/9/9/9/9/9 b5,i0,t0 9/9/9/9/9/9/9/9/9 b5,i0,t0"
        " leather=20,26,32,44,50 tile=- home=- circle="
        "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,0"
    )
    assert str(start) == text
    assert repr(start) == f"Position.parse('{text}')"
    assert pw.Position.parse(text) == start


def test_the_phases_have_these_names() -> None:
    assert {phase.name: phase.value for phase in pw.Phase} == {
        "TURN": "turn",
        "LEATHER": "leather",
        "OVER": "over",
    }


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (pw.Setup(CIRCLE).start(), "turn"),
        (pw.Setup(CIRCLE), "first"),
        (pw.Player(), "time"),
        (pw.PATCHES[0], "cost"),
        (pw.CLASSIC, "name"),
        (pw.Outcome(0, (1, 1), tie_break=True), "winner"),
        (pw.Buy(0, 3), "cells"),
        (pw.Leather(0), "cell"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_are_frozen_slotted_hashable_and_copied_by_pickle(value: object, field: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, 1)
    assert not hasattr(value, "__dict__")
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert hash(again) == hash(value)
    assert len({again, value}) == 1


def test_an_advance_is_a_value_too() -> None:
    assert pw.Advance() == pw.Advance()
    assert len({pw.Advance(), pw.Advance()}) == 1
    assert not hasattr(pw.Advance(), "__dict__")


def test_moves_show_their_notation() -> None:
    assert str(pw.Advance()) == "A"
    assert str(pw.Leather(9 * 3 + 2)) == "Lc4"
    assert str(lay(17, 3, 2)) == "17Ac4"


def test_positions_differ_when_any_part_of_the_state_does() -> None:
    start = pw.Setup(CIRCLE).start()
    others = [
        dataclasses.replace(start, edition=pw.REVISED),
        dataclasses.replace(start, turn=1),
        dataclasses.replace(start, phase=pw.Phase.LEATHER),
        dataclasses.replace(start, players=(pw.Player(time=1), pw.Player())),
        dataclasses.replace(start, circle=(2, 1, *CIRCLE[2:])),
        dataclasses.replace(start, leather=pw.CLASSIC.leather[1:]),
        dataclasses.replace(start, tile=0),
        dataclasses.replace(start, first_home=0),
    ]
    assert len({start, *others}) == 1 + len(others)


def test_positions_reached_by_different_orders_of_moves_are_equal() -> None:
    me, other = pw.Player(buttons=9, time=40), pw.Player(time=43)
    position = table(me, other, circle=(23, 0, 5))
    one_way = position.play(lay(23)).play(lay(0, 5))
    other_way = position.play(lay(0, 5)).play(lay(23))
    assert one_way == other_way
    assert hash(one_way) == hash(other_way)
    assert one_way.circle == (5,)
    assert one_way.players[0].time == 42


def test_no_position_has_more_legal_moves_than_said() -> None:
    counts = [
        len({mask for rows in turned(patch.rows) for mask in places(rows).values()})
        for patch in PATCHES
    ]
    assert 1 + sum(sorted(counts)[-3:]) == MOST_LEGAL_MOVES
