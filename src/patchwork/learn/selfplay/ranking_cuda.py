"""Picks the candidate moves of the positions just evaluated, on the GPU: one program per position.

Adds up the same logits as ``engine.evaluators.policy``, at all places of all orientations at once.
The bits that the features have for each orientation say which places are legal.
"""

import numpy as np
import torch
import triton
import triton.language as tl
from numpy.typing import NDArray
from torch import Tensor

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.features import LEATHER_SLOT, PLANES, SLOTS
from patchwork.engine.evaluators.network import INNER_CANDIDATES
from patchwork.engine.evaluators.policy import BIASES, FRAMED_CELLS
from patchwork.engine.kernel.pieces import (
    CELL_PLACES,
    EDGE,
    LANES,
    LOW_BITS,
    MAX_EDGE,
    OFFSETS,
    PIECE_EDGE,
    PIECE_SIZE,
    PLACES,
)
from patchwork.rules.quilt import CELLS

_ROWS = 32
"""Orientations of all slots, one of leather, and the advance, rounded up to a power of two."""
_COLUMNS = 128
"""Spaces of a quilt, rounded up to a power of two."""
_NEVER_CERTAIN = tl.constexpr(1e-7)
"""Keeps a uniform number away from 0 and 1, whose Gumbel numbers are infinite."""


@triton.jit  # type: ignore[untyped-decorator]
def _rank(  # type: ignore[no-untyped-def]
    words, pieces, gumbel_scales, framed, biases, seed, offsets, edges, sizes, sides, shifts,
    codes, priors, logits, gumbel_logits, counts, norms,
    SLOTS: tl.constexpr, LANES: tl.constexpr, PLANES: tl.constexpr, FRAMED_CELLS: tl.constexpr,
    BIASES: tl.constexpr, LEATHER: tl.constexpr, MAX_EDGE: tl.constexpr, PLACES: tl.constexpr,
    LOW_BITS: tl.constexpr, CELLS: tl.constexpr, CANDIDATES: tl.constexpr,
    INNER_CANDIDATES: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    number = tl.program_id(0)
    row = tl.arange(0, ROWS)
    slot = tl.minimum(row // LANES, LEATHER)
    lane = row % LANES
    placing = tl.load(pieces + number * SLOTS + LEATHER) >= 0
    piece = tl.load(pieces + number * SLOTS + slot).to(tl.int32)
    # Leather has one orientation; the second of its rows is the advance.
    advance = row == LEATHER * LANES + 1
    placed = (piece >= 0) & ((slot < LEATHER) | (lane == 0))
    piece = tl.where(placed, piece, 0)
    cell = tl.arange(0, COLUMNS)
    shift = tl.load(shifts + cell, mask=cell < CELLS, other=0).to(tl.int32)
    low = shift < LOW_BITS
    plane = tl.where(slot < LEATHER, 2 + row, 0)
    word = words + (number * PLANES + plane) * 2
    lows = tl.load(word, mask=placed, other=0)
    highs = tl.load(word + 1, mask=placed, other=0)
    bit = tl.where(low, shift, shift - LOW_BITS).to(tl.int64)
    bits = tl.where(low[None, :], lows[:, None], highs[:, None]) >> bit[None, :]
    legal = ((bits & 1) != 0) & (cell < CELLS)[None, :]
    legal = legal | (advance[:, None] & (cell == 0)[None, :] & (not placing))
    bias_of = tl.where(advance, 0, 1 + slot)
    bias = tl.load(biases + number * BIASES + bias_of, mask=bias_of < BIASES, other=0.0)
    total = tl.zeros((ROWS, COLUMNS), tl.float32) + bias[:, None]
    size = tl.load(sizes + piece)
    ring = tl.load(sides + piece)
    first = framed + (number * 2 * SLOTS + 2 * slot) * FRAMED_CELLS
    for step in range(LANES):
        offset = tl.load(offsets + (piece * LANES + step) * LANES + lane)
        space = shift[None, :] + offset[:, None]
        fits = legal & (placed & (size > step))[:, None] & (space < FRAMED_CELLS)
        total += tl.load(first[:, None] + space, mask=fits, other=0.0)
    for step in range(MAX_EDGE):
        offset = tl.load(edges + (piece * MAX_EDGE + step) * LANES + lane)
        space = shift[None, :] + offset[:, None]
        fits = legal & (placed & (ring > step))[:, None] & (space < FRAMED_CELLS)
        total += tl.load(first[:, None] + FRAMED_CELLS + space, mask=fits, other=0.0)
    none = float("-inf")
    likely = tl.reshape(tl.where(legal, total, none), (ROWS * COLUMNS,))
    highest = tl.max(likely, axis=0)
    norm = highest + tl.log(tl.sum(tl.exp(likely - highest), axis=0))
    scale = tl.load(gumbel_scales + number)
    index = tl.arange(0, ROWS * COLUMNS)
    noisy = likely
    if scale > 0:
        even = tl.rand(tl.load(seed), number * ROWS * COLUMNS + index)
        even = tl.minimum(tl.maximum(even, _NEVER_CERTAIN), 1 - _NEVER_CERTAIN)
        noisy = likely - scale * tl.log(-tl.log(even))
    code = 1 + (piece * LANES + lane)[:, None] * PLACES + shift[None, :]
    code = tl.where(advance[:, None], 0, code)
    code = tl.reshape(code, (ROWS * COLUMNS,))
    wanted = tl.where(scale >= 0, CANDIDATES, INNER_CANDIDATES)
    count = tl.minimum(tl.sum((likely > none).to(tl.int32), axis=0), wanted)
    tl.store(counts + number, count)
    tl.store(norms + number, norm)
    for place in range(count):
        best = tl.argmax(noisy, axis=0)
        here = index == best
        at = number * CANDIDATES + place
        tl.store(codes + at, tl.sum(tl.where(here, code, 0), axis=0))
        logit = tl.sum(tl.where(here, likely, 0.0), axis=0)
        tl.store(logits + at, logit)
        tl.store(priors + at, tl.exp(logit - norm))
        tl.store(gumbel_logits + at, tl.sum(tl.where(here, noisy, 0.0), axis=0))
        noisy = tl.where(here, none, noisy)


class CudaRanking:
    """Ranks moves on a GPU, where it keeps the tables it needs."""

    def __init__(self, device: torch.device) -> None:
        def table(numbers: NDArray[np.int64]) -> Tensor:
            return torch.from_numpy(numbers.astype(np.int32)).contiguous().to(device)

        self._tables = tuple(
            table(numbers) for numbers in (OFFSETS, EDGE, PIECE_SIZE, PIECE_EDGE, CELL_PLACES)
        )

    def __call__(
        self,
        words: Tensor,
        pieces: Tensor,
        gumbel_scales: Tensor,
        framed: Tensor,
        biases: Tensor,
        seed: Tensor,
        out: tuple[Tensor, ...],
    ) -> None:
        """Writes codes, priors, logits, noisy logits, counts and norms; see ``ranking.rank``.

        ``framed`` is [b, 2 * SLOTS, FRAMED_CELLS], the policy planes with a border.
        """
        _rank[(len(words),)](
            words, pieces, gumbel_scales, framed, biases, seed, *self._tables, *out,
            SLOTS, LANES, PLANES, FRAMED_CELLS, BIASES, LEATHER_SLOT, MAX_EDGE, PLACES, LOW_BITS,
            CELLS, CANDIDATES, INNER_CANDIDATES, _ROWS, _COLUMNS,
        )  # fmt: skip
