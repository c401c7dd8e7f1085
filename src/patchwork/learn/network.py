"""The network: convolutions over the quilts, and a head that gives every placement its logit."""

from dataclasses import astuple, dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from patchwork.engine.evaluators.features import (
    FACTS,
    FAR_START,
    NEAR_PATCHES,
    NEAR_SCALARS,
    NEAR_START,
    PLANES,
    SCALARS,
    SLOTS,
)
from patchwork.engine.evaluators.policy import BIASES
from patchwork.engine.kernel.pieces import (
    CELL_PLACES,
    EDGE,
    LANES,
    LOW_BITS,
    OFFSETS,
    PIECE_EDGE,
    PIECE_SIZE,
    PIECES,
    PLACES,
    WIDTH,
)
from patchwork.engine.kernel.rules import OFFER
from patchwork.engine.kernel.state import CIRCLE, CODES
from patchwork.rules.quilt import CELLS, SIDE

POINTS = 20.0
"""The network counts points in twenties."""
NEVER = -1e9
"""Instead of the logit of what cannot be done."""
_SQUARE, _ALONG = (3, 3), (1, 5)
"""What a convolution sees at once: spaces of a quilt, patches of the circle."""
_RING_BLOCKS = 2
_TOLD = 16
"""Numbers that the convolutions along the circle tell about each patch."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a network is."""

    channels: int
    blocks: int
    hidden: int = 128
    """Width of what sees the numbers and gives the values."""
    layers: int = 0
    """How many pairs of layers each of the two has beside a straight way."""
    ring: int = 0
    """Channels of the convolutions along the circle; 0: there are none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the network says about ``b`` positions, as their deciders see them."""

    planes: Tensor
    """[b, 2 * SLOTS, CELLS]"""
    biases: Tensor
    """[b, BIASES]"""
    win: Tensor
    """[b]: logit of the probability to win."""
    points: Tensor
    """[b, 3]: points ahead, and both final scores, in twenties."""
    filling: Tensor
    """[b, 2, CELLS]: logits of each space being filled in the end."""


class _Block(nn.Module):
    """Two convolutions beside a straight way; every second block also looks at the whole board."""

    def __init__(self, channels: int, kernel: tuple[int, int], *, pools: bool) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, kernel, padding="same")
        self.second = nn.Conv2d(channels, channels, kernel, padding="same")
        self.pooled = nn.Linear(2 * channels, channels) if pools else None
        # A block begins as nothing, so that deep networks need no normalisation to start.
        nn.init.zeros_(self.second.weight)
        nn.init.zeros_(self.second.bias)  # type: ignore[arg-type]

    def forward(self, board: Tensor) -> Tensor:
        inner = functional.relu(self.first(board))
        if self.pooled is not None:
            inner = functional.relu(inner + self.pooled(pooled(inner))[:, :, None, None])
        return functional.relu(board + self.second(inner))


def _blocks(channels: int, kernel: tuple[int, int], count: int) -> nn.Sequential:
    return nn.Sequential(
        *(_Block(channels, kernel, pools=number % 2 == 1) for number in range(count))
    )


class _Layers(nn.Module):
    """Two layers beside a straight way, which begin as nothing."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        nn.init.zeros_(self.second.weight)
        nn.init.zeros_(self.second.bias)

    def forward(self, numbers: Tensor) -> Tensor:
        inner = self.second(functional.relu(self.first(numbers)))
        return functional.relu(numbers + inner)


def _seeing(width: int, size: Size) -> nn.Sequential:
    """Returns the layers that make ``size.hidden`` numbers of ``width`` others."""
    more = (_Layers(size.hidden) for _ in range(size.layers))
    return nn.Sequential(nn.Linear(width, size.hidden), nn.ReLU(), *more)


class _Ring(nn.Module):
    """Convolutions along the circle: what each patch means among those before and after it.

    Begins as nothing.
    """

    def __init__(self, size: Size) -> None:
        super().__init__()
        channels = size.ring
        self.near = nn.Linear(NEAR_SCALARS, channels)
        self.far = nn.Linear(FACTS, channels)
        self.places = nn.Parameter(torch.zeros(CIRCLE, channels))
        self.numbers = nn.Linear(size.hidden, channels)
        self.blocks = _blocks(channels, _ALONG, _RING_BLOCKS)
        self.told = nn.Conv2d(channels, _TOLD, 1)
        self.result = nn.Linear(CIRCLE * _TOLD, size.hidden)
        nn.init.zeros_(self.result.weight)
        nn.init.zeros_(self.result.bias)

    def forward(self, scalars: Tensor, numbers: Tensor) -> Tensor:
        """Returns [b, hidden], of what is seen and of ``numbers`` [b, hidden] made of it."""
        # A row for each patch: only in such layers do weights keep their names in a file.
        near = self.near(
            scalars[:, NEAR_START : NEAR_START + NEAR_PATCHES * NEAR_SCALARS].reshape(
                -1, NEAR_SCALARS
            )
        )
        far = self.far(scalars[:, FAR_START:].reshape(-1, FACTS))
        near, far = (
            near.view(-1, NEAR_PATCHES, near.shape[1]),
            far.view(-1, CIRCLE - NEAR_PATCHES, far.shape[1]),
        )
        patches = torch.cat((near, far), 1) + self.places
        patches = functional.relu(patches + self.numbers(numbers)[:, None])
        told = functional.relu(self.told(self.blocks(patches.mT[:, :, None])))
        result: Tensor = self.result(told.flatten(1))
        return result


def pooled(board: Tensor) -> Tensor:
    """Returns mean and maximum of each channel."""
    return torch.cat((board.mean((2, 3)), board.amax((2, 3))), 1)


class Network(nn.Module):
    """Tells what a position is worth and which moves deserve a look."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        channels, hidden = size.channels, size.hidden
        self.stem = nn.Conv2d(PLANES, channels, 3, padding=1)
        self.numbers = _seeing(SCALARS, size)
        self.ring = _Ring(size) if size.ring else None
        self.to_board = nn.Linear(hidden, channels)
        self.blocks = _blocks(channels, _SQUARE, size.blocks)
        self.shapes = nn.Conv2d(channels, 2 * SLOTS + 2, 1)
        self.values = _seeing(2 * channels + hidden, size)
        self.results = nn.Linear(hidden, BIASES + 4)

    def forward(self, planes: Tensor, scalars: Tensor) -> Answer:
        """Takes ``planes`` [b, PLANES, SIDE, SIDE] and ``scalars`` [b, SCALARS]."""
        numbers = self.numbers(scalars)
        if self.ring is not None:
            numbers = functional.relu(numbers + self.ring(scalars, numbers))
        board = functional.relu(self.stem(planes) + self.to_board(numbers)[:, :, None, None])
        board = self.blocks(board)
        shapes = self.shapes(board).flatten(2)
        results = self.results(self.values(torch.cat((pooled(board), numbers), 1)))
        return Answer(
            planes=shapes[:, : 2 * SLOTS],
            biases=results[:, :BIASES],
            win=results[:, BIASES],
            points=results[:, BIASES + 1 :],
            filling=shapes[:, 2 * SLOTS :],
        )


