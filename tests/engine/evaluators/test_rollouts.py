"""The rollout evaluator: its heuristics, its candidates and its evaluations."""

from collections.abc import Callable
from functools import partial
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import patchwork as pw
from engine.kernel.lockstep import early, late, miser, tailor, whim
from patchwork.engine.evaluators import rollouts
from patchwork.engine.evaluators.evaluator import CANDIDATES, Evaluation, Positions, new_evaluation
from patchwork.engine.evaluators.rollouts import RolloutEvaluator
from patchwork.engine.kernel import rules
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.state import PASS, from_position, to_move, to_position
from support.positions import FULL, HOME, MIDDLE, START, VALID, swapped
from support.quilts import LONGEST, quilt, table

Move = pw.Advance | pw.Buy | pw.Leather
SIGHT = 4


def workspace() -> NDArray[np.int64]:
    return np.empty((rollouts.WORKSPACE, LANES), np.int64)


def seeded(seed: int) -> NDArray[np.uint64]:
    return np.array([2 * seed + 1], np.uint64)


def on_the_way(
    seed: int, begin: Callable[[Random], pw.Position], care: float, moves: int
) -> pw.Position:
    """Returns an unfinished position some moves into a game."""
    random = Random(seed)
    position = begin(random)
    for _ in range(moves):
        legal = position.legal_moves()
        style = tailor if random.random() < care else whim
        after = position.play(style(random, position, legal))
        if after.outcome is not None:
            break
        position = after
    return position


some_positions = st.one_of(
    st.sampled_from(
        [
            pw.Position.parse(text)
            for valid in VALID.values()
            for text in (valid, swapped(valid))
            if ":over" not in text
        ]
    ),
    st.builds(
        on_the_way,
        seed=st.integers(0, 2**32),
        begin=st.sampled_from([early, late]),
        care=st.sampled_from([0.0, 0.5, 1.0]),
        moves=st.integers(0, 50),
    ),
)
many = settings(deadline=None, max_examples=100)


def candidates(position: pw.Position, most: int = SIGHT) -> list[tuple[Move, float]]:
    state, circle = from_position(position)
    moves = np.zeros(CANDIDATES, np.int64)
    priors = np.zeros(CANDIDATES)
    count = rollouts.candidates(state, circle, most, moves, priors, workspace())
    return [(to_move(int(moves[n])), float(priors[n])) for n in range(count)]


def cells(move: Move) -> int:
    match move:
        case pw.Buy(_, covered):
            return covered
        case pw.Leather(cell):
            return 1 << cell
    return 0


def touching(covered: int, filled: int) -> int:
    """Counts the sides of a piece that lie at a filled space or at the edge of the board."""

    def taken(r: int, c: int) -> bool:
        return not (0 <= r < 9 and 0 <= c < 9) or bool(filled >> (9 * r + c) & 1)

    sides = 0
    for cell in range(81):
        if covered >> cell & 1:
            r, c = divmod(cell, 9)
            sides += taken(r - 1, c) + taken(r + 1, c) + taken(r, c - 1) + taken(r, c + 1)
    return sides


def patch_of(move: Move) -> int | None:
    return move.patch if isinstance(move, pw.Buy) else None


@given(some_positions, st.integers(1, 12))
@many
def test_candidates_are_legal_and_different_and_few(position: pw.Position, most: int) -> None:
    moves = [move for move, _ in candidates(position, most)]
    legal = position.legal_moves()
    assert set(moves) <= set(legal)
    assert len(moves) == len(set(moves)) >= 1
    if position.phase is pw.Phase.LEATHER:
        assert len(moves) == min(most, len(legal))
    else:
        assert moves[0] == pw.Advance()
        for patch in {patch_of(move) for move in legal[1:]}:
            places = sum(patch_of(move) == patch for move in legal)
            assert sum(patch_of(move) == patch for move in moves) == min(most, places)


@given(some_positions)
@many
def test_priors_are_positive_and_sum_to_one(position: pw.Position) -> None:
    priors = [prior for _, prior in candidates(position)]
    assert min(priors) > 0
    assert sum(priors) == pytest.approx(1)


