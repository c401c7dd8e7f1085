"""A run's own Elo scale: from time to time the current network plays two earlier ones.

One is the network rated before it, the other the first of all, which has an Elo of 0. That shows
quickly whether a run still learns; ``gauntlet`` measures how strong its networks are compared with
others.
"""

import copy
from typing import Any

import torch

from patchwork.arena.elo import Estimate, Pairs
from patchwork.arena.ladder import ladder
from patchwork.learn.config import Config
from patchwork.learn.measure.matches import NetworkMatch
from patchwork.learn.network import Network


class RunElo:
    """The networks rated so far, and the results of their matches."""

    def __init__(self, config: Config, device: torch.device) -> None:
        self._config = config
        self._device = device
        self._match: NetworkMatch | None = None
        self._names: list[str] = []
        self._results: dict[tuple[str, str], Pairs] = {}
        self._first: Network | None = None
        self._last: Network | None = None

    def prepare(self, like: Network) -> None:
        """Prepares matches between networks of the size of ``like``.

        On a GPU this records CUDA graphs, during which nothing else may use it.
        """
        if self._match is None:
            self._match = NetworkMatch(
                like,
                like,
                pairs=self._config.match_pairs,
                simulations=self._config.match_simulations,
                device=self._device,
            )

    def rate(self, network: Network) -> Estimate:
        """Returns the Elo of a network after matches with the first one and the one before it."""
        name = str(len(self._names) + 1)
        if self._first is None or self._last is None:
            self._first = self._last = _copied(network)
            self._names = [name]
            return Estimate(0.0, 0.0, 0.0)
        self._play(network, name, self._last, self._names[-1])
        if len(self._names) > 1:
            self._play(network, name, self._first, self._names[0])
        self._names.append(name)
        self._last = _copied(network)
        ratings = ladder(self._names, self._results, self._names[0])
        return next(rated.estimate for rated in ratings if rated.player == name)

    def _play(self, network: Network, name: str, other: Network, other_name: str) -> None:
        self.prepare(network)
        assert self._match is not None
        self._match.update(network, other)
        # Each match has set-ups of its own, so that the same circles do not decide them all.
        seed = self._config.seed + len(self._results)
        self._results[name, other_name] = self._match.play(seed)

    def state_dict(self) -> dict[str, Any]:
        """Returns everything needed to resume."""
        if self._first is None or self._last is None:
            return {}
        return {
            "names": self._names,
            "results": [
                [*names, pairs.lost, pairs.split, pairs.won]
                for names, pairs in self._results.items()
            ],
            "first": _halved(self._first),
            "last": _halved(self._last),
        }

    def load_state_dict(self, saved: dict[str, Any], like: Network) -> None:
        """Resumes from what ``state_dict`` returned, with networks of the size of ``like``."""
        if not saved:
            return
        self._names = list(saved["names"])
        self._results = {
            (name, other): Pairs(lost, split, won)
            for name, other, lost, split, won in saved["results"]
        }
        self._first, self._last = _copied(like), _copied(like)
        self._first.load_state_dict(saved["first"])
        self._last.load_state_dict(saved["last"])


def _copied(network: Network) -> Network:
    return copy.deepcopy(network).requires_grad_(False)


def _halved(network: Network) -> dict[str, torch.Tensor]:
    """Returns the weights in bfloat16, which is what a GPU plays with anyway."""
    return {name: value.to(torch.bfloat16) for name, value in network.state_dict().items()}
