"""A swift evaluator learns from a network: what it says, in tables and a few small layers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from patchwork.engine.compiling import compiled
from patchwork.engine.features import PLANES, SCALARS, SLOTS, Floats, write_features
from patchwork.engine.judging import COUNTED, POINTS, SIZES, Weights, phase
from patchwork.engine.kernel import covered
from patchwork.engine.network import Learned
from patchwork.engine.state import HIGH, LOW, SEAT, TURN, Numbers
from patchwork.engine.tables import LANES
from patchwork.engine.windows import FRAME, KINDS, count_kinds, read_rows
from patchwork.learn.folder import code_version
from patchwork.learn.parallel import own_device, own_threads
from patchwork.learn.teachings import LISTED, NEVER, Teachings, teach

_BATCH = 2048
_PLACED = 128
"""Of a batch, the positions in which places are compared: many numbers for each."""
_RATE, _PLACES_RATE = 2e-3, 2e-2
_WARM = 200
"""Steps until the learning rate is as high as it gets; then it goes down evenly."""
_FROM_RESULT = 0.25
"""How far a position's aim is the result of its game, and not what the network said."""
_HELD_OUT = 20
"""One game of so many is not learned from."""
_PLACES = "places"


class Pupil(nn.Module):
    """The weights of a swift evaluator, to be learned."""

    def __init__(self) -> None:
        super().__init__()
        self.learned = nn.ParameterDict()
        for name, shape in SIZES.items():
            scale = 0.0 if name == _PLACES else shape[0] ** -0.5
            self.learned[name] = nn.Parameter(scale * (2 * torch.rand(shape) - 1))

    def forward(self, counts: Tensor, scalars: Tensor) -> Tensor:
        """Returns the outputs, see ``judging.OUTPUTS``, for counts of windows [b, 2, KINDS]."""
        quilts = self._layer("windows", COUNTED * counts).relu()
        first = self._layer("first", torch.cat((scalars, quilts.flatten(1)), 1)).relu()
        return self._layer("third", self._layer("second", first).relu())

    def _layer(self, name: str, given: Tensor) -> Tensor:
        result: Tensor = given @ self.learned[name] + self.learned[f"{name}_bias"]
        return result

    def weights(self) -> Weights:
        """Returns the weights as the engine uses them."""
        return Weights(*(self.learned[name].detach().cpu().numpy() for name in SIZES))


class Lesson(NamedTuple):
    """Positions as a pupil sees them."""

    counts: Floats
    """[b, 2, KINDS]: windows of both quilts, the decider's first."""
    scalars: Floats
    """[b, SCALARS]"""


def see(taught: Teachings, chosen: Numbers) -> Lesson:
    """Returns what a pupil sees of some positions."""
    lesson = Lesson(
        np.zeros((len(chosen), 2, KINDS), np.float32), np.empty((len(chosen), SCALARS), np.float32)
    )
    _see(taught.states[chosen], taught.circles[taught.games[chosen]], *lesson)
    return lesson


@compiled
def _see(states: Numbers, circles: Numbers, counts: Floats, scalars: Floats) -> None:
    scratch = np.empty((3, LANES), np.int64)
    words, pieces = np.empty((PLANES, 2), np.int64), np.empty(SLOTS, np.int64)
    rows, columns = np.empty(FRAME, np.int64), np.empty(FRAME, np.int64)
    for number in range(len(states)):
        state = states[number]
        write_features(state, circles[number], words, scalars[number], pieces, scratch)
        for quilt in range(2):
            seat = SEAT * (state[TURN] if quilt == 0 else 1 - state[TURN])
            read_rows(state[seat + LOW], state[seat + HIGH], rows, columns)
            count_kinds(rows, columns, counts[number, quilt])


@compiled
def see_places(states: Numbers, codes: Numbers, changes: Floats, phases: Numbers) -> None:
    """Writes by how much places change the counts of windows, [b, LISTED, KINDS], and the phase."""
    rows, columns = np.empty(FRAME, np.int64), np.empty(FRAME, np.int64)
    before = np.empty(KINDS, np.float32)
    for number in range(len(states)):
        seat = SEAT * states[number, TURN]
        low, high = states[number, seat + LOW], states[number, seat + HIGH]
        phases[number] = phase(low, high)
        read_rows(low, high, rows, columns)
        before[:] = 0
        count_kinds(rows, columns, before)
        for place in range(LISTED):
            if codes[number, place] >= 0:
                more_low, more_high = covered(codes[number, place])
                read_rows(low | more_low, high | more_high, rows, columns)
                changes[number, place] = -before
                count_kinds(rows, columns, changes[number, place])


