"""The features of the positions that wait, as ``engine.evaluators.features`` writes them.

``FeatureEncoder`` computes the same on a GPU, for all positions at once, which spares the processor
a quarter of its work in self-play. A test compares it with ``write_features`` bit for bit.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from patchwork.engine.evaluators.features import (
    ADVANCE_SCALE,
    BUTTONS_SCALE,
    FEW_BUTTONS,
    GAIN_SCALE,
    INCOME_SCALE,
    LEAD_SCALE,
    LEATHER_LINES,
    LEATHER_SCALE,
    LEATHERS,
    LINES,
    LOG_COUNT,
    LONGEST_TIME,
    MOVE_LINES,
    NEAR_PATCHES,
    NO_LEATHER,
    PATCH_FACTS,
    PLANES,
    PROSPECT_SCALE,
    SCALARS,
    SLOTS,
    SOME_BUTTONS,
    write_features,
)
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import (
    ANCHORS,
    LANES,
    LEATHER_PIECE,
    LOW_BITS,
    OFFSETS,
    PIECE_COST,
    PIECE_INCOME,
    PIECE_SIZE,
    PIECE_TIME,
)
from patchwork.engine.kernel.rules import LINE_DISTANCE, OFFER
from patchwork.engine.kernel.state import (
    BUTTONS,
    CIRCLE,
    CIRCLE_LEFT,
    FIRST_HOME,
    HIGH,
    INCOME,
    LEATHER,
    LOW,
    PHASE,
    PLACING,
    SEAT,
    TILE_OWNER,
    TIME,
    TOKEN,
    TURN,
    Floats,
    Numbers,
)
from patchwork.rules.quilt import CELLS
from patchwork.rules.timeboard import LAST


class Features(NamedTuple):
    """The features of ``b`` positions; see ``engine.evaluators.features``."""

    words: Numbers
    """[b, PLANES, 2]"""
    scalars: Floats
    """[b, SCALARS]"""
    pieces: Numbers
    """[b, SLOTS]"""


def new_features(count: int) -> Features:
    """Returns empty arrays for the features of that many positions."""
    return Features(
        words=np.empty((count, PLANES, 2), np.int64),
        scalars=np.empty((count, SCALARS), np.float32),
        pieces=np.empty((count, SLOTS), np.int64),
    )


@compiled
def write_all_features(states: Numbers, circles: Numbers, features: Features) -> None:
    """Writes the features of some states, each with its own circle."""
    scratch = np.empty((3, LANES), np.int64)
    for number in range(len(states)):
        write_features(
            states[number],
            circles[number],
            features.words[number],
            features.scalars[number],
            features.pieces[number],
            scratch,
        )


_LEATHER_LINES = tuple(LEATHER_LINES.tolist())
"""As plain numbers, since code that PyTorch compiles must not read arrays."""


class _Seat(NamedTuple):
    """What states say about one of the seats, [b]."""

    number: Tensor
    low: Tensor
    high: Tensor
    buttons: Tensor
    income: Tensor
    time: Tensor

    @classmethod
    def of(cls, states: Tensor, number: Tensor) -> "_Seat":
        words = [states.gather(1, (SEAT * number + word)[:, None])[:, 0] for word in range(SEAT)]
        return cls(number, words[LOW], words[HIGH], words[BUTTONS], words[INCOME], words[TIME])

    def per_patch(self) -> "_Seat":
        """Returns the same with one more dimension, for the patches."""
        return _Seat._make(each[:, None] for each in self)


class FeatureEncoder(nn.Module):
    """Computes with tensors what ``write_all_features`` writes, bit for bit."""

    offsets: Tensor
    anchors: Tensor
    costs: Tensor
    times: Tensor
    incomes: Tensor
    sizes: Tensor
    facts: Tensor
    log_counts: Tensor
    places: Tensor

    def __init__(self) -> None:
        super().__init__()
        tables = {
            "offsets": OFFSETS,
            "anchors": ANCHORS,
            "costs": PIECE_COST,
            "times": PIECE_TIME,
            "incomes": PIECE_INCOME,
            "sizes": PIECE_SIZE,
            "facts": PATCH_FACTS,
            "log_counts": LOG_COUNT,
            "places": np.arange(CIRCLE),
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table))

    def forward(self, states: Tensor, circles: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns words, scalars and pieces of states [b, WORDS] with circles [b, CIRCLE]."""
        mine, theirs = (
            _Seat.of(states, number) for number in (states[:, TURN], 1 - states[:, TURN])
        )
        every, present, order = self._order_patches(states, circles)
        patches, far = every[:, :NEAR_PATCHES], every[:, NEAR_PATCHES:]
        there = present[:, :NEAR_PATCHES]
        quilts = torch.stack((mine.low, theirs.low), 1), torch.stack((mine.high, theirs.high), 1)
        leather = self.offsets[LEATHER_PIECE, :1, 0], self.anchors[LEATHER_PIECE, :, 0]
        empty = _free(*quilts, leather[0], *leather[1])
        offsets, anchors = self.offsets[patches], self.anchors[patches]
        free = _free(
            quilts[0][:, :, None, None],
            quilts[1][:, :, None, None],
            offsets.movedim(2, 0)[:, :, None],
            *anchors.movedim(2, 0)[:, :, None],
        )
        fits = _bits(free).sum((3, 4))
        spaces = _bits(empty).sum(2)
        offer, offered = patches[:, :OFFER], there[:, :OFFER]
        scalars = (
            _seat_features(states, mine, spaces[:, 0]),
            _seat_features(states, theirs, spaces[:, 1]),
            _table_features(states, mine, theirs),
            self._patch_features(mine.per_patch(), theirs.per_patch(), patches, fits)
            * there[..., None],
            self._deal_features(states, mine.per_patch(), theirs.per_patch(), offer)
            * offered[..., None],
            order,
            self.facts[far] * present[:, NEAR_PATCHES:, None],
        )
        placing = states[:, PHASE, None] == PLACING
        affordable = self.costs[offer] <= mine.buttons[:, None]
        pieces = (
            torch.where(offered & affordable & ~placing, offer, -1),
            torch.where(placing, LEATHER_PIECE, -1),
        )
        return (
            torch.cat((empty, (free[:, 0, :OFFER] * offered[..., None, None]).flatten(1, 2)), 1),
            torch.cat([part.flatten(1) for part in scalars], 1),
            torch.cat(pieces, 1),
        )

    def _order_patches(self, states: Tensor, circles: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the patches from the token on, which of them are left, and when each comes.

        All three are [b, CIRCLE].
        """
        places = (states[:, TOKEN, None] + self.places) % CIRCLE
        left = (states[:, CIRCLE_LEFT, None] >> places & 1) != 0
        pieces = circles.gather(1, places)
        ranks = left.cumsum(1) - 1
        # Places without a patch write into an extra column that is cut off in the end.
        order = torch.zeros(len(states), CIRCLE + 1, device=states.device).scatter(
            1, torch.where(left, pieces, CIRCLE), (1 - _fraction(ranks, CIRCLE)).float()
        )
        every = torch.zeros_like(order, dtype=pieces.dtype).scatter(
            1, torch.where(left, ranks, CIRCLE), pieces
        )
        present = self.places < left.sum(1)[:, None]
        return every[:, :CIRCLE], present, order[:, :CIRCLE]

    def _patch_features(self, mine: _Seat, theirs: _Seat, patches: Tensor, fits: Tensor) -> Tensor:
        cost, time, income = self.costs[patches], self.times[patches], self.incomes[patches]
        size = self.sizes[patches]
        gain = 2 * size + income * _lines(mine.time, LAST) - cost
        to_players = _row(
            cost <= mine.buttons,
            cost <= theirs.buttons,
            fits[:, 0] > 0,
            self.log_counts[fits[:, 0]],
            fits[:, 1] > 0,
            self.log_counts[fits[:, 1]],
            _fraction(gain, GAIN_SCALE * time),
        )
        return torch.cat((self.facts[patches], to_players), -1)

    def _deal_features(self, states: Tensor, mine: _Seat, theirs: _Seat, offer: Tensor) -> Tensor:
        time = self.times[offer]
        space = (mine.time + time).clamp(max=LAST)
        lines = _lines(mine.time, space)
        income = mine.income + self.incomes[offer]
        return _row(
            _fraction(lines, MOVE_LINES),
            _reached(states[:, LEATHER, None], space),
            space <= theirs.time,
            _fraction(mine.time + time - space, LONGEST_TIME),
            _fraction(mine.buttons - self.costs[offer] + income * lines, BUTTONS_SCALE),
        )


def _seat_features(states: Tensor, seat: _Seat, empty: Tensor) -> Tensor:
    buttons, time = seat.buttons, seat.time
    lines = _lines(time, LAST)
    ahead = states[:, LEATHER] >> (time + 1)
    to_line = LINE_DISTANCE - (time + 1) % LINE_DISTANCE
    to_leather = 1 + _bits((ahead & -ahead) - 1)
    return _row(
        _fraction(buttons, BUTTONS_SCALE),
        _fraction(buttons.clamp(max=FEW_BUTTONS), FEW_BUTTONS),
        _fraction(buttons.clamp(max=SOME_BUTTONS), SOME_BUTTONS),
        _fraction(seat.income, INCOME_SCALE),
        _fraction(time, LAST),
        _fraction(lines, LINES),
        torch.where(lines > 0, _fraction(to_line, LINE_DISTANCE), 0.0),
        _fraction(buttons + seat.income * lines, PROSPECT_SCALE),
        _fraction(_bits(ahead), LEATHERS),
        torch.where(ahead != 0, _fraction(to_leather, LEATHER_SCALE), NO_LEATHER),
        _fraction(empty, CELLS),
        states[:, TILE_OWNER] == seat.number,
        time == LAST,
        states[:, FIRST_HOME] == seat.number,
    )


def _table_features(states: Tensor, mine: _Seat, theirs: _Seat) -> Tensor:
    leather = states[:, LEATHER]
    space = (theirs.time + 1).clamp(max=LAST)
    further = space > mine.time
    return _row(
        states[:, PHASE] == PLACING,
        states[:, TILE_OWNER] < 0,
        _fraction(theirs.time - mine.time, LEAD_SCALE),
        _fraction(_bits(leather), LEATHERS),
        _fraction(_bits(states[:, CIRCLE_LEFT]), CIRCLE),
        _fraction(further * (space - mine.time), ADVANCE_SCALE),
        _fraction(further * _lines(mine.time, space), MOVE_LINES),
        further & _reached(leather, space),
        *(leather >> line & 1 for line in _LEATHER_LINES),
    )


def _row(*columns: Tensor) -> Tensor:
    return torch.stack([column.float() for column in columns], -1)


def _fraction(number: Tensor, whole: Tensor | int) -> Tensor:
    """Divides as the processor does: in 64 bits, rounded to 32 at the end."""
    return number.double() / whole


def _lines(start: Tensor, end: Tensor | int) -> Tensor:
    """Returns how many income lines are crossed; see ``kernel.rules.lines_crossed``."""
    return (end + 1) // LINE_DISTANCE - (start + 1) // LINE_DISTANCE


def _reached(leather: Tensor, space: Tensor) -> Tensor:
    """Returns whether there is leather up to a space."""
    return leather & ((torch.ones_like(space) << (space + 1)) - 1) != 0


def _bits(words: Tensor) -> Tensor:
    """Returns how many bits are set in each word, which must not be negative.

    Adds up neighbouring groups of 1, 2 and 4 bits, then all bytes at once by a multiplication
    (Warren, "Hacker's Delight", 5-1).
    """
    words = words - (words >> 1 & 0x5555555555555555)
    words = (words & 0x3333333333333333) + (words >> 2 & 0x3333333333333333)
    return ((words + (words >> 4) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101) >> 56


def _free(
    low: Tensor, high: Tensor, offsets: Tensor, low_anchors: Tensor, high_anchors: Tensor
) -> Tensor:
    """Returns where shapes fit on quilts: the low and the high word, in a last dimension.

    ``offsets`` has the cells of the shapes as first dimension; see ``simd.free_places``.
    """
    blocked_low, blocked_high = torch.zeros_like(low), torch.zeros_like(high)
    for distance in offsets:
        blocked_low = blocked_low | low >> distance | high << (LOW_BITS - distance)
        blocked_high = blocked_high | high >> distance
    return torch.stack((low_anchors & ~blocked_low, high_anchors & ~blocked_high), -1)
