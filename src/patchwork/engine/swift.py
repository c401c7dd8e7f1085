"""A swift evaluator: tables of what windows of a quilt are worth, and three small layers.

It has learned from a network what that would say, see ``learn.distilling``. It knows a little less,
but looks at fifty positions while the network looks at one.
"""

import json
import zipfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from patchwork.engine.compiling import compiled
from patchwork.engine.evaluators import Evaluation
from patchwork.engine.features import (
    LEATHER_SLOT,
    PLANES,
    SCALARS,
    SLOTS,
    Floats,
    write_features,
)
from patchwork.engine.kernel import OFFER, covered
from patchwork.engine.lanes import lowest_bit, popcount
from patchwork.engine.network import Learned, NetworkError, stamp
from patchwork.engine.playouts import WORKSPACE, add_tightest
from patchwork.engine.policy import BIASES
from patchwork.engine.sharing import Sharing
from patchwork.engine.state import HIGH, LOW, PASS, SEAT, TURN, Numbers, Reals
from patchwork.engine.tables import FRAME as BORDER
from patchwork.engine.tables import LANES, LOW_BITS, WIDTH
from patchwork.engine.windows import (
    FRAME,
    KINDS,
    LARGE,
    SMALL,
    add_up,
    change,
    look,
    read_rows,
)
from patchwork.rules.quilt import CELLS, SIDE

SUFFIX = ".swift"
"""Of the file, which lies beside that of the network it learned from."""
FORMAT = 1
"""Of the file; others cannot be used."""
CARD = "card"
"""Under this name a file keeps what is known of it, as JSON; ``format`` is part of that."""

QUILT = 32
"""Numbers that tell about a quilt."""
HIDDEN = (128, 32)
"""Widths of the layers that see them, and all else about a position."""
OUTPUTS = 3 + BIASES
"""As the one who decides sees it: the logit of the probability to win, points ahead in tens, both
final scores added up in tens; then logits for the advance and for each patch on offer."""
POINTS = 10.0
PHASES = 3
"""Thirds of the filling of a quilt; places are worth something else in each."""
COUNTED = 0.25
"""What each window counts in the layer that reads a quilt."""

TRIED = 16
"""Places of each patch that are compared: those that touch most."""
_SIGHT = 4
"""Places of each patch that a search looks at."""
_WORTH_SHARING = 16
"""Positions; for fewer, handing them over takes longer than it saves."""


class Weights(NamedTuple):
    """What is learned; ``i`` is the number of inputs, SCALARS + 2 * QUILT."""

    windows: Floats
    """[KINDS, QUILT]"""
    windows_bias: Floats
    """[QUILT]"""
    first: Floats
    """[i, HIDDEN[0]]"""
    first_bias: Floats
    second: Floats
    """[HIDDEN[0], HIDDEN[1]]"""
    second_bias: Floats
    third: Floats
    """[HIDDEN[1], OUTPUTS]"""
    third_bias: Floats
    places: Floats
    """[PHASES, KINDS]: what a window is worth when places for a patch are compared."""


SIZES = {
    "windows": (KINDS, QUILT),
    "windows_bias": (QUILT,),
    "first": (SCALARS + 2 * QUILT, HIDDEN[0]),
    "first_bias": (HIDDEN[0],),
    "second": HIDDEN,
    "second_bias": (HIDDEN[1],),
    "third": (HIDDEN[1], OUTPUTS),
    "third_bias": (OUTPUTS,),
    "places": (PHASES, KINDS),
}


class _Tables(NamedTuple):
    """Weights as they are looked up: by the pattern of a window, not by its kind."""

    small: Floats
    large: Floats
    windows_bias: Floats
    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    third: Floats
    third_bias: Floats
    small_places: Floats
    large_places: Floats


def _tables(weights: Weights) -> _Tables:
    windows = COUNTED * weights.windows
    return _Tables(
        windows[SMALL],
        windows[LARGE],
        *weights[1:-1],
        np.ascontiguousarray(weights.places[:, SMALL]),
        np.ascontiguousarray(weights.places[:, LARGE]),
    )


