"""Matches between two networks on the device, all games at once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from patchwork.arena.elo import Pairs
from patchwork.engine.kernel.state import TURN
from patchwork.learn.config import Config
from patchwork.learn.devices import own_threads
from patchwork.learn.network import Network
from patchwork.learn.selfplay.games import (
    FINISHED,
    FIRST_SEAT_WINS,
    NETWORK_INPUTS,
    new_game_batch,
    new_workspace,
    reset,
    step,
)
from patchwork.learn.selfplay.inference import BatchedInference
from patchwork.learn.selfplay.loop import selfplay_parameters
from patchwork.learn.training.replay_buffer import new_buffer

_NUM_CONSIDERED = Config().num_considered
"""Matches always use the default of configurations."""
_SHARD = 256
"""Samples in each shard. The samples of a match are not used, but games have to write them."""


class NetworkMatch:
    """Matches between two networks; preparing takes long and is done once."""

    def __init__(
        self,
        first: Network,
        second: Network,
        *,
        pairs: int,
        simulations: int,
        device: torch.device,
    ) -> None:
        """Prepares matches of that many pairs; with 0 simulations, the policies play alone."""
        count = 2 * pairs
        self._inferences = [BatchedInference(network, count, device) for network in (first, second)]
        self._buffers = [inference.new_buffers(count) for inference in self._inferences]
        self._parameters = selfplay_parameters(_NUM_CONSIDERED, simulations, gumbel_scale=0.0)
        self._games = new_game_batch(count, self._parameters)
        self._replay = new_buffer(own_threads(), _SHARD)

    def update(self, first: Network, second: Network) -> None:
        """Replaces the networks by others of the same sizes."""
        for inference, network in zip(self._inferences, (first, second), strict=True):
            inference.update(network)

    def play(self, seed: int) -> Pairs:
        """Returns how a match ends, from the view of the first network.

        Both games of a pair have the same set-up, with the seats swapped; editions are random.
        """
        games, buffers = self._games, self._buffers[0]
        reset(games, buffers, self._parameters, seed, 2)
        count = len(games.simulations)
        seat = np.arange(count) % 2
        won = np.full(count, -1)
        shards = range(len(self._replay.written))
        with ThreadPoolExecutor(len(shards)) as threads:
            while (won < 0).any():
                self._evaluate(games.tree.states[:, 0, TURN] != seat)
                list(threads.map(self._step, shards))
                over = (won < 0) & (games.counts[:, FINISHED] > 0)
                won[over] = np.where(games.counts[over, FIRST_SEAT_WINS] > 0, 0, 1) == seat[over]
        wins = won.reshape(-1, 2).sum(1)
        return Pairs(*(int((wins == number).sum()) for number in range(3)))

    def _step(self, shard: int) -> None:
        count, shards = len(self._games.simulations), len(self._replay.written)
        first, last = count * shard // shards, count * (shard + 1) // shards
        step(
            self._games,
            self._buffers[0],
            self._parameters,
            self._replay,
            shard,
            first,
            last,
            new_workspace(),
        )

    def _evaluate(self, second_decides: Any) -> None:
        """Evaluates all positions with both networks and keeps one of the two evaluations.

        The network that decides at the root evaluates the whole tree, so that neither searches with
        what the other one knows.
        """
        mine, theirs = self._buffers
        for part in range(NETWORK_INPUTS):
            theirs[part][:] = mine[part]
        requests = [
            inference.submit(buffers)
            for inference, buffers in zip(self._inferences, self._buffers, strict=True)
        ]
        for inference, request in zip(self._inferences, requests, strict=True):
            inference.wait(request)
        for part in range(NETWORK_INPUTS, len(mine)):
            mine[part][second_decides] = theirs[part][second_decides]


def match(
    first: Network,
    second: Network,
    *,
    pairs: int,
    simulations: int,
    seed: int,
    device: torch.device,
) -> Pairs:
    """Returns how a match between two networks ends; see ``NetworkMatch``."""
    prepared = NetworkMatch(first, second, pairs=pairs, simulations=simulations, device=device)
    return prepared.play(seed)
