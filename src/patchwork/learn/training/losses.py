"""What training makes small: how far the network's answers are from what was played."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.learn.network import NEVER, POINTS, Answer, listed_logits
from patchwork.learn.training.replay_buffer import MARGIN, WIN

LOSSES = ("policy", "win", "points", "filling", "offset")
_WEIGHTS = torch.tensor([1.0, 1.0, 0.5, 0.3, 1e-3])


@dataclass(frozen=True, slots=True)
class Batch:
    """A lesson as tensors; see ``samples.Lesson``."""

    words: Tensor
    scalars: Tensor
    codes: Tensor
    slots: Tensor
    weights: Tensor
    shares: Tensor
    results: Tensor
    filling: Tensor


def losses(answer: Answer, table: Tensor, batch: Batch) -> Tensor:
    """Returns what is to become small, each of ``LOSSES``, unweighted: [5]."""
    logits = listed_logits(answer, table, batch.codes, batch.slots).float()
    # A move stands for as many as its weight says; one that is none has a weight of 0.
    logits = (logits + batch.weights.log()).masked_fill(batch.weights == 0, NEVER)
    known = logits[:, :CANDIDATES]
    everything = logits.logsumexp(1)
    others = logits[:, CANDIDATES:].logsumexp(1) - everything
    rest = (1 - batch.shares.sum(1)).clamp(min=0)
    # Where no other move is, their logarithm is a large number that must not count.
    others = torch.where(rest > 1e-6, others.clamp(min=-30), 0)
    policy = -(batch.shares * (known - everything[:, None])).sum(1) - rest * others
    win = functional.binary_cross_entropy_with_logits(answer.win.float(), batch.results[:, WIN])
    aims = batch.results[:, MARGIN:] / POINTS
    points = functional.smooth_l1_loss(answer.points.float(), aims, beta=0.5)
    filling = functional.binary_cross_entropy_with_logits(answer.filling.float(), batch.filling)
    # All logits of a position may grow together and the policy stays the same: without an aim for
    # their sum they wander off, beyond what a GPU's short numbers can tell apart.
    offset = everything.square().mean()
    return torch.stack((policy.mean(), win, points, filling, offset))


def total(each: Tensor) -> Tensor:
    """Returns what training makes small."""
    return (each * _WEIGHTS.to(each.device)).sum()
