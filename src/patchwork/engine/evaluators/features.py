"""The input of a network: planes of the quilts as bits, and numbers (*scalars*) about the rest.

Everything is as seen by the seat to move. Learning and play use the same function, so that both see
the same to the last bit. The scalars are divided so that they are about 1 at most.
"""

from typing import NamedTuple

import numpy as np

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    CELL_PLACES,
    LANES,
    LEATHER_PIECE,
    LOW_BITS,
    OFFSETS,
    PIECE_COST,
    PIECE_INCOME,
    PIECE_SIZE,
    PIECE_TIME,
)
from patchwork.engine.kernel.rules import LINE_DISTANCE, OFFER, lines_crossed, upcoming
from patchwork.engine.kernel.simd import free_places, lowest_bit, popcount
from patchwork.engine.kernel.state import (
    BUTTONS,
    CIRCLE,
    CIRCLE_LEFT,
    FIRST_HOME,
    HIGH,
    INCOME,
    LEATHER,
    LOW,
    PHASE,
    PLACING,
    SEAT,
    TILE_OWNER,
    TIME,
    TOKEN,
    TURN,
    Floats,
    Numbers,
)
from patchwork.rules.quilt import CELLS
from patchwork.rules.timeboard import EDITIONS, INCOME_LINES, LAST

PLANES = 2 + OFFER * LANES
"""The empty spaces of both quilts, first that of the seat to move; then, for each patch on offer
and each of its orientations, the places where it fits on that quilt."""

SLOTS = OFFER + 1
"""What can be placed: the patches on offer, in order, then leather."""
LEATHER_SLOT = OFFER

NEAR_PATCHES = 8
"""Patches of the circle, from the neutral token on, that are described with what they are to both
players; of the others there are only facts."""
_SEAT_SCALARS = 14
_TABLE_SCALARS = 14
NEAR_SCALARS, FACTS = 12, 5
"""Numbers about each of these patches; the first of them are its facts."""
_PURCHASE_SCALARS = 5
_ORDER = NEAR_PATCHES * NEAR_SCALARS + OFFER * _PURCHASE_SCALARS
_FAR = _ORDER + CIRCLE
"""Where, among the numbers about the circle, the order of all patches begins, and the facts about
those after NEAR_PATCHES."""
NEAR_START = 2 * _SEAT_SCALARS + _TABLE_SCALARS
FAR_START = NEAR_START + _FAR
"""Where, among all numbers, those about the first patch begin, and those after NEAR_PATCHES."""
SCALARS = FAR_START + (CIRCLE - NEAR_PATCHES) * FACTS

CIRCLE_SCALARS = np.array(
    [
        NEAR_START + number * NEAR_SCALARS + each
        for number in range(NEAR_PATCHES)
        for each in range(FACTS)
    ]
    + list(range(NEAR_START + _ORDER, SCALARS))
)
"""The numbers that depend on the circle alone, and not on the seat to move."""

# What scalars are divided by. Every network has learned with these: a change needs a new one.
BUTTONS_SCALE = 20
FEW_BUTTONS, SOME_BUTTONS = 4, 10
"""Up to these, buttons have finer scales of their own: one more often means another purchase."""
INCOME_SCALE = 12
PROSPECT_SCALE = 50
"""For the buttons that a seat has, with those that its income will still bring."""
LINES = len(INCOME_LINES)
LEATHERS = max(len(edition.leather) for edition in EDITIONS)
LEATHER_SCALE = 20
"""For the distance to the next leather patch."""
NO_LEATHER = 2.0
"""Stands for that distance where none is left: farther than any."""
LEAD_SCALE = 20
"""For the spaces from one token to the other."""
ADVANCE_SCALE = 10
"""For the spaces of an advance."""
MOVE_LINES = 2
"""Lines that a move crosses: hardly ever more."""
LONGEST_TIME = int(PIECE_TIME.max())
GAIN_SCALE = 10
"""For the points that a patch is worth for each unit of its time."""
_LOG_SCALE = 10

LEATHER_LINES = np.array(sorted({line for edition in EDITIONS for line in edition.leather}))
PATCH_FACTS = np.stack(
    (
        np.ones(len(PIECE_COST)),
        PIECE_COST / PIECE_COST.max(),
        PIECE_TIME / LONGEST_TIME,
        PIECE_INCOME / PIECE_INCOME.max(),
        PIECE_SIZE / PIECE_SIZE.max(),
    ),
    axis=1,
).astype(np.float32)
"""[piece, FACTS]: 1, since there is a patch at all; price, time, income and size."""
LOG_COUNT = (np.log2(1 + np.arange(CELLS * LANES + 1)) / _LOG_SCALE).astype(np.float32)
"""[count]: a number of places on a logarithmic scale."""


