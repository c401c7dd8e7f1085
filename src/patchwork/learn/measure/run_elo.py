"""A run's own scale of Elo: from time to time the present network plays two earlier ones.

One is the network rated last, the other the first of all, whose strength is 0. That says quickly
whether a run still learns; how strong it is compared with others, ``rating`` says.
"""

import copy
from typing import Any

import torch

from patchwork.arena.elo import Estimate, Pairs
from patchwork.arena.ladder import ladder
from patchwork.learn.config import Config
from patchwork.learn.measure.matches import Contest
from patchwork.learn.network import Network


class Scale:
    """The networks rated so far, and how they played."""

    def __init__(self, config: Config, device: torch.device) -> None:
        self._config = config
        self._device = device
        self._contest: Contest | None = None
        self._names: list[str] = []
        self._results: dict[tuple[str, str], Pairs] = {}
        self._first: Network | None = None
        self._last: Network | None = None

    def prepare(self, like: Network) -> None:
        """Makes room for matches between networks of a size.

        A GPU records its work for them here, and nothing else may use it meanwhile.
        """
        if self._contest is None:
            self._contest = Contest(
                like,
                like,
                pairs=self._config.match_pairs,
                walks=self._config.match_walks,
                device=self._device,
            )

    def rate(self, network: Network, name: str) -> Estimate:
        """Returns the strength of a network, which plays the first one and the one rated last."""
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
        assert self._contest is not None
        self._contest.update(network, other)
        # Every match has set-ups of its own, so that no circle decides them all.
        seed = self._config.seed + len(self._results)
        self._results[name, other_name] = self._contest.play(seed)

    def saved(self) -> dict[str, Any]:
        """Returns all that is needed to go on later."""
        if self._first is None or self._last is None:
            return {}
        return {
            "names": self._names,
            "results": [
                [*names, pairs.lost, pairs.split, pairs.won]
                for names, pairs in self._results.items()
            ],
            "first": _small(self._first),
            "last": _small(self._last),
        }

    def load(self, saved: dict[str, Any], like: Network) -> None:
        """Goes on from what was saved, by networks of the size of ``like``."""
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


def _small(network: Network) -> dict[str, torch.Tensor]:
    """Returns weights in half the room: a GPU plays with no more of them anyway."""
    return {name: value.to(torch.bfloat16) for name, value in network.state_dict().items()}
