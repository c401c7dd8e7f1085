"""Playing games out by a rule of thumb, and guessing which moves deserve a look.

A patch is worth the spaces it covers, the income it will bring and the leather it reaches, less its
price, for the time it takes; it lies best where most of its edge touches.
"""

import math

import numpy as np

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    EDGE,
    LANES,
    LEATHER_PIECE,
    LOW_BITS,
    OFFSETS,
    PIECE_COST,
    PIECE_INCOME,
    PIECE_SIZE,
    PIECE_TIME,
    PLACES,
    RING,
)
from patchwork.engine.kernel.rules import (
    OFFER,
    SCRATCH,
    advance,
    buy,
    draw,
    lines_crossed,
    nth_place,
    offered,
    place_leather,
)
from patchwork.engine.kernel.simd import (
    DIGITS,
    contact_digits,
    free_places,
    lowest_bit,
    popcount,
    tightest_places,
)
from patchwork.engine.kernel.state import (
    BUTTONS,
    HIGH,
    LEATHER,
    LOW,
    OVER,
    PASS,
    PHASE,
    PLACING,
    SEAT,
    TIME,
    TURN,
    Numbers,
    Randoms,
    Reals,
)
from patchwork.rules.timeboard import LAST

_STYLES = 8
_POWERS = np.array(
    [
        [round(max(time, 1) ** (0.7 + 0.4 * style / (_STYLES - 1)), 6) for time in range(LAST + 1)]
        for style in range(_STYLES)
    ]
)
"""[style, time]: how dear time is; each playout draws its style. Rounded, as are the weights below,
so that the last digit of some processor's mathematics does not decide a search."""
_EVEN = 4
"""The style in the middle."""
_STEPS = 16
_WEIGHTS = np.array([round(math.exp(-step / _STEPS), 6) for step in range(8 * _STEPS)])
"""The exponential function, downwards from 0, in steps."""
_TRUST = 0.25
"""How much a move's gain counts for its prior."""
_TIGHTNESS = 0.6
"""How much each side that does not touch, but could, counts against a place."""
WORKSPACE = max(SCRATCH, 4 + 2 * DIGITS)
"""Rows of working memory."""


@compiled
def gain(state: Numbers, piece: int, time: int) -> float:
    """Returns the points that a patch brings the seat to decide."""
    seat = SEAT * state[TURN]
    start = state[seat + TIME]
    lines = lines_crossed(start, LAST)
    taken = state[LEATHER] & ((2 << (start + time)) - 1)
    points = 2 * PIECE_SIZE[piece] + PIECE_INCOME[piece] * lines - PIECE_COST[piece]
    return float(points + 2 * popcount(taken))


@compiled
def pick_tightest(state: Numbers, piece: int, random: Randoms, found: Numbers) -> int:
    """Returns a lane and place, as ``lane * PLACES + place``, where a piece touches most, or -1."""
    seat = SEAT * state[TURN]
    tightest_places(
        state[seat + LOW],
        state[seat + HIGH],
        OFFSETS[piece],
        ANCHORS[piece],
        EDGE[piece],
        found,
    )
    most, ways = -1, 0
    for lane in range(LANES):
        here = popcount(found[0, lane]) + popcount(found[1, lane])
        if here != 0:
            if found[2, lane] > most:
                most, ways = found[2, lane], here
            elif found[2, lane] == most:
                ways += here
    if most < 0:
        return -1
    chosen = draw(random, ways)
    for lane in range(LANES):
        if found[2, lane] == most:
            here = popcount(found[0, lane]) + popcount(found[1, lane])
            if chosen < here:
                return lane * PLACES + nth_place(found[0, lane], found[1, lane], chosen)
            chosen -= here
    return -1


