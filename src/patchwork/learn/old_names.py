"""Names in files of earlier versions, and what the same things are called now.

Configurations, runs and networks of every earlier version can still be read. All translation goes
through this module; whatever is written uses the present names.
"""

from collections.abc import Mapping
from typing import Any

CONFIG = {
    "layers": "mlp_blocks",
    "ring": "circle_channels",
    "walks": "simulations",
    "considered": "num_considered",
    "trust": "td_lambda",
    "samples": "buffer_size",
    "start": "min_buffer_size",
    "batch": "batch_size",
    "rate": "learning_rate",
    "last_rate": "final_learning_rate",
    "decay": "weight_decay",
    "clip": "max_gradient_norm",
    "averaging": "ema_decay",
    "match_walks": "match_simulations",
}
"""Settings of a configuration; two of them are also in the metadata of a network, as its size."""

METRICS = {"walks": "simulations", "rate": "learning_rate"}
"""Keys in a line of metrics."""

CHECKPOINT = {"pupils": "learners", "scale": "run_elo"}
"""Keys of a checkpoint."""

_WEIGHTS = {"ring.told.": "circle.summary.", "ring.": "circle."}
"""How the names of weights begin, the longer beginnings first."""


def renamed(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Returns the values under their present names."""
    return {names.get(name, name): value for name, value in values.items()}


def weight_name(name: str) -> str:
    """Returns the present name of a network's weight."""
    for old, new in _WEIGHTS.items():
        if name.startswith(old):
            return new + name.removeprefix(old)
    return name
