"""A network of a run, asked about many positions at once on a device."""

import torch

from patchwork.engine.features import PLANES, Floats
from patchwork.engine.network import Answers
from patchwork.learn.export import Outward
from patchwork.learn.network import Network
from patchwork.rules.quilt import SIDE


class Reader:
    """Says what ``engine.network.Learned`` would say of the same network, only rounded on a GPU."""

    def __init__(self, network: Network, device: torch.device) -> None:
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
