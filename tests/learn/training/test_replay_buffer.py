"""Samples say what the games said, however their quilts are turned."""

from collections.abc import Iterator

import numpy as np
import pytest

import patchwork as pw
from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.features import PLANES, SCALARS, SLOTS
from patchwork.engine.evaluators.policy import BIASES
from patchwork.engine.kernel.pieces import framed, unframed
from patchwork.engine.kernel.state import from_move, from_position, to_move
from patchwork.engine.kernel.symmetry import SYMMETRIES, SYMMETRY_CELLS
from patchwork.learn.selfplay.features import new_seen, see
from patchwork.learn.selfplay.games import (
    GIVEN,
    Orchard,
    _remember,
    _tree_of,
    new_evaluations,
    new_orchard,
    new_work,
    sow,
    tend,
)
from patchwork.learn.selfplay.loop import rules_of
from patchwork.learn.selfplay.ranking import rank
from patchwork.learn.training.replay_buffer import (
    LISTED,
    MARGIN,
    RESULTS,
    TURNED_CODES,
    WIN,
    Lesson,
    Samples,
    draw_lesson,
    new_samples,
    turned_quilt,
)
from patchwork.rules.moves import Buy
from patchwork.rules.quilt import CELLS

BATCH = 200


def turned(mask: int, symmetry: int) -> int:
    cells = SYMMETRY_CELLS[symmetry].tolist()
    return sum(1 << cells[cell] for cell in range(CELLS) if mask >> cell & 1)


@pytest.fixture(scope="module")
def samples() -> Samples:
    """Positions of some games played by chance."""
    found = new_samples(2, 500)
    for _ in played(found, spread=0):
        if found.written.min() >= 60:
            break
    return found


def played(found: Samples, spread: int) -> Iterator[Orchard]:
    """Yields eight games played by chance, after each turn of all of them."""
    rules = rules_of(4, 4, trust=0.9)
    orchard, room = new_orchard(8, rules), new_evaluations(8)
    work, seen = new_work(), new_seen(8)
    sow(orchard, room, rules, 5, 1, spread)
    numbers, random = np.random.default_rng(0), np.array([1], np.uint64)
    while True:
        planes = numbers.normal(size=(8, 2 * SLOTS, CELLS)).astype(np.float32)
        biases = numbers.normal(size=(8, BIASES)).astype(np.float32)
        see(room.states, room.circles, seen)
        rank(seen.words, seen.pieces, room.luck, planes, biases, *room[GIVEN:-1], random)
        room.values[:, 0] = 0.5
        for hand in range(2):
            tend(orchard, room, rules, found, hand, 4 * hand, 4 * hand + 4, work)
        yield orchard


def test_games_that_begin_spread_out_do_not_all_end_at_once() -> None:
    turns, told = [], []
    for spread in (0, 40):
        found = new_samples(2, 500)
        ends: list[int] = []
        for turn, orchard in enumerate(played(found, spread)):
            over = int((orchard.done[:, 0] > 0).sum())
            if over > 0 and not ends:
                told.append(int(found.written.sum()))
            ends += [turn] * (over - len(ends))
            if over == 8:
                break
        turns.append(ends)
    together, spread_out = turns
    assert spread_out[0] < together[0] / 2
    assert np.ptp(spread_out) > np.ptp(together)
    assert told[1] < told[0], "moves without a search are told"


def new_lesson() -> Lesson:
    return Lesson(
        np.zeros((BATCH, PLANES, 2), np.int64),
        np.zeros((BATCH, SCALARS), np.float32),
        np.zeros((BATCH, LISTED), np.int64),
        np.zeros((BATCH, LISTED), np.int64),
        np.zeros((BATCH, LISTED), np.float32),
        np.zeros((BATCH, CANDIDATES), np.float32),
        np.zeros((BATCH, RESULTS), np.float32),
        np.zeros((BATCH, 2, CELLS), np.float32),
    )


