"""Alpha-beta search on the kernel, compiled, for the ends of games.

Two facts keep the tree small. Spaces that no patch still to come can cover are alike: only their
number counts. And of two placements of a patch, the one that leaves more spaces open is never
worse, since the quilts do not touch each other; so most placements need not be searched. Both hold
only where the special tile is out of reach, since a 7 x 7 square needs particular spaces.

Values are for seat 0: twice the points ahead; where those are 0, 1 or -1 for who wins the tie.
"""

from typing import NamedTuple

import numpy as np

from patchwork.engine.endgame.bounds import ahead, most_money, open_spaces, outlook
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    LANES,
    LEATHER_PIECE,
    OFFSETS,
    PIECE_COST,
    PIECE_INCOME,
    PIECE_SIZE,
    PIECE_TIME,
)
from patchwork.engine.kernel.rules import (
    OFFER,
    SCRATCH,
    covered,
    lines_crossed,
    list_places,
    offered,
    play,
    score,
    winner,
)
from patchwork.engine.kernel.simd import free_places, popcount
from patchwork.engine.kernel.state import (
    BUTTONS,
    CIRCLE,
    CIRCLE_LEFT,
    FIRST_HOME,
    HIGH,
    INCOME,
    LEATHER,
    LOW,
    MAX_GAME_LENGTH,
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
)
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.timeboard import LAST

KEY, VALUE, KIND, MOVE = range(4)
"""The numbers of an entry of the transposition table."""
EXACT, AT_LEAST, AT_MOST = range(1, 4)
"""The kind of an entry: what it says about the value; 0 if it is empty."""

NODES, LIMIT, MOVES_PER_STATE = range(3)
"""What ``Workspace.counts`` holds: states visited, how many may be, and how many moves count as one
more state, or 0."""

INFINITY = 1 << 20
"""Greater than any value: twice the points ahead."""
_POINTS_FIRST = 128
"""How much a point that a purchase gains counts in the order of moves, beside open spaces: more
than all spaces of a quilt."""


class Workspace(NamedTuple):
    """The memory of a solver."""

    states: Numbers
    """[MAX_GAME_LENGTH, WORDS]: the line being searched, by depth."""
    codes: Numbers
    """[MAX_GAME_LENGTH, MOST_LEGAL_MOVES]: the moves from each of its states."""
    worths: Numbers
    """[MAX_GAME_LENGTH, MOST_LEGAL_MOVES]: what they promise, by which they are ordered."""
    open: Numbers
    """[MOST_LEGAL_MOVES, 2]: the spaces that each of some placements leaves open."""
    scratch: Numbers
    table: Numbers
    """[a power of 2, 4]: the transposition table, see KEY."""
    best: Numbers
    """[1]: the best move from the first state of the line."""
    counts: Numbers
    """[3]: see NODES."""


def new_workspace(entries: int) -> Workspace:
    """Returns a workspace; its transposition table has ``entries`` entries, a power of 2."""
    return Workspace(
        states=np.empty((MAX_GAME_LENGTH, WORDS), np.int64),
        codes=np.empty((MAX_GAME_LENGTH, MOST_LEGAL_MOVES), np.int64),
        worths=np.empty((MAX_GAME_LENGTH, MOST_LEGAL_MOVES), np.int64),
        open=np.empty((MOST_LEGAL_MOVES, 2), np.int64),
        scratch=np.empty((SCRATCH, LANES), np.int64),
        table=np.zeros((entries, 4), np.int64),
        best=np.zeros(1, np.int64),
        counts=np.zeros(3, np.int64),
    )


@compiled
def mixed(key: int, word: int) -> int:
    """Returns a hash key with one more word mixed in, by the constants of splitmix64."""
    value = (np.uint64(key) ^ np.uint64(word)) * np.uint64(0x9E3779B97F4A7C15)
    value ^= value >> np.uint64(29)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    return int(np.int64(value ^ value >> np.uint64(32)))


@compiled
def filled(state: Numbers, number: int) -> int:
    """Returns the number of bits of a seat's quilt: its filled spaces and its border."""
    seat = SEAT * number
    return int(popcount(state[seat + LOW]) + popcount(state[seat + HIGH]))


