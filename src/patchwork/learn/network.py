"""The network: convolutions over the quilts, and a head that gives every placement its logit."""

from dataclasses import astuple, dataclass
from typing import Any

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
from patchwork.learn.old_names import weight_name
from patchwork.rules.quilt import CELLS, SIDE

POINTS_SCALE = 20.0
"""The network's unit of points: with it, margins and scores are mostly between -5 and 5."""
MASKED_LOGIT = -1e9
"""In place of the logit of a move that is not legal."""
_BOARD_KERNEL, _CIRCLE_KERNEL = (3, 3), (1, 5)
"""The spaces of a quilt, and the patches of the circle, that a convolution sees at once."""
_CIRCLE_BLOCKS = 2
_CIRCLE_SUMMARY = 16
"""Numbers per patch that the convolutions along the circle pass on."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a network is."""

    channels: int
    blocks: int
    hidden: int = 128
    """Width of the layers that read the scalar features and of those that give the values."""
    mlp_blocks: int = 0
    """Residual blocks of two such layers, in each of the two places."""
    circle_channels: int = 0
    """Channels of the convolutions along the circle; 0 leaves them out."""


@dataclass(frozen=True, slots=True)
class Output:
    """What the network says about ``b`` positions, as the player to decide sees them."""

    planes: Tensor
    """[b, 2 * SLOTS, CELLS]: see ``policy``."""
    biases: Tensor
    """[b, BIASES]"""
    win: Tensor
    """[b]: logit of the probability of winning."""
    points: Tensor
    """[b, 3]: the margin and both final scores, in units of ``POINTS_SCALE``."""
    filling: Tensor
    """[b, 2, CELLS]: logits of each space being filled at the end of the game."""


class _Block(nn.Module):
    """A residual block of two convolutions; every second block also pools the whole board."""

    def __init__(self, channels: int, kernel: tuple[int, int], *, pools: bool) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, kernel, padding="same")
        self.second = nn.Conv2d(channels, channels, kernel, padding="same")
        self.pooled = nn.Linear(2 * channels, channels) if pools else None
        # A block starts as the identity, so that deep networks can start without normalisation.
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


