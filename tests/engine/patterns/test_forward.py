"""The forward pass of the pattern evaluator, checked against plain NumPy."""

from bisect import bisect
from random import Random

import numpy as np

from patchwork.engine.evaluators.evaluator import new_evaluation
from patchwork.engine.evaluators.features import (
    CIRCLE_SCALARS,
    PLANES,
    SCALARS,
    SLOTS,
    write_features,
)
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.state import HIGH, LOW, SEAT, TIME, TURN, WORDS, Numbers, from_position
from patchwork.engine.patterns.forward import LATE_PLACEMENTS, forward_all, new_cache, stage
from patchwork.engine.patterns.weights import (
    POINTS,
    SIZES,
    STAGES,
    WINDOW_WEIGHT,
    Weights,
    tables_of,
)
from patchwork.engine.patterns.windows import FRAMED_SIDE, WINDOWS, list_kinds, read_rows
from patchwork.rules.game import Game
from patchwork.rules.position import Position
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITIONS, LAST

BEGINNINGS = (18, 36, 53, 71, 89)
"""The spaces walked by both tokens together with which each stage after the first begins."""


def positions_of(seed: int) -> list[Position]:
    """The positions of a game of random moves."""
    random, game, found = Random(seed), Game(Setup.random(seed, EDITIONS[seed % 2])), []
    while game.position.outcome is None:
        found.append(game.position)
        game.push(random.choice(game.position.legal_moves()))
    return found


def quilt(weights: Weights, low: int, high: int) -> np.ndarray:
    rows, columns = np.empty(FRAMED_SIDE, np.int64), np.empty(FRAMED_SIDE, np.int64)
    kinds = np.empty(WINDOWS, np.int64)
    read_rows(low, high, rows, columns)
    list_kinds(rows, columns, kinds)
    embedding: np.ndarray = WINDOW_WEIGHT * weights.windows[kinds].sum(0) + weights.windows_bias
    return embedding.clip(min=0)


def said(weights: Weights, state: Numbers, circle: Numbers, at: int) -> np.ndarray:
    """The outputs of the layers of a stage."""
    scalars = np.empty(SCALARS, np.float32)
    words, pieces = np.empty((PLANES, 2), np.int64), np.empty(SLOTS, np.int64)
    write_features(state, circle, words, scalars, pieces, np.empty((3, LANES), np.int64))
    seats = (SEAT * int(state[TURN]), SEAT * (1 - int(state[TURN])))
    quilts = [quilt(weights, state[seat + LOW], state[seat + HIGH]) for seat in seats]
    ring = np.maximum(0, scalars[CIRCLE_SCALARS] @ weights.ring + weights.ring_bias)
    first = np.concatenate((scalars, *quilts, ring)) @ weights.first + weights.first_bias
    second = np.maximum(0, first) @ weights.second[at] + weights.second_bias[at]
    result: np.ndarray = np.maximum(0, second) @ weights.third[at] + weights.third_bias[at]
    return result


def test_stages_are_parts_of_the_way_of_both_tokens() -> None:
    state = np.zeros(WORDS, np.int64)
    for behind in range(2 * LAST + 1):
        for one in (min(behind, LAST), behind // 2):
            state[TIME], state[SEAT + TIME] = one, behind - one
            assert stage(state) == bisect(BEGINNINGS, behind)


def test_a_position_is_evaluated_by_the_layers_of_its_stage() -> None:
    random = np.random.default_rng(1)
    weights = Weights(
        *(random.normal(0, 0.1, shape).astype(np.float32) for shape in SIZES.values())
    )
    tables, memory = tables_of(weights), new_cache()
    met = []
    for seed in range(6):
        for position in positions_of(seed):
            state, circle = from_position(position)
            out = new_evaluation(1)
            forward_all(state[None], circle, tables, memory, LATE_PLACEMENTS, *out)
            met.append(bisect(BEGINNINGS, sum(player.time for player in position.players)))
            logit, margin, total = said(weights, state, circle, met[-1])[:3]
            win = 1 / (1 + np.exp(-logit))
            if position.turn == 1:
                win, margin = 1 - win, -margin
            expected = (win, POINTS * margin, POINTS * total)
            assert np.allclose((*out.values[0], out.totals[0]), expected, atol=1e-3)
    assert min(met.count(each) for each in range(STAGES)) > 10
