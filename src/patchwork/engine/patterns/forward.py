"""The forward pass of the pattern evaluator, in compiled code.

The positions of a search share most of their quilts and patches. What was computed for these is
kept in a cache, as NNUE keeps its accumulator: that saves half of the work and changes no answer.
"""

from typing import NamedTuple

import numpy as np

from patchwork.engine.evaluators.features import (
    CIRCLE_SCALARS,
    LEATHER_SLOT,
    PLANES,
    SCALARS,
    SLOTS,
    write_features,
)
from patchwork.engine.evaluators.rollouts import WORKSPACE, add_tightest
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import BORDER_BITS, LANES, LOW_BITS, WIDTH
from patchwork.engine.kernel.rules import OFFER, covered
from patchwork.engine.kernel.simd import lowest_bit, popcount
from patchwork.engine.kernel.state import (
    CIRCLE,
    CIRCLE_LEFT,
    HIGH,
    LOW,
    PASS,
    SEAT,
    TIME,
    TOKEN,
    TURN,
    Floats,
    Numbers,
    Reals,
)
from patchwork.engine.patterns.layers import add_layer, add_rows, relu
from patchwork.engine.patterns.weights import (
    ADVANCE_OUTPUT,
    HIDDEN,
    INPUTS,
    MARGIN_OUTPUT,
    PATCH_OUTPUT,
    PHASES,
    POINTS,
    QUILT_EMBEDDING,
    STAGES,
    TOTAL_OUTPUT,
    WIN_OUTPUT,
    WINDOW_WEIGHT,
    Tables,
)
from patchwork.engine.patterns.windows import (
    FRAMED_SIDE,
    KINDS,
    STEP,
    WINDOWS,
    list_kinds,
    read_rows,
    value_change,
    window_values,
)
from patchwork.rules.quilt import CELLS, SIDE
from patchwork.rules.timeboard import LAST

TRIED = 16
"""Placements of each patch that are compared: those that touch most. The network's favourite is
among them in 99 % of positions."""
PLACEMENTS, LATE_PLACEMENTS = 2, 6
"""Placements of each patch that a search considers, and late in a game."""
_SAME_LOGIT = 1e-4
"""A difference of logits that comes from rounding alone."""
_QUILTS, _PATCHES, _CIRCLES = 1 << 14, 1 << 16, 1 << 12
"""Entries of the cache: for quilts, for patches on quilts, for what is left of a circle."""
_WINDOW_WEIGHTS = np.full(KINDS, WINDOW_WEIGHT, np.float32)
_CIRCLE_START = SCALARS + 2 * QUILT_EMBEDDING
"""Where, in the input of the first layer, the embedding of the circle begins."""
_CIRCLE_INPUTS = np.arange(_CIRCLE_START, INPUTS)
_OTHER_INPUTS = np.setdiff1d(np.arange(_CIRCLE_START), CIRCLE_SCALARS)
"""The inputs of the first layer that are not part of the accumulator."""
_FIRST, _SECOND = (np.arange(width) for width in HIDDEN)


class Cache(NamedTuple):
    """What was computed before. A new entry replaces the one that was in its place."""

    quilts: Numbers
    """[_QUILTS, 2]: the quilts of the embeddings, as words."""
    embeddings: Floats
    """[_QUILTS, QUILT_EMBEDDING]"""
    patches: Numbers
    """[_PATCHES, 3]: the quilts of the placements, as words, and the patch."""
    counts: Numbers
    """[_PATCHES]: how many placements of the patch to consider."""
    places: Numbers
    """[_PATCHES, LATE_PLACEMENTS]: their codes, the likeliest first."""
    logits: Reals
    """[_PATCHES, LATE_PLACEMENTS]: how likely each is if the patch is placed."""
    circle: Numbers
    """[CIRCLE]: the circle of this game."""
    lefts: Numbers
    """[_CIRCLES, 2]: what was left of the circle, as bits, and where the neutral token stood."""
    accumulators: Floats
    """[_CIRCLES, HIDDEN[0]]: the part of the first layer that depends on that alone."""


# The fields of an entry lie side by side in memory: they are read together.
_QUILT = np.dtype([("words", np.int64, 2), ("embedding", np.float32, QUILT_EMBEDDING)])
_PATCH = np.dtype(
    [
        ("words", np.int64, 3),
        ("count", np.int64),
        ("places", np.int64, LATE_PLACEMENTS),
        ("logits", np.float64, LATE_PLACEMENTS),
    ]
)


def new_cache() -> Cache:
    """Returns an empty cache: no quilt has the words 0, since each has a border."""
    quilts, patches = np.zeros(_QUILTS, _QUILT), np.zeros(_PATCHES, _PATCH)
    return Cache(
        quilts=quilts["words"],
        embeddings=quilts["embedding"],
        patches=patches["words"],
        counts=patches["count"],
        places=patches["places"],
        logits=patches["logits"],
        circle=np.full(CIRCLE, -1),
        lefts=np.empty((_CIRCLES, 2), np.int64),
        accumulators=np.empty((_CIRCLES, HIDDEN[0]), np.float32),
    )


