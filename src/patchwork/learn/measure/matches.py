"""Matches between networks, many games at once: who is stronger, and by how much."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from patchwork.arena.elo import Pairs
from patchwork.engine.kernel.state import TURN
from patchwork.learn.devices import own_threads
from patchwork.learn.network import Network
from patchwork.learn.selfplay.games import GIVEN, new_orchard, new_work, sow, tend
from patchwork.learn.selfplay.inference import Judge
from patchwork.learn.selfplay.loop import rules_of
from patchwork.learn.training.replay_buffer import new_samples

_CONSIDERED = 16
_SHELF = 256
"""Samples of matches are not learned from; there has to be some room for them."""


class Contest:
    """Room for matches between two networks; what it takes to make it is spent once."""

    def __init__(
        self,
        first: Network,
        second: Network,
        *,
        pairs: int,
        walks: int,
        device: torch.device,
    ) -> None:
        """Prepares matches of that many pairs; with 0 walks, networks play without a search."""
        games = 2 * pairs
        self._judges = [Judge(network, games, device) for network in (first, second)]
        self._rooms = [judge.room(games) for judge in self._judges]
        self._rules = rules_of(_CONSIDERED, walks, luck=0.0)
        self._orchard = new_orchard(games, self._rules)
        self._samples = new_samples(own_threads(), _SHELF)

    def update(self, first: Network, second: Network) -> None:
        """Lets other networks play, of the same sizes."""
        for judge, network in zip(self._judges, (first, second), strict=True):
            judge.update(network)

    def play(self, seed: int) -> Pairs:
        """Returns how a match ends, as the first network sees it.

        Each pair is one set-up played twice, with the seats swapped; the editions come by chance.
        """
        orchard, room = self._orchard, self._rooms[0]
        sow(orchard, room, self._rules, seed, 2)
        games = len(orchard.walks)
        seat = np.arange(games) % 2
        won = np.full(games, -1)
        with ThreadPoolExecutor(len(self._samples.written)) as threads:
            while (won < 0).any():
                self._evaluate(orchard.tree.states[:, 0, TURN] != seat)
                list(threads.map(self._tend, range(len(self._samples.written))))
                over = (won < 0) & (orchard.done[:, 0] > 0)
                won[over] = np.where(orchard.done[over, 1] > 0, 0, 1) == seat[over]
        wins = won.reshape(-1, 2).sum(1)
        return Pairs(*(int((wins == number).sum()) for number in range(3)))

    def _tend(self, hand: int) -> None:
        games, hands = len(self._orchard.walks), len(self._samples.written)
        first, last = games * hand // hands, games * (hand + 1) // hands
        room, rules, samples = self._rooms[0], self._rules, self._samples
        tend(self._orchard, room, rules, samples, hand, first, last, new_work())

    def _evaluate(self, others: Any) -> None:
        """Evaluates all positions by both networks; ``others`` are those where the second decides.

        Who decides at the root also judges what comes after: nobody searches with the other's eyes.
        """
        mine, theirs = self._rooms
        for part in range(GIVEN):
            theirs[part][:] = mine[part]
        asked = [judge.ask(room) for judge, room in zip(self._judges, self._rooms, strict=True)]
        for judge, waiting in zip(self._judges, asked, strict=True):
            judge.wait(waiting)
        for part in range(GIVEN, len(mine)):
            mine[part][others] = theirs[part][others]


def match(
    first: Network, second: Network, *, pairs: int, walks: int, seed: int, device: torch.device
) -> Pairs:
    """Returns how a match between two networks ends; see ``Contest``."""
    return Contest(first, second, pairs=pairs, walks=walks, device=device).play(seed)
