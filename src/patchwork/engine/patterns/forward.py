"""What tables say of positions: how they end, and which moves deserve a look.

The positions of a search share most of their quilts and patches, so what was found about these is
remembered: it saves half of the work, and changes no answer.
"""

from typing import NamedTuple

import numpy as np

from patchwork.engine.evaluators.features import (
    LEATHER_SLOT,
    OF_CIRCLE,
    PLANES,
    SCALARS,
    SLOTS,
    Floats,
    write_features,
)
from patchwork.engine.evaluators.policy import BIASES
from patchwork.engine.evaluators.rollouts import WORKSPACE, add_tightest
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import FRAME as BORDER
from patchwork.engine.kernel.pieces import LANES, LOW_BITS, WIDTH
from patchwork.engine.kernel.rules import OFFER, covered
from patchwork.engine.kernel.simd import lowest_bit, popcount
from patchwork.engine.kernel.state import (
    CIRCLE,
    HIGH,
    LEFT,
    LOW,
    PASS,
    SEAT,
    TIME,
    TOKEN,
    TURN,
    Numbers,
    Reals,
)
from patchwork.engine.patterns.layers import LEAST, add_layer, add_rows, aligned, cut_off
from patchwork.engine.patterns.windows import (
    FRAME,
    KINDS,
    LARGE,
    SMALL,
    STEP,
    WINDOWS,
    change,
    list_kinds,
    look,
    read_rows,
)
from patchwork.rules.quilt import CELLS, SIDE
from patchwork.rules.timeboard import LAST

QUILT = 64
"""Numbers that tell about a quilt."""
RING = 128
"""Numbers that tell about what is left of the circle."""
INPUTS = SCALARS + 2 * QUILT + RING
HIDDEN = (256, 32)
"""Widths of the layers that see them, and all else about a position."""
OUTPUTS = 3 + BIASES
"""As the one who decides sees it: the logit of the probability to win, points ahead in tens, both
final scores added up in tens; then logits for the advance and for each patch on offer."""
POINTS = 10.0
PHASES = 3
"""Thirds of the filling of a quilt; places are worth something else in each."""
STAGES = 6
"""Sixths of the way of both tokens together; what decides a game is something else in each."""
COUNTED = 0.25
"""What each window counts in the layer that reads a quilt."""
_EACH = np.full(KINDS, COUNTED, np.float32)

TRIED = 16
"""Places of each patch that are compared: those that touch most."""
PLACEMENTS, LATE_PLACEMENTS = 2, 6
"""Places of each patch that a search looks at, and late in a game."""
_ALIKE = 1e-4
"""Difference of logits that comes from rounding alone."""
_QUILTS, _PATCHES, _CIRCLES = 1 << 14, 1 << 16, 1 << 12
"""Quilts, patches for quilts, and what is left of a circle, that are remembered."""
_RING = SCALARS + 2 * QUILT
"""Where what is told about the circle begins."""
_OF_RING = np.arange(_RING, INPUTS)
_OF_REST = np.setdiff1d(np.arange(_RING), OF_CIRCLE)
_OF_FIRST, _OF_SECOND = (np.arange(width) for width in HIDDEN)


class Weights(NamedTuple):
    """What is learned. The last two layers are there once for each stage of a game."""

    windows: Floats
    """[KINDS, QUILT]"""
    windows_bias: Floats
    """[QUILT]"""
    ring: Floats
    """[len(OF_CIRCLE), RING]"""
    ring_bias: Floats
    """[RING]"""
    first: Floats
    """[INPUTS, HIDDEN[0]]"""
    first_bias: Floats
    second: Floats
    """[STAGES, HIDDEN[0], HIDDEN[1]]"""
    second_bias: Floats
    third: Floats
    """[STAGES, HIDDEN[1], OUTPUTS]"""
    third_bias: Floats
    places: Floats
    """[PHASES, KINDS]: what a window is worth when places for a patch are compared."""


