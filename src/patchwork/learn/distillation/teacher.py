"""A network of a run, asked about many positions at once on a device."""

from pathlib import Path

import torch

from patchwork.engine.evaluators.features import PLANES, SCALARS
from patchwork.engine.evaluators.network import NetworkOutputs, in_portions
from patchwork.engine.kernel.state import Floats
from patchwork.learn.checkpoint import read_facts, read_network
from patchwork.learn.export import Outward
from patchwork.rules.quilt import SIDE

_PORTION = 512
"""Positions that are looked at together, always as many: a GPU may have to find out anew how to go
about each other number of them, and there are many while games come to their ends one by one."""


class Reader:
    """Says what ``NetworkEvaluator`` would say of the same network, only rounded on a GPU."""

    def __init__(self, path: Path, device: torch.device) -> None:
        """Reads a network.

        Raises:
            OSError: the file cannot be read.
            Unreadable: there is no network in it.
        """
        network = read_network(path)
        self.card = read_facts(path)
        self._device = device
        self._kind = torch.bfloat16 if device.type == "cuda" else torch.float32
        self._outward = Outward(network).eval().to(device, self._kind)

    def ask(self, planes: Floats, scalars: Floats) -> NetworkOutputs:
        """Returns all that the network says of some positions; see ``NetworkEvaluator.ask``."""
        return in_portions(_PORTION, self._ask, planes, scalars)

    def _ask(self, planes: Floats, scalars: Floats) -> list[Floats]:
        """Returns what the network says of a portion or less."""
        count = len(planes)
        boards = torch.zeros(_PORTION, PLANES, SIDE, SIDE, dtype=self._kind, device=self._device)
        numbers = torch.zeros(_PORTION, SCALARS, dtype=self._kind, device=self._device)
        boards[:count] = torch.from_numpy(planes).view(-1, PLANES, SIDE, SIDE).to(self._device)
        numbers[:count] = torch.from_numpy(scalars).to(self._device)
        with torch.inference_mode():
            said = self._outward(boards.to(memory_format=torch.channels_last), numbers)
        return [each[:count].float().cpu().numpy() for each in said]
