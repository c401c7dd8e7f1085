"""A swift evaluator: tables of what windows of a quilt are worth, and three small layers.

The last two layers are others in each stage of a game. It has learned from a network what that
would say, see ``learn.distilling``. It knows about as much, and looks at fifty positions while the
network looks at one.
"""

import json
import zipfile
from functools import cache
from pathlib import Path
from threading import local
from typing import Any

import numpy as np

from patchwork.engine.evaluators.evaluator import Evaluation
from patchwork.engine.evaluators.network import Learned, NetworkError, stamp
from patchwork.engine.evaluators.threads import Sharing
from patchwork.engine.kernel.state import SEAT, TIME, Numbers
from patchwork.engine.patterns.forward import (
    LATE_SIGHT,
    SIGHT,
    SIZES,
    Tables,
    Weights,
    judge_all,
    new_memory,
    tables_of,
)
from patchwork.rules.timeboard import LAST

SUFFIX = ".swift"
"""Of the file, which lies beside that of the network that looks at the root."""
FORMAT = 3
"""Of the file; others cannot be used."""
CARD = "card"
"""Under this name a file keeps what is known of it, as JSON; ``format`` is part of that."""

_WORTH_SHARING = 16
"""Positions; for fewer, handing them over takes longer than it saves."""
_LATE = 44
"""Spaces before both tokens at the root of a search from which on it has time for more places."""


class _Own(local):
    """What each thread has for itself."""

    def __init__(self) -> None:
        self.memory = new_memory()


class Swift:
    """Evaluates positions by tables; the root of a search by the network beside them."""

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
        self._own = _Own()
        self._sight = SIGHT

    def evaluate(self, states: Numbers, circle: Numbers, first: int, out: Evaluation) -> None:
        """Writes what the tables say about some states; threads share the work."""
        if first == 0:
            spaces = 2 * LAST - states[0, TIME] - states[0, SEAT + TIME]
            self._sight = LATE_SIGHT if spaces <= _LATE else SIGHT
            self._network.evaluate(states, circle, first, out)
            return

        def judge(start: int, end: int) -> None:
            part = out.part(start, end)
            judge_all(states[start:end], circle, self._tables, self._own.memory, self._sight, *part)

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
def _read(path: Path, _stamp: tuple[int, int] | None) -> tuple[Tables, dict[str, Any]]:
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
    return tables_of(weights), card