@compiled
def play_by_thumb(
    state: Numbers, circle: Numbers, style: int, random: Randoms, scratch: Numbers
) -> None:
    """Plays a sensible move."""
    if state[PHASE] == PLACING:
        place_leather(state, pick_tightest(state, LEATHER_PIECE, random, scratch[:3]))
        return
    seat = SEAT * state[TURN]
    ahead = min(state[SEAT - seat + TIME] + 1, LAST) - state[seat + TIME]
    best = ahead / _POWERS[style, ahead]
    spot, found = -1, -1
    spots = scratch[3 * OFFER]
    for number in range(offered(state, spots)):
        piece = circle[spots[number]]
        if PIECE_COST[piece] <= state[seat + BUTTONS]:
            time = min(PIECE_TIME[piece], LAST - state[seat + TIME])
            noise = 0.5 + draw(random, 1024) / 1024
            value = noise * gain(state, piece, time) / _POWERS[style, time]
            if value > best:
                place = pick_tightest(state, piece, random, scratch[:3])
                if place >= 0:
                    best, spot, found = value, spots[number], place
    if spot < 0:
        advance(state)
    else:
        buy(state, circle[spot], spot, found // PLACES, found % PLACES)


@compiled
def play_out(state: Numbers, circle: Numbers, random: Randoms, scratch: Numbers) -> None:
    """Plays a game to its end."""
    style = draw(random, _STYLES)
    while state[PHASE] != OVER:
        play_by_thumb(state, circle, style, random, scratch)


@compiled
def add_tightest(
    state: Numbers,
    piece: int,
    base: float,
    most: int,
    moves: Numbers,
    logits: Reals,
    count: int,
    scratch: Numbers,
) -> int:
    """Appends the places of a piece that touch most, tightest first; returns the new count."""
    seat = SEAT * state[TURN]
    low, high = state[seat + LOW], state[seat + HIGH]
    free, digits = scratch[:3], scratch[3 : 3 + 2 * DIGITS]
    free_places(low, high, OFFSETS[piece], ANCHORS[piece], free)
    contact_digits(low, high, EDGE[piece], digits)
    tightest = -1
    added = 0
    for contact in range(RING, -1, -1):
        for lane in range(LANES):
            for word in range(2):
                bits = free[word, lane]
                for digit in range(DIGITS):
                    plane = digits[2 * digit + word, lane]
                    bits &= plane if contact >> digit & 1 else ~plane
                while bits != 0:
                    if tightest < 0:
                        tightest = contact
                    place = word * LOW_BITS + lowest_bit(bits)
                    moves[count] = 1 + (piece * LANES + lane) * PLACES + place
                    logits[count] = base - _TIGHTNESS * (tightest - contact)
                    count += 1
                    added += 1
                    if added == most:
                        return count
                    bits &= bits - 1
    return count


@compiled
def candidates(
    state: Numbers, circle: Numbers, most: int, moves: Numbers, priors: Reals, scratch: Numbers
) -> int:
    """Writes the moves that deserve a look, and how much each does; returns how many there are."""
    count = 0
    if state[PHASE] == PLACING:
        count = add_tightest(state, LEATHER_PIECE, 0.0, most, moves, priors, count, scratch)
    else:
        seat = SEAT * state[TURN]
        ahead = min(state[SEAT - seat + TIME] + 1, LAST) - state[seat + TIME]
        moves[0] = PASS
        priors[0] = _TRUST * ahead / _POWERS[_EVEN, ahead]
        count = 1
        spots = scratch[3 + 2 * DIGITS]
        for number in range(offered(state, spots)):
            piece = circle[spots[number]]
            if PIECE_COST[piece] <= state[seat + BUTTONS]:
                time = min(PIECE_TIME[piece], LAST - state[seat + TIME])
                value = _TRUST * gain(state, piece, time) / _POWERS[_EVEN, time]
                count = add_tightest(state, piece, value, most, moves, priors, count, scratch)
    highest = priors[:count].max()
    total = 0.0
    for number in range(count):
        step = int(_STEPS * (highest - priors[number]))
        priors[number] = _WEIGHTS[min(step, len(_WEIGHTS) - 1)]
        total += priors[number]
    for number in range(count):
        priors[number] /= total
    return count