def test_the_symmetries_are_eight_different_ones() -> None:
    assert len({tuple(row) for row in SYMMETRY_CELLS.tolist()}) == SYMMETRIES
    assert all(sorted(row) == list(range(CELLS)) for row in SYMMETRY_CELLS.tolist())


@pytest.mark.parametrize("symmetry", range(SYMMETRIES))
def test_legal_moves_of_a_turned_quilt_are_the_turned_legal_moves(symmetry: int) -> None:
    position = pw.Setup.random(7).start()
    for _ in range(9):
        moves = position.legal_moves()
        position = position.play(moves[len(moves) // 2])
    player = position.players[position.turn]
    low, high = turned_quilt(*framed(player.quilt), symmetry, SYMMETRY_CELLS)
    assert unframed(low, high) == turned(player.quilt, symmetry)
    for move in position.legal_moves():
        code = int(TURNED_CODES[symmetry, from_move(move)])
        if isinstance(move, Buy):
            assert to_move(code) == Buy(move.patch, turned(move.cells, symmetry))
        else:
            assert to_move(code) == move


def test_a_lesson_lists_legal_moves_that_stand_for_all_of_them(samples: Samples) -> None:
    lesson = new_lesson()
    draw_lesson(samples, lesson, 0, SYMMETRY_CELLS, TURNED_CODES, np.array([3], np.uint64))
    for number in range(BATCH):
        weights, codes = lesson.weights[number], lesson.codes[number]
        listed = codes[weights > 0].tolist()
        assert len(set(listed)) == len(listed)
        assert (weights[:CANDIDATES] <= 1).all()
        shares = lesson.shares[number]
        assert (shares[weights[:CANDIDATES] == 0] == 0).all()
        assert 0 < shares.sum() <= 1 + 1e-5


def test_results_are_those_of_the_one_who_decided(samples: Samples) -> None:
    count = int(samples.written[0])
    results = samples.results[0, :count]
    assert ((results[:, 0] >= 0) & (results[:, 0] <= 1)).all()
    # A sample just before its game ended leans on nothing but the result.
    last = results[0]
    assert last[0] in (0, 1)
    assert last[1] == last[2] - last[3]


def test_a_search_counts_by_what_its_better_policy_would_get() -> None:
    """Three moves to which it gives 0.2, 0.6 and 0.2; the last one was not tried."""
    orchard, work = new_orchard(1, rules_of(2, 2)), new_work()
    tree = _tree_of(orchard, 0)
    tree.first_edge[0], tree.edge_count[0] = 0, 3
    tree.visits[:3] = 1, 4, 0
    tree.sums[:2] = (0, 0.2, -10), (0, 4 * 0.8, 4 * 5)
    orchard.logits[0, :3] = np.log((0.5, 0.25, 0.25))
    work.scores[:3] = np.log((1, 6, 2))
    _remember(orchard, tree, 0, 0.0, work)
    assert orchard.past.shares[0, 0, :4] == pytest.approx((0.2, 0.6, 0.2, 0))
    found = orchard.past.results[0, 0]
    assert found[WIN] == pytest.approx((0.2 * 0.2 + 0.6 * 0.8) / 0.8)
    assert found[MARGIN] == pytest.approx((0.2 * -10 + 0.6 * 5) / 0.8)


def test_a_position_is_kept_as_it_was_decided_in(samples: Samples) -> None:
    states, circles = samples.states[0], samples.circles[0]
    from patchwork.engine.kernel.state import to_position

    for number in range(40):
        leather = int(states[number, 12])
        edition = pw.REVISED if leather >> 38 & 1 else pw.CLASSIC
        position = to_position(states[number], circles[number].astype(np.int64), edition)
        legal = {from_move(move) for move in position.legal_moves()}
        count = int(samples.counts[0, number])
        assert set(samples.codes[0, number, :count].tolist()) <= legal
        assert (from_position(position)[0][:10] == states[number, :10]).all()
