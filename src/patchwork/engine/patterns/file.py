"""Patterns files: the weights of the pattern evaluator, as an archive of NumPy arrays."""

import json
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from patchwork.engine.evaluators.network import NetworkError, stamp
from patchwork.engine.patterns.weights import SIZES, Tables, Weights, tables_of

SUFFIX = ".swift"
"""The ending of a patterns file, which lies beside the file of the network for the root. It is an
archive of NumPy arrays (``.npz``); the name only says that this evaluator is swift."""
FORMAT = 3
"""The format of the file. A file of another format cannot be used."""
CARD = "card"
"""The entry of the file with its metadata: facts about it, as JSON, among them its ``format``."""


def write(path: Path, weights: Weights, card: dict[str, Any]) -> None:
    """Writes a patterns file.

    Raises:
        OSError: it cannot be written.
    """
    with path.open("wb") as file:  # savez would add a suffix to a name
        parts = weights._asdict() | {CARD: np.array(json.dumps(card | {"format": FORMAT}))}
        np.savez_compressed(file, allow_pickle=False, **parts)


def read(path: Path) -> tuple[Tables, dict[str, Any]]:
    """Returns the weights of a file, and its metadata.

    Raises:
        NetworkError: the file is not there, damaged, or of another format.
    """
    return _read(path, stamp(path))


@cache
def _read(path: Path, _stamp: tuple[int, int] | None) -> tuple[Tables, dict[str, Any]]:
    """Reads a file once for all engines of a process."""
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