SIZES = {
    "windows": (KINDS, QUILT),
    "windows_bias": (QUILT,),
    "ring": (len(OF_CIRCLE), RING),
    "ring_bias": (RING,),
    "first": (INPUTS, HIDDEN[0]),
    "first_bias": (HIDDEN[0],),
    "second": (STAGES, *HIDDEN),
    "second_bias": (STAGES, HIDDEN[1]),
    "third": (STAGES, HIDDEN[1], OUTPUTS),
    "third_bias": (STAGES, OUTPUTS),
    "places": (PHASES, KINDS),
}


class Tables(NamedTuple):
    """Weights as they are looked up; those for places by the pattern of a window."""

    windows: Floats
    windows_bias: Floats
    ring: Floats
    """[SCALARS, RING]"""
    ring_bias: Floats
    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    third: Floats
    third_bias: Floats
    small_places: Floats
    large_places: Floats


def tables_of(weights: Weights) -> Tables:
    """Returns weights as tables."""
    wider = -OUTPUTS % LEAST
    ring = np.zeros((SCALARS, RING), np.float32)
    ring[OF_CIRCLE] = weights.ring
    return Tables(
        aligned(weights.windows),
        weights.windows_bias,
        aligned(ring),
        weights.ring_bias,
        aligned(weights.first),
        weights.first_bias,
        aligned(weights.second),
        weights.second_bias,
        aligned(np.pad(weights.third, ((0, 0), (0, 0), (0, wider)))),
        np.pad(weights.third_bias, ((0, 0), (0, wider))),
        np.ascontiguousarray(weights.places[:, SMALL]),
        np.ascontiguousarray(weights.places[:, LARGE]),
    )


class Cache(NamedTuple):
    """What was found before, each at a place of its own; who comes later takes the place over."""

    quilts: Numbers
    """[_QUILTS, 2]: quilts, as words."""
    told: Floats
    """[_QUILTS, QUILT]: what is told about each."""
    patches: Numbers
    """[_PATCHES, 3]: quilts and a patch for each."""
    counts: Numbers
    """[_PATCHES]: how many places for it deserve a look."""
    places: Numbers
    """[_PATCHES, LATE_PLACEMENTS]: the codes of the moves."""
    logits: Reals
    """[_PATCHES, LATE_PLACEMENTS]: how likely each is for that patch."""
    circle: Numbers
    """[CIRCLE]: the one of this game."""
    lefts: Numbers
    """[_CIRCLES, 2]: what was left of it, as bits, and where the neutral token stood."""
    begun: Floats
    """[_CIRCLES, HIDDEN[0]]: the first layer, as far as that decides it."""


# All about a quilt, and about a patch for it, lies together: it is read one after the other.
_QUILT = np.dtype([("words", np.int64, 2), ("told", np.float32, QUILT)])
_PATCH = np.dtype(
    [
        ("words", np.int64, 3),
        ("count", np.int64),
        ("places", np.int64, LATE_PLACEMENTS),
        ("logits", np.float64, LATE_PLACEMENTS),
    ]
)


def new_cache() -> Cache:
    """Returns an empty cache; no quilt is 0, since each has a border."""
    quilts, patches = np.zeros(_QUILTS, _QUILT), np.zeros(_PATCHES, _PATCH)
    return Cache(
        quilts=quilts["words"],
        told=quilts["told"],
        patches=patches["words"],
        counts=patches["count"],
        places=patches["places"],
        logits=patches["logits"],
        circle=np.full(CIRCLE, -1),
        lefts=np.empty((_CIRCLES, 2), np.int64),
        begun=np.empty((_CIRCLES, HIDDEN[0]), np.float32),
    )


@compiled
def _spot(low: int, high: int, patch: int, size: int) -> int:
    """Returns the place in a cache for something about a quilt: any, but always the same."""
    mixed = np.uint64(low) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(high) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed = (mixed + np.uint64(patch)) * np.uint64(0xD6E8FEB86659FD93)
    return int((mixed >> np.uint64(32)) & np.uint64(size - 1))


