"""The dataset of a distillation, prepared once and kept on the device.

A training step then is work for the device alone: a GPU takes hundreds of steps per second.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from patchwork.engine.evaluators.features import PLANES, SCALARS, SLOTS, write_features
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.rules import covered
from patchwork.engine.kernel.state import HIGH, LOW, SEAT, TURN, Floats, Numbers
from patchwork.engine.patterns.forward import phase, stage
from patchwork.engine.patterns.windows import FRAMED_SIDE, KINDS, WINDOWS, list_kinds, read_rows
from patchwork.learn.distillation.positions import PLACEMENTS, LabelledPositions
from patchwork.learn.network import MASKED_LOGIT

_RESULT_WEIGHT = 0.25
"""How much a value target follows the result of the game rather than the teacher."""
_CHUNK = 4096
"""Positions that a thread prepares before it copies them to the device."""

Kinds = NDArray[np.int16]


class DistillationDataset(NamedTuple):
    """Inputs and targets of ``n`` positions, and of the placements in ``p`` of them."""

    kinds: Tensor
    """[n, 2, WINDOWS]: the windows of both quilts, the decider's first."""
    scalars: Tensor
    """[n, SCALARS]"""
    stages: Tensor
    """[n]"""
    values: Tensor
    """[n, 3]: targets; see ``Labels.values``."""
    choices: Tensor
    """[n, BIASES]: target logits."""
    phases: Tensor
    """[p]"""
    placed: Tensor
    """[p, PLACEMENTS, WINDOWS]: the windows of the decider's quilt after each placement."""
    logits: Tensor
    """[p, PLACEMENTS]: target logits."""


def new_dataset(
    positions: LabelledPositions, placed: Numbers, device: torch.device, threads: int
) -> DistillationDataset:
    """Returns the dataset of all positions, and of the placements in those numbered ``placed``."""
    labels, results = positions.labels, positions.results
    values = labels.values
    mixed = (1 - _RESULT_WEIGHT) * values + _RESULT_WEIGHT * results
    there = labels.codes[placed] >= 0
    logits = np.where(there, labels.logits[placed], np.float32(MASKED_LOGIT))
    count = len(values)
    dataset = DistillationDataset(
        kinds=torch.empty((count, 2, WINDOWS), dtype=torch.int16, device=device),
        scalars=torch.empty((count, SCALARS), device=device),
        stages=torch.empty(count, dtype=torch.int64, device=device),
        values=torch.from_numpy(np.where(np.isnan(results), values, mixed)).to(device),
        choices=torch.from_numpy(labels.choices).to(device),
        phases=torch.empty(len(placed), dtype=torch.int64, device=device),
        placed=torch.empty((len(placed), PLACEMENTS, WINDOWS), dtype=torch.int16, device=device),
        logits=torch.from_numpy(logits).to(device),
    )

    def fill_positions(start: int) -> None:
        end = min(count, start + _CHUNK)
        inputs = position_inputs(positions, np.arange(start, end))
        for column, part in zip(dataset[:3], inputs, strict=True):
            column[start:end] = torch.from_numpy(part)

    def fill_placements(start: int) -> None:
        part = slice(start, start + _CHUNK)
        dataset.phases[part], dataset.placed[part] = map(
            torch.from_numpy, placement_inputs(positions, placed[part])
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill_positions, range(0, count, _CHUNK)))
        list(pool.map(fill_placements, range(0, len(placed), _CHUNK)))
    return dataset


def position_inputs(positions: LabelledPositions, chosen: Numbers) -> tuple[Kinds, Floats, Numbers]:
    """Returns the windows, the scalar features and the stages of some positions."""
    kinds = np.empty((len(chosen), 2, WINDOWS), np.int16)
    scalars = np.empty((len(chosen), SCALARS), np.float32)
    stages = np.empty(len(chosen), np.int64)
    _write_positions(
        positions.states, positions.games, positions.circles, chosen, kinds, scalars, stages
    )
    return kinds, scalars, stages


def placement_inputs(positions: LabelledPositions, chosen: Numbers) -> tuple[Numbers, Kinds]:
    """Returns the phases of positions, and the windows after each of their labelled placements."""
    phases = np.empty(len(chosen), np.int64)
    kinds = np.zeros((len(chosen), PLACEMENTS, WINDOWS), np.int16)
    _write_placements(positions.states, positions.labels.codes, chosen, phases, kinds)
    return phases, kinds


@compiled
def _write_positions(
    states: Numbers,
    games: Numbers,
    circles: Numbers,
    chosen: Numbers,
    kinds: Kinds,
    scalars: Floats,
    stages: Numbers,
) -> None:
    scratch = np.empty((3, LANES), np.int64)
    words, pieces = np.empty((PLANES, 2), np.int64), np.empty(SLOTS, np.int64)
    rows, columns = np.empty(FRAMED_SIDE, np.int64), np.empty(FRAMED_SIDE, np.int64)
    for number in range(len(chosen)):
        state, circle = states[chosen[number]], circles[games[chosen[number]]]
        write_features(state, circle, words, scalars[number], pieces, scratch)
        stages[number] = stage(state)
        for quilt in range(2):
            seat = SEAT * (state[TURN] if quilt == 0 else 1 - state[TURN])
            read_rows(state[seat + LOW], state[seat + HIGH], rows, columns)
            list_kinds(rows, columns, kinds[number, quilt])


@compiled
def _write_placements(
    states: Numbers, codes: NDArray[np.int16], chosen: Numbers, phases: Numbers, kinds: Kinds
) -> None:
    rows, columns = np.empty(FRAMED_SIDE, np.int64), np.empty(FRAMED_SIDE, np.int64)
    for number in range(len(chosen)):
        state, listed = states[chosen[number]], codes[chosen[number]]
        seat = SEAT * state[TURN]
        low, high = state[seat + LOW], state[seat + HIGH]
        phases[number] = phase(low, high)
        for place in range(PLACEMENTS):
            if listed[place] >= 0:
                more_low, more_high = covered(listed[place])
                read_rows(low | more_low, high | more_high, rows, columns)
                list_kinds(rows, columns, kinds[number, place])


def window_counts(kinds: Tensor) -> Tensor:
    """Returns how often each kind of window occurs, [..., KINDS]."""
    counts = torch.zeros(*kinds.shape[:-1], KINDS, device=kinds.device)
    return counts.scatter_add_(-1, kinds.long(), torch.ones_like(kinds, dtype=torch.float32))