@compiled
def write_features(
    state: Numbers,
    circle: Numbers,
    words: Numbers,
    scalars: Floats,
    pieces: Numbers,
    scratch: Numbers,
) -> None:
    """Writes the input for a state: ``words`` [PLANES, 2], ``scalars`` [SCALARS].

    Also writes to ``pieces`` [SLOTS] what may be placed now, or -1: the patches on offer that can
    be paid for, and leather. ``scratch`` is [3, LANES].
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
        _write_seat(state, player, scratch[2, 0], scalars[plane * _SEAT_SCALARS :])
    at = 2 * _SEAT_SCALARS
    _write_table(state, seat, scalars[at:])
    at += _TABLE_SCALARS
    _write_circle(state, circle, words, scalars[at:], pieces, scratch)


@compiled
def _write_seat(state: Numbers, player: int, empty: int, out: Floats) -> None:
    buttons, income, time = state[player + BUTTONS], state[player + INCOME], state[player + TIME]
    lines = lines_crossed(time, LAST)
    ahead = state[LEATHER] >> (time + 1)
    number = player // SEAT
    out[0] = buttons / BUTTONS_SCALE
    out[1] = min(buttons, FEW_BUTTONS) / FEW_BUTTONS
    out[2] = min(buttons, SOME_BUTTONS) / SOME_BUTTONS
    out[3] = income / INCOME_SCALE
    out[4] = time / LAST
    out[5] = lines / LINES
    to_line = LINE_DISTANCE - (time + 1) % LINE_DISTANCE
    out[6] = to_line / LINE_DISTANCE if lines > 0 else 0.0
    out[7] = (buttons + income * lines) / PROSPECT_SCALE
    out[8] = popcount(ahead) / LEATHERS
    out[9] = (1 + lowest_bit(ahead)) / LEATHER_SCALE if ahead != 0 else NO_LEATHER
    out[10] = empty / CELLS
    out[11] = 1.0 if state[TILE_OWNER] == number else 0.0
    out[12] = 1.0 if time == LAST else 0.0
    out[13] = 1.0 if state[FIRST_HOME] == number else 0.0


@compiled
def _write_table(state: Numbers, seat: int, out: Floats) -> None:
    time, other = state[seat + TIME], state[SEAT - seat + TIME]
    space = min(other + 1, LAST)
    out[0] = 1.0 if state[PHASE] == PLACING else 0.0
    out[1] = 1.0 if state[TILE_OWNER] < 0 else 0.0
    out[2] = (other - time) / LEAD_SCALE
    out[3] = popcount(state[LEATHER]) / LEATHERS
    out[4] = popcount(state[CIRCLE_LEFT]) / CIRCLE
    if space > time:
        out[5] = (space - time) / ADVANCE_SCALE
        out[6] = lines_crossed(time, space) / MOVE_LINES
        out[7] = 1.0 if state[LEATHER] & ((2 << space) - 1) != 0 else 0.0
    for number in range(len(LEATHER_LINES)):
        out[8 + number] = state[LEATHER] >> LEATHER_LINES[number] & 1


@compiled
def _write_circle(
    state: Numbers,
    circle: Numbers,
    words: Numbers,
    out: Floats,
    pieces: Numbers,
    scratch: Numbers,
) -> None:
    seat = SEAT * state[TURN]
    other = SEAT - seat
    token = state[TOKEN]
    ahead = upcoming(state[CIRCLE_LEFT], token)
    number = 0
    while ahead != 0:
        piece = circle[(token + lowest_bit(ahead)) % CIRCLE]
        ahead &= ahead - 1
        out[_ORDER + piece] = 1 - number / CIRCLE
        if number >= NEAR_PATCHES:
            _write_patch_facts(piece, out, _FAR + (number - NEAR_PATCHES) * FACTS)
        else:
            mine = _places(state, seat, piece, scratch)
            if number < OFFER:
                affordable = PIECE_COST[piece] <= state[seat + BUTTONS]
                if affordable and state[PHASE] != PLACING:
                    pieces[number] = piece
                for lane in range(LANES):
                    words[2 + LANES * number + lane, 0] = scratch[0, lane]
                    words[2 + LANES * number + lane, 1] = scratch[1, lane]
                _write_purchase(
                    state,
                    seat,
                    piece,
                    out[NEAR_PATCHES * NEAR_SCALARS + number * _PURCHASE_SCALARS :],
                )
            theirs = _places(state, other, piece, scratch)
            _write_patch_facts(piece, out, number * NEAR_SCALARS)
            _write_for_players(state, seat, piece, mine, theirs, out[number * NEAR_SCALARS :])
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
def _write_patch_facts(piece: int, out: Floats, at: int) -> None:
    """Writes the facts about a patch."""
    for each in range(FACTS):  # assigning to the whole row takes longer
        out[at + each] = PATCH_FACTS[piece, each]


@compiled
def _write_for_players(
    state: Numbers, seat: int, piece: int, mine: int, theirs: int, out: Floats
) -> None:
    """Writes what a patch is to both players, after its facts."""
    cost, time, income = PIECE_COST[piece], PIECE_TIME[piece], PIECE_INCOME[piece]
    lines = lines_crossed(state[seat + TIME], LAST)
    out[5] = 1.0 if cost <= state[seat + BUTTONS] else 0.0
    out[6] = 1.0 if cost <= state[SEAT - seat + BUTTONS] else 0.0
    out[7] = 1.0 if mine > 0 else 0.0
    out[8] = LOG_COUNT[mine]
    out[9] = 1.0 if theirs > 0 else 0.0
    out[10] = LOG_COUNT[theirs]
    out[11] = (2 * PIECE_SIZE[piece] + income * lines - cost) / (GAIN_SCALE * time)


@compiled
def _write_purchase(state: Numbers, seat: int, piece: int, out: Floats) -> None:
    """Writes what the purchase of a patch on offer leads to."""
    time = state[seat + TIME]
    space = min(time + PIECE_TIME[piece], LAST)
    lines = lines_crossed(time, space)
    income = state[seat + INCOME] + PIECE_INCOME[piece]
    out[0] = lines / MOVE_LINES
    out[1] = 1.0 if state[LEATHER] & ((2 << space) - 1) != 0 else 0.0
    out[2] = 1.0 if space <= state[SEAT - seat + TIME] else 0.0
    out[3] = (time + PIECE_TIME[piece] - space) / LONGEST_TIME
    out[4] = (state[seat + BUTTONS] - PIECE_COST[piece] + income * lines) / BUTTONS_SCALE


@compiled
def unpack(words: Numbers, planes: Floats) -> None:
    """Writes planes [PLANES, CELLS] from their words [PLANES, 2]."""
    for plane in range(PLANES):
        for cell in range(CELLS):
            bit = CELL_PLACES[cell]
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