class Swift:
    """Evaluates positions by tables; the root of a search by the network they learned from."""

    batch = 64

    def __init__(self, path: Path, network: Learned, *, threads: int = 1) -> None:
        """Reads the tables.

        Args:
            path: their file.
            network: looks at the root.
            threads: processor cores to use; they change no answer.

        Raises:
            NetworkError: the file is not there, damaged, or of another format.
        """
        self._tables, self.card = _read(path, stamp(path))
        self._network = network
        self._sharing = Sharing(threads, _WORTH_SHARING)

    def evaluate(self, states: Numbers, circle: Numbers, first: int, out: Evaluation) -> None:
        """Writes what the tables say about some states; threads share the work."""
        if first == 0:
            self._network.evaluate(states, circle, first, out)
            return

        def judge(start: int, end: int) -> None:
            judge_all(states[start:end], circle, self._tables, *out.part(start, end))

        self._sharing.run(len(states), judge)


def write(path: Path, weights: Weights, card: dict[str, Any]) -> None:
    """Writes a file.

    Raises:
        OSError: it cannot be written.
    """
    with path.open("wb") as file:  # savez would add a suffix to a name
        parts = weights._asdict() | {CARD: np.array(json.dumps(card | {"format": FORMAT}))}
        np.savez_compressed(file, allow_pickle=False, **parts)


@cache
def _read(path: Path, _stamp: tuple[int, int] | None) -> tuple[_Tables, dict[str, Any]]:
    """Returns the tables of a file, and its card; engines of one process share them."""
    if not path.is_file():
        raise NetworkError(f"there is no file {path}")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            card = json.loads(str(found[CARD]))
            if card.get("format") != FORMAT:
                raise NetworkError(
                    f"{path} is of format {card.get('format')}; this engine reads {FORMAT}"
                )
            weights = Weights(*(found[name] for name in SIZES))
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise NetworkError(f"{path} is damaged: {error}") from error
    for name, each in weights._asdict().items():
        if each.shape != SIZES[name] or each.dtype != np.float32:
            raise NetworkError(f"{path} is damaged: {name} is {each.dtype} of {each.shape}")
    return _tables(weights), card


@compiled
def _layer(given: Floats, weights: Floats, bias: Floats, out: Floats) -> None:
    """Writes a layer: what is negative becomes 0."""
    size = len(out)
    for number in range(size):
        out[number] = bias[number]
    for each in range(len(given)):
        factor = given[each]
        if factor != 0:
            for number in range(size):
                out[number] += factor * weights[each, number]
    for number in range(size):
        out[number] = max(out[number], np.float32(0))


@compiled
def read_quilt(
    low: int, high: int, tables: _Tables, rows: Numbers, columns: Numbers, out: Floats
) -> None:
    """Writes the numbers [QUILT] that tell about a quilt, and its rows and columns."""
    read_rows(low, high, rows, columns)
    out[:] = tables.windows_bias
    add_up(rows, columns, tables.small, tables.large, out)
    for number in range(QUILT):
        out[number] = max(out[number], np.float32(0))


@compiled
def weigh_places(
    codes: Numbers,
    count: int,
    rows: Numbers,
    columns: Numbers,
    of_small: Floats,
    of_large: Floats,
    before: Floats,
    logits: Reals,
) -> None:
    """Writes for some places by how much each makes the windows of a quilt better or worse."""
    new_rows, new_columns = np.empty(FRAME, np.int64), np.empty(FRAME, np.int64)
    for number in range(count):
        new_rows[:] = rows
        new_columns[:] = columns
        top, bottom, left, right = FRAME, 0, FRAME, 0
        words = covered(codes[number])
        for word in range(2):
            bits = words[word]
            while bits != 0:
                bit = lowest_bit(bits) + LOW_BITS * word
                bits &= bits - 1
                row, column = bit // WIDTH, bit % WIDTH + 1
                new_rows[row] |= 1 << column
                new_columns[column] |= 1 << row
                top, bottom = min(top, row), max(bottom, row)
                left, right = min(left, column), max(right, column)
        area = top, bottom, left, right
        logits[number] = change(new_rows, new_columns, of_small, of_large, before, area)