@compiled
def _read_quilt(low: int, high: int, tables: Tables, cache: Cache, at: int) -> None:
    """Writes the numbers that tell about a quilt into a cache."""
    rows, columns = np.empty(FRAME, np.int64), np.empty(FRAME, np.int64)
    read_rows(low, high, rows, columns)
    kinds = np.empty(WINDOWS, np.int64)
    list_kinds(rows, columns, kinds)
    told = cache.told[at]
    told[:] = tables.windows_bias
    add_rows(_EACH, kinds, WINDOWS, tables.windows, told)
    cut_off(told)
    cache.quilts[at, 0], cache.quilts[at, 1] = low, high


@compiled
def _read_circle(given: Floats, tables: Tables, begun: Floats, there: Numbers) -> None:
    """Writes how far what is left of the circle decides the first layer."""
    ring = given[_RING:]
    ring[:] = tables.ring_bias
    add_layer(given, OF_CIRCLE, tables.ring, ring, there)
    cut_off(ring)
    begun[:] = tables.first_bias
    add_layer(given, OF_CIRCLE, tables.first, begun, there)
    add_layer(given, _OF_RING, tables.first, begun, there)


@compiled
def _weigh_places(
    codes: Numbers,
    count: int,
    rows: Numbers,
    columns: Numbers,
    of_small: Floats,
    of_large: Floats,
    before: Floats,
    logits: Reals,
) -> None:
    """Writes for some places by how much each makes the windows of a quilt better or worse."""
    new_rows, new_columns = np.empty(FRAME, np.int64), np.empty(FRAME, np.int64)
    for number in range(count):
        for line in range(FRAME):  # assigning to the whole row takes longer
            new_rows[line], new_columns[line] = rows[line], columns[line]
        top, bottom, left, right = FRAME, 0, FRAME, 0
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
        logits[number] = change(new_rows, new_columns, of_small, of_large, before, area)


