"""What a network sees of a position: planes of the quilts as bits, and numbers about the rest.

All is seen by the seat that decides. One function writes it for learning and for play, so that both
see the same to the last bit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    LANES,
    LEATHER_PIECE,
    LOW_BITS,
    OFFSETS,
    PIECE_COST,
    PIECE_INCOME,
    PIECE_SIZE,
    PIECE_TIME,
    WIDTH,
)
from patchwork.engine.kernel.rules import OFFER, lines_crossed
from patchwork.engine.kernel.simd import free_places, lowest_bit, popcount
from patchwork.engine.kernel.state import (
    BUTTONS,
    CIRCLE,
    HIGH,
    HOME,
    INCOME,
    LEATHER,
    LEFT,
    LOW,
    PHASE,
    PLACING,
    SEAT,
    TILE,
    TIME,
    TOKEN,
    TURN,
    Numbers,
)
from patchwork.rules.quilt import CELLS, SIDE
from patchwork.rules.timeboard import EDITIONS, LAST

Floats = NDArray[np.float32]

PLANES = 2 + OFFER * LANES
"""The empty spaces of both quilts, the decider's first; then, for each patch on offer and each of
its orientations, the places where it fits on the decider's quilt."""

SLOTS = OFFER + 1
"""What can be placed: the patches on offer in their order, then leather."""
LEATHER_SLOT = OFFER

AHEAD = 8
"""Patches of the circle described in full, from the neutral token on; the others without what they
are to the players."""
_OF_SEAT = 14
_OF_TABLE = 14
OF_PATCH, OF_PATCH_ALONE = 12, 5
"""Numbers about a patch, and how many of them, the first ones, say what it is to anybody."""
_OF_DEAL = 5
_ORDER = AHEAD * OF_PATCH + OFFER * _OF_DEAL
_FAR = _ORDER + CIRCLE
"""Where, in what is told about the circle, the order of all patches begins, and those further away
than AHEAD."""
NEAREST = 2 * _OF_SEAT + _OF_TABLE
FURTHER = NEAREST + _FAR
"""Where, in all numbers, those about the first patch begin, and those about the one after AHEAD."""
SCALARS = FURTHER + (CIRCLE - AHEAD) * OF_PATCH_ALONE

OF_CIRCLE = np.array(
    [
        NEAREST + number * OF_PATCH + each
        for number in range(AHEAD)
        for each in range(OF_PATCH_ALONE)
    ]
    + list(range(NEAREST + _ORDER, SCALARS))
)
"""Which of the numbers tell about the patches of the circle alone, whoever decides."""

LEATHER_LINES = np.array(sorted({line for edition in EDITIONS for line in edition.leather}))
ALONE = np.stack(
    (
        np.ones(len(PIECE_COST)),
        PIECE_COST / 10,
        PIECE_TIME / 6,
        PIECE_INCOME / 3,
        PIECE_SIZE / 8,
    ),
    axis=1,
).astype(np.float32)
"""What each patch is to anybody."""
LOG_COUNT = (np.log2(1 + np.arange(CELLS * LANES + 1)) / 10).astype(np.float32)
"""How many places there are, on a scale on which few and none differ more than many and more."""


@compiled
def write_features(
    state: Numbers,
    circle: Numbers,
    words: Numbers,
    scalars: Floats,
    pieces: Numbers,
    scratch: Numbers,
) -> None:
    """Writes what is seen of a state: ``words`` [PLANES, 2], ``scalars`` [SCALARS].

    Also writes to ``pieces`` [SLOTS] what may be placed now: the patches on offer and leather, or
    -1. ``scratch`` is [3, LANES].
    """
    seat = SEAT * state[TURN]
    words[:] = 0
    scalars[:] = 0
    pieces[:] = -1
    if state[PHASE] == PLACING:
        pieces[LEATHER_SLOT] = LEATHER_PIECE
    leather = OFFSETS[LEATHER_PIECE], ANCHORS[LEATHER_PIECE]
    for plane, player in enumerate((seat, SEAT - seat)):
        free_places(state[player + LOW], state[player + HIGH], leather[0], leather[1], scratch)
        words[plane, 0], words[plane, 1] = scratch[0, 0], scratch[1, 0]
        _see_seat(state, player, scratch[2, 0], scalars[plane * _OF_SEAT :])
    at = 2 * _OF_SEAT
    _see_table(state, seat, scalars[at:])
    at += _OF_TABLE
    _see_circle(state, circle, words, scalars[at:], pieces, scratch)