@compiled
def _slot(low: int, high: int, patch: int, size: int) -> int:
    """Returns the entry, of ``size`` in the cache, for a quilt and a patch: a hash of both."""
    mixed = np.uint64(low) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(high) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed = (mixed + np.uint64(patch)) * np.uint64(0xD6E8FEB86659FD93)
    return int((mixed >> np.uint64(32)) & np.uint64(size - 1))


@compiled
def _embed_quilt(low: int, high: int, tables: Tables, cache: Cache, at: int) -> None:
    """Writes the embedding of a quilt into the cache."""
    rows, columns = np.empty(FRAMED_SIDE, np.int64), np.empty(FRAMED_SIDE, np.int64)
    read_rows(low, high, rows, columns)
    kinds = np.empty(WINDOWS, np.int64)
    list_kinds(rows, columns, kinds)
    embedding = cache.embeddings[at]
    embedding[:] = tables.windows_bias
    add_rows(_WINDOW_WEIGHTS, kinds, WINDOWS, tables.windows, embedding)
    relu(embedding)
    cache.quilts[at, 0], cache.quilts[at, 1] = low, high


@compiled
def _start_accumulator(
    inputs: Floats, tables: Tables, accumulator: Floats, nonzero: Numbers
) -> None:
    """Writes the part of the first layer that depends on what is left of the circle."""
    embedding = inputs[_CIRCLE_START:]
    embedding[:] = tables.ring_bias
    add_layer(inputs, CIRCLE_SCALARS, tables.ring, embedding, nonzero)
    relu(embedding)
    accumulator[:] = tables.first_bias
    add_layer(inputs, CIRCLE_SCALARS, tables.first, accumulator, nonzero)
    add_layer(inputs, _CIRCLE_INPUTS, tables.first, accumulator, nonzero)


@compiled
def _score_placements(
    codes: Numbers,
    count: int,
    rows: Numbers,
    columns: Numbers,
    of_small: Floats,
    of_large: Floats,
    before: Floats,
    logits: Reals,
) -> None:
    """Writes by how much each of some placements improves the windows of a quilt, as its logit."""
    new_rows, new_columns = np.empty(FRAMED_SIDE, np.int64), np.empty(FRAMED_SIDE, np.int64)
    for number in range(count):
        for line in range(FRAMED_SIDE):  # assigning to the whole row takes longer
            new_rows[line], new_columns[line] = rows[line], columns[line]
        top, bottom, left, right = FRAMED_SIDE, 0, FRAMED_SIDE, 0
        words = covered(codes[number])
        for word in range(2):
            bits = words[word]
            while bits != 0:
                bit = lowest_bit(bits) + LOW_BITS * word
                bits &= bits - 1
                row, column = bit // WIDTH, bit % WIDTH + 1
                new_rows[row] |= 1 << STEP * column
                new_columns[column] |= 1 << STEP * row
                top, bottom = min(top, row), max(bottom, row)
                left, right = min(left, column), max(right, column)
        area = top, bottom, left, right
        logits[number] = value_change(new_rows, new_columns, of_small, of_large, before, area)


