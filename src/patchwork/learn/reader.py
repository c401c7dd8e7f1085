"""A network of a run, asked about many positions at once on a device."""

from pathlib import Path

import torch

from patchwork.engine.features import PLANES, Floats
from patchwork.engine.network import Answers
from patchwork.learn.export import Outward
from patchwork.learn.folder import read_facts, read_network
from patchwork.rules.quilt import SIDE


class Reader:
    """Says what ``engine.network.Learned`` would say of the same network, only rounded on a GPU."""

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

    def ask(self, planes: Floats, scalars: Floats) -> Answers:
        """Returns all that the network says of some positions; see ``Learned.ask``."""
        given = torch.from_numpy(planes).view(-1, PLANES, SIDE, SIDE), torch.from_numpy(scalars)
        with torch.inference_mode():
            boards, numbers = (each.to(self._device, self._kind) for each in given)
            said = self._outward(boards.to(memory_format=torch.channels_last), numbers)
        return Answers(*(each.float().cpu().numpy() for each in said))
