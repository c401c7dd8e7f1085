"""Training: draws lessons, takes steps, and keeps an average of the weights.

The one who plays learns from its own games. A student, if there is one, learns from the same
lessons and never plays: it becomes the small network that is shipped.
"""

import copy
import math
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.features import PLANES, SCALARS
from patchwork.engine.kernel.rng import seeded
from patchwork.engine.kernel.symmetry import SYMMETRY_CELLS
from patchwork.learn.config import Config
from patchwork.learn.network import Network, Size, Unpacking, grown, placements
from patchwork.learn.training.distributed import Team
from patchwork.learn.training.losses import Batch, losses, total
from patchwork.learn.training.replay_buffer import (
    LISTED,
    RESULTS,
    TURNED_CODES,
    Lesson,
    Samples,
    draw_lesson,
)
from patchwork.rules.quilt import CELLS

_WARM = 100
"""Steps until the learning rate is what the plan says: the first ones know little of the gradients'
sizes, and would spoil a network that a run begins with."""
UNSTEADY = 4096
"""Samples that self-play may write while a lesson is drawn."""


class Pupil:
    """A network that learns, and the average of its weights, which plays better."""

    def __init__(self, size: Size, config: Config, device: torch.device, team: Team) -> None:
        self._config = config
        self._device = device
        self._team = team
        self.network: Network = Network(size).to(  # type: ignore[call-overload]
            device, memory_format=torch.channels_last
        )
        self.average: Network = copy.deepcopy(self.network).requires_grad_(False)
        self._optimiser = torch.optim.AdamW(
            self.network.parameters(),
            lr=config.rate,
            weight_decay=config.decay,
            fused=device.type == "cuda",
        )
        self._compute = self._losses
        if device.type == "cuda":
            self._compute = torch.compile(self._losses, fullgraph=True, dynamic=False)

    def learn(
        self,
        planes: torch.Tensor,
        table: torch.Tensor,
        batch: Batch,
        rate: float,
        keep: float,
    ) -> torch.Tensor:
        """Takes one step; returns the losses. ``keep`` is how much of the average stays."""
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        each = self._compute(planes, table, batch)
        self._optimiser.zero_grad(set_to_none=True)
        total(each).backward()  # type: ignore[no-untyped-call]
        self._team.average_gradients(self.network)
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._config.clip)
        self._optimiser.step()
        mine: list[torch.Tensor] = list(self.average.parameters())
        theirs: list[torch.Tensor] = list(self.network.parameters())
        with torch.no_grad():  # or the average would remember every step it is made of
            torch._foreach_lerp_(mine, theirs, 1 - keep)
        return each.detach()

    def saved(self) -> dict[str, Any]:
        """Returns all that is needed to go on later."""
        return {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }

    def load(self, saved: dict[str, Any]) -> None:
        """Goes on from what was saved."""
        self.network.load_state_dict(saved["network"])
        self.average.load_state_dict(saved["average"])
        self._optimiser.load_state_dict(saved["optimiser"])

    def begin_as(self, network: Network) -> None:
        """Begins with the weights of a network, which may be smaller.

        Raises:
            ValueError: it cannot grow to this size.
        """
        begun = grown(network, self.network.size).state_dict()
        self.network.load_state_dict(begun)
        self.average.load_state_dict(begun)

    def _losses(self, planes: torch.Tensor, table: torch.Tensor, batch: Batch) -> torch.Tensor:
        kind = self._device.type
        with torch.autocast(kind, torch.bfloat16, enabled=kind == "cuda"):
            return losses(self.network(planes, batch.scalars), table, batch)


