"""Several processes that learn together, each with a device and games of its own.

They are started by ``torchrun``, which tells each its rank. Gradients are averaged over all of them
at every step, so that their weights stay the same.
"""

import os
from collections.abc import Sequence

import torch
from torch import distributed, nn


class Team:
    """All processes of a run; one alone unless it is joined."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank = rank
        self.size = size

    @classmethod
    def join(cls) -> "Team":
        """Returns the team that ``torchrun`` started this process in; otherwise it is alone."""
        if int(os.environ.get("WORLD_SIZE", "1")) == 1:
            return cls()
        distributed.init_process_group(
            "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
        )
        return cls(distributed.get_rank(), distributed.get_world_size())

    @property
    def leads(self) -> bool:
        """Whether this process is the one that writes."""
        return self.rank == 0

    def sums(self, numbers: Sequence[float]) -> list[float]:
        """Returns the sums of what all processes give, when they all have; the same to each."""
        if self.size == 1:
            return list(numbers)
        together = torch.tensor(numbers, dtype=torch.float64)
        distributed.all_reduce(together)
        return together.tolist()

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
        """Ends what the processes shared."""
        if self.size > 1:
            distributed.destroy_process_group()