@compiled
def _see_seat(state: Numbers, player: int, empty: int, out: Floats) -> None:
    buttons, income, time = state[player + BUTTONS], state[player + INCOME], state[player + TIME]
    lines = lines_crossed(time, LAST)
    ahead = state[LEATHER] >> (time + 1)
    number = player // SEAT
    out[0] = buttons / 20
    out[1] = min(buttons, 4) / 4
    out[2] = min(buttons, 10) / 10
    out[3] = income / 12
    out[4] = time / LAST
    out[5] = lines / 9
    out[6] = (6 - (time + 1) % 6) / 6 if lines > 0 else 0.0
    out[7] = (buttons + income * lines) / 50
    out[8] = popcount(ahead) / 5
    out[9] = (1 + lowest_bit(ahead)) / 20 if ahead != 0 else 2.0
    out[10] = empty / CELLS
    out[11] = 1.0 if state[TILE] == number else 0.0
    out[12] = 1.0 if time == LAST else 0.0
    out[13] = 1.0 if state[HOME] == number else 0.0


@compiled
def _see_table(state: Numbers, seat: int, out: Floats) -> None:
    time, other = state[seat + TIME], state[SEAT - seat + TIME]
    space = min(other + 1, LAST)
    out[0] = 1.0 if state[PHASE] == PLACING else 0.0
    out[1] = 1.0 if state[TILE] < 0 else 0.0
    out[2] = (other - time) / 20
    out[3] = popcount(state[LEATHER]) / 5
    out[4] = popcount(state[LEFT]) / CIRCLE
    if space > time:
        out[5] = (space - time) / 10
        out[6] = lines_crossed(time, space) / 2
        out[7] = 1.0 if state[LEATHER] & ((2 << space) - 1) != 0 else 0.0
    for number in range(len(LEATHER_LINES)):
        out[8 + number] = state[LEATHER] >> LEATHER_LINES[number] & 1


@compiled
def _see_circle(
    state: Numbers,
    circle: Numbers,
    words: Numbers,
    out: Floats,
    pieces: Numbers,
    scratch: Numbers,
) -> None:
    seat = SEAT * state[TURN]
    other = SEAT - seat
    token, left = state[TOKEN], state[LEFT]
    ahead = (left >> token | left << (CIRCLE - token)) & ((1 << CIRCLE) - 1)
    number = 0
    while ahead != 0:
        piece = circle[(token + lowest_bit(ahead)) % CIRCLE]
        ahead &= ahead - 1
        out[_ORDER + piece] = 1 - number / CIRCLE
        if number >= AHEAD:
            _see_alone(piece, out, _FAR + (number - AHEAD) * OF_PATCH_ALONE)
        else:
            mine = _places(state, seat, piece, scratch)
            if number < OFFER:
                affordable = PIECE_COST[piece] <= state[seat + BUTTONS]
                if affordable and state[PHASE] != PLACING:
                    pieces[number] = piece
                for lane in range(LANES):
                    words[2 + LANES * number + lane, 0] = scratch[0, lane]
                    words[2 + LANES * number + lane, 1] = scratch[1, lane]
                _see_deal(state, seat, piece, out[AHEAD * OF_PATCH + number * _OF_DEAL :])
            theirs = _places(state, other, piece, scratch)
            _see_alone(piece, out, number * OF_PATCH)
            _see_patch(state, seat, piece, mine, theirs, out[number * OF_PATCH :])
        number += 1


@compiled
def _places(state: Numbers, player: int, piece: int, scratch: Numbers) -> int:
    low, high = state[player + LOW], state[player + HIGH]
    free_places(low, high, OFFSETS[piece], ANCHORS[piece], scratch)
    count = 0
    for lane in range(LANES):
        count += scratch[2, lane]
    return count