class Trainer:
    """The pupils of a run and what they learn from."""

    def __init__(self, config: Config, samples: Samples, device: torch.device, team: Team) -> None:
        # The same in every process of a team: they begin with the same weights.
        torch.manual_seed(config.seed)
        self.config = config
        self.steps = 0
        self._samples = samples
        self._device = device
        self._team = team
        minds = config.hidden, config.layers, config.ring
        sizes = {"player": Size(config.channels, config.blocks, *minds)}
        if config.student_blocks:
            sizes["student"] = Size(config.student_channels, config.student_blocks, *minds)
        self.pupils = {name: Pupil(size, config, device, team) for name, size in sizes.items()}
        self._unpacking = Unpacking().to(device)
        self._table = placements().to(device, torch.bfloat16)
        self._random = np.zeros(1, np.uint64)
        self._draw_anew()
        self._background = ThreadPoolExecutor(1)
        self._lessons = [_new_lesson(config.batch, device) for _ in range(2)]
        self._used: list[Any] = [None, None]
        self._next: Future[None] | None = None
        self._draw_into(_new_lesson(0, torch.device("cpu")))  # compiles it

    @property
    def player(self) -> Network:
        """The network that plays."""
        return self.pupils["player"].average

    def step(self, part: float) -> torch.Tensor:
        """Learns from one batch, at a part of the run; returns the losses [pupils, 4]."""
        which = self.steps % 2
        if self._next is None:
            self._next = self._draw(which)
        self._next.result()
        batch = Batch(
            *(
                torch.from_numpy(each).to(self._device, non_blocking=True)
                for each in self._lessons[which]
            )
        )
        planes = self._unpacking(batch.words).float()
        if self._device.type == "cuda":
            self._used[which] = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._used[which].record()
            planes = planes.contiguous(memory_format=torch.channels_last)
        self._next = self._draw(1 - which)
        self.steps += 1
        keep = min(self.config.averaging, self.steps / (self.steps + 9))
        rate = learning_rate(self.config, part) * min(1.0, self.steps / _WARM)
        return torch.stack(
            [pupil.learn(planes, self._table, batch, rate, keep) for pupil in self.pupils.values()]
        )

    def saved(self) -> dict[str, Any]:
        """Returns all that is needed to go on later."""
        pupils = {name: pupil.saved() for name, pupil in self.pupils.items()}
        return {"pupils": pupils, "steps": self.steps}

    def load(self, saved: dict[str, Any]) -> None:
        """Goes on from what was saved.

        Raises:
            ValueError: that were networks of other sizes.
        """
        try:
            for name, pupil in self.pupils.items():
                pupil.load(saved["pupils"][name])
        except (KeyError, RuntimeError) as error:
            raise ValueError("the networks saved are of other sizes") from error
        self.steps = saved["steps"]
        self._draw_anew()

    def _draw_anew(self) -> None:
        """Begins a sequence of lessons that neither another process nor an earlier call had."""
        self._random[0] = seeded(self.config.seed + self.steps, self._team.rank)

    def close(self) -> None:
        """Ends the thread."""
        self._background.shutdown()

    def _draw(self, which: int) -> "Future[None]":
        def draw() -> None:
            if self._used[which] is not None:
                self._used[which].synchronize()
            self._draw_into(self._lessons[which])

        return self._background.submit(draw)

    def _draw_into(self, lesson: Lesson) -> None:
        draw_lesson(self._samples, lesson, UNSTEADY, SYMMETRY_CELLS, TURNED_CODES, self._random)


def learning_rate(config: Config, part: float) -> float:
    """Returns the learning rate at a part of the run."""
    first, last = config.rate, config.last_rate
    return last + (first - last) * (1 + math.cos(math.pi * min(1.0, part))) / 2


def _new_lesson(size: int, device: torch.device) -> Lesson:
    shapes = (
        ((PLANES, 2), torch.int64),
        ((SCALARS,), torch.float32),
        ((LISTED,), torch.int64),
        ((LISTED,), torch.int64),
        ((LISTED,), torch.float32),
        ((CANDIDATES,), torch.float32),
        ((RESULTS,), torch.float32),
        ((2, CELLS), torch.float32),
    )
    return Lesson(
        *(
            torch.zeros((size, *shape), dtype=kind, pin_memory=device.type == "cuda").numpy()
            for shape, kind in shapes
        )
    )
