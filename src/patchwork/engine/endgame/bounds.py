"""Bounds on the final score of a seat late in a game, and the spaces of its quilt that matter.

Spaces matter if patches to come may still cover them.
"""

import numpy as np

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    OFFSETS,
    PIECE_COST,
    PIECE_INCOME,
    PIECE_SIZE,
    PIECE_TIME,
    framed,
)
from patchwork.engine.kernel.rules import OFFER, TILE_POINTS, lines_crossed, score, upcoming
from patchwork.engine.kernel.simd import lowest_bit, popcount, spaces_in_reach
from patchwork.engine.kernel.state import (
    BUTTONS,
    CIRCLE,
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
    Numbers,
)
from patchwork.rules.quilt import SQUARES
from patchwork.rules.timeboard import LAST

_SQUARES = np.array([framed(square) for square in SQUARES]) ^ np.array(framed(0))
"""[square, word]: the 7 x 7 squares."""


@compiled
def ahead(left: int, token: int, spaces: int) -> int:
    """Returns the patches that can still come on offer, as bits counted from the neutral token.

    A purchase takes at least one space of the ``spaces`` left and passes over at most two patches.
    """
    rotated = upcoming(left, token)
    kept = 0
    for _ in range(OFFER * spaces):
        if rotated == 0:
            break
        kept |= rotated & -rotated
        rotated &= rotated - 1
    return kept


@compiled
def most_money(state: Numbers, circle: Numbers, number: int, coming: int) -> int:
    """Returns more buttons than a seat can ever have from now on."""
    seat = SEAT * number
    lines = lines_crossed(state[seat + TIME], LAST)
    money = int(state[seat + BUTTONS] + LAST - state[seat + TIME] + state[seat + INCOME] * lines)
    while coming != 0:
        piece = circle[(state[TOKEN] + lowest_bit(coming)) % CIRCLE]
        coming &= coming - 1
        money += max(0, PIECE_INCOME[piece] * lines - PIECE_COST[piece])
    return money


@compiled
def open_spaces(
    low: int, high: int, coming: int, token: int, money: int, circle: Numbers
) -> tuple[int, int]:
    """Returns the empty spaces of a quilt that patches to come can cover, if they cost no more."""
    open_low, open_high = 0, 0
    while coming != 0:
        piece = circle[(token + lowest_bit(coming)) % CIRCLE]
        coming &= coming - 1
        if PIECE_COST[piece] > money:
            continue
        more_low, more_high = spaces_in_reach(low, high, OFFSETS[piece], ANCHORS[piece])
        open_low |= more_low
        open_high |= more_high
    return open_low, open_high


@compiled
def square_in_reach(
    low: int, high: int, open_low: int, open_high: int, room: int, leather: int
) -> bool:
    """Tells whether a 7 x 7 square can still be filled.

    Patches to come cover open spaces, no more than ``room`` in all; the rest is left to leather.
    """
    for square in range(len(_SQUARES)):
        empty_low, empty_high = _SQUARES[square, 0] & ~low, _SQUARES[square, 1] & ~high
        empty = popcount(empty_low) + popcount(empty_high)
        dead = popcount(empty_low & ~open_low) + popcount(empty_high & ~open_high)
        if dead <= leather and empty <= room + leather:
            return True
    return False


@compiled
def outlook(
    state: Numbers, circle: Numbers, number: int, coming: int
) -> tuple[int, int, int, int, bool]:
    """Returns bounds on the score of a seat, and what matters of its quilt.

    These are the score that it reaches by advances alone; the most that it can gain beyond that;
    the low and the high word of the spaces that matter; and whether a 7 x 7 square is in reach,
    for then all spaces matter, and the words are those of the quilt itself.
    """
    seat = SEAT * number
    low, high = state[seat + LOW], state[seat + HIGH]
    lines = lines_crossed(state[seat + TIME], LAST)
    left = LAST - state[seat + TIME]
    leather = popcount(state[LEATHER]) if left > 0 else 0
    placing = state[PHASE] == PLACING and state[TURN] == number
    base = score(state, number) + state[seat + INCOME] * lines + left + (2 if placing else 0)
    # Of all patches bought, only the last may go beyond the end of the board.
    total, last, early = 0, 0, 0
    room, largest, fast = 0, 0, 0
    open_low, open_high = 0, 0
    money = most_money(state, circle, number, coming)
    bits = coming if left > 0 else 0
    while bits != 0:
        piece = circle[(state[TOKEN] + lowest_bit(bits)) % CIRCLE]
        bits &= bits - 1
        if PIECE_COST[piece] > money:
            continue
        more_low, more_high = spaces_in_reach(low, high, OFFSETS[piece], ANCHORS[piece])
        if more_low == 0 and more_high == 0:
            continue
        open_low |= more_low
        open_high |= more_high
        time, size = PIECE_TIME[piece], PIECE_SIZE[piece]
        worth = 2 * size + PIECE_INCOME[piece] * lines - PIECE_COST[piece]
        last = max(last, worth - 1)
        if worth > time:
            total += worth - time
            early = max(early, -((time - worth) * (left - 1) // time))
        room += size
        largest = max(largest, size)
        fast = max(fast, -(-size * (left - 1) // time))
    gain = last + min(total, early) + 2 * leather
    leather += 1 if placing else 0
    room = min(room, largest + fast)
    tile_is_free = state[TILE_OWNER] < 0
    if tile_is_free and square_in_reach(low, high, open_low, open_high, room, leather):
        return base, gain + TILE_POINTS, low, high, True
    return base, gain, open_low, open_high, False
