"""A swift evaluator learns from a network: what it says, in tables and a few small layers."""

import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from patchwork.engine.compiling import compiled
from patchwork.engine.features import PLANES, SCALARS, SLOTS, Floats, write_features
from patchwork.engine.judging import COUNTED, POINTS, SIZES, Weights, phase, stage
from patchwork.engine.kernel import covered
from patchwork.engine.network import Learned
from patchwork.engine.state import HIGH, LOW, SEAT, TURN, Numbers
from patchwork.engine.tables import LANES
from patchwork.engine.windows import FRAME, KINDS, WINDOWS, list_kinds, read_rows
from patchwork.learn.folder import code_version
from patchwork.learn.network import NEVER
from patchwork.learn.parallel import own_device, own_threads
from patchwork.learn.reader import Reader
from patchwork.learn.teachings import LISTED, Teacher, Teachings, teach

_BATCH, _GPU_BATCH = 2048, 8192
"""Positions in a lesson; a GPU takes more in the same time."""
_PLACED = 16
"""In one position of so many, places are compared: many numbers for each."""
_RATE, _PLACES_RATE = 2e-3, 2e-2
_WARM = 200
"""Steps until the learning rate is as high as it gets; then it goes down evenly."""
_FROM_RESULT = 0.25
"""How far a position's aim is the result of its game, and not what the network said."""
_HELD_OUT = 20
"""One game of so many is not learned from."""
_AHEAD = 32
"""Lessons that are prepared ahead."""
_TELL = 20
"""Steps after which the loss is told: to ask for it is to wait for the device."""
_LEAST = 10.0
"""Seconds of learning, even if the games took all the time there was."""
_PLACES = "places"

Kinds = NDArray[np.int16]


class Pupil(nn.Module):
    """The weights of a swift evaluator, to be learned."""

    def __init__(self) -> None:
        super().__init__()
        self.learned = nn.ParameterDict()
        for name, shape in SIZES.items():
            inputs = SIZES[name.removesuffix("_bias")][-2]  # a bias is drawn as its layer is
            scale = 0.0 if name == _PLACES else inputs**-0.5
            self.learned[name] = nn.Parameter(scale * (2 * torch.rand(shape) - 1))

    def forward(self, counts: Tensor, scalars: Tensor, stages: Tensor) -> Tensor:
        """Returns the outputs, see ``judging.OUTPUTS``, of positions in their stages [b].

        Windows are given as counts [b, 2, KINDS].
        """
        quilts = self._layer("windows", COUNTED * counts).relu()
        first = self._layer("first", torch.cat((scalars, quilts.flatten(1)), 1)).relu()
        second = self._staged_layer("second", first, stages).relu()
        return self._staged_layer("third", second, stages)

    def _layer(self, name: str, given: Tensor) -> Tensor:
        result: Tensor = given @ self.learned[name] + self.learned[f"{name}_bias"]
        return result

    def _staged_layer(self, name: str, given: Tensor, stages: Tensor) -> Tensor:
        """Returns what the layer of each position's stage makes of it.

        Those of the other stages are worked out as well: they are small, and one product for all
        saves sorting the positions.
        """
        every = torch.einsum("bi,sio->bso", given, self.learned[name])
        every = every + self.learned[f"{name}_bias"]
        result: Tensor = every.take_along_dim(stages[:, np.newaxis, np.newaxis], 1)[:, 0]
        return result

    def weights(self) -> Weights:
        """Returns the weights as the engine uses them."""
        return Weights(*(self.learned[name].detach().cpu().numpy() for name in SIZES))


class Lesson(NamedTuple):
    """Positions as a pupil sees them, and what it should say."""

    kinds: Kinds
    """[b, 2, WINDOWS]: windows of both quilts, the decider's first."""
    scalars: Floats
    """[b, SCALARS]"""
    stages: Numbers
    """[b]"""
    aims: Floats
    """[b, 3]: see ``Said.values``."""
    choices: Floats
    """[b, BIASES]: logits."""
    phases: Numbers
    """[p], of the first ones"""
    placed: Kinds
    """[p, LISTED, WINDOWS]: of the decider's quilt with a patch at each place."""
    logits: Floats
    """[p, LISTED], of the places"""