@given(some_positions)
@many
def test_candidates_are_the_places_that_touch_most_and_tighter_ones_come_first(
    position: pw.Position,
) -> None:
    filled = position.players[position.turn].quilt
    chosen = candidates(position)
    legal = [move for move in position.legal_moves() if move != pw.Advance()]
    for patch in {patch_of(move) for move in legal}:
        here = [
            (touching(cells(move), filled), prior)
            for move, prior in chosen
            if patch_of(move) == patch and move != pw.Advance()
        ]
        every = [touching(cells(move), filled) for move in legal if patch_of(move) == patch]
        assert [contact for contact, _ in here] == sorted(every, reverse=True)[:SIGHT]
        assert [prior for _, prior in here] == sorted((prior for _, prior in here), reverse=True)


def test_a_hole_of_the_right_shape_is_the_first_candidate() -> None:
    board = """
        #########
        ####..###
        ###..####
        #########
        #########
        .........
        .........
        .........
        .........
    """
    zigzag = next(patch for patch in pw.PATCHES if patch.rows in ((".##", "##."), ("##.", ".##")))
    others = tuple(patch.id for patch in pw.PATCHES if patch.id != zigzag.id)
    me = pw.Player(quilt(board), buttons=20, time=10)
    position = table(me, pw.Player(time=11), circle=(zigzag.id, *others))
    first = next(move for move, _ in candidates(position) if patch_of(move) == zigzag.id)
    hole = quilt(FULL_BOARD) & ~quilt(board) & ((1 << 45) - 1)
    assert first == pw.Buy(zigzag.id, hole)


FULL_BOARD = "\n".join(["#########"] * 9)


def test_on_a_full_quilt_only_the_advance_is_left() -> None:
    position = pw.Position.parse(FULL)
    full = next(player for player in position.players if player.quilt == (1 << 81) - 1)
    alone = table(full, pw.Player(time=47), circle=position.circle)
    assert candidates(alone) == [(pw.Advance(), 1.0)]


def move_between(before: pw.Position, after: pw.Position) -> Move:
    """Returns the only move that could have led from one position to the other."""
    sewn = after.players[before.turn].quilt ^ before.players[before.turn].quilt
    if before.phase is pw.Phase.LEATHER:
        assert sewn.bit_count() == 1
        return pw.Leather(sewn.bit_length() - 1)
    gone = set(before.circle) - set(after.circle)
    if not gone:
        assert sewn == 0
        return pw.Advance()
    (patch,) = gone
    return pw.Buy(patch, sewn)


@given(some_positions, st.integers(0, 7), st.integers(0, 2**32))
@many
def test_a_rollout_follows_the_rules_to_the_end(
    position: pw.Position, style: int, seed: int
) -> None:
    state, circle = from_position(position)
    random, scratch = seeded(seed), workspace()
    for _ in range(LONGEST):
        rollouts.play_heuristically(state, circle, style, random, scratch)
        after = to_position(state, circle, position.edition)
        assert position.play(move_between(position, after)) == after
        position = after
        if position.outcome is not None:
            return
    raise AssertionError("the playout does not end")


@given(some_positions, st.integers(0, 2**32))
@many
def test_a_rollout_ends_the_same_way_every_time(position: pw.Position, seed: int) -> None:
    def ending() -> pw.Position:
        state, circle = from_position(position)
        rollouts.play_out(state, circle, seeded(seed), workspace())
        return to_position(state, circle, position.edition)

    end = ending()
    assert end.phase is pw.Phase.OVER
    assert [player.time for player in end.players] == [53, 53]
    assert end == ending()


def evaluated(
    evaluator: RolloutEvaluator,
    positions: list[pw.Position],
    first: int = 0,
    size: int | None = None,
) -> Evaluation:
    """Evaluates positions that share a circle, in one piece or in pieces of a size."""
    states = np.array([from_position(position)[0] for position in positions])
    circle = from_position(positions[0])[1]
    out = new_evaluation(len(positions))
    whole = Positions(states, circle, states[0], first)
    step = size or len(positions)
    for start in range(0, len(positions), step):
        evaluator.evaluate(whole.part(start, start + step), out.part(start, start + step))
    return out


