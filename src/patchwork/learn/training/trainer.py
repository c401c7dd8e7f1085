"""Training steps: batches from the replay buffer, the optimiser, and the average of the weights.

The player learns from its own games. A student, if there is one, learns from the same batches and
never plays: it becomes the smaller network that is shipped.
"""

import copy
import math
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from patchwork.engine.kernel.rng import seeded
from patchwork.engine.kernel.symmetry import SYMMETRY_CELLS
from patchwork.learn.config import Config
from patchwork.learn.devices import pinned
from patchwork.learn.network import Network, PlaneUnpacker, Size, grown, placement_table
from patchwork.learn.training.distributed import ProcessGroup
from patchwork.learn.training.losses import TensorBatch, losses, total
from patchwork.learn.training.replay_buffer import (
    TURNED_CODES,
    WRITE_MARGIN,
    ReplayBuffer,
    TrainingBatch,
    new_training_batch,
    sample_batch,
)

_WARMUP_STEPS = 100
"""Steps during which the learning rate rises to its planned value: a new optimiser knows little of
the sizes of gradients and would spoil a network that the run started from."""
_EMA_WARMUP = 9
"""After n steps the average keeps at most n / (n + 9) of itself, so that it soon forgets the random
weights of the start; the rule of TensorFlow's ``ExponentialMovingAverage``."""