def lesson_of(taught: Teachings, chosen: Numbers) -> Lesson:
    """Returns a lesson about some positions.

    Many threads do so side by side: nothing here keeps the interpreter for long.
    """
    values, results = taught.said.values.take(chosen, 0), taught.results.take(chosen, 0)
    mixed = (1 - _FROM_RESULT) * values + _FROM_RESULT * results
    first = chosen[: len(chosen) // _PLACED]
    there = taught.said.codes.take(first, 0) >= 0
    return Lesson(
        *see(taught, chosen),
        np.where(np.isnan(results), values, mixed),
        taught.said.choices.take(chosen, 0),
        *see_places(taught, first),
        np.where(there, taught.said.logits.take(first, 0), np.float32(NEVER)),
    )


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
    rows, columns = np.empty(FRAME, np.int64), np.empty(FRAME, np.int64)
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
    rows, columns = np.empty(FRAME, np.int64), np.empty(FRAME, np.int64)
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


def teacher_of(path: Path, device: torch.device) -> Teacher:
    """Returns the network of a file: as ONNX, or as a run keeps it.

    Raises:
        NetworkError, Unreadable: the network cannot be used.
        OSError: the file cannot be read.
    """
    return Learned(path) if path.suffix == ".onnx" else Reader(path, device)


def distil(
    path: Path,
    games: int,
    steps: int,
    seed: int,
    tell_games: Callable[[int], None],
    tell_step: Callable[[int, float], None],
    minutes: float = inf,
) -> tuple[Weights, dict[str, Any]]:
    """Returns weights that have learned from the network of a file, and a card.

    Args:
        path: the network, as ONNX or as a run keeps it.
        games: that it plays to teach, at least two: one is not learned from.
        steps: of learning, at most.
        seed: decides on all that is left to chance.
        tell_games: is told how many games are over.
        tell_step: is told how many steps are done, and the loss.
        minutes: after which learning ends, those of the games included.

    Raises:
        NetworkError, Unreadable: the network cannot be used.
        OSError: the file cannot be read.
    """
    started = perf_counter()
    # Threads that ask the network, or put lessons together, must not wait long for the interpreter.
    sys.setswitchinterval(1e-4)
    device = own_device()
    teacher = teacher_of(path, device)
    taught = teach(teacher, games, seed, own_threads(), tell_games)
    torch.manual_seed(seed)
    pupil = Pupil().to(device)
    held_out = taught.games % _HELD_OUT == 0
    left = max(_LEAST, 60 * minutes - (perf_counter() - started))
    done = _learn(pupil, taught, np.flatnonzero(~held_out), steps, left, seed, device, tell_step)
    tried = np.flatnonzero(held_out & ~np.isnan(taught.results[:, 0]))
    won = taught.results[tried, 0]
    card = {
        "name": teacher.card.get("name", path.stem),
        "games": games,
        "positions": len(taught.states),
        "steps": done,
        "seed": seed,
        **code_version(),
        "log_loss": round(_log_loss(_said(pupil, taught, tried, device), won), 4),
        "log_loss_of_network": round(_log_loss(taught.said.values[tried, 0], won), 4),
    }
    return pupil.weights(), card


def _said(pupil: Pupil, taught: Teachings, chosen: Numbers, device: torch.device) -> Floats:
    """Returns the probabilities to win that a pupil gives some positions."""
    said = []
    for start in range(0, len(chosen), _BATCH):
        seen = see(taught, chosen[start : start + _BATCH])
        kinds, scalars, stages = (torch.from_numpy(part).to(device) for part in seen)
        with torch.no_grad():
            said.append(pupil(counted(kinds), scalars, stages)[:, 0].sigmoid().cpu().numpy())
    return np.concatenate(said)


def _log_loss(said: Floats, won: Floats) -> float:
    safe = np.clip(said.astype(np.float64), 1e-6, 1 - 1e-6)
    return float(-np.mean(won * np.log(safe) + (1 - won) * np.log(1 - safe)))


def _learn(
    pupil: Pupil,
    taught: Teachings,
    known: Numbers,
    steps: int,
    seconds: float,
    seed: int,
    device: torch.device,
    tell: Callable[[int, float], None],
) -> int:
    """Learns until all steps are done or the time is over; returns how many were done."""
    places = pupil.learned[_PLACES]
    others = [each for each in pupil.parameters() if each is not places]
    groups = [{"params": others, "most": _RATE}, {"params": [places], "most": _PLACES_RATE}]
    optimiser = torch.optim.AdamW(groups, weight_decay=1e-4)
    random = np.random.default_rng(seed)
    batch = _GPU_BATCH if device.type == "cuda" else _BATCH
    started, step = perf_counter(), 0
    # Lessons are prepared ahead, so that a fast device need not wait for them.
    ahead: deque[Future[Lesson]] = deque()
    with ThreadPoolExecutor(own_threads()) as pool:
        while (part := max(step / steps, (perf_counter() - started) / seconds)) < 1:
            while len(ahead) < min(_AHEAD, steps - step):
                ahead.append(pool.submit(lesson_of, taught, random.choice(known, batch)))
            for group in optimiser.param_groups:
                group["lr"] = group["most"] * min(1.0, step / _WARM) * (1 - part)
            lesson = ahead.popleft().result()
            loss = _loss(pupil, *(torch.from_numpy(piece).to(device) for piece in lesson))
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            step += 1
            if step % _TELL == 0 or step == steps:
                tell(step, loss.item())
        pool.shutdown(cancel_futures=True)
    return step


def _loss(
    pupil: Pupil,
    kinds: Tensor,
    scalars: Tensor,
    stages: Tensor,
    aims: Tensor,
    choices: Tensor,
    phases: Tensor,
    placed: Tensor,
    logits: Tensor,
) -> Tensor:
    """Returns how far a pupil is from what it should say in a lesson."""
    said = pupil(counted(kinds), scalars, stages)
    win = functional.binary_cross_entropy_with_logits(said[:, 0], aims[:, 0])
    points = functional.smooth_l1_loss(said[:, 1:3], aims[:, 1:] / POINTS)
    weighed = (counted(placed) @ pupil.learned[_PLACES][phases][:, :, np.newaxis])[:, :, 0]
    return win + points + _surprise(said[:, 3:], choices) + _surprise(weighed, logits)


def _surprise(said: Tensor, logits: Tensor) -> Tensor:
    """Returns the cross entropy of two policies, where there is something to choose."""
    possible = logits > NEVER
    mine = said.masked_fill(~possible, NEVER).log_softmax(1)
    each = -(logits.softmax(1) * mine).sum(1)
    open_to = (possible.sum(1) > 1).float()
    return (each * open_to).sum() / open_to.sum().clamp(min=1)
