"""The evaluator without a network: it plays a position out to the end by simple heuristics.

A patch is worth the spaces it covers, the income it will bring and the leather it reaches, less its
price, relative to the time it takes; its best placement is the one where most of its edge touches
something. The same heuristics choose the moves to consider.
"""

import math

import numpy as np

from patchwork.engine.evaluators.evaluator import CANDIDATES, Evaluation, Evaluator, Positions
from patchwork.engine.evaluators.threads import BatchSplitter
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    EDGE,
    LANES,
    LEATHER_PIECE,
    LOW_BITS,
    MAX_EDGE,
    OFFSETS,
    PIECE_COST,
    PIECE_INCOME,
    PIECE_SIZE,
    PIECE_TIME,
    PLACES,
)
from patchwork.engine.kernel.rng import draw, seeded
from patchwork.engine.kernel.rules import (
    OFFER,
    SCRATCH,
    advance,
    buy,
    lines_crossed,
    nth_place,
    offered,
    place_leather,
    score,
    winner,
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
    WORDS,
    Numbers,
    Randoms,
    Reals,
)
from patchwork.engine.parameters import EndgameParameters
from patchwork.rules.timeboard import LAST

_STYLES = 8
_LEAST_POWER, _POWER_RANGE = 0.7, 0.4
_POWERS = np.array(
    [
        [
            round(max(time, 1) ** (_LEAST_POWER + _POWER_RANGE * style / (_STYLES - 1)), 6)
            for time in range(LAST + 1)
        ]
        for style in range(_STYLES)
    ]
)
"""[style, time]: what time is worth, a power of it; each rollout draws a style, so they differ.
Rounded, as are the weights below, so that no search depends on the last digit of a processor's
mathematics. These numbers and those below were tuned by matches (docs/engine.md)."""
_MIDDLE_STYLE = _STYLES // 2
_STEPS, _LOWEST = 16, 8
_WEIGHTS = np.array([round(math.exp(-step / _STEPS), 6) for step in range(_LOWEST * _STEPS)])
"""[step]: the exponential function from 0 down to -_LOWEST, in steps of 1 / _STEPS."""
_GAIN_WEIGHT = 0.25
"""How much a move's gain counts for its prior."""
_GAP_PENALTY = 0.6
"""How much each side that does not touch, but could, counts against a placement."""
_SPREAD_STEPS = 1024
"""Values of the random factor, from 0.5 to 1.5, by which rollouts vary the gain of a patch."""
WORKSPACE = max(SCRATCH, 4 + 2 * DIGITS)
"""Rows of working memory."""
MOST_PLACEMENTS = (CANDIDATES - 1) // OFFER
"""The most placements to consider for each patch on offer, beside the advance."""
_MIN_SPLIT = 16
"""Positions; with fewer, handing them to threads takes longer than it saves."""
_NOISE_STEPS = 1024
"""Values of each of the random numbers that add up to noise."""
_NOISE_DEVIATION = 0.58
"""The standard deviation of the sum of four numbers from 0 to 1, each value as likely: the square
root of 4 / 12."""


class RolloutEvaluator(Evaluator):
    """Takes what comes of one rollout as the value of a position."""

    endgame = EndgameParameters(test_from=24, proves_winner=False, moves_per_state=0)

    def __init__(
        self,
        seed: int,
        *,
        placements_per_patch: int = 4,
        noise: float = 0.0,
        threads: int = 1,
    ) -> None:
        """Makes an evaluator.

        Args:
            seed: decides, with the number of each position in its search, how it is played out.
            placements_per_patch: how many placements of each patch to consider.
            noise: the standard deviation of an error added to the points, to play worse.
            threads: processor cores to use; they change no answer.

        Raises:
            ValueError: ``placements_per_patch`` is less than 1 or more than ``MOST_PLACEMENTS``.
        """
        if placements_per_patch not in range(1, MOST_PLACEMENTS + 1):
            raise ValueError(
                f"placements_per_patch is 1 to {MOST_PLACEMENTS}, not {placements_per_patch}"
            )
        self._seed = seed
        self._placements_per_patch = placements_per_patch
        self._noise = noise
        self._splitter = BatchSplitter(threads, _MIN_SPLIT)

    def evaluate(self, positions: Positions, out: Evaluation) -> None:
        """Writes what comes of one rollout of each position."""

        def work(start: int, end: int) -> None:
            part = positions.part(start, end)
            _roll_out_all(
                part.states,
                part.circle,
                self._placements_per_patch,
                self._noise,
                self._seed,
                part.serial,
                *out.part(start, end),
            )

        self._splitter.run(len(positions.states), work)


