"""What is learned from: positions of finished games, with what search and result say of them.

Samples lie in flat arrays that many threads fill side by side, each its own *shelf* of them, over
and over. A sample is drawn with both quilts turned and mirrored at random, since no rule knows
which side of a quilt is up.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.features import LEATHER_SLOT, SLOTS, write_features
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

LISTED = 2 * CANDIDATES
"""Moves of a sample that training looks at: those searched, and as many of the others."""
RESULTS = 4
"""What a sample should predict besides the policy, as its decider sees it:"""
WIN, MARGIN, MINE, THEIRS = range(RESULTS)
"""the probability to win and the points ahead, which lean on the search; both final scores."""


class Samples(NamedTuple):
    """Room for ``s`` shelves of ``n`` samples."""

    states: Numbers
    """[s, n, WORDS]"""
    circles: NDArray[np.int8]
    """[s, n, CIRCLE]"""
    counts: NDArray[np.int8]
    """[s, n]: moves searched."""
    codes: NDArray[np.int16]
    """[s, n, CANDIDATES]"""
    shares: Floats
    """[s, n, CANDIDATES]: the policy that the search recommends; other moves share the rest."""
    results: Floats
    """[s, n, RESULTS]"""
    quilts: Numbers
    """[s, n, 2, 2]: both quilts at the end, the decider's first, low and high word."""
    written: Numbers
    """[s]: samples ever written; the next goes to place ``written % n``."""


def new_samples(shelves: int, size: int) -> Samples:
    """Returns empty shelves for ``size`` samples each."""
    return Samples(
        states=np.zeros((shelves, size, WORDS), np.int64),
        circles=np.zeros((shelves, size, CIRCLE), np.int8),
        counts=np.zeros((shelves, size), np.int8),
        codes=np.zeros((shelves, size, CANDIDATES), np.int16),
        shares=np.zeros((shelves, size, CANDIDATES), np.float32),
        results=np.zeros((shelves, size, RESULTS), np.float32),
        quilts=np.zeros((shelves, size, 2, 2), np.int64),
        written=np.zeros(shelves, np.int64),
    )


class Lesson(NamedTuple):
    """A batch of ``b`` samples as training wants them."""

    words: Numbers
    """[b, PLANES, 2]"""
    scalars: Floats
    """[b, SCALARS]"""
    codes: Numbers
    """[b, LISTED]"""
    slots: Numbers
    """[b, LISTED]: where the logit of a move is found; see ``policy``."""
    weights: Floats
    """[b, LISTED]: for how many moves each stands; 0 where there is none."""
    shares: Floats
    """[b, CANDIDATES]"""
    results: Floats
    """[b, RESULTS]"""
    filling: Floats
    """[b, 2, CELLS]: 1 where a quilt is filled in the end."""


def _turned_codes() -> NDArray[np.int16]:
    codes, turns = np.zeros((SYMMETRIES, CODES), np.int16), SYMMETRY_CELLS.tolist()
    for code in range(1, CODES):
        try:
            move = to_move(code)
        except KeyError:  # a place where the patch does not fit on the board
            continue
        for view, turn in enumerate(turns):
            codes[view, code] = from_move(turned_move(move, turn))
    return codes


TURNED_CODES = _turned_codes()
"""[SYMMETRIES, CODES]: a move on the quilt turned."""


@compiled
def turned_quilt(low: int, high: int, symmetry: int, cells: Numbers) -> tuple[int, int]:
    """Returns the two words of a quilt turned by one of the symmetries ``cells``."""
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
def draw_lesson(
    samples: Samples,
    lesson: Lesson,
    unsteady: int,
    cells: Numbers,
    turned: NDArray[np.int16],
    random: Randoms,
) -> None:
    """Fills a lesson with samples drawn at random, each turned at random.

    Leaves out the ``unsteady`` places of a full shelf that are about to be written.
    """
    shelves, size = samples.counts.shape
    state = np.empty(WORDS, np.int64)
    circle = np.empty(CIRCLE, np.int64)
    scratch = np.empty((KERNEL_SCRATCH, LANES), np.int64)
    codes = np.empty(MOST_LEGAL_MOVES, np.int64)
    listed = np.zeros(CODES, np.bool_)
    pieces = np.empty(SLOTS, np.int64)
    for number in range(len(lesson.words)):
        shelf = draw(random, shelves)
        while samples.written[shelf] == 0:
            shelf = (shelf + 1) % shelves
        written = samples.written[shelf]
        if written <= size:
            place = draw(random, written)
        else:
            place = (written + unsteady + draw(random, size - unsteady)) % size
        symmetry = draw(random, SYMMETRIES), draw(random, SYMMETRIES)
        state[:] = samples.states[shelf, place]
        circle[:] = samples.circles[shelf, place]
        turn = state[TURN]
        for quilt in range(2):
            seat = SEAT * (turn if quilt == 0 else 1 - turn)
            state[seat + LOW], state[seat + HIGH] = turned_quilt(
                state[seat + LOW], state[seat + HIGH], symmetry[quilt], cells
            )
            words = samples.quilts[shelf, place, quilt]
            for cell in range(CELLS):
                to = cells[symmetry[quilt], cell]
                lesson.filling[number, quilt, to] = (
                    1.0 if _filled(words[0], words[1], cell) else 0.0
                )
        write_features(state, circle, lesson.words[number], lesson.scalars[number], pieces, scratch)
        lesson.results[number] = samples.results[shelf, place]
        lesson.shares[number] = samples.shares[shelf, place]
        lesson.weights[number] = 0.0
        lesson.codes[number] = PASS
        count = samples.counts[shelf, place]
        for move in range(count):
            code = turned[symmetry[0], samples.codes[shelf, place, move]]
            lesson.codes[number, move] = code
            lesson.weights[number, move] = 1.0
            listed[code] = True
        total = legal_moves(state, circle, codes, scratch)
        others = total - count
        chosen = min(others, LISTED - CANDIDATES)
        # Algorithm S: passes the moves once, each of those left equally likely to be taken.
        left, at = chosen, CANDIDATES
        for move in range(total):
            code = codes[move]
            if listed[code]:
                continue
            if draw(random, others) < left:
                lesson.codes[number, at] = code
                lesson.weights[number, at] = (total - count) / chosen
                at += 1
                left -= 1
            others -= 1
        for move in range(count):
            listed[lesson.codes[number, move]] = False
        _find_slots(state, circle, lesson.codes[number], lesson.slots[number], scratch)


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
