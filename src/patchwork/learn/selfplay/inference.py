"""Batched inference: the network evaluates one position of every game in flight at once."""

import copy
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from patchwork.learn.cuda_graph import record
from patchwork.learn.devices import pinned
from patchwork.learn.network import POINTS_SCALE, Network, PlaneUnpacker
from patchwork.learn.selfplay.features import FeatureEncoder, new_features, write_all_features
from patchwork.learn.selfplay.games import NETWORK_INPUTS, InferenceBuffers, new_inference_buffers
from patchwork.learn.selfplay.ranking import rank
from patchwork.rules.quilt import SIDE


class BatchedInference:
    """Evaluates batches of ``count`` positions; on a GPU while the caller does other things."""

    def __init__(self, network: Network, count: int, device: torch.device) -> None:
        self._device = device
        self._network = copy.deepcopy(network).to(device).eval().requires_grad_(False)
        self._unpacker = PlaneUnpacker().to(device)
        self._random = np.array([1], np.uint64)
        self._graph: Any = None
        if device.type == "cuda":
            # Games wait for these results, while nothing waits for a training step.
            self._stream = torch.cuda.Stream(priority=-1)  # type: ignore[no-untyped-call]
            self._network.to(  # type: ignore[call-overload]
                torch.bfloat16, memory_format=torch.channels_last
            )
            self._capture(count)
        else:
            self._features = new_features(count)

    def new_buffers(self, count: int) -> InferenceBuffers:
        """Returns buffers in memory from which the device copies fast."""
        return InferenceBuffers(
            *(pinned(part, self._device) for part in new_inference_buffers(count))
        )

    def update(self, network: Network) -> None:
        """Uses the weights of a network from now on."""
        stream = torch.cuda.stream(self._stream) if self._graph else nullcontext()
        with torch.no_grad(), stream:
            for mine, other in zip(self._network.parameters(), network.parameters(), strict=True):
                mine.copy_(other)

    def submit(self, buffers: InferenceBuffers) -> Any:
        """Starts to evaluate; returns a request to pass to ``wait``."""
        if self._graph is None:
            self._compute(buffers)
            return None
        inputs = [torch.from_numpy(part) for part in buffers[:NETWORK_INPUTS]]
        results = [torch.from_numpy(part) for part in buffers[NETWORK_INPUTS:]]
        with torch.inference_mode(), torch.cuda.stream(self._stream):
            for here, part in zip(self._inputs, inputs, strict=True):
                here.copy_(part, non_blocking=True)
            self._graph.replay()
            for result, output in zip(results, self._outputs, strict=True):
                result.copy_(output, non_blocking=True)
            done = torch.cuda.Event()  # type: ignore[no-untyped-call]
            done.record()
        return done

    @staticmethod
    def wait(request: Any) -> None:
        """Waits until the results are in the buffers."""
        if request is not None:
            request.synchronize()

    def _evaluate(self, words: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Returns policy planes, policy biases, and values."""
        kind = next(self._network.parameters()).dtype
        planes = self._unpacker(words).to(kind)
        if self._device.type == "cuda":
            planes = planes.contiguous(memory_format=torch.channels_last)
        output = self._network(planes, scalars.to(kind))
        margin = output.points[:, 0] * POINTS_SCALE
        values = torch.stack((output.win.float().sigmoid(), margin), 1)
        return output.planes.float(), output.biases.float(), values.float()

    def _compute(self, buffers: InferenceBuffers) -> None:
        """Evaluates on the processor."""
        features = self._features
        write_all_features(buffers.states, buffers.circles, features)
        with torch.inference_mode():
            planes, biases, values = self._evaluate(
                torch.from_numpy(features.words), torch.from_numpy(features.scalars)
            )
        buffers.values[:] = values.numpy()
        rank(
            features.words,
            features.pieces,
            buffers.gumbel_scales,
            planes.contiguous().numpy(),
            biases.contiguous().numpy(),
            buffers.codes,
            buffers.priors,
            buffers.logits,
            buffers.gumbel_logits,
            buffers.counts,
            buffers.norms,
            self._random,
        )

    def _capture(self, count: int) -> None:
        """Records the work as one CUDA graph."""
        from patchwork.learn.selfplay.ranking_cuda import CudaRanking

        buffers = [torch.from_numpy(part).to(self._device) for part in new_inference_buffers(count)]
        self._inputs, self._outputs = buffers[:NETWORK_INPUTS], buffers[NETWORK_INPUTS:]
        states, circles, gumbel_scales = self._inputs
        # The graph does not keep alive what it reads.
        self._kept = encoder, ranking, seed = (
            FeatureEncoder().to(self._device),
            CudaRanking(self._device),
            torch.zeros(1, dtype=torch.int64, device=self._device),
        )

        def evaluate() -> tuple[Tensor, ...]:
            words, scalars, pieces = encoder(states, circles)
            planes, biases, values = self._evaluate(words, scalars)
            boards = planes.unflatten(2, (SIDE, SIDE))  # type: ignore[no-untyped-call]
            framed = functional.pad(boards, (0, 1, 1, 1))
            return words.contiguous(), pieces, framed.flatten(2).contiguous(), biases, values

        compiled = torch.compile(evaluate, fullgraph=True, dynamic=False)

        def work() -> None:
            words, pieces, framed, biases, values = compiled()
            seed.add_(1)
            ranking(words, pieces, gumbel_scales, framed, biases, seed, tuple(self._outputs[:-1]))
            self._outputs[-1].copy_(values)

        with torch.inference_mode():
            self._graph, _ = record(work, self._stream)
