"""The network as it plays: evaluates one position of each game of an orchard, all at once."""

import copy
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from patchwork.learn.cuda_graph import record
from patchwork.learn.network import POINTS, Network, Unpacking
from patchwork.learn.selfplay.features import Seeing, new_seen, see
from patchwork.learn.selfplay.games import GIVEN, Evaluations, new_evaluations
from patchwork.learn.selfplay.ranking import rank
from patchwork.rules.quilt import SIDE


class Judge:
    """Answers for groups of ``games`` positions; on a GPU while the caller does other things."""

    def __init__(self, network: Network, games: int, device: torch.device) -> None:
        self._device = device
        self._network = copy.deepcopy(network).to(device).eval().requires_grad_(False)
        self._unpacking = Unpacking().to(device)
        self._random = np.array([1], np.uint64)
        self._graph: Any = None
        if device.type == "cuda":
            # Games wait for what is computed here, and nobody for a step of training.
            self._stream = torch.cuda.Stream(priority=-1)  # type: ignore[no-untyped-call]
            self._network.to(  # type: ignore[call-overload]
                torch.bfloat16, memory_format=torch.channels_last
            )
            self._capture(games)
        else:
            self._seen = new_seen(games)

    def room(self, games: int) -> Evaluations:
        """Returns room for positions and answers, from where the device fetches them fast."""
        return Evaluations(*(_pinned(part, self._device) for part in new_evaluations(games)))

    def update(self, network: Network) -> None:
        """Plays with the weights of a network from now on."""
        stream = torch.cuda.stream(self._stream) if self._graph else nullcontext()
        with torch.no_grad(), stream:
            for mine, other in zip(self._network.parameters(), network.parameters(), strict=True):
                mine.copy_(other)

    def ask(self, room: Evaluations) -> Any:
        """Begins to evaluate; returns what ``wait`` waits for."""
        if self._graph is None:
            self._compute(room)
            return None
        given = [torch.from_numpy(part) for part in room[:GIVEN]]
        results = [torch.from_numpy(part) for part in room[GIVEN:]]
        with torch.inference_mode(), torch.cuda.stream(self._stream):
            for here, part in zip(self._given, given, strict=True):
                here.copy_(part, non_blocking=True)
            self._graph.replay()
            for result, answer in zip(results, self._answers, strict=True):
                result.copy_(answer, non_blocking=True)
            done = torch.cuda.Event()  # type: ignore[no-untyped-call]
            done.record()
        return done

    @staticmethod
    def wait(asked: Any) -> None:
        """Waits until the answers are there."""
        if asked is not None:
            asked.synchronize()

    def _answer(self, words: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        kind = next(self._network.parameters()).dtype
        planes = self._unpacking(words).to(kind)
        if self._device.type == "cuda":
            planes = planes.contiguous(memory_format=torch.channels_last)
        answer = self._network(planes, scalars.to(kind))
        values = torch.stack((answer.win.float().sigmoid(), answer.points[:, 0] * POINTS), 1)
        return answer.planes.float(), answer.biases.float(), values.float()

    def _compute(self, room: Evaluations) -> None:
        seen = self._seen
        see(room.states, room.circles, seen)
        with torch.inference_mode():
            planes, biases, values = self._answer(
                torch.from_numpy(seen.words), torch.from_numpy(seen.scalars)
            )
        room.values[:] = values.numpy()
        rank(
            seen.words,
            seen.pieces,
            room.luck,
            planes.contiguous().numpy(),
            biases.contiguous().numpy(),
            room.codes,
            room.priors,
            room.logits,
            room.keys,
            room.counts,
            room.norms,
            self._random,
        )

    def _capture(self, games: int) -> None:
        """Records the work as one graph, so that the processor need not launch each piece."""
        from patchwork.learn.selfplay.ranking_cuda import Ranking

        room = [torch.from_numpy(part).to(self._device) for part in new_evaluations(games)]
        self._given, self._answers = room[:GIVEN], room[GIVEN:]
        states, circles, luck = self._given
        # The graph does not keep what it reads alive.
        self._kept = seeing, ranking, seed = (
            Seeing().to(self._device),
            Ranking(self._device),
            torch.zeros(1, dtype=torch.int64, device=self._device),
        )

        def answer() -> tuple[Tensor, ...]:
            words, scalars, pieces = seeing(states, circles)
            planes, biases, values = self._answer(words, scalars)
            boards = planes.unflatten(2, (SIDE, SIDE))  # type: ignore[no-untyped-call]
            framed = functional.pad(boards, (0, 1, 1, 1))
            return words.contiguous(), pieces, framed.flatten(2).contiguous(), biases, values

        fast = torch.compile(answer, fullgraph=True, dynamic=False)

        def work() -> None:
            words, pieces, framed, biases, values = fast()
            seed.add_(1)
            ranking(words, pieces, luck, framed, biases, seed, tuple(self._answers[:-1]))
            self._answers[-1].copy_(values)

        with torch.inference_mode():
            self._graph, _ = record(work, self._stream)


def _pinned(part: Any, device: torch.device) -> Any:
    tensor = torch.from_numpy(part)
    return (tensor.pin_memory() if device.type == "cuda" else tensor).numpy()
