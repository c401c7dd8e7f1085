"""The evaluator with a network: an ONNX file, run on the processor by ONNX Runtime."""

import atexit
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from threading import Condition
from typing import Any, NamedTuple

import numpy as np

from patchwork.engine.evaluators.evaluator import CANDIDATES, Evaluation, Evaluator, Positions
from patchwork.engine.evaluators.features import PLANES, new_inputs, write_inputs
from patchwork.engine.evaluators.policy import (
    add_placement_bonuses,
    keep_best,
    legal_logits,
    new_frame,
)
from patchwork.engine.evaluators.threads import BatchSplitter
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.rng import gumbel, seeded
from patchwork.engine.kernel.state import TURN, Floats, Numbers, Reals
from patchwork.engine.parameters import EndgameParameters, SearchParameters
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.quilt import SIDE

SHIPPED = Path(__file__).parents[1] / "weights" / "patchwork.onnx"
"""The network that comes with the package."""
FORMAT = 2
"""The format of inputs and outputs. A network of another format cannot be used."""
CARD = "patchwork"
"""The entry of the file's metadata that has all facts about the network as JSON, among them its
``format``."""
INPUTS = ("planes", "scalars")
OUTPUTS = ("shapes", "biases", "values", "scores", "filling")
"""For ``b`` positions, as seen by the seat to move: [b, 2 * SLOTS, CELLS] and [b, BIASES], see
``policy``; [b, 2] the probability to win and the points ahead; [b, 2] both final scores; [b, 2,
CELLS] the probability that a space is filled in the end."""


_MIN_SPLIT = 2
"""Positions; handing over even one more to a thread saves time."""
_PORTION = 64
"""Positions that the network is asked about together, at most: the intermediate results of more do
not fit into the processor's cache."""
INNER_CANDIDATES = 8
"""Moves to consider in positions below the root, at most; at the root, ``CANDIDATES``."""
GUMBEL_MOVES = 16
"""Moves of the root to which Gumbel noise is added: the likeliest ones. Others are left out."""


class NetworkOutputs(NamedTuple):
    """The outputs of a network, see ``OUTPUTS``."""

    shapes: Floats
    biases: Floats
    values: Floats
    scores: Floats
    filling: Floats


class NetworkError(Exception):
    """A network that cannot be used, and why."""


class NetworkEvaluator(Evaluator):
    """Evaluates positions by a network."""

    batch_size = 16
    search = SearchParameters(num_considered=16, min_visit_share=0.75, only_move_nodes=32)
    endgame = EndgameParameters(states_per_node=2_250)  # a third of the time of an evaluation

    def __init__(
        self,
        path: Path = SHIPPED,
        *,
        seed: int = 0,
        gumbel_scale: float = 0.0,
        threads: int = 1,
    ) -> None:
        """Reads a network.

        Args:
            path: its file.
            seed: decides, with the position, the noise at the root.
            gumbel_scale: scale of the Gumbel noise added to the logits of the root's likeliest
                moves. With 1, a move becomes the likeliest as often as the policy says, with the
                placements of a patch taken together.
            threads: processor cores to use; they change no answer.

        Raises:
            NetworkError: ONNX Runtime is not installed; the file is not there, damaged, or of
                another format.
        """
        self._session, self.card = _session(path, stamp(path))
        self._seed = seed
        self._gumbel_scale = gumbel_scale
        self._inputs = new_inputs(self.batch_size)
        self._splitter = BatchSplitter(threads, _MIN_SPLIT)

    def evaluate(self, positions: Positions, out: Evaluation) -> None:
        """Writes what the network says about some positions below the root."""
        self._splitter.run(
            len(positions.states), lambda start, end: self._fill(positions, start, end, out)
        )

    def evaluate_root(self, positions: Positions, out: Evaluation) -> None:
        """Writes what the network says about the root: with more moves, and with noise."""
        self._fill(positions, 0, 1, out, is_root=True)

    def _fill(
        self, positions: Positions, start: int, end: int, out: Evaluation, *, is_root: bool = False
    ) -> None:
        states, inputs = positions.states[start:end], self._inputs.part(start, end)
        write_inputs(states, positions.circle, inputs)
        shapes, biases, values, scores = self._run(OUTPUTS[:4], inputs.planes, inputs.scalars)
        fill_evaluation(
            states,
            inputs.words,
            inputs.pieces,
            shapes,
            biases,
            values,
            scores,
            is_root,
            self._seed,
            self._gumbel_scale,
            *out.part(start, end),
        )

    def ask(self, planes: Floats, scalars: Floats) -> NetworkOutputs:
        """Returns all outputs for any number of positions, given as ``write_inputs`` writes them.

        ``planes`` is [b, PLANES, CELLS], ``scalars`` [b, SCALARS].
        """
        return in_portions(
            _PORTION, lambda planes, scalars: self._run(OUTPUTS, planes, scalars), planes, scalars
        )

    def _run(self, outputs: Sequence[str], planes: Floats, scalars: Floats) -> list[Floats]:
        boards = planes.reshape(-1, PLANES, SIDE, SIDE)
        with _running:
            found: list[Floats] = self._session.run(
                outputs, dict(zip(INPUTS, (boards, scalars), strict=True))
            )
        return found