def distil(
    path: Path,
    games: int,
    steps: int,
    seed: int,
    tell_games: Callable[[int], None],
    tell_step: Callable[[int, float], None],
) -> tuple[Weights, dict[str, Any]]:
    """Returns weights that have learned from the network of a file, and a card.

    Args:
        path: the network, as ONNX.
        games: that it plays to teach.
        steps: of learning.
        seed: decides on all that is left to chance.
        tell_games: is told how many games are over.
        tell_step: is told how many steps are done, and the loss.

    Raises:
        NetworkError: the network cannot be used.
    """
    network = Learned(path)
    taught = teach(network, games, seed, own_threads(), tell_games)
    device = own_device()
    torch.manual_seed(seed)
    pupil = Pupil().to(device)
    held_out = taught.games % _HELD_OUT == 0
    _learn(pupil, taught, np.flatnonzero(~held_out), steps, seed, device, tell_step)
    tried = np.flatnonzero(held_out & ~np.isnan(taught.results[:, 0]))
    with torch.no_grad():
        lesson = see(taught, tried)
        said = pupil(*(torch.from_numpy(part).to(device) for part in lesson))[:, 0].sigmoid()
    won = taught.results[tried, 0]
    card = {
        "name": network.card.get("name", path.stem),
        "games": games,
        "positions": len(taught.states),
        "steps": steps,
        "seed": seed,
        **code_version(),
        "log_loss": round(_log_loss(said.cpu().numpy(), won), 4),
        "log_loss_of_network": round(_log_loss(taught.said.values[tried, 0], won), 4),
    }
    return pupil.weights(), card


def _log_loss(said: Floats, won: Floats) -> float:
    safe = np.clip(said.astype(np.float64), 1e-6, 1 - 1e-6)
    return float(-np.mean(won * np.log(safe) + (1 - won) * np.log(1 - safe)))


def _learn(
    pupil: Pupil,
    taught: Teachings,
    known: Numbers,
    steps: int,
    seed: int,
    device: torch.device,
    tell: Callable[[int, float], None],
) -> None:
    places = pupil.learned[_PLACES]
    others = [each for each in pupil.parameters() if each is not places]
    groups = [{"params": others, "most": _RATE}, {"params": [places], "most": _PLACES_RATE}]
    optimiser = torch.optim.AdamW(groups, weight_decay=1e-4)
    random = np.random.default_rng(seed)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = group["most"] * min(1.0, step / _WARM) * (1 - step / steps)
        chosen = random.choice(known, _BATCH)
        loss = _loss(pupil, taught, chosen, device)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        tell(step + 1, loss.item())


def _loss(pupil: Pupil, taught: Teachings, chosen: Numbers, device: torch.device) -> Tensor:
    """Returns how far a pupil is from what it should say of some positions."""
    counts, scalars = (torch.from_numpy(part).to(device) for part in see(taught, chosen))
    said = pupil(counts, scalars)
    values, results = taught.said.values[chosen], taught.results[chosen]
    mixed = (1 - _FROM_RESULT) * values + _FROM_RESULT * results
    aims = torch.from_numpy(np.where(np.isnan(results), values, mixed)).to(device)
    win = functional.binary_cross_entropy_with_logits(said[:, 0], aims[:, 0])
    points = functional.smooth_l1_loss(said[:, 1:3], aims[:, 1:] / POINTS)
    choices = torch.from_numpy(taught.said.choices[chosen]).to(device)
    placed = chosen[:_PLACED]
    codes = taught.said.codes[placed].astype(np.int64)
    changes, phases = np.zeros((len(placed), LISTED, KINDS), np.float32), np.empty_like(placed)
    see_places(taught.states[placed], codes, changes, phases)
    worth = pupil.learned[_PLACES][torch.from_numpy(phases).to(device)]
    weighed = (torch.from_numpy(changes).to(device) * worth[:, np.newaxis]).sum(2)
    there = torch.from_numpy(codes >= 0).to(device)
    logits = torch.from_numpy(taught.said.logits[placed]).to(device).masked_fill(~there, NEVER)
    return win + points + _surprise(said[:, 3:], choices) + _surprise(weighed, logits)


def _surprise(said: Tensor, logits: Tensor) -> Tensor:
    """Returns the cross entropy of two policies, where there is something to choose."""
    possible = logits > NEVER
    mine = said.masked_fill(~possible, NEVER).log_softmax(1)
    each = -(logits.softmax(1) * mine).sum(1)
    open_to = (possible.sum(1) > 1).float()
    return (each * open_to).sum() / open_to.sum().clamp(min=1)
