"""Recording work for a GPU as one CUDA graph, so that replaying it needs a single launch."""

from collections.abc import Callable
from typing import TypeVar

import torch

_WARMUP_RUNS = 3
"""How often the work is done before it is recorded, so that all compilation and tuning is over."""

_Result = TypeVar("_Result")


def record(
    work: Callable[[], _Result], stream: torch.cuda.Stream
) -> tuple[torch.cuda.CUDAGraph, _Result]:
    """Returns work as a graph for a stream, and the result that every replay overwrites."""
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(_WARMUP_RUNS):
            work()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            result = work()
    torch.cuda.synchronize()
    return graph, result
