"""A swift evaluator learns from a network: what it says, in tables and a few small layers."""

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
from patchwork.learn.distillation.dataset import Lessons, counted, lessons_of
from patchwork.learn.distillation.positions import Teacher, teach
from patchwork.learn.distillation.teacher import Reader
from patchwork.learn.network import NEVER

_BATCH, _GPU_BATCH = 2048, 8192
"""Positions in a step of learning; a GPU takes more in the same time."""
_PLACED = 16
"""In one position of so many, places are compared: many numbers for each."""
_RATES = 2e-3, 2e-2
"""Of learning, the second for the table of places."""
_WARM = 200
"""Steps until the learning rate is as high as it gets; then it goes down evenly."""
_HELD_OUT = 20
"""One game of so many is not learned from."""
_TELL = 20
"""Steps after which the loss is told: to ask for it is to wait for the device."""
_LEAST = 10.0
"""Seconds of learning, even if the games took all the time there was."""
_PLACES = "places"


class Pupil(nn.Module):
    """The weights of a swift evaluator, to be learned."""

    of_circle: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("of_circle", torch.from_numpy(CIRCLE_SCALARS))
        self.learned = nn.ParameterDict()
        for name, shape in SIZES.items():
            inputs = SIZES[name.removesuffix("_bias")][-2]  # a bias is drawn as its layer is
            scale = 0.0 if name == _PLACES else inputs**-0.5
            self.learned[name] = nn.Parameter(scale * (2 * torch.rand(shape) - 1))

    def forward(self, counts: Tensor, scalars: Tensor, stages: Tensor) -> Tensor:
        """Returns the outputs, see ``judging.OUTPUTS``, of positions in their stages [b].

        Windows are given as counts [b, 2, KINDS].
        """
        quilts = self._layer("windows", WINDOW_WEIGHT * counts).relu()
        ring = self._layer("ring", scalars[:, self.of_circle]).relu()
        seen = torch.cat((scalars, quilts.flatten(1), ring), 1)
        first = self._layer("first", seen).relu()
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


def teacher_of(path: Path, device: torch.device) -> Teacher:
    """Returns the network of a file: as ONNX, or as a run keeps it.

    Raises:
        NetworkError, Unreadable: the network cannot be used.
        OSError: the file cannot be read.
    """
    return NetworkEvaluator(path) if path.suffix == ".onnx" else Reader(path, device)


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
    switch_threads_often()
    device = own_device()
    teacher = teacher_of(path, device)
    taught = teach(teacher, games, seed, own_threads(), tell_games)
    held_out = taught.games % _HELD_OUT == 0
    known = np.flatnonzero(~held_out)
    lessons = lessons_of(taught, known[::_PLACED], device, own_threads())
    torch.manual_seed(seed)
    pupil = Pupil().to(device)
    left = max(_LEAST, 60 * minutes - (perf_counter() - started))
    done = _learn(pupil, lessons, torch.from_numpy(known).to(device), steps, left, tell_step)
    tried = np.flatnonzero(held_out & ~np.isnan(taught.results[:, 0]))
    won = taught.results[tried, 0]
    card = {
        "name": teacher.card.get("name", path.stem),
        "games": games,
        "positions": len(taught.states),
        "steps": done,
        "seed": seed,
        **code_version(),
        "log_loss": round(_log_loss(_said(pupil, lessons, tried), won), 4),
        "log_loss_of_network": round(_log_loss(taught.said.values[tried, 0], won), 4),
    }
    return pupil.weights(), card


def _said(pupil: Pupil, lessons: Lessons, chosen: Numbers) -> Floats:
    """Returns the probabilities to win that a pupil gives some positions."""
    parts = range(0, len(chosen), _BATCH)
    asked = torch.from_numpy(chosen).to(lessons.stages.device)
    with torch.no_grad():
        logits = [_answers(pupil, lessons, asked[part : part + _BATCH])[:, 0] for part in parts]
        said: Floats = torch.cat(logits).sigmoid().cpu().numpy()
    return said


