"""What search asks about a position it has not seen: how it may end, and which moves to look at."""

from typing import NamedTuple, Protocol

import numpy as np

from patchwork.engine.evaluators.rollouts import WORKSPACE, candidates, play_out
from patchwork.engine.evaluators.threads import Sharing
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.rules import OFFER, draw, score, winner
from patchwork.engine.kernel.state import WORDS, Numbers, Reals

CANDIDATES = 48
"""The most moves of a position that a search looks at."""
_WORTH_SHARING = 16
"""Positions; for fewer, handing them over takes longer than it saves."""
MOST_SIGHT = (CANDIDATES - 1) // OFFER
"""The most places for each patch on offer, beside the advance."""


class Evaluation(NamedTuple):
    """What is known about ``b`` positions."""

    values: Reals
    """[b, 2]: the probability that seat 0 wins, and the points it will be ahead. Seat 1 wins
    otherwise, since no game is drawn, and is as many points behind."""
    counts: Numbers
    """[b]: how many moves deserve a look."""
    moves: Numbers
    """[b, CANDIDATES]: their codes."""
    priors: Reals
    """[b, CANDIDATES]: how much each deserves a look; a row sums to 1."""
    totals: Reals
    """[b]: the final scores of both added up, if known."""

    def part(self, start: int, end: int) -> "Evaluation":
        """Returns a view of some of the positions."""
        return Evaluation._make(each[start:end] for each in self)


def new_evaluation(size: int) -> Evaluation:
    """Returns room for that many positions."""
    return Evaluation(
        values=np.zeros((size, 2)),
        counts=np.zeros(size, np.int64),
        moves=np.zeros((size, CANDIDATES), np.int64),
        priors=np.zeros((size, CANDIDATES)),
        totals=np.full(size, np.nan),
    )


class Evaluator(Protocol):
    """Tells what positions are worth; a network is one."""

    batch: int
    """How many positions it likes to be given at a time."""

    def evaluate(self, states: Numbers, circle: Numbers, first: int, out: Evaluation) -> None:
        """Writes what is known about some unfinished states of one game.

        ``first`` numbers the states of a search from the first one on, for those that draw lots.
        """


class Playouts:
    """Plays every position out by a rule of thumb and takes what comes of it."""

    batch = 64

    def __init__(self, seed: int, *, sight: int = 4, noise: float = 0.0, threads: int = 1) -> None:
        """Sees ``sight`` places for each patch, and points as blurred as ``noise`` says.

        Raises:
            ValueError: it is to see none, or more than there is room for.
        """
        if sight not in range(1, MOST_SIGHT + 1):
            raise ValueError(f"sight is 1 to {MOST_SIGHT}, not {sight}")
        self._seed = seed
        self._sight = sight
        self._noise = noise
        self._sharing = Sharing(threads, _WORTH_SHARING)

    def evaluate(self, states: Numbers, circle: Numbers, first: int, out: Evaluation) -> None:
        """Writes what comes of one playout each; threads share the work, and change nothing."""

        def play(start: int, end: int) -> None:
            _play_out_all(
                states[start:end],
                circle,
                self._sight,
                self._noise,
                self._seed,
                first + start,
                *out.part(start, end),
            )

        self._sharing.run(len(states), play)


@compiled
def _play_out_all(
    states: Numbers,
    circle: Numbers,
    sight: int,
    noise: float,
    seed: int,
    first: int,
    values: Reals,
    counts: Numbers,
    moves: Numbers,
    priors: Reals,
    totals: Reals,
) -> None:
    scratch = np.empty((WORKSPACE, LANES), np.int64)
    state = np.empty(WORDS, np.int64)
    random = np.empty(1, np.uint64)
    for number in range(len(states)):
        state[:] = states[number]
        random[0] = scrambled(seed, first + number)
        counts[number] = candidates(state, circle, sight, moves[number], priors[number], scratch)
        play_out(state, circle, random, scratch)
        scores = score(state, 0), score(state, 1)
        margin = float(scores[0] - scores[1])
        totals[number] = scores[0] + scores[1]
        first_wins = winner(state) == 0
        if noise > 0:
            # Four even draws add up to nearly a bell curve, of standard deviation 0.58.
            total = (
                draw(random, 1024) + draw(random, 1024) + draw(random, 1024) + draw(random, 1024)
            )
            margin += noise * (total / 1024 - 2) / 0.58
            first_wins = margin > 0
        values[number, 0] = 1.0 if first_wins else 0.0
        values[number, 1] = margin


@compiled
def scrambled(seed: int, number: int) -> np.uint64:
    """Returns the start of a random sequence of its own for each number: splitmix64, never 0."""
    word = np.uint64(seed) + np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (word ^ (word >> np.uint64(31))) | np.uint64(1)
