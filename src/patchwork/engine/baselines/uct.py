"""A fixed baseline: plain UCT, 1,000 iterations, games played out at random.

Its play never changes, so that strengths measured against it stay comparable. It considers the
advance and, for each patch, the four placements after which the exposed edge of the quilt is least.
Moves not tried yet come in random order: in the order listed, it would try little more than
advances deep in the tree, and win 1 % less.
"""

import numpy as np

from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    EMPTY_HIGH,
    EMPTY_LOW,
    FULL_HIGH,
    FULL_LOW,
    LANES,
    LEATHER_PIECE,
    LOW_BITS,
    LOW_MASK,
    OFFSETS,
    PIECE_COST,
    WIDTH,
)
from patchwork.engine.kernel.rng import draw, seeded
from patchwork.engine.kernel.rules import (
    OFFER,
    SCRATCH,
    covered,
    list_places,
    offered,
    play,
    play_at_random,
    winner,
)
from patchwork.engine.kernel.simd import free_places, popcount
from patchwork.engine.kernel.state import (
    BUTTONS,
    HIGH,
    LOW,
    MAX_GAME_LENGTH,
    OVER,
    PASS,
    PHASE,
    PLACING,
    SEAT,
    TURN,
    WORDS,
    Numbers,
    Randoms,
    from_position,
    to_move,
)
from patchwork.rules.moves import MOST_LEGAL_MOVES, Move
from patchwork.rules.position import Phase, Position

ITERATIONS = 1000
PLACEMENTS = 4
"""Placements considered for each patch."""
_EDGES = 1 + OFFER * PLACEMENTS
_SPACES_LOW, _SPACES_HIGH = FULL_LOW ^ EMPTY_LOW, FULL_HIGH ^ EMPTY_HIGH


def uct(position: Position, seed: int, iterations: int = ITERATIONS) -> Move:
    """Returns the baseline's move.

    Raises:
        ValueError: the game is over.
    """
    if position.phase is Phase.OVER:
        raise ValueError("the game is over")
    return to_move(_search(*from_position(position), seed, iterations))


@compiled
def exposed_edge(low: int, high: int) -> int:
    """Returns the number of pairs of a filled space and an empty neighbour on the board."""
    filled_low, filled_high = low & _SPACES_LOW, high & _SPACES_HIGH
    empty_low, empty_high = ~low & _SPACES_LOW, ~high & _SPACES_HIGH
    pairs = 0
    for step in (1, WIDTH):
        # Each pair of neighbours counts when one is filled and the other, a step on, is empty.
        next_low = filled_low >> step | filled_high << (LOW_BITS - step) & LOW_MASK
        pairs += popcount(next_low & empty_low) + popcount(filled_high >> step & empty_high)
        next_low = empty_low >> step | empty_high << (LOW_BITS - step) & LOW_MASK
        pairs += popcount(next_low & filled_low) + popcount(empty_high >> step & filled_high)
    return pairs


@compiled
def _add_tightest(state: Numbers, piece: int, found: Numbers, moves: Numbers, count: int) -> int:
    """Appends the placements of a piece with the least exposed edge; returns the new count.

    Of equal ones, the one with the lowest mask comes first.
    """
    seat = SEAT * state[TURN]
    free = np.empty((3, LANES), np.int64)
    free_places(state[seat + LOW], state[seat + HIGH], OFFSETS[piece], ANCHORS[piece], free)
    total = list_places(piece, free, found, 0)
    start = count
    edges = np.empty(PLACEMENTS, np.int64)
    lows, highs = np.empty(PLACEMENTS, np.int64), np.empty(PLACEMENTS, np.int64)
    for number in range(total):
        code = found[number]
        low, high = covered(code)
        edge = exposed_edge(state[seat + LOW] | low, state[seat + HIGH] | high)
        slot = count - start
        while slot > 0 and (
            edge < edges[slot - 1]
            or (edge == edges[slot - 1] and high < highs[slot - 1])
            or (edge == edges[slot - 1] and high == highs[slot - 1] and low < lows[slot - 1])
        ):
            if slot < PLACEMENTS:
                edges[slot], lows[slot], highs[slot] = (
                    edges[slot - 1],
                    lows[slot - 1],
                    highs[slot - 1],
                )
                moves[start + slot] = moves[start + slot - 1]
            slot -= 1
        if slot < PLACEMENTS:
            edges[slot], lows[slot], highs[slot] = edge, low, high
            moves[start + slot] = code
            count = min(count + 1, start + PLACEMENTS)
    return count


