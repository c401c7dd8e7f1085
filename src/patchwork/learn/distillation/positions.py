"""What a network teaches: positions, and all that it says of them.

The positions are those of games that it plays with itself, each move as likely as it thinks it
should be, and others that lie beside them, since a search looks at those, too.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.features import (
    LEATHER_SLOT,
    SLOTS,
    NetworkInputs,
    new_inputs,
    write_inputs,
)
from patchwork.engine.evaluators.network import NetworkOutputs
from patchwork.engine.evaluators.policy import BIASES, legal_logits, new_frame
from patchwork.engine.evaluators.rollouts import WORKSPACE, add_tightest, candidates
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.rng import draw, seeded
from patchwork.engine.kernel.rules import SCRATCH, legal_moves, piece_of, play, score, winner
from patchwork.engine.kernel.state import (
    CIRCLE,
    OVER,
    PHASE,
    TURN,
    WORDS,
    Floats,
    Numbers,
    Randoms,
    Reals,
    from_position,
)
from patchwork.engine.patterns.forward import TRIED
from patchwork.learn.network import NEVER
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITIONS

_AT_ONCE = 1024
"""Games that each thread plays side by side."""
_ASIDE = 3
"""Moves that lead away from a game, at most, to a position beside it."""
_LEFT_OUT = 8
"""Places beyond those that touch most: the network's favourite, if it is one, and others."""
LISTED = TRIED + _LEFT_OUT


class Teacher(Protocol):
    """A network, wherever it runs."""

    card: dict[str, Any]
    """What is known of it."""

    def ask(self, planes: Floats, scalars: Floats) -> NetworkOutputs:
        """Returns all that it says of some positions; see ``NetworkEvaluator``."""


class Said(NamedTuple):
    """What a network says of ``n`` positions, as their deciders see them."""

    values: Floats
    """[n, 3]: probability to win, points ahead, both scores added up."""
    choices: Floats
    """[n, BIASES]: logits of the advance and of each patch on offer with all its places."""
    codes: NDArray[np.int16]
    """[n, LISTED]: places for one of the patches, or for leather; -1 where there are no more."""
    logits: Floats
    """[n, LISTED]"""


class Teachings(NamedTuple):
    """``n`` positions of ``g`` games, and what is known of them."""

    states: Numbers
    """[n, WORDS]"""
    games: Numbers
    """[n]: to which game a position belongs, or beside which it lies."""
    circles: Numbers
    """[g, CIRCLE]"""
    said: Said
    results: Floats
    """[n, 3]: what came of it, like ``said.values``; not a number beside a game."""


def teach(
    network: Teacher, games: int, seed: int, threads: int, tell: Callable[[int], None]
) -> Teachings:
    """Returns what a network says in that many games; tells how many are over, again and again."""
    threads = min(threads, games)
    over = [0] * threads
    lock = Lock()

    def teach_some(part: int) -> Teachings:
        def count(games_over: int) -> None:
            with lock:
                over[part] = games_over
                tell(sum(over))

        return _teach(network, range(part, games, threads), seed, count)

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(teach_some, range(threads)))
    circles = np.empty((games, CIRCLE), np.int64)
    for part, taught in enumerate(parts):
        circles[part::threads] = taught.circles
    states, numbers, _, said, results = zip(*parts, strict=True)
    return Teachings(
        np.concatenate(states),
        np.concatenate([part + threads * each for part, each in enumerate(numbers)]),
        circles,
        _joined(said),
        np.concatenate(results),
    )


def _teach(network: Teacher, numbers: range, seed: int, tell: Callable[[int], None]) -> Teachings:
    """Returns what a network says in some games, numbered anew."""
    games = len(numbers)
    random = np.array([seeded(seed, numbers.start)], np.uint64)
    circles = np.empty((games, CIRCLE), np.int64)
    ends = np.zeros((games, 3))
    going_on = np.empty(0, np.int64)
    states = np.empty((0, WORDS), np.int64)
    looked_at: list[Numbers] = []
    games_of: list[Numbers] = []
    inside: list[NDArray[np.bool_]] = []
    said: list[Said] = []
    begun = 0
    while begun < games or len(going_on) > 0:
        new = np.arange(begun, min(games, begun + _AT_ONCE - len(going_on)))
        begun += len(new)
        started = np.empty((len(new), WORDS), np.int64)
        for state, game in zip(started, new, strict=True):
            edition = EDITIONS[numbers[game] % len(EDITIONS)]
            state[:], circles[game] = from_position(
                Setup.random(seed + numbers[game], edition).start()
            )
        states, going_on = np.concatenate((states, started)), np.concatenate((going_on, new))
        aside, beside = _step_aside(states, going_on, circles, random)
        looked_at.append(np.concatenate((states, aside)))
        games_of.append(np.concatenate((going_on, beside)))
        inside.append(np.arange(len(looked_at[-1])) < len(states))
        answer, moves = _ask(network, looked_at[-1], circles[games_of[-1]], random)
        said.append(answer)
        _play_on(states, circles[going_on], moves, ends, going_on)
        left = states[:, PHASE] != OVER
        states, going_on = states[left], going_on[left]
        tell(begun - len(going_on))
    every, all_games = np.concatenate(looked_at), np.concatenate(games_of)
    results = _results(every, all_games, np.concatenate(inside), ends)
    return Teachings(every, all_games, circles, _joined(said), results)


