"""The fast evaluator: weights for local patterns of a quilt, and three small layers on top.

Like NNUE, it keeps the sums of its first layer for what positions have in common. The last two
layers have weights of their own for each stage of a game. It was distilled from a network (see
``learn.distillation``), is about as accurate, and evaluates fifty positions while a network
evaluates one.
"""

import json
import zipfile
from functools import cache
from pathlib import Path
from threading import local
from typing import Any

import numpy as np

from patchwork.engine.evaluators.evaluator import Evaluation, Evaluator, Positions
from patchwork.engine.evaluators.network import NetworkError, NetworkEvaluator, stamp
from patchwork.engine.evaluators.threads import BatchSplitter
from patchwork.engine.kernel.state import SEAT, TIME
from patchwork.engine.parameters import SearchParameters
from patchwork.engine.patterns.forward import (
    LATE_PLACEMENTS,
    PLACEMENTS,
    SIZES,
    Tables,
    Weights,
    forward_all,
    new_cache,
    tables_of,
)
from patchwork.rules.timeboard import LAST

SUFFIX = ".swift"
"""The ending of a patterns file, which lies beside the file of the network for the root."""
FORMAT = 3
"""The format of the file. A file of another format cannot be used."""
CARD = "card"
"""The entry of the file with its card: facts about it, as JSON, among them its ``format``."""

_MIN_SPLIT = 16
"""Positions; with fewer, handing them to threads takes longer than it saves."""
_LATE = 44
"""Spaces left to both tokens at the root from which on a search considers LATE_PLACEMENTS."""


class _ThreadLocal(local):
    """What each thread has for itself."""

    def __init__(self) -> None:
        self.cache = new_cache()


class PatternEvaluator(Evaluator):
    """Evaluates positions by patterns of the quilts, the root by the network beside them."""

    search = SearchParameters(exploration=1.0, sibling_delay=24, min_visit_share=0.5)

    def __init__(self, path: Path, network: NetworkEvaluator, *, threads: int = 1) -> None:
        """Reads a patterns file.

        Args:
            path: the file.
            network: evaluates the root.
            threads: processor cores to use; they change no answer.

        Raises:
            NetworkError: the file is not there, damaged, or of another format.
        """
        self._tables, self.card = _read(path, stamp(path))
        self._network = network
        self._splitter = BatchSplitter(threads, _MIN_SPLIT)
        self._own = _ThreadLocal()

    def evaluate(self, positions: Positions, out: Evaluation) -> None:
        """Writes what the patterns say about some positions below the root."""
        spaces = 2 * LAST - positions.root[TIME] - positions.root[SEAT + TIME]
        placements = LATE_PLACEMENTS if spaces <= _LATE else PLACEMENTS

        def work(start: int, end: int) -> None:
            states, part = positions.states[start:end], out.part(start, end)
            forward_all(states, positions.circle, self._tables, self._own.cache, placements, *part)

        self._splitter.run(len(positions.states), work)

    def evaluate_root(self, positions: Positions, out: Evaluation) -> None:
        """Writes what the network says about the root."""
        self._network.evaluate_root(positions, out)


def write(path: Path, weights: Weights, card: dict[str, Any]) -> None:
    """Writes a patterns file.

    Raises:
        OSError: it cannot be written.
    """
    with path.open("wb") as file:  # savez would add a suffix to a name
        parts = weights._asdict() | {CARD: np.array(json.dumps(card | {"format": FORMAT}))}
        np.savez_compressed(file, allow_pickle=False, **parts)


@cache
def _read(path: Path, _stamp: tuple[int, int] | None) -> tuple[Tables, dict[str, Any]]:
    """Returns the weights of a file, and its card; engines of one process share them."""
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
    return tables_of(weights), card