def in_portions(
    most: int,
    ask: Callable[[Floats, Floats], list[Floats]],
    planes: Floats,
    scalars: Floats,
) -> NetworkOutputs:
    """Returns the outputs for any number of positions, asking about ``most`` at a time."""
    parts = [
        ask(planes[start : start + most], scalars[start : start + most])
        for start in range(0, len(planes), most)
    ]
    return NetworkOutputs(*(np.concatenate(each) for each in zip(*parts, strict=True)))


class _Running:
    """Counts the threads inside ONNX Runtime, so that the process ends when none is left there.

    Python ends daemon threads abruptly. One inside ONNX Runtime would crash the whole process, so
    the end of the process waits for it, and no other thread may enter from then on.
    """

    def __init__(self) -> None:
        self._count = 0
        self._ending = False
        self._changed = Condition()
        atexit.register(self._end)

    def __enter__(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._ending)
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def _end(self) -> None:
        with self._changed:
            self._ending = True
            self._changed.wait_for(lambda: self._count == 0)


_running = _Running()


def stamp(path: Path) -> tuple[int, int] | None:
    """Returns a value that changes when a file is replaced; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@cache
def _session(path: Path, _stamp: tuple[int, int] | None) -> tuple[Any, dict[str, Any]]:
    """Returns the session that runs a network, and its metadata; engines of one process share them.

    The session has no threads of its own: with them, the last bits of an answer would depend on
    their number, and they would keep spinning while there is nothing to do.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise NetworkError("ONNX Runtime is not installed") from error
    if not path.is_file():
        raise NetworkError(f"there is no network {path}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        card = json.loads(session.get_modelmeta().custom_metadata_map.get(CARD, "{}"))
    except Exception as error:  # whatever it raises for what is no network
        raise NetworkError(f"the network {path} is damaged: {error}") from error
    if card.get("format") != FORMAT:
        raise NetworkError(
            f"the network {path} is of format {card.get('format')}; this engine reads {FORMAT}"
        )
    return session, card


@compiled
def fill_evaluation(
    states: Numbers,
    words: Numbers,
    pieces: Numbers,
    shapes: Floats,
    biases: Floats,
    network_values: Floats,
    scores: Floats,
    is_root: bool,
    seed: int,
    gumbel_scale: float,
    values: Reals,
    counts: Numbers,
    moves: Numbers,
    priors: Reals,
    totals: Reals,
) -> None:
    """Writes an evaluation of some states, or of the root alone, from the outputs of a network."""
    codes = np.empty(MOST_LEGAL_MOVES, np.int64)
    logits = np.empty(MOST_LEGAL_MOVES, np.float32)
    best = np.empty(CANDIDATES, np.int64)
    framed = new_frame()
    for number in range(len(states)):
        count = legal_logits(
            words[number], pieces[number], shapes[number], biases[number], codes, logits, framed
        )
        if is_root:
            add_placement_bonuses(pieces[number], codes, logits, count)
            if gumbel_scale > 0:
                count = _add_gumbel(states[number], seed, gumbel_scale, codes, logits, count)
        kept = keep_best(logits, count, best, CANDIDATES if is_root else INNER_CANDIDATES)
        total = 0.0
        for rank in range(kept):
            moves[number, rank] = codes[best[rank]]
            priors[number, rank] = np.exp(logits[best[rank]] - logits[best[0]])
            total += priors[number, rank]
        for rank in range(kept):
            priors[number, rank] /= total
        counts[number] = kept
        mine = states[number, TURN] == 0
        values[number, 0] = network_values[number, 0] if mine else 1 - network_values[number, 0]
        values[number, 1] = network_values[number, 1] if mine else -network_values[number, 1]
        totals[number] = scores[number, 0] + scores[number, 1]


@compiled
def _add_gumbel(
    state: Numbers, seed: int, scale: float, codes: Numbers, logits: Floats, count: int
) -> int:
    """Keeps the likeliest moves and adds noise to their logits; returns how many are left."""
    best = np.empty(CANDIDATES, np.int64)
    kept = keep_best(logits, count, best, GUMBEL_MOVES)
    chosen, likely = codes[best[:kept]], logits[best[:kept]]
    random = np.empty(1, np.uint64)
    random[0] = seed
    for word in state:
        random[0] = seeded(random[0], word)
    for rank in range(kept):
        codes[rank] = chosen[rank]
        logits[rank] = likely[rank] + scale * gumbel(random)
    return kept