@compiled
def final_value(state: Numbers) -> int:
    """Returns the value of a finished game."""
    points = score(state, 0) - score(state, 1)
    if points != 0:
        return 2 * points
    return 1 if winner(state) == 0 else -1


@compiled
def solve(work: Workspace, circle: Numbers, depth: int, least: int, most: int) -> int:
    """Returns the value of the state at a depth, or a bound on it outside ``least`` to ``most``.

    Once the states visited exceed the limit, the result means nothing.
    """
    state = work.states[depth]
    if state[PHASE] == OVER:
        return final_value(state)
    work.counts[NODES] += 1
    if work.counts[NODES] > work.counts[LIMIT]:
        return 0
    turn = state[TURN]
    spaces = 2 * LAST - state[TIME] - state[SEAT + TIME]
    coming = ahead(state[CIRCLE_LEFT], state[TOKEN], spaces)
    key = mixed(
        mixed(coming << 6 | state[TOKEN], state[LEATHER]),
        turn | state[PHASE] << 2 | (state[TILE_OWNER] + 1) << 4 | (state[FIRST_HOME] + 1) << 6,
    )
    low_bound, high_bound, square = 0, 0, False
    for number in range(2):
        base, gain, low, high, whole = outlook(state, circle, number, coming)
        if number == 0:
            low_bound += base
            high_bound += base + gain
        else:
            low_bound -= base + gain
            high_bound -= base
        if number == turn:
            square = whole
        seat = SEAT * number
        key = mixed(mixed(key, low), high << 1 | whole)
        key = mixed(key, state[seat + INCOME] << 8 | state[seat + TIME])
        key = mixed(key, state[seat + BUTTONS] << 16 | filled(state, number))
    # At the root, a move is needed even if the bounds decide the value.
    if depth > 0 and 2 * low_bound - 1 >= most:
        return 2 * low_bound - 1
    if depth > 0 and 2 * high_bound + 1 <= least:
        return 2 * high_bound + 1
    entry = work.table[key & (len(work.table) - 1)]
    hint = -1
    if entry[KEY] == key and entry[KIND] != 0:
        hint = entry[MOVE]
        # Not at the root, where the move matters: the entry may be that of an equivalent quilt, on
        # which the same move is not legal.
        if depth > 0 and (
            entry[KIND] == EXACT
            or (entry[KIND] == AT_LEAST and entry[VALUE] >= most)
            or (entry[KIND] == AT_MOST and entry[VALUE] <= least)
        ):
            return int(entry[VALUE])
    count = list_moves(work, circle, depth, spaces, coming, square, hint)
    if work.counts[MOVES_PER_STATE] > 0:
        work.counts[NODES] += count // work.counts[MOVES_PER_STATE]
    best = -INFINITY if turn == 0 else INFINITY
    chosen = -1
    low_limit, high_limit = least, most
    for number in range(count):
        pick(work.codes[depth], work.worths[depth], number, count)
        code = work.codes[depth, number]
        work.states[depth + 1] = state
        play(work.states[depth + 1], circle, code)
        # The first move is probably the best. To test that, a null window is enough: is another
        # move better at all?
        if number == 0:
            value = solve(work, circle, depth + 1, low_limit, high_limit)
        elif turn == 0:
            value = solve(work, circle, depth + 1, low_limit, low_limit + 1)
            if low_limit < value < high_limit:
                value = solve(work, circle, depth + 1, value, high_limit)
        else:
            value = solve(work, circle, depth + 1, high_limit - 1, high_limit)
            if low_limit < value < high_limit:
                value = solve(work, circle, depth + 1, low_limit, value)
        if work.counts[NODES] > work.counts[LIMIT]:
            return 0
        if turn == 0:
            if value > best:
                best, chosen = value, code
            low_limit = max(low_limit, best)
        else:
            if value < best:
                best, chosen = value, code
            high_limit = min(high_limit, best)
        if low_limit >= high_limit:
            break
    entry[KEY] = key
    entry[VALUE] = best
    entry[KIND] = AT_MOST if best <= least else AT_LEAST if best >= most else EXACT
    entry[MOVE] = chosen
    if depth == 0:
        work.best[0] = chosen
    return best