@compiled
def _see_alone(piece: int, out: Floats, at: int) -> None:
    """Writes what a patch is to anybody."""
    for each in range(OF_PATCH_ALONE):  # assigning to the whole row takes longer
        out[at + each] = ALONE[piece, each]


@compiled
def _see_patch(state: Numbers, seat: int, piece: int, mine: int, theirs: int, out: Floats) -> None:
    """Writes what a patch is to the two players, after what it is to anybody."""
    cost, time, income = PIECE_COST[piece], PIECE_TIME[piece], PIECE_INCOME[piece]
    lines = lines_crossed(state[seat + TIME], LAST)
    out[5] = 1.0 if cost <= state[seat + BUTTONS] else 0.0
    out[6] = 1.0 if cost <= state[SEAT - seat + BUTTONS] else 0.0
    out[7] = 1.0 if mine > 0 else 0.0
    out[8] = LOG_COUNT[mine]
    out[9] = 1.0 if theirs > 0 else 0.0
    out[10] = LOG_COUNT[theirs]
    out[11] = (2 * PIECE_SIZE[piece] + income * lines - cost) / (10 * time)


@compiled
def _see_deal(state: Numbers, seat: int, piece: int, out: Floats) -> None:
    """Writes what buying a patch on offer would lead to."""
    time = state[seat + TIME]
    space = min(time + PIECE_TIME[piece], LAST)
    lines = lines_crossed(time, space)
    income = state[seat + INCOME] + PIECE_INCOME[piece]
    out[0] = lines / 2
    out[1] = 1.0 if state[LEATHER] & ((2 << space) - 1) != 0 else 0.0
    out[2] = 1.0 if space <= state[SEAT - seat + TIME] else 0.0
    out[3] = (time + PIECE_TIME[piece] - space) / 6
    out[4] = (state[seat + BUTTONS] - PIECE_COST[piece] + income * lines) / 20


PLANE_SHIFTS = np.array([WIDTH * row + column for row in range(SIDE) for column in range(SIDE)])
"""[CELLS]: the bit of each space in the two words of a plane, read as one."""


@compiled
def unpack(words: Numbers, planes: Floats) -> None:
    """Writes the planes [PLANES, CELLS] of their words."""
    for plane in range(PLANES):
        for cell in range(CELLS):
            bit = PLANE_SHIFTS[cell]
            if bit < LOW_BITS:
                planes[plane, cell] = words[plane, 0] >> bit & 1
            else:
                planes[plane, cell] = words[plane, 1] >> (bit - LOW_BITS) & 1


class NetworkInputs(NamedTuple):
    """What a network is given about ``b`` positions, and what it takes to read its answers."""

    words: Numbers
    """[b, PLANES, 2]: the planes as bits."""
    pieces: Numbers
    """[b, SLOTS]: what may be placed now."""
    planes: Floats
    """[b, PLANES, CELLS]"""
    scalars: Floats
    """[b, SCALARS]"""

    def part(self, start: int, end: int) -> "NetworkInputs":
        """Returns a view of some of the positions."""
        return NetworkInputs._make(each[start:end] for each in self)


def new_inputs(size: int) -> NetworkInputs:
    """Returns room for what is known about ``size`` positions."""
    return NetworkInputs(
        words=np.empty((size, PLANES, 2), np.int64),
        pieces=np.empty((size, SLOTS), np.int64),
        planes=np.empty((size, PLANES, CELLS), np.float32),
        scalars=np.empty((size, SCALARS), np.float32),
    )


@compiled
def write_inputs(states: Numbers, circle: Numbers, inputs: NetworkInputs) -> None:
    """Writes what a network is given about some states of one game."""
    scratch = np.empty((3, LANES), np.int64)
    for number in range(len(states)):
        write_features(
            states[number],
            circle,
            inputs.words[number],
            inputs.scalars[number],
            inputs.pieces[number],
            scratch,
        )
        unpack(inputs.words[number], inputs.planes[number])
