"""Distillation: the weights of the pattern evaluator learn from a network, the teacher."""

from collections.abc import Callable
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from patchwork.engine.evaluators.features import CIRCLE_SCALARS
from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.kernel.state import Floats, Numbers
from patchwork.engine.patterns.weights import POINTS, SIZES, WINDOW_WEIGHT, Weights
from patchwork.learn.checkpoint import code_version
from patchwork.learn.cuda_graph import record
from patchwork.learn.devices import own_device, own_threads, switch_threads_often
from patchwork.learn.distillation.dataset import DistillationDataset, new_dataset, window_counts
from patchwork.learn.distillation.positions import Teacher, play_and_label
from patchwork.learn.distillation.teacher import TorchTeacher
from patchwork.learn.network import MASKED_LOGIT

_BATCH_SIZE, _GPU_BATCH_SIZE = 2048, 8192
"""Positions in a training step; a GPU takes the larger number in the same time."""
_PLACED_EVERY = 16
"""Placements are compared in one position out of this many, since they need much more memory."""
_LEARNING_RATES = 2e-3, 2e-2
"""The second is for the values of windows by which placements are compared."""
_WEIGHT_DECAY = 1e-4
_WARMUP_STEPS = 200
"""Steps until the learning rate is at its highest; then it falls linearly."""
_HELD_OUT = 20
"""One game out of this many is kept for the log loss and not learned from."""
_REPORT_EVERY = 20
"""Steps between two reports of the loss; to read it is to wait for the device."""
_LEAST_SECONDS = 10.0
"""Training gets this long even if the games took all the time there was."""
_SURE = 1e-6
"""Probabilities closer than this to 0 or 1 count as this close in the log loss."""
_PLACES = "places"


class PatternNetwork(nn.Module):
    """The weights of the pattern evaluator as a network to be trained."""

    circle_scalars: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("circle_scalars", torch.from_numpy(CIRCLE_SCALARS))
        self.learned = nn.ParameterDict()
        for name, shape in SIZES.items():
            inputs = SIZES[name.removesuffix("_bias")][-2]  # biases start on the scale of weights
            scale = 0.0 if name == _PLACES else inputs**-0.5
            self.learned[name] = nn.Parameter(scale * (2 * torch.rand(shape) - 1))

    def forward(self, counts: Tensor, scalars: Tensor, stages: Tensor) -> Tensor:
        """Returns the outputs, see ``forward.OUTPUTS``, of positions in their stages [b].

        ``counts`` [b, 2, KINDS] says how often each kind of window occurs in the quilts.
        """
        quilts = self._layer("windows", WINDOW_WEIGHT * counts).relu()
        circle = self._layer("ring", scalars[:, self.circle_scalars]).relu()
        inputs = torch.cat((scalars, quilts.flatten(1), circle), 1)
        first = self._layer("first", inputs).relu()
        second = self._staged_layer("second", first, stages).relu()
        return self._staged_layer("third", second, stages)

    def _layer(self, name: str, inputs: Tensor) -> Tensor:
        result: Tensor = inputs @ self.learned[name] + self.learned[f"{name}_bias"]
        return result

    def _staged_layer(self, name: str, inputs: Tensor, stages: Tensor) -> Tensor:
        """Returns the output of the layer for the stage of each position.

        The layers of the other stages are computed as well: they are small, and one product for all
        saves sorting the positions.
        """
        every = torch.einsum("bi,sio->bso", inputs, self.learned[name])
        every = every + self.learned[f"{name}_bias"]
        result: Tensor = every.take_along_dim(stages[:, np.newaxis, np.newaxis], 1)[:, 0]
        return result

    def weights(self) -> Weights:
        """Returns the weights in the form that the engine uses."""
        return Weights(*(self.learned[name].detach().cpu().numpy() for name in SIZES))


def read_teacher(path: Path, device: torch.device) -> Teacher:
    """Returns the network in a file, an ONNX file or one that a run kept.

    Raises:
        NetworkError, Unreadable: the network cannot be used.
        OSError: the file cannot be read.
    """
    return NetworkEvaluator(path) if path.suffix == ".onnx" else TorchTeacher(path, device)


def distil(
    path: Path,
    games: int,
    steps: int,
    seed: int,
    report_games: Callable[[int], None],
    report_step: Callable[[int, float], None],
    minutes: float = inf,
) -> tuple[Weights, dict[str, Any]]:
    """Returns weights that have learned from the network in a file, and their metadata.

    Args:
        path: the network, an ONNX file or one that a run kept.
        games: how many games it plays, at least two, one of which is held out.
        steps: training steps, at most.
        seed: for everything random.
        report_games: gets the number of games that are over.
        report_step: gets the number of steps done, and the loss.
        minutes: after which training ends; the time for the games counts, too.

    Raises:
        NetworkError, Unreadable: the network cannot be used.
        OSError: the file cannot be read.
    """
    started = perf_counter()
    # Threads that ask the network or prepare data must not wait long for the interpreter.
    switch_threads_often()
    device = own_device()
    teacher = read_teacher(path, device)
    positions = play_and_label(teacher, games, seed, own_threads(), report_games)
    held_out = positions.games % _HELD_OUT == 0
    known = np.flatnonzero(~held_out)
    dataset = new_dataset(positions, known[::_PLACED_EVERY], device, own_threads())
    torch.manual_seed(seed)
    network = PatternNetwork().to(device)
    left = max(_LEAST_SECONDS, 60 * minutes - (perf_counter() - started))
    done = _train(network, dataset, torch.from_numpy(known).to(device), steps, left, report_step)
    tested = np.flatnonzero(held_out & ~np.isnan(positions.results[:, 0]))
    won = positions.results[tested, 0]
    card = {
        "name": teacher.card.get("name", path.stem),
        "games": games,
        "positions": len(positions.states),
        "steps": done,
        "seed": seed,
        **code_version(),
        "log_loss": round(_log_loss(_win_probabilities(network, dataset, tested), won), 4),
        "log_loss_of_network": round(_log_loss(positions.labels.values[tested, 0], won), 4),
    }
    return network.weights(), card