@compiled
def pick(codes: Numbers, worths: Numbers, start: int, count: int) -> None:
    """Swaps the most promising move from ``start`` on to ``start``."""
    best = start
    for number in range(start + 1, count):
        if worths[number] > worths[best]:
            best = number
    codes[start], codes[best] = codes[best], codes[start]
    worths[start], worths[best] = worths[best], worths[start]


@compiled
def list_moves(
    work: Workspace,
    circle: Numbers,
    depth: int,
    spaces: int,
    coming: int,
    square: bool,
    hint: int,
) -> int:
    """Writes the moves that can matter and what they promise; returns how many there are.

    ``hint`` is the best move of an earlier search, which comes first, or -1.
    """
    state = work.states[depth]
    codes, worths = work.codes[depth], work.worths[depth]
    seat = SEAT * state[TURN]
    low, high = state[seat + LOW], state[seat + HIGH]
    money = most_money(state, circle, state[TURN], coming)
    if state[PHASE] == PLACING:
        free_places(low, high, OFFSETS[LEATHER_PIECE], ANCHORS[LEATHER_PIECE], work.scratch)
        count = keep_best(
            work, circle, state, depth, LEATHER_PIECE, 0, 0, coming, state[TOKEN], money, square
        )
    else:
        codes[0], worths[0] = PASS, 0
        count = 1
        start = state[seat + TIME]
        lines = lines_crossed(start, LAST)
        spots = work.scratch[3 * OFFER]
        for number in range(offered(state, spots)):
            spot = spots[number]
            piece = circle[spot]
            if PIECE_COST[piece] <= state[seat + BUTTONS]:
                time = min(PIECE_TIME[piece], LAST - start)
                worth = (
                    2 * PIECE_SIZE[piece] + PIECE_INCOME[piece] * lines - PIECE_COST[piece] - time
                )
                left = state[CIRCLE_LEFT] ^ 1 << spot
                token = (spot + 1) % CIRCLE
                then = 0 if start + time == LAST else ahead(left, token, spaces - time)
                free_places(low, high, OFFSETS[piece], ANCHORS[piece], work.scratch)
                count = keep_best(
                    work, circle, state, depth, piece, worth, count, then, token, money, square
                )
    for number in range(count):
        if codes[number] == hint:
            worths[number] = INFINITY
    return count


@compiled
def keep_best(
    work: Workspace,
    circle: Numbers,
    state: Numbers,
    depth: int,
    piece: int,
    worth: int,
    count: int,
    coming: int,
    token: int,
    money: int,
    square: bool,
) -> int:
    """Appends the placements of a piece that no other one is sure to match.

    A placement is left out if another one leaves the same spaces open and perhaps more, unless a
    7 x 7 square is in reach. Returns the new number of moves.
    """
    codes, worths = work.codes[depth], work.worths[depth]
    seat = SEAT * state[TURN]
    first = count
    total = list_places(piece, work.scratch, codes, count)
    for number in range(first, total):
        code = codes[number]
        low, high = covered(code)
        open_low, open_high = open_spaces(
            state[seat + LOW] | low, state[seat + HIGH] | high, coming, token, money, circle
        )
        if not square:
            worse = False
            kept = first
            for other in range(first, count):
                if open_low & ~work.open[other, 0] == 0 and open_high & ~work.open[other, 1] == 0:
                    worse = True
                    break
            if worse:
                continue
            for other in range(first, count):
                if work.open[other, 0] & ~open_low == 0 and work.open[other, 1] & ~open_high == 0:
                    continue
                codes[kept], worths[kept] = codes[other], worths[other]
                work.open[kept] = work.open[other]
                kept += 1
            count = kept
        work.open[count, 0], work.open[count, 1] = open_low, open_high
        codes[count] = code
        worths[count] = _POINTS_FIRST * worth + popcount(open_low) + popcount(open_high)
        count += 1
    return count