class _MlpBlock(nn.Module):
    """A residual block of two layers, which starts as the identity."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        nn.init.zeros_(self.second.weight)
        nn.init.zeros_(self.second.bias)

    def forward(self, numbers: Tensor) -> Tensor:
        inner = self.second(functional.relu(self.first(numbers)))
        return functional.relu(numbers + inner)


def _mlp(width: int, size: Size) -> nn.Sequential:
    """Returns the layers that turn ``width`` numbers into ``size.hidden``."""
    more = (_MlpBlock(size.hidden) for _ in range(size.mlp_blocks))
    return nn.Sequential(nn.Linear(width, size.hidden), nn.ReLU(), *more)


class _Circle(nn.Module):
    """Convolutions along the circle: what each patch means among those before and after it.

    Adds nothing at first.
    """

    def __init__(self, size: Size) -> None:
        super().__init__()
        channels = size.circle_channels
        self.near = nn.Linear(NEAR_SCALARS, channels)
        self.far = nn.Linear(FACTS, channels)
        self.places = nn.Parameter(torch.zeros(CIRCLE, channels))
        self.numbers = nn.Linear(size.hidden, channels)
        self.blocks = _blocks(channels, _CIRCLE_KERNEL, _CIRCLE_BLOCKS)
        self.summary = nn.Conv2d(channels, _CIRCLE_SUMMARY, 1)
        self.result = nn.Linear(CIRCLE * _CIRCLE_SUMMARY, size.hidden)
        nn.init.zeros_(self.result.weight)
        nn.init.zeros_(self.result.bias)

    def forward(self, scalars: Tensor, numbers: Tensor) -> Tensor:
        """Returns [b, hidden]; ``numbers`` [b, hidden] is what was made of the scalars so far."""
        # One row for each patch: weights keep their names in an ONNX file only in such layers.
        near_end = NEAR_START + NEAR_PATCHES * NEAR_SCALARS
        near = self.near(scalars[:, NEAR_START:near_end].reshape(-1, NEAR_SCALARS))
        far = self.far(scalars[:, FAR_START:].reshape(-1, FACTS))
        near = near.view(-1, NEAR_PATCHES, near.shape[1])
        far = far.view(-1, CIRCLE - NEAR_PATCHES, far.shape[1])
        patches = torch.cat((near, far), 1) + self.places
        patches = functional.relu(patches + self.numbers(numbers)[:, None])
        summary = functional.relu(self.summary(self.blocks(patches.mT[:, :, None])))
        result: Tensor = self.result(summary.flatten(1))
        return result


def pooled(board: Tensor) -> Tensor:
    """Returns the mean and the maximum of each channel."""
    return torch.cat((board.mean((2, 3)), board.amax((2, 3))), 1)


class Network(nn.Module):
    """Says what a position is worth and which moves look good.

    An MLP reads the scalar features (``numbers``, and ``circle`` where there is one); its output is
    added to the planes of the quilts before the residual tower (``stem``, ``blocks``). The policy
    head (``shapes``) reads the tower, the value head (``values``, ``results``) both.
    """

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        channels, hidden = size.channels, size.hidden
        self.stem = nn.Conv2d(PLANES, channels, 3, padding=1)
        self.numbers = _mlp(SCALARS, size)
        self.circle = _Circle(size) if size.circle_channels else None
        self.to_board = nn.Linear(hidden, channels)
        self.blocks = _blocks(channels, _BOARD_KERNEL, size.blocks)
        self.shapes = nn.Conv2d(channels, 2 * SLOTS + 2, 1)
        self.values = _mlp(2 * channels + hidden, size)
        self.results = nn.Linear(hidden, BIASES + 4)
        self.register_load_state_dict_pre_hook(  # type: ignore[no-untyped-call]
            _use_present_names
        )

    def forward(self, planes: Tensor, scalars: Tensor) -> Output:
        """Takes ``planes`` [b, PLANES, SIDE, SIDE] and ``scalars`` [b, SCALARS]."""
        numbers = self.numbers(scalars)
        if self.circle is not None:
            numbers = functional.relu(numbers + self.circle(scalars, numbers))
        board = functional.relu(self.stem(planes) + self.to_board(numbers)[:, :, None, None])
        board = self.blocks(board)
        shapes = self.shapes(board).flatten(2)
        results = self.results(self.values(torch.cat((pooled(board), numbers), 1)))
        return Output(
            planes=shapes[:, : 2 * SLOTS],
            biases=results[:, :BIASES],
            win=results[:, BIASES],
            points=results[:, BIASES + 1 :],
            filling=shapes[:, 2 * SLOTS :],
        )


def grown(network: Network, size: Size) -> Network:
    """Returns a larger network with the same output.

    Raises:
        ValueError: that size is smaller in some way, or has another number of channels.
    """
    mine = network.size
    if size.channels != mine.channels or any(
        wanted < there for wanted, there in zip(astuple(size), astuple(mine), strict=True)
    ):
        raise ValueError(f"a network of {mine} cannot grow to {size}")
    larger = Network(size)
    weights = larger.state_dict()
    for name, known in network.state_dict().items():
        weight = weights[name]
        # New units read all inputs, but nothing that was there reads them yet.
        weight[: len(known)] = 0
        weight[tuple(slice(width) for width in known.shape)] = known
    larger.load_state_dict(weights)
    return larger


def _use_present_names(
    _module: nn.Module, weights: dict[str, Any], prefix: str, *_others: object
) -> None:
    """Renames weights that an earlier version has saved, before they are loaded."""
    for name in [name for name in weights if name.startswith(prefix)]:
        present = prefix + weight_name(name.removeprefix(prefix))
        if present != name:
            weights[present] = weights.pop(name)


class PlaneUnpacker(nn.Module):
    """Turns the bits that ``engine.features`` writes into planes."""

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


def placement_table() -> Tensor:
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


def listed_logits(output: Output, table: Tensor, codes: Tensor, slots: Tensor) -> Tensor:
    """Returns the logits [b, m] of moves of each position, given their codes and slots [b, m].

    ``table`` is the ``placement_table``.
    """
    planes = output.planes.unflatten(1, (SLOTS, 2)).flatten(2)  # type: ignore[no-untyped-call]
    worth: Tensor = functional.embedding(codes, table).to(planes.dtype) @ planes.mT
    worth = worth.gather(2, slots[:, :, None])[:, :, 0]
    biases = functional.pad(output.biases, (0, 1))  # leather has none
    which = torch.where(codes == 0, 0, 1 + slots)
    return worth + biases.gather(1, which)


assert BIASES == 1 + OFFER