@compiled
def phase(low: int, high: int) -> int:
    """Returns how far a quilt is filled: the first, second or last third of it."""
    filled = popcount(low) + popcount(high) - BORDER
    return int(min(PHASES - 1, PHASES * filled // CELLS))


@compiled
def judge_all(
    states: Numbers,
    circle: Numbers,
    tables: _Tables,
    values: Reals,
    counts: Numbers,
    moves: Numbers,
    priors: Reals,
    totals: Reals,
) -> None:
    """Makes an evaluation of some states."""
    scratch = np.empty((WORKSPACE, LANES), np.int64)
    words, pieces = np.empty((PLANES, 2), np.int64), np.empty(SLOTS, np.int64)
    rows, columns = np.empty(FRAME, np.int64), np.empty(FRAME, np.int64)
    given = np.empty(SCALARS + 2 * QUILT, np.float32)
    first, second = np.empty(HIDDEN[0], np.float32), np.empty(HIDDEN[1], np.float32)
    out = np.empty(OUTPUTS, np.float32)
    before = np.empty((3, SIDE, SIDE), np.float32)
    places, logits = np.empty(TRIED, np.int64), np.empty(TRIED)
    for number in range(len(states)):
        state = states[number]
        mine = SEAT * state[TURN]
        theirs = SEAT - mine
        write_features(state, circle, words, given[:SCALARS], pieces, scratch[:3])
        for seat, at in ((theirs, SCALARS + QUILT), (mine, SCALARS)):
            told = given[at : at + QUILT]
            read_quilt(state[seat + LOW], state[seat + HIGH], tables, rows, columns, told)
        _layer(given, tables.first, tables.first_bias, first)
        _layer(first, tables.second, tables.second_bias, second)
        out[:] = tables.third_bias
        for each in range(HIDDEN[1]):
            for output in range(OUTPUTS):
                out[output] += second[each] * tables.third[each, output]
        win, margin = 1 / (1 + np.exp(-out[0])), POINTS * out[1]
        values[number, 0] = win if mine == 0 else 1 - win
        values[number, 1] = margin if mine == 0 else -margin
        totals[number] = POINTS * out[2]
        third = phase(state[mine + LOW], state[mine + HIGH])
        of_small, of_large = tables.small_places[third], tables.large_places[third]
        look(rows, columns, of_small, of_large, before)
        count = 0
        if pieces[LEATHER_SLOT] < 0:
            moves[number, 0], priors[number, 0] = PASS, out[3]
            count = 1
        for slot in range(SLOTS):
            if pieces[slot] < 0:
                continue
            found = add_tightest(state, pieces[slot], 0.0, TRIED, places, logits, 0, scratch)
            weigh_places(places, found, rows, columns, of_small, of_large, before, logits)
            bias = out[4 + slot] if slot < OFFER else np.float32(0)
            count = _keep_likeliest(
                places, logits, found, float(bias), moves[number], priors[number], count
            )
        counts[number] = count
        _share_out(priors[number], count)


@compiled
def _keep_likeliest(
    places: Numbers,
    logits: Reals,
    found: int,
    bias: float,
    moves: Numbers,
    priors: Reals,
    count: int,
) -> int:
    """Appends the likeliest places of a patch; all its places share what the patch has."""
    if found == 0:
        return count
    highest = logits[:found].max()
    everything = np.log(np.exp(logits[:found] - highest).sum()) + highest
    for rank in range(min(_SIGHT, found)):
        best = rank + np.argmax(logits[rank:found])
        places[rank], places[best] = places[best], places[rank]
        logits[rank], logits[best] = logits[best], logits[rank]
        moves[count], priors[count] = places[rank], bias + logits[rank] - everything
        count += 1
    return count


@compiled
def _share_out(priors: Reals, count: int) -> None:
    """Turns logits into shares that sum up to 1."""
    highest = priors[:count].max()
    total = 0.0
    for number in range(count):
        priors[number] = np.exp(priors[number] - highest)
        total += priors[number]
    for number in range(count):
        priors[number] /= total