def _win_probabilities(
    network: PatternNetwork, dataset: DistillationDataset, chosen: Numbers
) -> Floats:
    """Returns the network's probabilities of winning some positions."""
    parts = range(0, len(chosen), _BATCH_SIZE)
    rows = torch.from_numpy(chosen).to(dataset.stages.device)
    with torch.no_grad():
        logits = [
            _outputs(network, dataset, rows[part : part + _BATCH_SIZE])[:, 0] for part in parts
        ]
        probabilities: Floats = torch.cat(logits).sigmoid().cpu().numpy()
    return probabilities


def _outputs(network: PatternNetwork, dataset: DistillationDataset, rows: Tensor) -> Tensor:
    result: Tensor = network(
        window_counts(dataset.kinds[rows]), dataset.scalars[rows], dataset.stages[rows]
    )
    return result


def _log_loss(probabilities: Floats, won: Floats) -> float:
    safe = np.clip(probabilities.astype(np.float64), _SURE, 1 - _SURE)
    return float(-np.mean(won * np.log(safe) + (1 - won) * np.log(1 - safe)))


def _train(
    network: PatternNetwork,
    dataset: DistillationDataset,
    known: Tensor,
    steps: int,
    seconds: float,
    report: Callable[[int, float], None],
) -> int:
    """Trains on the positions ``known`` until all steps are done or the time is over.

    Returns how many steps were done.
    """
    device = known.device
    on_gpu = device.type == "cuda"
    batch_size = _GPU_BATCH_SIZE if on_gpu else _BATCH_SIZE
    places = network.learned[_PLACES]
    others = [each for each in network.parameters() if each is not places]
    rates = torch.zeros(2, device=device)
    groups = [{"params": others, "lr": rates[0]}, {"params": [places], "lr": rates[1]}]
    optimiser = torch.optim.AdamW(groups, weight_decay=_WEIGHT_DECAY, capturable=on_gpu)
    highest = torch.tensor(_LEARNING_RATES, device=device)
    rows = torch.zeros(batch_size, dtype=torch.int64, device=device)
    placed = torch.zeros(batch_size // _PLACED_EVERY, dtype=torch.int64, device=device)

    def step_once() -> Tensor:
        optimiser.zero_grad()
        loss = _loss(network, dataset, rows, placed)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        return loss

    take_step = _recorded(step_once) if on_gpu else step_once
    started, step = perf_counter(), 0
    while (share := max(step / steps, (perf_counter() - started) / seconds)) < 1:
        rates.copy_(highest * (min(1.0, step / _WARMUP_STEPS) * (1 - share)))
        rows.copy_(known[torch.randint(len(known), rows.shape, device=device)])
        placed.copy_(torch.randint(len(dataset.phases), placed.shape, device=device))
        loss = take_step()
        step += 1
        if step % _REPORT_EVERY == 0 or step == steps:
            report(step, loss.item())
    return step


def _recorded(step: Callable[[], Tensor]) -> Callable[[], Tensor]:
    """Returns a step as a CUDA graph, which need not wait for Python."""
    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    graph, loss = record(step, stream)

    def replay() -> Tensor:
        graph.replay()
        return loss

    return replay


def _loss(
    network: PatternNetwork, dataset: DistillationDataset, rows: Tensor, placed: Tensor
) -> Tensor:
    """Returns the loss on some positions, and on the placements in others."""
    outputs = _outputs(network, dataset, rows)
    values = dataset.values[rows]
    win = functional.binary_cross_entropy_with_logits(outputs[:, 0], values[:, 0])
    points = functional.smooth_l1_loss(outputs[:, 1:3], values[:, 1:] / POINTS)
    places = network.learned[_PLACES]
    worth = functional.one_hot(dataset.phases[placed], len(places)).float() @ places
    logits = (window_counts(dataset.placed[placed]) @ worth[:, :, np.newaxis])[:, :, 0]
    policy = _policy_loss(outputs[:, 3:], dataset.choices[rows])
    return win + points + policy + _policy_loss(logits, dataset.logits[placed])


def _policy_loss(logits: Tensor, target: Tensor) -> Tensor:
    """Returns the mean cross entropy of two policies, where there is something to choose."""
    possible = target > MASKED_LOGIT
    mine = logits.masked_fill(~possible, MASKED_LOGIT).log_softmax(1)
    each = -(target.softmax(1) * mine).sum(1)
    has_choice = (possible.sum(1) > 1).float()
    return (each * has_choice).sum() / has_choice.sum().clamp(min=1)
