"""The rules once more, compiled, on the numbers of ``state`` and ``pieces``.

Search and learning run this millions of times. ``patchwork.rules`` is the authority; a test replays
thousands of games through both. Nothing here needs the interpreter's lock.
"""

import numpy as np

from patchwork.engine.kernel.jit import compiled, inlined
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    BORDER_BITS,
    FULL_HIGH,
    FULL_LOW,
    LANES,
    LEATHER_PIECE,
    LOW_BITS,
    LOW_MASK,
    OFFSETS,
    PIECE_COST,
    PIECE_INCOME,
    PIECE_TIME,
    PLACES,
    SHAPE,
    WIDTH,
)
from patchwork.engine.kernel.rng import draw
from patchwork.engine.kernel.simd import free_places, lowest_bit, popcount
from patchwork.engine.kernel.state import (
    BUTTONS,
    CIRCLE,
    CIRCLE_LEFT,
    FIRST_HOME,
    HIGH,
    IN_TURN,
    INCOME,
    LEATHER,
    LOW,
    OVER,
    PASS,
    PHASE,
    PLACING,
    SEAT,
    TILE_OWNER,
    TIME,
    TOKEN,
    TURN,
    WORDS,
    Numbers,
    Randoms,
)
from patchwork.rules.quilt import CELLS
from patchwork.rules.timeboard import INCOME_LINES, LAST

OFFER = 3
SCRATCH = 3 * OFFER + 2
"""Rows of working memory: three for each patch on offer, one for their places in the circle, and
one for the number of their placements."""

_WHOLE_CIRCLE = (1 << CIRCLE) - 1
_SQUARES = sum(7 << WIDTH * row for row in (1, 2, 3))
"""Where the top-left corner of a 7 x 7 square may lie: three rows and three columns."""
TILE_POINTS = 7
"""What the special tile is worth."""
LINE_DISTANCE = INCOME_LINES[1] - INCOME_LINES[0]
"""Spaces from one income line to the next; the first line is one space short of it (C4)."""


@compiled
def upcoming(left: int, token: int) -> int:
    """Returns the patches left in the circle as bits, in order from the neutral token on."""
    return int((left >> token | left << (CIRCLE - token)) & _WHOLE_CIRCLE)


@compiled
def offered(state: Numbers, spots: Numbers) -> int:
    """Writes the places in the circle of the patches on offer; returns how many there are."""
    token = state[TOKEN]
    ahead = upcoming(state[CIRCLE_LEFT], token)
    count = 0
    while ahead != 0 and count < OFFER:
        spots[count] = (token + lowest_bit(ahead)) % CIRCLE
        ahead &= ahead - 1
        count += 1
    return count


@compiled
def legal_moves(state: Numbers, circle: Numbers, codes: Numbers, scratch: Numbers) -> int:
    """Writes the codes of all legal moves, in the order of the rules; returns how many."""
    if state[PHASE] == OVER:
        return 0
    seat = SEAT * state[TURN]
    low, high = state[seat + LOW], state[seat + HIGH]
    if state[PHASE] == PLACING:
        free_places(low, high, OFFSETS[LEATHER_PIECE], ANCHORS[LEATHER_PIECE], scratch)
        return list_places(LEATHER_PIECE, scratch, codes, 0)
    codes[0] = PASS
    count = 1
    spots = scratch[3 * OFFER]
    for number in range(offered(state, spots)):
        piece = circle[spots[number]]
        if PIECE_COST[piece] <= state[seat + BUTTONS]:
            free_places(low, high, OFFSETS[piece], ANCHORS[piece], scratch)
            count = list_places(piece, scratch, codes, count)
    return count


@compiled
def list_places(piece: int, free: Numbers, codes: Numbers, count: int) -> int:
    """Appends the codes of the places of a piece; returns how many codes there are then."""
    for lane in range(LANES):
        first = 1 + (piece * LANES + lane) * PLACES
        for word in range(2):
            bits = free[word, lane]
            while bits != 0:
                codes[count] = first + word * LOW_BITS + lowest_bit(bits)
                count += 1
                bits &= bits - 1
    return count


