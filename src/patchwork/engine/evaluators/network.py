"""A learned evaluator: a network in an ONNX file, run on the processor by ONNX Runtime."""

import atexit
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Condition
from typing import Any, NamedTuple

import numpy as np

from patchwork.engine.evaluators.evaluator import CANDIDATES, Evaluation, scrambled
from patchwork.engine.evaluators.features import (
    PLANES,
    SCALARS,
    SLOTS,
    Floats,
    unpack,
    write_features,
)
from patchwork.engine.evaluators.policy import keep_best, legal_logits, new_frame, weigh_patches
from patchwork.engine.evaluators.threads import Sharing
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.rules import draw
from patchwork.engine.kernel.state import MOST_MOVES, TURN, Numbers, Reals
from patchwork.rules.quilt import CELLS, SIDE

SHIPPED = Path(__file__).parents[1] / "weights" / "patchwork.onnx"
"""The network that comes with the package."""
FORMAT = 2
"""Of what a network is given and gives; others cannot be used."""
CARD = "patchwork"
"""Under this name a file keeps what is known of it, as JSON; ``format`` is part of that."""
INPUTS = ("planes", "scalars")
OUTPUTS = ("shapes", "biases", "values", "scores", "filling")
"""For ``b`` positions, as the one who decides sees them: [b, 2 * SLOTS, CELLS] and [b, BIASES], see
``policy``; [b, 2] the probability to win and the points ahead; [b, 2] both final scores; [b, 2,
CELLS] the probability that a space is filled in the end."""


_WORTH_SHARING = 2
"""Positions; even one more takes longer than handing it over."""
_PORTION = 64
"""Positions that are looked at together, at most: what is worked out of more does not fit into the
processor's own memory."""
BREADTH = 8
"""Moves looked at in positions after the root, at most; ``CANDIDATES`` at the root."""
LUCKY = 16
"""Moves of the root that chance can help, at most."""


class Answers(NamedTuple):
    """The outputs of a network, see ``OUTPUTS``."""

    shapes: Floats
    biases: Floats
    values: Floats
    scores: Floats
    filling: Floats


class NetworkError(Exception):
    """A network that cannot be used, and why."""


class Learned:
    """Evaluates positions by a network."""

    batch = 16

    def __init__(
        self, path: Path = SHIPPED, *, seed: int = 0, luck: float = 0.0, threads: int = 1
    ) -> None:
        """Reads a network.

        Args:
            path: its file.
            seed: decides, with the position, what is left to chance.
            luck: how much chance there is in which of the likeliest moves of a root it likes; with
                1, a move is its first choice as often as its logit says, a patch counting for all
                its places.
            threads: processor cores to use; they change no answer.

        Raises:
            NetworkError: ONNX Runtime is not installed; the file is not there, damaged, or of
                another format.
        """
        self._session, self.card = _session(path, stamp(path))
        self._seed = seed
        self._luck = luck
        self._room = _new_room(self.batch)
        self._sharing = Sharing(threads, _WORTH_SHARING)

    def evaluate(self, states: Numbers, circle: Numbers, first: int, out: Evaluation) -> None:
        """Writes what the network says about some states; threads share the work."""

        def ask(start: int, end: int) -> None:
            room = self._room.part(start, end)
            see_all(states[start:end], circle, *room)
            inputs = room.planes.reshape(-1, PLANES, SIDE, SIDE), room.scalars
            given = dict(zip(INPUTS, inputs, strict=True))
            with _running:
                shapes, biases, values, scores = self._session.run(OUTPUTS[:4], given)
            rank_all(
                states[start:end],
                room.words,
                room.pieces,
                shapes,
                biases,
                values,
                scores,
                self._seed,
                self._luck if first + start == 0 else -1.0,
                *out.part(start, end),
            )

        self._sharing.run(len(states), ask)

    def ask(self, planes: Floats, scalars: Floats) -> Answers:
        """Returns all that the network says of any number of positions, as ``see_all`` wrote them.

        ``planes`` is [b, PLANES, CELLS], ``scalars`` [b, SCALARS].
        """
        return in_portions(_PORTION, self._ask, planes, scalars)

    def _ask(self, planes: Floats, scalars: Floats) -> list[Floats]:
        boards = planes.reshape(-1, PLANES, SIDE, SIDE)
        given = dict(zip(INPUTS, (boards, scalars), strict=True))
        with _running:
            outputs: list[Floats] = self._session.run(OUTPUTS, given)
        return outputs


