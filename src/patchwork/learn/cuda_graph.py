"""Work for a GPU, recorded as one graph: the processor then need not launch each piece of it."""

from collections.abc import Callable
from typing import TypeVar

import torch

_TRIED = 3
"""How often work is done before it is recorded; what must be compiled or found out is, then."""

_Result = TypeVar("_Result")


def record(
    work: Callable[[], _Result], stream: torch.cuda.Stream
) -> tuple[torch.cuda.CUDAGraph, _Result]:
    """Returns work as a graph for a stream, and the result that every replay writes anew."""
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(_TRIED):
            work()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            result = work()
    torch.cuda.synchronize()
    return graph, result