@inlined
def piece_of(code: int) -> int:
    """Returns the piece that a move places, or -1 for an advance."""
    return (code - 1) // (LANES * PLACES)


@compiled
def play(state: Numbers, circle: Numbers, code: int) -> None:
    """Plays a legal move."""
    if code == PASS:
        advance(state)
        return
    piece, lane, place = piece_of(code), (code - 1) // PLACES % LANES, (code - 1) % PLACES
    if piece == LEATHER_PIECE:
        place_leather(state, place)
        return
    spot = state[TOKEN]
    while circle[spot] != piece or state[CIRCLE_LEFT] >> spot & 1 == 0:
        spot = (spot + 1) % CIRCLE
    buy(state, piece, spot, lane, place)


@compiled
def advance(state: Numbers) -> None:
    """Moves the token of the seat to move in front of the other one, and pays for it."""
    seat = SEAT * state[TURN]
    space = min(state[SEAT - seat + TIME] + 1, LAST)
    state[seat + BUTTONS] += space - state[seat + TIME]
    move_token(state, space)


@compiled
def buy(state: Numbers, piece: int, spot: int, lane: int, place: int) -> None:
    """Buys the patch at a spot of the circle."""
    seat = SEAT * state[TURN]
    state[seat + BUTTONS] -= PIECE_COST[piece]
    state[seat + INCOME] += PIECE_INCOME[piece]
    state[CIRCLE_LEFT] ^= 1 << spot
    state[TOKEN] = (spot + 1) % CIRCLE
    sew(state, SHAPE[piece, lane], place)
    move_token(state, min(state[seat + TIME] + PIECE_TIME[piece], LAST))


@compiled
def place_leather(state: Numbers, place: int) -> None:
    """Places the leather patch just taken."""
    sew(state, SHAPE[LEATHER_PIECE, 0], place)
    state[PHASE] = IN_TURN
    state[TURN] = 1 - state[TURN]


@compiled
def sew(state: Numbers, shape: int, place: int) -> None:
    """Sews a shape on the quilt of the seat to move, which may win it the special tile."""
    seat = SEAT * state[TURN]
    low, high = laid(shape, place)
    state[seat + LOW] |= low
    state[seat + HIGH] |= high
    if state[TILE_OWNER] < 0 and has_square(state[seat + LOW], state[seat + HIGH]):
        state[TILE_OWNER] = state[TURN]


@compiled
def laid(shape: int, place: int) -> tuple[int, int]:
    """Returns the spaces that a shape covers at a place: the low and the high word."""
    distance = place + WIDTH
    if distance < LOW_BITS:
        return shape << distance & LOW_MASK, shape >> (LOW_BITS - distance)
    return 0, shape << (distance - LOW_BITS)