def _joined(parts: Sequence[Said]) -> Said:
    return Said(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _results(states: Numbers, games: Numbers, inside: NDArray[np.bool_], ends: Reals) -> Floats:
    first, ahead, both = ends[games].T
    mine = states[:, TURN] == 0
    found = np.stack((np.where(mine, first, 1 - first), np.where(mine, ahead, -ahead), both), 1)
    found[~inside] = np.nan
    return found.astype(np.float32)


def _ask(
    network: Teacher, states: Numbers, circles: Numbers, random: Randoms
) -> tuple[Said, Numbers]:
    """Returns what a network says of some positions, and a move for each."""
    count = len(states)
    inputs = new_inputs(count)
    _write_each(states, circles, inputs)
    said = network.ask(inputs.planes, inputs.scalars)
    answer = Said(
        values=np.concatenate((said.values, said.scores.sum(1, keepdims=True)), 1),
        choices=np.full((count, BIASES), NEVER, np.float32),
        codes=np.full((count, LISTED), -1, np.int16),
        logits=np.zeros((count, LISTED), np.float32),
    )
    moves = np.empty(count, np.int64)
    _listen(
        states, inputs.words, inputs.pieces, said.shapes, said.biases, random, *answer[1:], moves
    )
    return answer, moves


@compiled
def _write_each(states: Numbers, circles: Numbers, inputs: NetworkInputs) -> None:
    """Writes what the network is given about states of different games."""
    for number in range(len(states)):
        one = slice(number, number + 1)
        part = NetworkInputs(
            inputs.words[one], inputs.pieces[one], inputs.planes[one], inputs.scalars[one]
        )
        write_inputs(states[one], circles[number], part)


@compiled
def _step_aside(
    states: Numbers, games: Numbers, circles: Numbers, random: Randoms
) -> tuple[Numbers, Numbers]:
    """Returns positions beside about half of some others, and their games."""
    scratch = np.empty((WORKSPACE, LANES), np.int64)
    moves, priors = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES)
    aside, beside = np.empty_like(states), np.empty_like(games)
    count = 0
    for number in range(len(states)):
        if draw(random, 2) == 0:
            continue
        state, circle = aside[count], circles[games[number]]
        state[:] = states[number]
        for _ in range(1 + draw(random, _ASIDE)):
            if state[PHASE] != OVER:
                found = candidates(state, circle, 4, moves, priors, scratch)
                play(state, circle, moves[draw(random, found)])
        if state[PHASE] != OVER:
            beside[count] = games[number]
            count += 1
    return aside[:count].copy(), beside[:count].copy()


@compiled
def _play_on(
    states: Numbers, circles: Numbers, moves: Numbers, ends: Reals, games: Numbers
) -> None:
    """Plays a move in each game, and those to which there is no other; notes what ends."""
    scratch = np.empty((SCRATCH, LANES), np.int64)
    legal = np.empty(MOST_LEGAL_MOVES, np.int64)
    for number in range(len(states)):
        state = states[number]
        play(state, circles[number], moves[number])
        while state[PHASE] != OVER and legal_moves(state, circles[number], legal, scratch) == 1:
            play(state, circles[number], legal[0])
        if state[PHASE] == OVER:
            one, other = score(state, 0), score(state, 1)
            end = ends[games[number]]
            end[0], end[1], end[2] = 1 - winner(state), one - other, one + other


@compiled
def _listen(
    states: Numbers,
    words: Numbers,
    pieces: Numbers,
    shapes: Floats,
    biases: Floats,
    random: Randoms,
    choices: Floats,
    listed: NDArray[np.int16],
    kept: Floats,
    moves: Numbers,
) -> None:
    """Writes what a network's policy says, and draws a move from it."""
    scratch = np.empty((WORKSPACE, LANES), np.int64)
    codes, logits = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(MOST_LEGAL_MOVES, np.float32)
    tight, unused = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(MOST_LEGAL_MOVES)
    framed = new_frame()
    for number in range(len(states)):
        count = legal_logits(
            words[number], pieces[number], shapes[number], biases[number], codes, logits, framed
        )
        moves[number] = codes[_drawn(logits, 0, count, random)]
        first = 0
        if pieces[number, LEATHER_SLOT] < 0:
            choices[number, 0] = logits[0]
            first = 1
        # The places of one slot follow each other, in the order of the slots.
        chosen, best = -1, NEVER
        start = end = 0
        for slot in range(SLOTS):
            if pieces[number, slot] < 0:
                continue
            last = first
            while last < count and piece_of(codes[last]) == pieces[number, slot]:
                last += 1
            if last == first:
                continue
            highest = logits[first:last].max()
            everything = highest + np.log(np.exp(logits[first:last] - highest).sum())
            if slot != LEATHER_SLOT:
                choices[number, 1 + slot] = everything
            key = everything + _chance(random)
            if key > best:
                chosen, best, start, end = slot, key, first, last
            first = last
        if chosen < 0:
            continue
        found = add_tightest(
            states[number], pieces[number, chosen], 0.0, MOST_LEGAL_MOVES, tight, unused, 0, scratch
        )
        favourite = codes[start + np.argmax(logits[start:end])]
        at = 0
        for rank in range(found):
            near = rank < TRIED or tight[rank] == favourite
            if at < LISTED and (near or draw(random, found - TRIED) < _LEFT_OUT - 1):
                listed[number, at] = tight[rank]
                at += 1
        for place in range(at):
            for move in range(start, end):
                if codes[move] == listed[number, place]:
                    kept[number, place] = logits[move]


@compiled
def _chance(random: Randoms) -> float:
    """Returns a number of a Gumbel distribution."""
    return float(-np.log(-np.log((draw(random, 1 << 14) + 0.5) / (1 << 14))))


@compiled
def _drawn(logits: Floats, start: int, end: int, random: Randoms) -> int:
    """Returns one of some moves, each as likely as its logit says."""
    best, chosen = -np.inf, start
    for move in range(start, end):
        key = logits[move] + _chance(random)
        if key > best:
            best, chosen = key, move
    return chosen