class Learner:
    """A network in training, with its optimiser and the moving average of its weights.

    The average plays better than the weights themselves.
    """

    def __init__(
        self, size: Size, config: Config, device: torch.device, processes: ProcessGroup
    ) -> None:
        self._config = config
        self._device = device
        self._processes = processes
        self.network: Network = Network(size).to(  # type: ignore[call-overload]
            device, memory_format=torch.channels_last
        )
        self.average: Network = copy.deepcopy(self.network).requires_grad_(False)
        self._optimiser = torch.optim.AdamW(
            self.network.parameters(),
            lr=config.learning_rate,
            weight_decay=config.weight_decay,
            fused=device.type == "cuda",
        )
        self._compute = self._losses
        if device.type == "cuda":
            self._compute = torch.compile(self._losses, fullgraph=True, dynamic=False)

    def step(
        self,
        planes: torch.Tensor,
        table: torch.Tensor,
        batch: TensorBatch,
        learning_rate: float,
        ema_decay: float,
    ) -> torch.Tensor:
        """Takes one step; returns the losses before it."""
        for group in self._optimiser.param_groups:
            group["lr"] = learning_rate
        each = self._compute(planes, table, batch)
        self._optimiser.zero_grad(set_to_none=True)
        total(each).backward()  # type: ignore[no-untyped-call]
        self._processes.average_gradients(self.network)
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._config.max_gradient_norm)
        self._optimiser.step()
        mine: list[torch.Tensor] = list(self.average.parameters())
        theirs: list[torch.Tensor] = list(self.network.parameters())
        with torch.no_grad():  # or the average would keep the graph of every step
            torch._foreach_lerp_(mine, theirs, 1 - ema_decay)
        return each.detach()

    def state_dict(self) -> dict[str, Any]:
        """Returns everything needed to resume."""
        return {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Resumes from what ``state_dict`` returned."""
        self.network.load_state_dict(saved["network"])
        self.average.load_state_dict(saved["average"])
        self._optimiser.load_state_dict(saved["optimiser"])

    def start_from(self, network: Network) -> None:
        """Starts from the weights of a network, which may be smaller.

        Raises:
            ValueError: it cannot grow to this size.
        """
        weights = grown(network, self.network.size).state_dict()
        self.network.load_state_dict(weights)
        self.average.load_state_dict(weights)

    def _losses(
        self, planes: torch.Tensor, table: torch.Tensor, batch: TensorBatch
    ) -> torch.Tensor:
        kind = self._device.type
        with torch.autocast(kind, torch.bfloat16, enabled=kind == "cuda"):
            return losses(self.network(planes, batch.scalars), table, batch)


class Trainer:
    """The learners of a run, and the batches they learn from."""

    def __init__(
        self, config: Config, buffer: ReplayBuffer, device: torch.device, processes: ProcessGroup
    ) -> None:
        # The same in every process, so that all start with the same weights.
        torch.manual_seed(config.seed)
        self.config = config
        self.steps = 0
        self._buffer = buffer
        self._device = device
        self._processes = processes
        shared = config.hidden, config.mlp_blocks, config.circle_channels
        sizes = {"player": Size(config.channels, config.blocks, *shared)}
        if config.student_blocks:
            sizes["student"] = Size(config.student_channels, config.student_blocks, *shared)
        self.learners = {
            name: Learner(size, config, device, processes) for name, size in sizes.items()
        }
        self._unpacker = PlaneUnpacker().to(device)
        self._table = placement_table().to(device, torch.bfloat16)
        self._random = np.zeros(1, np.uint64)
        self._reseed()
        self._sampler = ThreadPoolExecutor(1)
        # One batch is filled while the device reads the other.
        self._batches = [_new_batch(config.batch_size, device) for _ in range(2)]
        self._copied: list[Any] = [None, None]
        self._next: Future[None] | None = None
        self._fill(new_training_batch(0))  # compiles it

    @property
    def player(self) -> Network:
        """The network that plays."""
        return self.learners["player"].average

    def step(self, share: float) -> torch.Tensor:
        """Learns from one batch; returns the losses [learners, 5].

        ``share`` is the share of the run that is over.
        """
        which = self.steps % 2
        if self._next is None:
            self._next = self._fill_in_background(which)
        self._next.result()
        batch = TensorBatch(
            *(
                torch.from_numpy(each).to(self._device, non_blocking=True)
                for each in self._batches[which]
            )
        )
        planes = self._unpacker(batch.words).float()
        if self._device.type == "cuda":
            self._copied[which] = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._copied[which].record()
            planes = planes.contiguous(memory_format=torch.channels_last)
        self._next = self._fill_in_background(1 - which)
        self.steps += 1
        ema_decay = min(self.config.ema_decay, self.steps / (self.steps + _EMA_WARMUP))
        rate = learning_rate(self.config, share) * min(1.0, self.steps / _WARMUP_STEPS)
        return torch.stack(
            [
                learner.step(planes, self._table, batch, rate, ema_decay)
                for learner in self.learners.values()
            ]
        )

    def state_dict(self) -> dict[str, Any]:
        """Returns everything needed to resume."""
        learners = {name: learner.state_dict() for name, learner in self.learners.items()}
        return {"learners": learners, "steps": self.steps}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Resumes from what ``state_dict`` returned.

        Raises:
            ValueError: the networks in it have other sizes.
        """
        try:
            for name, learner in self.learners.items():
                learner.load_state_dict(saved["learners"][name])
        except (KeyError, RuntimeError) as error:
            raise ValueError("the networks saved are of other sizes") from error
        self.steps = saved["steps"]
        self._reseed()

    def close(self) -> None:
        """Ends the thread that fills batches."""
        self._sampler.shutdown()

    def _reseed(self) -> None:
        """Starts a random sequence that no other process and no earlier call has used."""
        self._random[0] = seeded(self.config.seed + self.steps, self._processes.rank)

    def _fill_in_background(self, which: int) -> "Future[None]":
        def fill() -> None:
            if self._copied[which] is not None:
                self._copied[which].synchronize()
            self._fill(self._batches[which])

        return self._sampler.submit(fill)

    def _fill(self, batch: TrainingBatch) -> None:
        sample_batch(self._buffer, batch, WRITE_MARGIN, SYMMETRY_CELLS, TURNED_CODES, self._random)


def learning_rate(config: Config, share: float) -> float:
    """Returns the learning rate once this share of the run is over."""
    first, last = config.learning_rate, config.final_learning_rate
    return last + (first - last) * (1 + math.cos(math.pi * min(1.0, share))) / 2


def _new_batch(size: int, device: torch.device) -> TrainingBatch:
    return TrainingBatch(*(pinned(part, device) for part in new_training_batch(size)))