@compiled
def phase(low: int, high: int) -> int:
    """Returns how far a quilt is filled: the first, second or last third of it."""
    filled = popcount(low) + popcount(high) - BORDER
    return int(min(PHASES - 1, PHASES * filled // CELLS))


@compiled
def stage(state: Numbers) -> int:
    """Returns how far a game is, by the spaces behind both tokens: one of STAGES parts."""
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
    """Makes an evaluation of some states, with so many places of each patch at most."""
    scratch = np.empty((WORKSPACE, LANES), np.int64)
    words, pieces = np.empty((PLANES, 2), np.int64), np.empty(SLOTS, np.int64)
    given = np.empty(INPUTS, np.float32)
    first, second = np.empty(HIDDEN[0], np.float32), np.empty(HIDDEN[1], np.float32)
    out = np.empty(tables.third_bias.shape[1], np.float32)
    there = np.empty(len(given) + 1, np.int64)
    quilts, told, patches = cache.quilts, cache.told, cache.patches
    lefts, begun = cache.lefts, cache.begun
    if (cache.circle != circle).any():
        cache.circle[:] = circle
        lefts[:] = -1
    for number in range(len(states)):
        state = states[number]
        mine = SEAT * state[TURN]
        write_features(state, circle, words, given[:SCALARS], pieces, scratch[:3])
        for seat, start in ((SEAT - mine, SCALARS + QUILT), (mine, SCALARS)):
            low, high = state[seat + LOW], state[seat + HIGH]
            at = _spot(low, high, 0, _QUILTS)
            if quilts[at, 0] != low or quilts[at, 1] != high:
                _read_quilt(low, high, tables, cache, at)
            for each in range(QUILT):
                given[start + each] = told[at, each]
        left, token = state[LEFT], state[TOKEN]
        at = _spot(left, token, 0, _CIRCLES)
        if lefts[at, 0] != left or lefts[at, 1] != token:
            _read_circle(given, tables, begun[at], there)
            lefts[at, 0], lefts[at, 1] = left, token
        for each in range(HIDDEN[0]):
            first[each] = begun[at, each]
        add_layer(given, _OF_REST, tables.first, first, there)
        cut_off(first)
        now = stage(state)
        second[:] = tables.second_bias[now]
        add_layer(first, _OF_FIRST, tables.second[now], second, there)
        cut_off(second)
        out[:] = tables.third_bias[now]
        add_layer(second, _OF_SECOND, tables.third[now], out, there)
        win, margin = 1 / (1 + np.exp(-out[0])), POINTS * out[1]
        values[number, 0] = win if mine == 0 else 1 - win
        values[number, 1] = margin if mine == 0 else -margin
        totals[number] = POINTS * out[2]
        count = 0
        if pieces[LEATHER_SLOT] < 0:
            moves[number, 0], priors[number, 0] = PASS, out[3]
            count = 1
        for slot in range(SLOTS):
            if pieces[slot] < 0:
                continue
            at = _spot(low, high, pieces[slot], _PATCHES)
            if patches[at, 0] != low or patches[at, 1] != high or patches[at, 2] != pieces[slot]:
                _find_places(state, pieces[slot], tables, cache, at, scratch)
            bias = out[4 + slot] if slot < OFFER else np.float32(0)
            for rank in range(min(placements, cache.counts[at])):
                moves[number, count] = cache.places[at, rank]
                priors[number, count] = bias + cache.logits[at, rank]
                count += 1
        counts[number] = count
        _share_out(priors[number], count)


@compiled
def _find_places(
    state: Numbers, piece: int, tables: Tables, cache: Cache, at: int, scratch: Numbers
) -> None:
    """Writes the likeliest places of a patch on the decider's quilt into a cache."""
    seat = SEAT * state[TURN]
    low, high = state[seat + LOW], state[seat + HIGH]
    rows, columns = np.empty(FRAME, np.int64), np.empty(FRAME, np.int64)
    before = np.empty((3, SIDE, SIDE), np.float32)
    places, logits = np.empty(TRIED, np.int64), np.empty(TRIED)
    third = phase(low, high)
    of_small, of_large = tables.small_places[third], tables.large_places[third]
    found = add_tightest(state, piece, 0.0, TRIED, places, logits, 0, scratch)
    if found > 1:
        read_rows(low, high, rows, columns)
        look(rows, columns, of_small, of_large, before)
        _weigh_places(places, found, rows, columns, of_small, of_large, before, logits)
    _sort(places, logits, found)
    total = 0.0
    for number in range(found):
        total += np.exp(logits[number] - logits[0])
    empty = popcount(low) + popcount(high) == BORDER
    everything = logits[0] + np.log(total) if found > 0 else 0.0
    _keep_likeliest(places, logits, found, everything, empty, at, cache)
    key = cache.patches[at]
    key[0], key[1], key[2] = low, high, piece


@compiled
def _sort(places: Numbers, logits: Reals, count: int) -> None:
    """Sorts places, the likeliest first; those alike stay as they are."""
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
    """Writes the first of sorted places into a cache.

    On an empty quilt, places that are the same when turned or mirrored have the same logit: one of
    them stands for all.
    """
    count, last = 0, np.inf
    for number in range(found):
        logit = logits[number] - everything
        if empty and last - logit < _ALIKE:
            cache.logits[at, count - 1] = np.logaddexp(cache.logits[at, count - 1], last)
        elif count < LATE_PLACEMENTS:
            last = logit
            cache.places[at, count], cache.logits[at, count] = places[number], last
            count += 1
        else:
            break
    cache.counts[at] = count


@compiled
def _share_out(priors: Reals, count: int) -> None:
    """Turns logits into shares that sum up to 1."""
    highest = priors[:count].max()
    total = 0.0
    for number in range(count):
        priors[number] = np.exp(priors[number] - highest)
        total += priors[number]
    for number in range(count):
        priors[number] /= total
