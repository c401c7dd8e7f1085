"""The replay buffer: positions of finished games with their policy and value targets.

Samples are kept in flat arrays that all worker threads fill side by side, each its own *shard*,
over and over again. Whenever a sample is drawn, both quilts are rotated and mirrored at random,
since the rules do not depend on which side of a quilt is up.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.features import (
    LEATHER_SLOT,
    PLANES,
    SCALARS,
    SLOTS,
    write_features,
)
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    EMPTY_HIGH,
    EMPTY_LOW,
    LANES,
    LEATHER_PIECE,
    LOW_BITS,
    WIDTH,
)
from patchwork.engine.kernel.rng import draw
from patchwork.engine.kernel.rules import SCRATCH as KERNEL_SCRATCH
from patchwork.engine.kernel.rules import legal_moves, offered, piece_of
from patchwork.engine.kernel.state import (
    CIRCLE,
    CODES,
    HIGH,
    LOW,
    PASS,
    SEAT,
    TURN,
    WORDS,
    Floats,
    Numbers,
    Randoms,
    from_move,
    to_move,
)
from patchwork.engine.kernel.symmetry import SYMMETRIES, SYMMETRY_CELLS, turned_move
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.quilt import CELLS, SIDE

SAMPLE_MOVES = 2 * CANDIDATES
"""Moves of a sample that training looks at: those searched, and as many of the others."""
WRITE_MARGIN = 4096
"""Samples that self-play may write to a shard while a batch is drawn."""
WIN_TARGET, MARGIN_TARGET, OWN_SCORE_TARGET, OTHER_SCORE_TARGET = range(4)
"""Targets besides the policy, as the player to decide sees them: the probability of winning and the
margin in points, which both lean on the searches, and the two final scores."""
VALUE_TARGETS = 4


class ReplayBuffer(NamedTuple):
    """``s`` shards of ``n`` samples."""

    states: Numbers
    """[s, n, WORDS]"""
    circles: NDArray[np.int8]
    """[s, n, CIRCLE]"""
    counts: NDArray[np.int8]
    """[s, n]: how many moves were searched."""
    codes: NDArray[np.int16]
    """[s, n, CANDIDATES]: these moves."""
    policies: Floats
    """[s, n, CANDIDATES]: the improved policy for them; all other moves together have the rest."""
    targets: Floats
    """[s, n, VALUE_TARGETS]"""
    final_quilts: Numbers
    """[s, n, 2, 2]: both quilts at the end, the decider's first; low and high word."""
    written: Numbers
    """[s]: samples ever written to the shard; the next goes to place ``written % n``."""


def new_buffer(shards: int, size: int) -> ReplayBuffer:
    """Returns an empty buffer of shards for ``size`` samples each."""
    return ReplayBuffer(
        states=np.zeros((shards, size, WORDS), np.int64),
        circles=np.zeros((shards, size, CIRCLE), np.int8),
        counts=np.zeros((shards, size), np.int8),
        codes=np.zeros((shards, size, CANDIDATES), np.int16),
        policies=np.zeros((shards, size, CANDIDATES), np.float32),
        targets=np.zeros((shards, size, VALUE_TARGETS), np.float32),
        final_quilts=np.zeros((shards, size, 2, 2), np.int64),
        written=np.zeros(shards, np.int64),
    )


class TrainingBatch(NamedTuple):
    """A batch of ``b`` samples, ready for training."""

    words: Numbers
    """[b, PLANES, 2]"""
    scalars: Floats
    """[b, SCALARS]"""
    codes: Numbers
    """[b, SAMPLE_MOVES]: the searched moves, then some of the others."""
    slots: Numbers
    """[b, SAMPLE_MOVES]: the slot of each move's patch, where the network has its logit."""
    weights: Floats
    """[b, SAMPLE_MOVES]: for how many legal moves each stands; 0 for empty places."""
    policies: Floats
    """[b, CANDIDATES]"""
    targets: Floats
    """[b, VALUE_TARGETS]"""
    filling: Floats
    """[b, 2, CELLS]: 1 where a quilt is filled at the end."""


def new_training_batch(size: int) -> TrainingBatch:
    """Returns an empty batch of ``size`` samples."""
    return TrainingBatch(
        words=np.zeros((size, PLANES, 2), np.int64),
        scalars=np.zeros((size, SCALARS), np.float32),
        codes=np.zeros((size, SAMPLE_MOVES), np.int64),
        slots=np.zeros((size, SAMPLE_MOVES), np.int64),
        weights=np.zeros((size, SAMPLE_MOVES), np.float32),
        policies=np.zeros((size, CANDIDATES), np.float32),
        targets=np.zeros((size, VALUE_TARGETS), np.float32),
        filling=np.zeros((size, 2, CELLS), np.float32),
    )


