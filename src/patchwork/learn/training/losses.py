"""The losses: how far the output of a network is from its targets."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.learn.network import MASKED_LOGIT, POINTS_SCALE, Output, listed_logits
from patchwork.learn.training.replay_buffer import MARGIN_TARGET, WIN_TARGET

LOSSES = ("policy", "win", "points", "filling", "offset")
_LOSS_WEIGHTS = torch.tensor([1.0, 1.0, 0.5, 0.3, 1e-3])
"""Set by judgement: play depends on the policy and the win, while points and filling help the
network understand positions, and ``offset`` need only be strong enough to hold the logits."""
_POINTS_BETA = 0.5
"""The loss of points is quadratic below this error and linear above, in ``POINTS_SCALE``s."""
_ANY_REST = 1e-6
"""Below this, the share of the moves left out is rounding."""
_LEAST_LOG_SHARE = -30.0
"""Smaller shares count as this one, so that the loss stays finite."""


@dataclass(frozen=True, slots=True)
class TensorBatch:
    """A ``TrainingBatch`` as tensors on the device."""

    words: Tensor
    scalars: Tensor
    codes: Tensor
    slots: Tensor
    weights: Tensor
    policies: Tensor
    targets: Tensor
    filling: Tensor


def losses(output: Output, table: Tensor, batch: TensorBatch) -> Tensor:
    """Returns the mean of each of ``LOSSES``, unweighted: [5].

    ``table`` is the network's ``placement_table``.
    """
    logits = listed_logits(output, table, batch.codes, batch.slots).float()
    # A move stands for as many moves as its weight says; empty places have a weight of 0.
    logits = (logits + batch.weights.log()).masked_fill(batch.weights == 0, MASKED_LOGIT)
    searched = logits[:, :CANDIDATES]
    log_total = logits.logsumexp(1)
    log_others = logits[:, CANDIDATES:].logsumexp(1) - log_total
    rest = (1 - batch.policies.sum(1)).clamp(min=0)
    # Where there are no other moves, log_others is a huge negative number that must not count.
    log_others = torch.where(rest > _ANY_REST, log_others.clamp(min=_LEAST_LOG_SHARE), 0)
    policy = -(batch.policies * (searched - log_total[:, None])).sum(1) - rest * log_others
    win = functional.binary_cross_entropy_with_logits(
        output.win.float(), batch.targets[:, WIN_TARGET]
    )
    aims = batch.targets[:, MARGIN_TARGET:] / POINTS_SCALE
    points = functional.smooth_l1_loss(output.points.float(), aims, beta=_POINTS_BETA)
    filling = functional.binary_cross_entropy_with_logits(output.filling.float(), batch.filling)
    # Adding a number to all logits of a position leaves the policy the same. Without a target for
    # their sum the logits drift, in the end beyond the precision of bfloat16.
    offset = log_total.square().mean()
    return torch.stack((policy.mean(), win, points, filling, offset))


def total(each: Tensor) -> Tensor:
    """Returns the weighted sum of the losses, which training minimises."""
    return (each * _LOSS_WEIGHTS.to(each.device)).sum()