def grown(network: Network, size: Size) -> Network:
    """Returns a larger network that says the same.

    Raises:
        ValueError: of that size it would not be larger, or have other channels.
    """
    mine = network.size
    if size.channels != mine.channels or any(
        wanted < there for wanted, there in zip(astuple(size), astuple(mine), strict=True)
    ):
        raise ValueError(f"a network of {mine} cannot become one of {size}")
    larger = Network(size)
    weights = larger.state_dict()
    for name, known in network.state_dict().items():
        weight = weights[name]
        # What is new sees everything, but nothing that was there listens to it yet.
        weight[: len(known)] = 0
        weight[tuple(slice(width) for width in known.shape)] = known
    larger.load_state_dict(weights)
    return larger


class Unpacking(nn.Module):
    """Makes planes of the bits in which ``engine.features`` writes them."""

    def __init__(self) -> None:
        super().__init__()
        low = CELL_PLACES < LOW_BITS
        shifts = torch.from_numpy(np.where(low, CELL_PLACES, CELL_PLACES - LOW_BITS))
        self.register_buffer("shifts", shifts)
        self.register_buffer("word", torch.from_numpy(np.where(low, 0, 1)))

    def forward(self, words: Tensor) -> Tensor:
        """Returns [b, PLANES, SIDE, SIDE] of words [b, PLANES, 2]."""
        bits = words[:, :, self.word] >> self.shifts & 1  # type: ignore[index, operator]
        return bits.view(-1, PLANES, SIDE, SIDE)


def placements() -> Tensor:
    """Returns [CODES, 2 * CELLS]: how often a move counts each space of its slot's two planes."""
    table = np.zeros((CODES, 2, WIDTH * (SIDE + 2)), np.int8)
    for piece in range(PIECES):
        for lane in range(LANES):
            first = 1 + (piece * LANES + lane) * PLACES
            for place in range(PLACES):
                cells = place + OFFSETS[piece, : PIECE_SIZE[piece], lane]
                beyond = place + EDGE[piece, : PIECE_EDGE[piece], lane]
                # Codes of places off the board are never asked for.
                np.add.at(table[first + place, 0], cells[cells < table.shape[2]], 1)
                np.add.at(table[first + place, 1], beyond[beyond < table.shape[2]], 1)
    framed = table.reshape(CODES, 2, SIDE + 2, WIDTH)
    return torch.from_numpy(framed[:, :, 1 : SIDE + 1, :SIDE].reshape(CODES, 2 * CELLS).copy())


def listed_logits(answer: Answer, table: Tensor, codes: Tensor, slots: Tensor) -> Tensor:
    """Returns the logits [b, m] of some moves of each position: their codes and slots, [b, m]."""
    planes = answer.planes.unflatten(1, (SLOTS, 2)).flatten(2)  # type: ignore[no-untyped-call]
    worth: Tensor = functional.embedding(codes, table).to(planes.dtype) @ planes.mT
    worth = worth.gather(2, slots[:, :, None])[:, :, 0]
    biases = functional.pad(answer.biases, (0, 1))  # leather has none
    which = torch.where(codes == 0, 0, 1 + slots)
    return worth + biases.gather(1, which)


assert BIASES == 1 + OFFER