def in_portions(
    most: int,
    ask: Callable[[Floats, Floats], list[Floats]],
    planes: Floats,
    scalars: Floats,
) -> Answers:
    """Returns what is said of positions, asked about so many at a time at most."""
    parts = [
        ask(planes[start : start + most], scalars[start : start + most])
        for start in range(0, len(planes), most)
    ]
    return Answers(*(np.concatenate(each) for each in zip(*parts, strict=True)))


class _Room(NamedTuple):
    """What a network is given."""

    words: Numbers
    pieces: Numbers
    planes: Floats
    scalars: Floats

    def part(self, start: int, end: int) -> "_Room":
        """Returns a view of some of the positions."""
        return _Room._make(each[start:end] for each in self)


def _new_room(size: int) -> _Room:
    return _Room(
        words=np.empty((size, PLANES, 2), np.int64),
        pieces=np.empty((size, SLOTS), np.int64),
        planes=np.empty((size, PLANES, CELLS), np.float32),
        scalars=np.empty((size, SCALARS), np.float32),
    )


class _Running:
    """Who is inside ONNX Runtime. A process that ends waits for them, and lets nobody in any more.

    A thread that Python ends there would take the whole process down with an error.
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
    """Returns what tells a file from an earlier one of the same name."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@cache
def _session(path: Path, _stamp: tuple[int, int] | None) -> tuple[Any, dict[str, Any]]:
    """Returns what runs a network, and its card; engines of one process share them.

    It has no threads of its own: with them, the last bits of an answer would depend on their
    number, and they would go on waiting for work while nobody asks.
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
def see_all(
    states: Numbers,
    circle: Numbers,
    words: Numbers,
    pieces: Numbers,
    planes: Floats,
    scalars: Floats,
) -> None:
    """Writes what the network is given about some states of a game."""
    scratch = np.empty((3, LANES), np.int64)
    for number in range(len(states)):
        write_features(
            states[number], circle, words[number], scalars[number], pieces[number], scratch
        )
        unpack(words[number], planes[number])


@compiled
def rank_all(
    states: Numbers,
    words: Numbers,
    pieces: Numbers,
    shapes: Floats,
    biases: Floats,
    said: Floats,
    scores: Floats,
    seed: int,
    luck: float,
    values: Reals,
    counts: Numbers,
    moves: Numbers,
    priors: Reals,
    totals: Reals,
) -> None:
    """Makes an evaluation of what the network said; ``luck`` is -1 where there is no root."""
    codes = np.empty(MOST_MOVES, np.int64)
    logits = np.empty(MOST_MOVES, np.float32)
    best = np.empty(CANDIDATES, np.int64)
    framed = new_frame()
    for number in range(len(states)):
        count = legal_logits(
            words[number], pieces[number], shapes[number], biases[number], codes, logits, framed
        )
        if luck >= 0 and number == 0:
            weigh_patches(pieces[0], codes, logits, count)
        if luck > 0 and number == 0:
            count = _add_luck(states[0], seed, luck, codes, logits, count)
        most = CANDIDATES if luck >= 0 and number == 0 else BREADTH
        kept = keep_best(logits, count, best, most)
        total = 0.0
        for rank in range(kept):
            moves[number, rank] = codes[best[rank]]
            priors[number, rank] = np.exp(logits[best[rank]] - logits[best[0]])
            total += priors[number, rank]
        for rank in range(kept):
            priors[number, rank] /= total
        counts[number] = kept
        mine = states[number, TURN] == 0
        values[number, 0] = said[number, 0] if mine else 1 - said[number, 0]
        values[number, 1] = said[number, 1] if mine else -said[number, 1]
        totals[number] = scores[number, 0] + scores[number, 1]


@compiled
def _add_luck(
    state: Numbers, seed: int, luck: float, codes: Numbers, logits: Floats, count: int
) -> int:
    """Keeps the likeliest moves and adds chance to their logits; returns how many are left."""
    best = np.empty(CANDIDATES, np.int64)
    kept = keep_best(logits, count, best, LUCKY)
    chosen, likely = codes[best[:kept]], logits[best[:kept]]
    random = np.empty(1, np.uint64)
    random[0] = seed
    for word in state:
        random[0] = scrambled(random[0], word)
    for rank in range(kept):
        codes[rank] = chosen[rank]
        even = (draw(random, 1 << 14) + 0.5) / (1 << 14)
        logits[rank] = likely[rank] - luck * np.log(-np.log(even))  # a Gumbel distribution
    return kept