def _turned_codes() -> NDArray[np.int16]:
    codes, turns = np.zeros((SYMMETRIES, CODES), np.int16), SYMMETRY_CELLS.tolist()
    for code in range(1, CODES):
        try:
            move = to_move(code)
        except KeyError:  # a place where the patch would stick out over the edge
            continue
        for view, turn in enumerate(turns):
            codes[view, code] = from_move(turned_move(move, turn))
    return codes


TURNED_CODES = _turned_codes()
"""[SYMMETRIES, CODES]: each move on the quilt as it is after a symmetry."""


@compiled
def turned_quilt(low: int, high: int, symmetry: int, cells: Numbers) -> tuple[int, int]:
    """Returns the two words of a quilt after a symmetry; ``cells`` is [SYMMETRIES, CELLS]."""
    other_low, other_high = EMPTY_LOW, EMPTY_HIGH
    for cell in range(CELLS):
        if _filled(low, high, cell):
            to = cells[symmetry, cell]
            bit = WIDTH * (to // SIDE + 1) + to % SIDE
            if bit < LOW_BITS:
                other_low |= 1 << bit
            else:
                other_high |= 1 << (bit - LOW_BITS)
    return other_low, other_high


@compiled
def _filled(low: int, high: int, cell: int) -> bool:
    bit = WIDTH * (cell // SIDE + 1) + cell % SIDE
    return (low >> bit if bit < LOW_BITS else high >> (bit - LOW_BITS)) & 1 != 0


@compiled
def sample_batch(
    buffer: ReplayBuffer,
    batch: TrainingBatch,
    margin: int,
    cells: Numbers,
    turned: NDArray[np.int16],
    random: Randoms,
) -> None:
    """Fills a batch with random samples, each under random symmetries.

    Leaves out the ``margin`` oldest places of a full shard, which are about to be overwritten.
    """
    shards, size = buffer.counts.shape
    state = np.empty(WORDS, np.int64)
    circle = np.empty(CIRCLE, np.int64)
    scratch = np.empty((KERNEL_SCRATCH, LANES), np.int64)
    legal = np.empty(MOST_LEGAL_MOVES, np.int64)
    searched = np.zeros(CODES, np.bool_)
    pieces = np.empty(SLOTS, np.int64)
    for row in range(len(batch.words)):
        shard = draw(random, shards)
        while buffer.written[shard] == 0:
            shard = (shard + 1) % shards
        written = buffer.written[shard]
        if written <= size:
            place = draw(random, written)
        else:
            place = (written + margin + draw(random, size - margin)) % size
        symmetry = draw(random, SYMMETRIES), draw(random, SYMMETRIES)
        state[:] = buffer.states[shard, place]
        circle[:] = buffer.circles[shard, place]
        turn = state[TURN]
        for quilt in range(2):
            seat = SEAT * (turn if quilt == 0 else 1 - turn)
            state[seat + LOW], state[seat + HIGH] = turned_quilt(
                state[seat + LOW], state[seat + HIGH], symmetry[quilt], cells
            )
            words = buffer.final_quilts[shard, place, quilt]
            for cell in range(CELLS):
                to = cells[symmetry[quilt], cell]
                batch.filling[row, quilt, to] = 1.0 if _filled(words[0], words[1], cell) else 0.0
        write_features(state, circle, batch.words[row], batch.scalars[row], pieces, scratch)
        batch.targets[row] = buffer.targets[shard, place]
        batch.policies[row] = buffer.policies[shard, place]
        batch.weights[row] = 0.0
        batch.codes[row] = PASS
        count = buffer.counts[shard, place]
        for move in range(count):
            code = turned[symmetry[0], buffer.codes[shard, place, move]]
            batch.codes[row, move] = code
            batch.weights[row, move] = 1.0
            searched[code] = True
        total = legal_moves(state, circle, legal, scratch)
        others = total - count
        chosen = min(others, SAMPLE_MOVES - CANDIDATES)
        # Selection sampling (Knuth's algorithm S): one pass over the moves, in which each of those
        # left is equally likely to be taken.
        left, at = chosen, CANDIDATES
        for move in range(total):
            code = legal[move]
            if searched[code]:
                continue
            if draw(random, others) < left:
                batch.codes[row, at] = code
                batch.weights[row, at] = (total - count) / chosen
                at += 1
                left -= 1
            others -= 1
        for move in range(count):
            searched[batch.codes[row, move]] = False
        _find_slots(state, circle, batch.codes[row], batch.slots[row], scratch)


@compiled
def _find_slots(
    state: Numbers, circle: Numbers, codes: Numbers, slots: Numbers, scratch: Numbers
) -> None:
    spots = scratch[0]
    offers = offered(state, spots)
    for move in range(len(codes)):
        piece = piece_of(codes[move])
        slots[move] = LEATHER_SLOT
        if codes[move] != PASS and piece != LEATHER_PIECE:
            for slot in range(offers):
                if circle[spots[slot]] == piece:
                    slots[move] = slot
