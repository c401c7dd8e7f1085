"""The logits of legal moves, and of no others, are sums over the planes of a network."""

from random import Random

import numpy as np
import pytest

import patchwork as pw
from patchwork.engine.evaluators.features import (
    LEATHER_SLOT,
    PLANES,
    SCALARS,
    SLOTS,
    write_features,
)
from patchwork.engine.evaluators.policy import (
    BIASES,
    add_placement_bonuses,
    keep_best,
    legal_logits,
    new_frame,
)
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.state import from_move, from_position, to_move
from patchwork.rules.moves import ADVANCE, MOST_LEGAL_MOVES, Buy, Leather, Move
from patchwork.rules.quilt import CELLS, SIDE


def expected(position: pw.Position, move: Move, planes: np.ndarray, biases: np.ndarray) -> float:
    if move == ADVANCE:
        return float(biases[0])
    if isinstance(move, Leather):
        slot, covered, bias = LEATHER_SLOT, {move.cell}, 0.0
    else:
        assert isinstance(move, Buy)
        slot = position.offer.index(move.patch)
        covered = {cell for cell in range(CELLS) if move.cells >> cell & 1}
        bias = float(biases[1 + slot])
    total = bias + sum(float(planes[2 * slot, cell]) for cell in covered)
    for cell in covered:
        row, column = divmod(cell, SIDE)
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            beyond = SIDE * (row + down) + column + right
            on_board = 0 <= row + down < SIDE and 0 <= column + right < SIDE
            if on_board and beyond not in covered:
                total += float(planes[2 * slot + 1, beyond])
    return total


@pytest.mark.parametrize("seed", range(6))
def test_logits_are_sums_over_covered_spaces_and_over_those_beyond_the_sides(seed: int) -> None:
    random, numbers = Random(seed), np.random.default_rng(seed)
    codes, logits = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(MOST_LEGAL_MOVES, np.float32)
    words, pieces = np.empty((PLANES, 2), np.int64), np.empty(SLOTS, np.int64)
    scalars, scratch = np.empty(SCALARS, np.float32), np.empty((3, LANES), np.int64)
    frame = new_frame()
    position = pw.Setup.random(seed, edition=(pw.CLASSIC, pw.REVISED)[seed % 2]).start()
    while position.outcome is None:
        planes = numbers.normal(size=(2 * SLOTS, CELLS)).astype(np.float32)
        biases = numbers.normal(size=BIASES).astype(np.float32)
        state, circle = from_position(position)
        write_features(state, circle, words, scalars, pieces, scratch)
        count = legal_logits(words, pieces, planes, biases, codes, logits, frame)
        moves = [to_move(code) for code in codes[:count].tolist()]
        assert moves == position.legal_moves()
        for move, logit in random.sample(list(zip(moves, logits, strict=False)), min(count, 40)):
            assert logit == pytest.approx(expected(position, move, planes, biases), abs=1e-4)
        position = position.play(random.choice(moves))


@pytest.mark.parametrize(("count", "most"), [(1, 16), (16, 16), (17, 16), (300, 16), (300, 48)])
def test_the_best_are_kept_in_order(count: int, most: int) -> None:
    keys = np.random.default_rng(count).permutation(count).astype(np.float32)
    best = np.empty(48, np.int64)
    kept = keep_best(keys, count, best, most)
    assert best[:kept].tolist() == np.argsort(-keys)[:most].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_with_the_bonus_a_patch_counts_for_all_its_placements(seed: int) -> None:
    position = pw.Setup.random(seed).start()
    moves = position.legal_moves()
    pieces = np.array([*position.offer, -1])
    codes = np.array([from_move(move) for move in moves])
    before = np.random.default_rng(seed).normal(size=len(moves)).astype(np.float32)
    after = before.copy()
    add_placement_bonuses(pieces, codes, after, len(moves))
    assert after[moves.index(ADVANCE)] == before[moves.index(ADVANCE)]
    bought = {move.patch for move in moves if isinstance(move, Buy)}
    assert len(bought) > 1
    for patch in bought:
        mine = [isinstance(move, Buy) and move.patch == patch for move in moves]
        assert after[mine].max() == pytest.approx(np.log(np.exp(before[mine]).sum()), abs=1e-4)
        assert np.ptp(after[mine] - before[mine]) == pytest.approx(0, abs=1e-5)