def same(one: Evaluation, two: Evaluation) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_evaluations_depend_on_seed_and_number_but_not_on_batches_or_threads() -> None:
    positions = [pw.Position.parse(MIDDLE)] * 37
    whole = evaluated(RolloutEvaluator(1), positions)
    assert same(whole, evaluated(RolloutEvaluator(1), positions))
    assert same(whole, evaluated(RolloutEvaluator(1), positions, size=5))
    assert same(whole, evaluated(RolloutEvaluator(1, threads=2), positions))
    assert same(whole, evaluated(RolloutEvaluator(1, threads=3), positions, size=16))
    assert same(whole.part(10, 37), evaluated(RolloutEvaluator(1), positions[10:], first=10))
    assert not same(whole, evaluated(RolloutEvaluator(2), positions))
    assert not same(whole, evaluated(RolloutEvaluator(1), positions, first=37))


def test_an_evaluation_has_the_winner_and_the_margin() -> None:
    for text in (START, MIDDLE, swapped(MIDDLE)):
        out = evaluated(RolloutEvaluator(5), [pw.Position.parse(text)] * 64)
        assert set(out.values[:, 0].tolist()) <= {0.0, 1.0}
        for win, margin in out.values.tolist():
            assert margin == 0 or (win == 1) == (margin > 0)
        assert len(set(out.values[:, 1].tolist())) > 10  # different playouts


def test_where_nothing_is_left_to_choose_the_value_is_the_true_one() -> None:
    position = pw.Position.parse(HOME)
    poor = pw.Player(position.players[0].quilt, 0, position.players[0].income, 52)
    forced = pw.Position(
        position.edition, 0, position.phase, (poor, position.players[1]), (1, 3, 4), (), None, 1
    )
    assert forced.legal_moves() == [pw.Advance()]
    scores = forced.play(pw.Advance()).scores
    out = evaluated(RolloutEvaluator(0), [forced] * 8)
    win = float(scores[0] > scores[1])
    assert out.values.tolist() == [[win, scores[0] - scores[1]]] * 8
    assert out.counts.tolist() == [1] * 8
    assert out.moves[:, 0].tolist() == [PASS] * 8


def test_noise_changes_the_points_and_so_the_winner() -> None:
    positions = [pw.Position.parse(HOME)] * 4000
    clear = evaluated(RolloutEvaluator(3), positions).values
    blurred = evaluated(RolloutEvaluator(3, noise=10.0), positions).values
    errors = blurred[:, 1] - clear[:, 1]
    assert abs(errors.mean()) < 0.6
    assert 9 < errors.std() < 11
    assert ((blurred[:, 0] == 1) == (blurred[:, 1] > 0)).all()


def test_only_so_many_placements_of_each_patch_are_considered() -> None:
    position = pw.Position.parse(START)
    affordable = len({patch_of(move) for move in position.legal_moves()[1:]})
    for most in (1, 3, 4):
        out = evaluated(RolloutEvaluator(0, placements_per_patch=most), [position])
        assert out.counts.tolist() == [1 + most * affordable]


@pytest.mark.parametrize("pair", [(whim, 85), (miser, 85)], ids=["whim", "miser"])
def test_the_heuristics_beat_careless_play(pair: tuple[Callable[..., Move], int]) -> None:
    careless, least = pair
    wins = 0
    for number in range(100):
        chance, random = Random(number), seeded(number)
        position = early(chance)
        state, circle = from_position(position)
        convert = partial(to_position, circle=circle, edition=position.edition)
        while position.outcome is None:
            if position.turn == number % 2:
                rollouts.play_heuristically(state, circle, 4, random, workspace())
                position = convert(state)
            else:
                position = position.play(careless(chance, position, position.legal_moves()))
                state, circle = from_position(position)
                convert = partial(to_position, circle=circle, edition=position.edition)
        wins += rules.winner(state) == number % 2
    assert wins >= least
