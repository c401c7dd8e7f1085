"""Under every symmetry of both quilts, the network chooses among the kernel's legal moves."""

from random import Random

import numpy as np
import pytest

import patchwork as pw
from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.features import (
    LEATHER_SLOT,
    PLANES,
    SCALARS,
    SLOTS,
    write_features,
)
from patchwork.engine.evaluators.policy import BIASES, legal_logits, new_frame
from patchwork.engine.kernel.pieces import LANES, LOW_BITS, PLACES
from patchwork.engine.kernel.rules import SCRATCH, legal_moves
from patchwork.engine.kernel.state import HIGH, LOW, PASS, SEAT, TURN, Numbers, from_position
from patchwork.engine.kernel.symmetry import SYMMETRIES, SYMMETRY_CELLS
from patchwork.learn.training.replay_buffer import (
    TURNED_CODES,
    ReplayBuffer,
    TrainingBatch,
    new_buffer,
    new_training_batch,
    sample_batch,
    turned_quilt,
)
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.position import Phase
from patchwork.rules.quilt import CELLS


def some_positions() -> list[pw.Position]:
    """Positions of a few games, with and without leather to place."""
    found: list[pw.Position] = []
    for seed in range(4):
        random = Random(seed)
        position = pw.Setup.random(seed, edition=(pw.CLASSIC, pw.REVISED)[seed % 2]).start()
        game = []
        while position.outcome is None:
            game.append(position)
            position = position.play(random.choice(position.legal_moves()))
        found += game[::9]
        found += [each for each in game if each.phase is Phase.LEATHER][:1]
    return found


POSITIONS = some_positions()


def kernel_moves(state: Numbers, circle: Numbers) -> list[int]:
    codes, scratch = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty((SCRATCH, LANES), np.int64)
    return [int(code) for code in codes[: legal_moves(state, circle, codes, scratch)]]


def network_moves(state: Numbers, circle: Numbers) -> list[int]:
    words, scalars = np.empty((PLANES, 2), np.int64), np.empty(SCALARS, np.float32)
    pieces, scratch = np.empty(SLOTS, np.int64), np.empty((SCRATCH, LANES), np.int64)
    codes, logits = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(MOST_LEGAL_MOVES, np.float32)
    planes, biases = np.zeros((2 * SLOTS, CELLS), np.float32), np.zeros(BIASES, np.float32)
    write_features(state, circle, words, scalars, pieces, scratch)
    count = legal_logits(words, pieces, planes, biases, codes, logits, new_frame())
    return [int(code) for code in codes[:count]]


def test_some_positions_have_leather_to_place() -> None:
    assert {position.phase for position in POSITIONS} == {Phase.TURN, Phase.LEATHER}


@pytest.mark.parametrize("theirs", range(SYMMETRIES))
@pytest.mark.parametrize("mine", range(SYMMETRIES))
def test_legal_moves_under_symmetries(mine: int, theirs: int) -> None:
    for position in POSITIONS:
        state, circle = from_position(position)
        plain = kernel_moves(state, circle)
        for quilt, symmetry in enumerate((mine, theirs)):
            seat = SEAT * (state[TURN] if quilt == 0 else 1 - state[TURN])
            state[seat + LOW], state[seat + HIGH] = turned_quilt(
                state[seat + LOW], state[seat + HIGH], symmetry, SYMMETRY_CELLS
            )
        legal = kernel_moves(state, circle)
        assert network_moves(state, circle) == legal
        assert sorted(legal) == sorted(TURNED_CODES[mine, plain].tolist())


def buffer_with(state: Numbers, circle: Numbers, codes: list[int]) -> ReplayBuffer:
    """A buffer with one sample of a position, in which these moves were searched."""
    replay = new_buffer(1, 1)
    replay.states[0, 0] = state
    replay.circles[0, 0] = circle
    replay.counts[0, 0] = len(codes)
    replay.codes[0, 0, : len(codes)] = codes
    replay.policies[0, 0, : len(codes)] = 1 / len(codes)
    replay.written[0] = 1
    return replay


def legal_in_batch(batch: TrainingBatch, number: int, code: int, slot: int) -> bool:
    """Returns whether a move is legal by the features in a batch."""
    if code == PASS:
        return True
    lane, place = (code - 1) // PLACES % LANES, (code - 1) % PLACES
    plane = 0 if slot == LEATHER_SLOT else 2 + LANES * slot + lane
    low, high = batch.words[number, plane].tolist()
    return bool((low >> place if place < LOW_BITS else high >> (place - LOW_BITS)) & 1)


@pytest.mark.parametrize("number", range(len(POSITIONS)))
def test_sampled_moves_are_legal_and_stand_for_all(number: int) -> None:
    state, circle = from_position(POSITIONS[number])
    legal = kernel_moves(state, circle)
    searched = legal[:3]
    batch, random = new_training_batch(40), np.array([number + 1], np.uint64)
    replay = buffer_with(state, circle, searched)
    sample_batch(replay, batch, 0, SYMMETRY_CELLS, TURNED_CODES, random)
    for row in range(40):
        listed = np.flatnonzero(batch.weights[row])
        codes, slots = batch.codes[row], batch.slots[row]
        assert all(legal_in_batch(batch, row, codes[at], slots[at]) for at in listed)
        # Searched moves stand for themselves, sampled ones for all the others.
        assert batch.weights[row, :CANDIDATES].sum() == len(searched)
        assert batch.weights[row].sum() == pytest.approx(len(legal), rel=1e-4)
