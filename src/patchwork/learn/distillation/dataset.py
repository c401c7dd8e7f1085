"""All that tables learn from, seen once and then kept on the device that learns.

So a step of learning is work for the device alone: a GPU takes hundreds in a second.
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
from patchwork.learn.distillation.positions import LISTED, Teachings
from patchwork.learn.network import NEVER

_FROM_RESULT = 0.25
"""How far a position's aim is the result of its game, and not what the network said."""
_AT_ONCE = 4096
"""Positions that a thread looks at before it hands them over."""

Kinds = NDArray[np.int16]


class Lessons(NamedTuple):
    """``n`` positions as tables see them, and what they should say; of places in ``p`` of them."""

    kinds: Tensor
    """[n, 2, WINDOWS]: windows of both quilts, the decider's first."""
    scalars: Tensor
    """[n, SCALARS]"""
    stages: Tensor
    """[n]"""
    aims: Tensor
    """[n, 3]: see ``Said.values``."""
    choices: Tensor
    """[n, BIASES]: logits."""
    phases: Tensor
    """[p]"""
    placed: Tensor
    """[p, LISTED, WINDOWS]: of the decider's quilt with a patch at each place."""
    logits: Tensor
    """[p, LISTED], of the places"""


def lessons_of(taught: Teachings, placed: Numbers, device: torch.device, threads: int) -> Lessons:
    """Returns lessons about all positions, and about the places in some of them."""
    values, results, logits = taught.said.values, taught.results, taught.said.logits
    mixed = (1 - _FROM_RESULT) * values + _FROM_RESULT * results
    there = taught.said.codes[placed] >= 0
    count = len(values)
    lessons = Lessons(
        kinds=torch.empty((count, 2, WINDOWS), dtype=torch.int16, device=device),
        scalars=torch.empty((count, SCALARS), device=device),
        stages=torch.empty(count, dtype=torch.int64, device=device),
        aims=torch.from_numpy(np.where(np.isnan(results), values, mixed)).to(device),
        choices=torch.from_numpy(taught.said.choices).to(device),
        phases=torch.empty(len(placed), dtype=torch.int64, device=device),
        placed=torch.empty((len(placed), LISTED, WINDOWS), dtype=torch.int16, device=device),
        logits=torch.from_numpy(np.where(there, logits[placed], np.float32(NEVER))).to(device),
    )

    def see_some(start: int) -> None:
        end = min(count, start + _AT_ONCE)
        for room, seen in zip(lessons[:3], see(taught, np.arange(start, end)), strict=True):
            room[start:end] = torch.from_numpy(seen)

    def see_some_places(start: int) -> None:
        part = slice(start, start + _AT_ONCE)
        lessons.phases[part], lessons.placed[part] = map(
            torch.from_numpy, see_places(taught, placed[part])
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(see_some, range(0, count, _AT_ONCE)))
        list(pool.map(see_some_places, range(0, len(placed), _AT_ONCE)))
    return lessons


def see(taught: Teachings, chosen: Numbers) -> tuple[Kinds, Floats, Numbers]:
    """Returns the windows, the numbers and the stages of some positions."""
    kinds = np.empty((len(chosen), 2, WINDOWS), np.int16)
    scalars = np.empty((len(chosen), SCALARS), np.float32)
    stages = np.empty(len(chosen), np.int64)
    _see(taught.states, taught.games, taught.circles, chosen, kinds, scalars, stages)
    return kinds, scalars, stages


def see_places(taught: Teachings, chosen: Numbers) -> tuple[Numbers, Kinds]:
    """Returns the phases of positions, and the windows after each of the moves listed for them."""
    phases = np.empty(len(chosen), np.int64)
    kinds = np.zeros((len(chosen), LISTED, WINDOWS), np.int16)
    _see_places(taught.states, taught.said.codes, chosen, phases, kinds)
    return phases, kinds


@compiled
def _see(
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
def _see_places(
    states: Numbers, codes: NDArray[np.int16], chosen: Numbers, phases: Numbers, kinds: Kinds
) -> None:
    rows, columns = np.empty(FRAMED_SIDE, np.int64), np.empty(FRAMED_SIDE, np.int64)
    for number in range(len(chosen)):
        state, listed = states[chosen[number]], codes[chosen[number]]
        seat = SEAT * state[TURN]
        low, high = state[seat + LOW], state[seat + HIGH]
        phases[number] = phase(low, high)
        for place in range(LISTED):
            if listed[place] >= 0:
                more_low, more_high = covered(listed[place])
                read_rows(low | more_low, high | more_high, rows, columns)
                list_kinds(rows, columns, kinds[number, place])


def counted(kinds: Tensor) -> Tensor:
    """Returns how often each kind of window is listed, [..., KINDS]."""
    counts = torch.zeros(*kinds.shape[:-1], KINDS, device=kinds.device)
    return counts.scatter_add_(-1, kinds.long(), torch.ones_like(kinds, dtype=torch.float32))