@compiled
def covered(code: int) -> tuple[int, int]:
    """Returns the spaces that a purchase or a leather patch covers."""
    shape = SHAPE[piece_of(code), (code - 1) // PLACES % LANES]
    return laid(shape, (code - 1) % PLACES)


@compiled
def has_square(low: int, high: int) -> bool:
    """Tells whether some 7 x 7 square is filled: runs of 2, 4 and 7, first across, then down."""
    for step in (1, 2, 3, WIDTH, 2 * WIDTH, 3 * WIDTH):
        low &= low >> step | high << (LOW_BITS - step)
        high &= high >> step
    return low & _SQUARES != 0


@compiled
def lines_crossed(start: int, end: int) -> int:
    """Returns how many income lines lie between two spaces: before 5, 11, 17 ... 53."""
    return (end + 1) // LINE_DISTANCE - (start + 1) // LINE_DISTANCE


@compiled
def move_token(state: Numbers, space: int) -> None:
    """Moves the token of the seat to move; pays its income and gives it leather on the way."""
    turn = state[TURN]
    seat = SEAT * turn
    other = state[SEAT - seat + TIME]
    state[seat + BUTTONS] += state[seat + INCOME] * lines_crossed(state[seat + TIME], space)
    state[seat + TIME] = space
    if space == LAST and state[FIRST_HOME] < 0:
        state[FIRST_HOME] = turn
    taken = state[LEATHER] & ((2 << space) - 1)
    state[LEATHER] ^= taken
    if taken != 0 and (state[seat + LOW] != FULL_LOW or state[seat + HIGH] != FULL_HIGH):
        state[PHASE] = PLACING
    elif space == LAST and other == LAST:
        state[PHASE] = OVER
    elif space > other:
        state[TURN] = 1 - turn


@compiled
def score(state: Numbers, number: int) -> int:
    """Returns the score of a seat as if the game ended now."""
    seat = SEAT * number
    filled = popcount(state[seat + LOW]) + popcount(state[seat + HIGH]) - BORDER_BITS
    tile = TILE_POINTS if state[TILE_OWNER] == number else 0
    return int(state[seat + BUTTONS] + tile - 2 * (CELLS - filled))


@compiled
def winner(state: Numbers) -> int:
    """Returns the seat that wins a finished game."""
    first, second = score(state, 0), score(state, 1)
    if first == second:
        return int(state[FIRST_HOME])
    return 0 if first > second else 1


@compiled
def nth_place(low: int, high: int, number: int) -> int:
    """Returns the place of one set bit, counted from 0, of two words."""
    base = 0
    here = popcount(low)
    if number >= here:
        number -= here
        low, base = high, LOW_BITS
    for _ in range(number):
        low &= low - 1
    return base + int(lowest_bit(low))


@compiled
def play_at_random(state: Numbers, circle: Numbers, random: Randoms, scratch: Numbers) -> None:
    """Plays one of all legal moves, each equally likely."""
    seat = SEAT * state[TURN]
    low, high = state[seat + LOW], state[seat + HIGH]
    if state[PHASE] == PLACING:
        free_places(low, high, OFFSETS[LEATHER_PIECE], ANCHORS[LEATHER_PIECE], scratch)
        place = nth_place(scratch[0, 0], scratch[1, 0], draw(random, scratch[2, 0]))
        place_leather(state, place)
        return
    spots, counts = scratch[3 * OFFER], scratch[3 * OFFER + 1]
    total = 1
    offers = offered(state, spots)
    for number in range(offers):
        piece = circle[spots[number]]
        counts[number] = 0
        if PIECE_COST[piece] <= state[seat + BUTTONS]:
            free = scratch[3 * number : 3 * number + 3]
            free_places(low, high, OFFSETS[piece], ANCHORS[piece], free)
            for lane in range(LANES):
                counts[number] += free[2, lane]
            total += counts[number]
    chosen = draw(random, total)
    if chosen == 0:
        advance(state)
        return
    chosen -= 1
    number = 0
    while chosen >= counts[number]:
        chosen -= counts[number]
        number += 1
    free = scratch[3 * number : 3 * number + 3]
    lane = 0
    while chosen >= free[2, lane]:
        chosen -= free[2, lane]
        lane += 1
    piece = circle[spots[number]]
    buy(state, piece, spots[number], lane, nth_place(free[0, lane], free[1, lane], chosen))


@compiled
def random_playouts(start: Numbers, circle: Numbers, games: int, random: Randoms) -> int:
    """Plays games at random to their end; returns the number of moves."""
    scratch = np.empty((SCRATCH, LANES), np.int64)
    state = np.empty(WORDS, np.int64)
    moves = 0
    for _ in range(games):
        state[:] = start
        while state[PHASE] != OVER:
            play_at_random(state, circle, random, scratch)
            moves += 1
    return moves
