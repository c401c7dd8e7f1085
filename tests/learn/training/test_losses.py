"""The losses agree with their formulas, worked out by hand."""

from dataclasses import replace
from math import exp, log

import pytest
import torch

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.features import PLANES, SCALARS, SLOTS
from patchwork.engine.evaluators.policy import BIASES
from patchwork.learn.network import Output, placement_table
from patchwork.learn.training.losses import LOSSES, TensorBatch, losses, total
from patchwork.learn.training.replay_buffer import (
    MARGIN_TARGET,
    OTHER_SCORE_TARGET,
    OWN_SCORE_TARGET,
    SAMPLE_MOVES,
    VALUE_TARGETS,
    WIN_TARGET,
)
from patchwork.rules.quilt import CELLS


def answer() -> Output:
    """One position: the advance has a logit of 1, all placements of slot 0 one of 0.5."""
    biases = torch.zeros(1, BIASES)
    biases[0, 0], biases[0, 1] = 1.0, 0.5
    return Output(
        planes=torch.zeros(1, 2 * SLOTS, CELLS),
        biases=biases,
        win=torch.tensor([0.4]),
        points=torch.tensor([[0.1, 2.0, 1.5]]),
        filling=torch.full((1, 2, CELLS), 0.3),
    )


def batch(*, others: float) -> TensorBatch:
    """The advance and one placement were searched; another stands for ``others`` moves."""
    codes = torch.zeros(1, SAMPLE_MOVES, dtype=torch.int64)
    slots = torch.zeros(1, SAMPLE_MOVES, dtype=torch.int64)
    weights, policies = torch.zeros(1, SAMPLE_MOVES), torch.zeros(1, CANDIDATES)
    weights[0, :2] = 1
    codes[0, 1] = 1
    policies[0, 0], policies[0, 1] = 0.6, 0.3 if others else 0.4
    if others:
        codes[0, CANDIDATES], weights[0, CANDIDATES] = 2, others
    targets = torch.zeros(1, VALUE_TARGETS)
    targets[0, WIN_TARGET], targets[0, MARGIN_TARGET] = 1.0, 6
    targets[0, OWN_SCORE_TARGET], targets[0, OTHER_SCORE_TARGET] = 40, 34
    filling = torch.zeros(1, 2, CELLS)
    filling[0, 0] = 1
    return TensorBatch(
        words=torch.zeros(1, PLANES, 2, dtype=torch.int64),
        scalars=torch.zeros(1, SCALARS),
        codes=codes,
        slots=slots,
        weights=weights,
        policies=policies,
        targets=targets,
        filling=filling,
    )


def test_losses_agree_with_their_formulas() -> None:
    each = losses(answer(), placement_table().float(), batch(others=10.0))
    whole = exp(1) + exp(0.5) + 10 * exp(0.5)
    policy = -(
        0.6 * log(exp(1) / whole)
        + 0.3 * log(exp(0.5) / whole)
        + 0.1 * log(10 * exp(0.5) / whole)  # the moves that were not searched share the rest
    )
    win = log(1 + exp(-0.4))
    # In units of 20 points: 0.1 against 0.3, 2.0 against 2.0, 1.5 against 1.7; quadratic below 0.5.
    points = (0.2**2 + 0 + 0.2**2) / (2 * 0.5) / 3
    filling = (log(1 + exp(-0.3)) + log(1 + exp(0.3))) / 2
    offset = log(whole) ** 2
    assert LOSSES == ("policy", "win", "points", "filling", "offset")
    assert each.tolist() == pytest.approx([policy, win, points, filling, offset], rel=1e-5)
    assert float(total(each)) == pytest.approx(
        policy + win + 0.5 * points + 0.3 * filling + 0.001 * offset, rel=1e-5
    )


def test_nothing_is_left_over_if_every_move_was_searched() -> None:
    each = losses(answer(), placement_table().float(), batch(others=0.0))
    whole = exp(1) + exp(0.5)
    expected = -(0.6 * log(exp(1) / whole) + 0.4 * log(exp(0.5) / whole))
    assert float(each[0]) == pytest.approx(expected, rel=1e-5)


def test_empty_places_never_count() -> None:
    """They look like advances, which may have any logit where no advance is legal."""
    placing = batch(others=0.0)
    placing.codes[0, :2] = torch.tensor([3, 4])
    placing.slots[0, :2] = SLOTS - 1
    expected = losses(answer(), placement_table().float(), placing)
    said = answer()
    said.biases[0, 0] = 500.0
    assert losses(said, placement_table().float(), placing).tolist() == expected.tolist()


@pytest.mark.parametrize("shift", [-30.0, 30.0])
def test_logits_that_drift_are_pulled_back(shift: float) -> None:
    moved = torch.tensor(shift, requires_grad=True)
    said = answer()
    there = replace(said, biases=said.biases + moved)
    each = losses(there, placement_table().float(), batch(others=10.0))
    before = losses(said, placement_table().float(), batch(others=10.0))
    assert each[0].item() == pytest.approx(before[0].item(), rel=1e-4)
    total(each).backward()  # type: ignore[no-untyped-call]
    assert moved.grad is not None
    assert float(moved.grad) * shift > 0
