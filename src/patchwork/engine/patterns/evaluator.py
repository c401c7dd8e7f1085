"""The fast evaluator: weights for local patterns of a quilt, and three small layers on top.

Like NNUE, it keeps the sums of its first layer for what positions have in common. The last two
layers have weights of their own for each stage of a game. It was distilled from a network (see
``learn.distillation``), is about as accurate, and evaluates fifty positions while a network
evaluates one.
"""

from pathlib import Path
from threading import local

from patchwork.engine.evaluators.evaluator import Evaluation, Evaluator, Positions
from patchwork.engine.evaluators.network import NetworkEvaluator
from patchwork.engine.evaluators.threads import BatchSplitter
from patchwork.engine.kernel.state import SEAT, TIME
from patchwork.engine.parameters import SearchParameters
from patchwork.engine.patterns.file import read
from patchwork.engine.patterns.forward import LATE_PLACEMENTS, PLACEMENTS, forward_all, new_cache
from patchwork.rules.timeboard import LAST

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
        self._tables, self.card = read(path)
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