@compiled
def _list_moves(state: Numbers, circle: Numbers, found: Numbers, moves: Numbers) -> int:
    if state[PHASE] == OVER:
        return 0
    if state[PHASE] == PLACING:
        return _add_tightest(state, LEATHER_PIECE, found, moves, 0)
    moves[0] = PASS
    count = 1
    spots = np.empty(OFFER, np.int64)
    for number in range(offered(state, spots)):
        piece = circle[spots[number]]
        if PIECE_COST[piece] <= state[SEAT * state[TURN] + BUTTONS]:
            count = _add_tightest(state, piece, found, moves, count)
    return count


@compiled
def _shuffle(moves: Numbers, count: int, random: Randoms) -> None:
    for last in range(count - 1, 0, -1):
        chosen = draw(random, last + 1)
        moves[last], moves[chosen] = moves[chosen], moves[last]


@compiled
def _search(root: Numbers, circle: Numbers, seed: int, iterations: int) -> int:
    states = np.empty((iterations + 1, WORDS), np.int64)
    moves = np.empty((iterations + 1, _EDGES + PLACEMENTS), np.int64)
    children = np.zeros((iterations + 1, _EDGES), np.int64)
    counts = np.empty(iterations + 1, np.int64)
    visits = np.zeros(iterations + 1, np.int64)
    wins = np.zeros((iterations + 1, 2))
    found = np.empty(MOST_LEGAL_MOVES, np.int64)
    scratch = np.empty((SCRATCH, LANES), np.int64)
    path = np.empty(MAX_GAME_LENGTH, np.int64)
    state = np.empty(WORDS, np.int64)
    random = np.empty(1, np.uint64)
    random[0] = seeded(seed, 0)
    states[0] = root
    counts[0] = _list_moves(states[0], circle, found, moves[0])
    _shuffle(moves[0], counts[0], random)
    used = 1
    for _ in range(iterations):
        node, length = 0, 1
        path[0] = 0
        while counts[node] > 0:
            seat = states[node, TURN]
            best, chosen = -1.0, -1
            for edge in range(counts[node]):
                child = children[node, edge]
                if child == 0:
                    chosen = edge
                    break
                worth = wins[child, seat] / visits[child] + np.sqrt(
                    2 * np.log(visits[node]) / visits[child]
                )
                if worth > best:
                    best, chosen = worth, edge
            child = children[node, chosen]
            fresh = child == 0
            if fresh:
                child = used
                used += 1
                children[node, chosen] = child
                states[child] = states[node]
                play(states[child], circle, moves[node, chosen])
                counts[child] = _list_moves(states[child], circle, found, moves[child])
                _shuffle(moves[child], counts[child], random)
            node = child
            path[length] = node
            length += 1
            if fresh:
                break
        state[:] = states[node]
        while state[PHASE] != OVER:
            play_at_random(state, circle, random, scratch)
        seat = winner(state)
        for step in range(length):
            visits[path[step]] += 1
            wins[path[step], seat] += 1
    seat = root[TURN]
    best = 0
    for edge in range(1, counts[0]):
        child, champion = children[0, edge], children[0, best]
        if visits[child] > visits[champion] or (
            visits[child] == visits[champion]
            and visits[child] > 0
            and wins[child, seat] / visits[child] > wins[champion, seat] / visits[champion]
        ):
            best = edge
    return int(moves[0, best])
