"""Several processes that train one network together, each with a device and games of its own.

``torchrun`` starts them and gives each its rank. Gradients are averaged over all processes at every
step, so that their weights stay the same.
"""

import os
from collections.abc import Sequence

import torch
from torch import distributed, nn


class ProcessGroup:
    """All processes of a run; one process alone unless ``join`` finds more."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank = rank
        self.size = size

    @classmethod
    def join(cls) -> "ProcessGroup":
        """Returns the group in which ``torchrun`` has started this process, if it has."""
        if int(os.environ.get("WORLD_SIZE", "1")) == 1:
            return cls()
        distributed.init_process_group(
            "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
        )
        return cls(distributed.get_rank(), distributed.get_world_size())

    @property
    def is_main(self) -> bool:
        """Whether this process writes the files of the run."""
        return self.rank == 0

    def sums(self, numbers: Sequence[float]) -> list[float]:
        """Returns the sums of the numbers of all processes; waits for all of them."""
        if self.size == 1:
            return list(numbers)
        summed = torch.tensor(numbers, dtype=torch.float64)
        distributed.all_reduce(summed)
        return summed.tolist()

    def average_gradients(self, network: nn.Module) -> None:
        """Replaces the gradients of a network by their means over all processes."""
        if self.size == 1:
            return
        gradients = [each.grad for each in network.parameters() if each.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        distributed.all_reduce(flat)
        flat /= self.size
        sizes = [gradient.numel() for gradient in gradients]
        parts = torch.split(flat, sizes)
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view(gradient.shape))

    def leave(self) -> None:
        """Releases what the processes share."""
        if self.size > 1:
            distributed.destroy_process_group()