@compiled
def _roll_out_all(
    states: Numbers,
    circle: Numbers,
    placements_per_patch: int,
    noise: float,
    seed: int,
    serial: int,
    values: Reals,
    counts: Numbers,
    moves: Numbers,
    priors: Reals,
    totals: Reals,
) -> None:
    scratch = np.empty((WORKSPACE, LANES), np.int64)
    state = np.empty(WORDS, np.int64)
    random = np.empty(1, np.uint64)
    for number in range(len(states)):
        state[:] = states[number]
        random[0] = seeded(seed, serial + number)
        counts[number] = candidates(
            state, circle, placements_per_patch, moves[number], priors[number], scratch
        )
        play_out(state, circle, random, scratch)
        scores = score(state, 0), score(state, 1)
        margin = float(scores[0] - scores[1])
        totals[number] = scores[0] + scores[1]
        first_wins = winner(state) == 0
        if noise > 0:
            margin += _bell_curve(random, noise)
            first_wins = margin > 0
        values[number, 0] = 1.0 if first_wins else 0.0
        values[number, 1] = margin


@compiled
def _bell_curve(random: Randoms, deviation: float) -> float:
    """Returns a random number of nearly a normal distribution, with mean 0."""
    total = (
        draw(random, _NOISE_STEPS)
        + draw(random, _NOISE_STEPS)
        + draw(random, _NOISE_STEPS)
        + draw(random, _NOISE_STEPS)
    )
    return float(deviation * (total / _NOISE_STEPS - 2) / _NOISE_DEVIATION)


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
    """Returns where a piece touches most, ``lane * PLACES + place``, or -1 if it fits nowhere."""
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
def play_heuristically(
    state: Numbers, circle: Numbers, style: int, random: Randoms, scratch: Numbers
) -> None:
    """Plays the move with the most gain for its time, with some variation."""
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
            spread = 0.5 + draw(random, _SPREAD_STEPS) / _SPREAD_STEPS
            value = spread * gain(state, piece, time) / _POWERS[style, time]
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
    """Plays a game to its end by the heuristics."""
    style = draw(random, _STYLES)
    while state[PHASE] != OVER:
        play_heuristically(state, circle, style, random, scratch)


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
    """Appends the ``most`` placements of a piece that touch most, tightest first.

    ``base`` is the logit of the tightest. Returns the new count.
    """
    seat = SEAT * state[TURN]
    low, high = state[seat + LOW], state[seat + HIGH]
    free, digits = scratch[:3], scratch[3 : 3 + 2 * DIGITS]
    free_places(low, high, OFFSETS[piece], ANCHORS[piece], free)
    contact_digits(low, high, EDGE[piece], digits)
    tightest = -1
    added = 0
    for contact in range(MAX_EDGE, -1, -1):
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
                    logits[count] = base - _GAP_PENALTY * (tightest - contact)
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
    """Writes the moves to consider and their priors; returns how many there are.

    There are the advance and up to ``most`` placements of each patch that can be bought.
    """
    count = 0
    if state[PHASE] == PLACING:
        count = add_tightest(state, LEATHER_PIECE, 0.0, most, moves, priors, count, scratch)
    else:
        seat = SEAT * state[TURN]
        ahead = min(state[SEAT - seat + TIME] + 1, LAST) - state[seat + TIME]
        moves[0] = PASS
        priors[0] = _GAIN_WEIGHT * ahead / _POWERS[_MIDDLE_STYLE, ahead]
        count = 1
        spots = scratch[3 + 2 * DIGITS]
        for number in range(offered(state, spots)):
            piece = circle[spots[number]]
            if PIECE_COST[piece] <= state[seat + BUTTONS]:
                time = min(PIECE_TIME[piece], LAST - state[seat + TIME])
                value = _GAIN_WEIGHT * gain(state, piece, time) / _POWERS[_MIDDLE_STYLE, time]
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