def _answers(pupil: Pupil, lessons: Lessons, chosen: Tensor) -> Tensor:
    result: Tensor = pupil(
        counted(lessons.kinds[chosen]), lessons.scalars[chosen], lessons.stages[chosen]
    )
    return result


def _log_loss(said: Floats, won: Floats) -> float:
    safe = np.clip(said.astype(np.float64), 1e-6, 1 - 1e-6)
    return float(-np.mean(won * np.log(safe) + (1 - won) * np.log(1 - safe)))


def _learn(
    pupil: Pupil,
    lessons: Lessons,
    known: Tensor,
    steps: int,
    seconds: float,
    tell: Callable[[int, float], None],
) -> int:
    """Learns from the positions known until all steps are done or the time is over.

    Returns how many were done.
    """
    device = known.device
    on_gpu = device.type == "cuda"
    batch = _GPU_BATCH if on_gpu else _BATCH
    places = pupil.learned[_PLACES]
    others = [each for each in pupil.parameters() if each is not places]
    rates = torch.zeros(2, device=device)
    groups = [{"params": others, "lr": rates[0]}, {"params": [places], "lr": rates[1]}]
    optimiser = torch.optim.AdamW(groups, weight_decay=1e-4, capturable=on_gpu)
    most = torch.tensor(_RATES, device=device)
    chosen = torch.zeros(batch, dtype=torch.int64, device=device)
    placed = torch.zeros(batch // _PLACED, dtype=torch.int64, device=device)

    def learn() -> Tensor:
        optimiser.zero_grad()
        loss = _loss(pupil, lessons, chosen, placed)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        return loss

    take_step = _recorded(learn) if on_gpu else learn
    started, step = perf_counter(), 0
    while (part := max(step / steps, (perf_counter() - started) / seconds)) < 1:
        rates.copy_(most * (min(1.0, step / _WARM) * (1 - part)))
        chosen.copy_(known[torch.randint(len(known), chosen.shape, device=device)])
        placed.copy_(torch.randint(len(lessons.phases), placed.shape, device=device))
        loss = take_step()
        step += 1
        if step % _TELL == 0 or step == steps:
            tell(step, loss.item())
    return step


def _recorded(step: Callable[[], Tensor]) -> Callable[[], Tensor]:
    """Returns a step as one piece of work for a GPU, which then need not wait for Python."""
    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    graph, loss = record(step, stream)

    def replay() -> Tensor:
        graph.replay()
        return loss

    return replay


def _loss(pupil: Pupil, lessons: Lessons, chosen: Tensor, placed: Tensor) -> Tensor:
    """Returns how far a pupil is from what it should say in some positions and of some places."""
    said = _answers(pupil, lessons, chosen)
    aims = lessons.aims[chosen]
    win = functional.binary_cross_entropy_with_logits(said[:, 0], aims[:, 0])
    points = functional.smooth_l1_loss(said[:, 1:3], aims[:, 1:] / POINTS)
    places = pupil.learned[_PLACES]
    tables = functional.one_hot(lessons.phases[placed], len(places)).float() @ places
    weighed = (counted(lessons.placed[placed]) @ tables[:, :, np.newaxis])[:, :, 0]
    surprise = _surprise(said[:, 3:], lessons.choices[chosen])
    return win + points + surprise + _surprise(weighed, lessons.logits[placed])


def _surprise(said: Tensor, logits: Tensor) -> Tensor:
    """Returns the cross entropy of two policies, where there is something to choose."""
    possible = logits > NEVER
    mine = said.masked_fill(~possible, NEVER).log_softmax(1)
    each = -(logits.softmax(1) * mine).sum(1)
    open_to = (possible.sum(1) > 1).float()
    return (each * open_to).sum() / open_to.sum().clamp(min=1)
