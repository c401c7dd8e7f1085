"""The GPU and the processor cores that this process may use."""

import os
import sys
from typing import Any

import torch
from numpy.typing import NDArray

_SWITCH_INTERVAL = 1e-4
"""Seconds after which Python lets another thread run; its default of 5 ms is longer than a round of
self-play takes."""


def own_device() -> torch.device:
    """Returns the device of this process: a GPU of its own if the machine has any."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    torch.backends.cudnn.benchmark = True  # shapes never change: the fastest way is found once
    return device


def own_threads() -> int:
    """Returns how many processor cores this process may use beside others on the machine."""
    return max(1, (os.cpu_count() or 1) // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))


def switch_threads_often() -> None:
    """Makes Python threads wait less for one another, at the cost of more switches."""
    sys.setswitchinterval(_SWITCH_INTERVAL)


def pinned(array: NDArray[Any], device: torch.device) -> NDArray[Any]:
    """Returns a copy of an array from which a GPU copies fast; on a processor, the array itself."""
    if device.type != "cuda":
        return array
    copied: NDArray[Any] = torch.from_numpy(array).pin_memory().numpy()
    return copied
