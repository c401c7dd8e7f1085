"""Matches between networks, and the Elo scale of a run."""

import numpy as np
import torch

from learn.tiny import CONFIG, CPU, network
from patchwork.arena.elo import Pairs
from patchwork.learn.measure.matches import match
from patchwork.learn.measure.run_elo import RunElo


def test_a_network_splits_every_pair_with_itself() -> None:
    """There is no randomness, so the seat decides, and each side has it once."""
    one = network(1)
    assert match(one, one, pairs=12, simulations=2, seed=3, device=CPU) == Pairs(split=12)


def test_the_order_of_the_networks_does_not_matter() -> None:
    one, other = network(1), network(2)
    results = match(one, other, pairs=16, simulations=0, seed=3, device=CPU)
    assert results.count == 16
    assert results != Pairs(split=16), "they play alike, so this shows nothing"
    assert match(other, one, pairs=16, simulations=0, seed=3, device=CPU) == results.reversed()


def test_the_scale_of_a_run_starts_at_zero_and_can_be_resumed() -> None:
    scale = RunElo(CONFIG, CPU)
    assert scale.rate(network(1)).elo == 0
    second = scale.rate(network(2))
    assert second.low < second.elo < second.high
    third = scale.rate(network(3))
    resumed = RunElo(CONFIG, CPU)
    resumed.load_state_dict(scale.state_dict(), network(9))
    kept = resumed.state_dict()
    assert kept["names"] == ["1", "2", "3"]
    assert kept["results"] == scale.state_dict()["results"]
    assert [names[:2] for names in kept["results"]] == [["2", "1"], ["3", "2"], ["3", "1"]]
    for name, value in kept["last"].items():
        assert torch.equal(value, network(3).state_dict()[name].to(torch.bfloat16))
    assert np.isfinite(third.elo)
