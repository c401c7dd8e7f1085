"""Configurations so small that a run takes seconds."""

from dataclasses import replace

import torch

from patchwork.learn.config import Config
from patchwork.learn.network import Network, Size

CPU = torch.device("cpu")
SIZE = Size(channels=4, blocks=2, hidden=8)
CONFIG = replace(
    Config(),
    channels=4,
    blocks=2,
    hidden=8,
    minutes=60,
    games=4,
    simulations=((0.0, 2),),
    num_considered=2,
    buffer_size=20_000,
    min_buffer_size=200,
    reuse=2.0,
    batch_size=32,
    match_every=0,
    match_pairs=4,
    match_simulations=0,
    keep_every=0,
)
TINY_FILE = """
channels = 4
blocks = 1
hidden = 8
games = 4
simulations = [[0, 2]]
num_considered = 2
buffer_size = 20_000
"""
"""What the smallest configuration files have in common."""


def network(seed: int, size: Size = SIZE) -> Network:
    """Returns a network with random weights, none of which is zero."""
    torch.manual_seed(seed)
    made = Network(size)
    with torch.no_grad():
        for each in made.parameters():
            each.add_(0.05 * torch.randn_like(each))
    return made
