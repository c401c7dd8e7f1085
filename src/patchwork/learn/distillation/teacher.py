"""A network that a run has kept, as a teacher: evaluates many positions at once on a device."""

from pathlib import Path

import torch

from patchwork.engine.evaluators.features import PLANES, SCALARS
from patchwork.engine.evaluators.network import NetworkOutputs, in_portions
from patchwork.engine.kernel.state import Floats
from patchwork.learn.checkpoint import read_facts, read_network
from patchwork.learn.export import ExportedNetwork
from patchwork.rules.quilt import SIDE

_PORTION = 512
"""Positions evaluated together, always this number: a GPU may tune its kernels for every new number
of positions, and there are many such numbers while the last games finish one by one."""


class TorchTeacher:
    """Gives the outputs that ``NetworkEvaluator`` gives, only rounded on a GPU."""

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
        self._network = ExportedNetwork(network).eval().to(device, self._kind)

    def ask(self, planes: Floats, scalars: Floats) -> NetworkOutputs:
        """Returns the outputs for some positions; see ``NetworkEvaluator.ask``."""
        return in_portions(_PORTION, self._ask, planes, scalars)

    def _ask(self, planes: Floats, scalars: Floats) -> list[Floats]:
        """Returns the outputs for at most one portion."""
        count = len(planes)
        boards = torch.zeros(_PORTION, PLANES, SIDE, SIDE, dtype=self._kind, device=self._device)
        numbers = torch.zeros(_PORTION, SCALARS, dtype=self._kind, device=self._device)
        boards[:count] = torch.from_numpy(planes).view(-1, PLANES, SIDE, SIDE).to(self._device)
        numbers[:count] = torch.from_numpy(scalars).to(self._device)
        with torch.inference_mode():
            outputs = self._network(boards.to(memory_format=torch.channels_last), numbers)
        return [each[:count].float().cpu().numpy() for each in outputs]