@compiled
def phase(low: int, high: int) -> int:
    """Returns the phase of a quilt: 0, 1 or 2, by how much of it is filled."""
    filled = popcount(low) + popcount(high) - BORDER_BITS
    return int(min(PHASES - 1, PHASES * filled // CELLS))


@compiled
def stage(state: Numbers) -> int:
    """Returns the stage of a game, from 0 on, by the spaces that both tokens have walked."""
    behind = state[TIME] + state[SEAT + TIME]
    return int(min(STAGES - 1, STAGES * behind // (2 * LAST)))


@compiled
def forward_all(
    states: Numbers,
    circle: Numbers,
    tables: Tables,
    cache: Cache,
    placements: int,
    values: Reals,
    counts: Numbers,
    moves: Numbers,
    priors: Reals,
    totals: Reals,
) -> None:
    """Writes an evaluation of some states, with at most ``placements`` of each patch."""
    scratch = np.empty((WORKSPACE, LANES), np.int64)
    words, pieces = np.empty((PLANES, 2), np.int64), np.empty(SLOTS, np.int64)
    inputs = np.empty(INPUTS, np.float32)
    first, second = np.empty(HIDDEN[0], np.float32), np.empty(HIDDEN[1], np.float32)
    out = np.empty(tables.third_bias.shape[1], np.float32)
    nonzero = np.empty(len(inputs) + 1, np.int64)
    quilts, embeddings, patches = cache.quilts, cache.embeddings, cache.patches
    lefts, accumulators = cache.lefts, cache.accumulators
    if (cache.circle != circle).any():
        cache.circle[:] = circle
        lefts[:] = -1
    for number in range(len(states)):
        state = states[number]
        mine = SEAT * state[TURN]
        write_features(state, circle, words, inputs[:SCALARS], pieces, scratch[:3])
        for seat, start in ((mine, SCALARS), (SEAT - mine, SCALARS + QUILT_EMBEDDING)):
            low, high = state[seat + LOW], state[seat + HIGH]
            at = _slot(low, high, 0, _QUILTS)
            if quilts[at, 0] != low or quilts[at, 1] != high:
                _embed_quilt(low, high, tables, cache, at)
            for each in range(QUILT_EMBEDDING):
                inputs[start + each] = embeddings[at, each]
        left, token = state[CIRCLE_LEFT], state[TOKEN]
        at = _slot(left, token, 0, _CIRCLES)
        if lefts[at, 0] != left or lefts[at, 1] != token:
            _start_accumulator(inputs, tables, accumulators[at], nonzero)
            lefts[at, 0], lefts[at, 1] = left, token
        for each in range(HIDDEN[0]):
            first[each] = accumulators[at, each]
        add_layer(inputs, _OTHER_INPUTS, tables.first, first, nonzero)
        relu(first)
        now = stage(state)
        second[:] = tables.second_bias[now]
        add_layer(first, _FIRST, tables.second[now], second, nonzero)
        relu(second)
        out[:] = tables.third_bias[now]
        add_layer(second, _SECOND, tables.third[now], out, nonzero)
        win, margin = 1 / (1 + np.exp(-out[WIN_OUTPUT])), POINTS * out[MARGIN_OUTPUT]
        values[number, 0] = win if mine == 0 else 1 - win
        values[number, 1] = margin if mine == 0 else -margin
        totals[number] = POINTS * out[TOTAL_OUTPUT]
        count = 0
        if pieces[LEATHER_SLOT] < 0:
            moves[number, 0], priors[number, 0] = PASS, out[ADVANCE_OUTPUT]
            count = 1
        low, high = state[mine + LOW], state[mine + HIGH]
        for slot in range(SLOTS):
            if pieces[slot] < 0:
                continue
            at = _slot(low, high, pieces[slot], _PATCHES)
            if patches[at, 0] != low or patches[at, 1] != high or patches[at, 2] != pieces[slot]:
                _find_placements(state, pieces[slot], tables, cache, at, scratch)
            logit = out[PATCH_OUTPUT + slot] if slot < OFFER else np.float32(0)
            for rank in range(min(placements, cache.counts[at])):
                moves[number, count] = cache.places[at, rank]
                priors[number, count] = logit + cache.logits[at, rank]
                count += 1
        counts[number] = count
        _softmax(priors[number], count)


@compiled
def _find_placements(
    state: Numbers, piece: int, tables: Tables, cache: Cache, at: int, scratch: Numbers
) -> None:
    """Writes the likeliest placements of a patch for the seat to move into the cache."""
    seat = SEAT * state[TURN]
    low, high = state[seat + LOW], state[seat + HIGH]
    rows, columns = np.empty(FRAMED_SIDE, np.int64), np.empty(FRAMED_SIDE, np.int64)
    before = np.empty((3, SIDE, SIDE), np.float32)
    places, logits = np.empty(TRIED, np.int64), np.empty(TRIED)
    now = phase(low, high)
    of_small, of_large = tables.small_places[now], tables.large_places[now]
    found = add_tightest(state, piece, 0.0, TRIED, places, logits, 0, scratch)
    if found > 1:
        read_rows(low, high, rows, columns)
        window_values(rows, columns, of_small, of_large, before)
        _score_placements(places, found, rows, columns, of_small, of_large, before, logits)
    _sort(places, logits, found)
    total = 0.0
    for number in range(found):
        total += np.exp(logits[number] - logits[0])
    empty = popcount(low) + popcount(high) == BORDER_BITS
    everything = logits[0] + np.log(total) if found > 0 else 0.0
    _keep_likeliest(places, logits, found, everything, empty, at, cache)
    key = cache.patches[at]
    key[0], key[1], key[2] = low, high, piece


@compiled
def _sort(places: Numbers, logits: Reals, count: int) -> None:
    """Sorts placements, the likeliest first; equally likely ones keep their order."""
    for number in range(1, count):
        place, logit, at = places[number], logits[number], number
        while at > 0 and logits[at - 1] < logit:
            places[at], logits[at] = places[at - 1], logits[at - 1]
            at -= 1
        places[at], logits[at] = place, logit


@compiled
def _keep_likeliest(
    places: Numbers,
    logits: Reals,
    found: int,
    everything: float,
    empty: bool,
    at: int,
    cache: Cache,
) -> None:
    """Writes the likeliest of sorted placements into the cache.

    On an empty quilt, placements that are the same when turned or mirrored have the same logit. One
    of them stands for all, with their probabilities added up.
    """
    count, last = 0, np.inf
    for number in range(found):
        logit = logits[number] - everything
        if empty and last - logit < _SAME_LOGIT:
            cache.logits[at, count - 1] = np.logaddexp(cache.logits[at, count - 1], last)
        elif count < LATE_PLACEMENTS:
            last = logit
            cache.places[at, count], cache.logits[at, count] = places[number], last
            count += 1
        else:
            break
    cache.counts[at] = count


@compiled
def _softmax(priors: Reals, count: int) -> None:
    """Turns logits into probabilities."""
    highest = priors[:count].max()
    total = 0.0
    for number in range(count):
        priors[number] = np.exp(priors[number] - highest)
        total += priors[number]
    for number in range(count):
        priors[number] /= total
