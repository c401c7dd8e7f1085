"""The positions of a distillation, and how a teacher labels them.

The teacher plays games against itself, sampling each move from its policy. It also labels positions
that branch off from these games, since a search looks at such positions, too.
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
from patchwork.engine.kernel.rng import draw, gumbel, seeded
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
from patchwork.learn.network import MASKED_LOGIT
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITIONS

_GAMES_AT_ONCE = 1024
"""Games that each thread plays side by side."""
_MAX_BRANCH = 3
"""A position that branches off is at most this many moves away from its game."""
_BRANCH_PLACEMENTS = 4
"""The moves to it are random, among this many placements of each patch and the advance."""
_MORE_PLACEMENTS = 8
"""How many more placements are labelled than those that touch most: the teacher's favourite, if it
is not among these, and random others."""
PLACEMENTS = TRIED + _MORE_PLACEMENTS
"""Placements of one patch that are labelled in a position, at most."""


class Teacher(Protocol):
    """A network, wherever it runs."""

    card: dict[str, Any]
    """Facts about it."""

    def ask(self, planes: Floats, scalars: Floats) -> NetworkOutputs:
        """Returns its outputs for some positions; see ``engine.evaluators.network``."""


class Labels(NamedTuple):
    """What the teacher says about ``n`` positions, as the player to decide sees them."""

    values: Floats
    """[n, 3]: probability of winning, margin, sum of both scores."""
    choices: Floats
    """[n, BIASES]: logits of the advance and of each patch, with all its placements together."""
    codes: NDArray[np.int16]
    """[n, PLACEMENTS]: placements of one of the patches, or of leather; -1 for empty places."""
    logits: Floats
    """[n, PLACEMENTS]"""


class LabelledPositions(NamedTuple):
    """``n`` positions of ``g`` games with their labels."""

    states: Numbers
    """[n, WORDS]"""
    games: Numbers
    """[n]: the game to which a position belongs, or from which it branches off."""
    circles: Numbers
    """[g, CIRCLE]"""
    labels: Labels
    results: Floats
    """[n, 3]: how the game ended, like ``labels.values``; NaN for branches."""


def play_and_label(
    teacher: Teacher, games: int, seed: int, threads: int, report: Callable[[int], None]
) -> LabelledPositions:
    """Lets a teacher play that many games and returns their positions with its labels.

    ``report`` gets the number of games that are over, again and again.
    """
    threads = min(threads, games)
    over = [0] * threads
    lock = Lock()

    def play_part(part: int) -> LabelledPositions:
        def count(games_over: int) -> None:
            with lock:
                over[part] = games_over
                report(sum(over))

        return _play_part(teacher, range(part, games, threads), seed, count)

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(play_part, range(threads)))
    circles = np.empty((games, CIRCLE), np.int64)
    for number, part in enumerate(parts):
        circles[number::threads] = part.circles
    states, numbers, _, labels, results = zip(*parts, strict=True)
    return LabelledPositions(
        np.concatenate(states),
        np.concatenate([part + threads * each for part, each in enumerate(numbers)]),
        circles,
        _joined(labels),
        np.concatenate(results),
    )


def _play_part(
    teacher: Teacher, numbers: range, seed: int, report: Callable[[int], None]
) -> LabelledPositions:
    """Plays some of the games; in the result they are numbered from 0."""
    games = len(numbers)
    random = np.array([seeded(seed, numbers.start)], np.uint64)
    circles = np.empty((games, CIRCLE), np.int64)
    ends = np.zeros((games, 3))
    in_flight = np.empty(0, np.int64)
    states = np.empty((0, WORDS), np.int64)
    all_states: list[Numbers] = []
    all_games: list[Numbers] = []
    on_path: list[NDArray[np.bool_]] = []
    all_labels: list[Labels] = []
    started = 0
    while started < games or len(in_flight) > 0:
        new = np.arange(started, min(games, started + _GAMES_AT_ONCE - len(in_flight)))
        started += len(new)
        first_states = np.empty((len(new), WORDS), np.int64)
        for state, game in zip(first_states, new, strict=True):
            edition = EDITIONS[numbers[game] % len(EDITIONS)]
            state[:], circles[game] = from_position(
                Setup.random(seed + numbers[game], edition).start()
            )
        states = np.concatenate((states, first_states))
        in_flight = np.concatenate((in_flight, new))
        branches, branch_games = _branch_off(states, in_flight, circles, random)
        all_states.append(np.concatenate((states, branches)))
        all_games.append(np.concatenate((in_flight, branch_games)))
        on_path.append(np.arange(len(all_states[-1])) < len(states))
        labels, moves = _label(teacher, all_states[-1], circles[all_games[-1]], random)
        all_labels.append(labels)
        _play_on(states, circles[in_flight], moves, ends, in_flight)
        unfinished = states[:, PHASE] != OVER
        states, in_flight = states[unfinished], in_flight[unfinished]
        report(started - len(in_flight))
    every, games_of = np.concatenate(all_states), np.concatenate(all_games)
    results = _results(every, games_of, np.concatenate(on_path), ends)
    return LabelledPositions(every, games_of, circles, _joined(all_labels), results)


def _joined(parts: Sequence[Labels]) -> Labels:
    return Labels(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _results(states: Numbers, games: Numbers, on_path: NDArray[np.bool_], ends: Reals) -> Floats:
    first, ahead, both = ends[games].T
    mine = states[:, TURN] == 0
    found = np.stack((np.where(mine, first, 1 - first), np.where(mine, ahead, -ahead), both), 1)
    found[~on_path] = np.nan
    return found.astype(np.float32)


def _label(
    teacher: Teacher, states: Numbers, circles: Numbers, random: Randoms
) -> tuple[Labels, Numbers]:
    """Returns what a teacher says about some positions, and a move for each."""
    count = len(states)
    inputs = new_inputs(count)
    _write_all_inputs(states, circles, inputs)
    outputs = teacher.ask(inputs.planes, inputs.scalars)
    labels = Labels(
        values=np.concatenate((outputs.values, outputs.scores.sum(1, keepdims=True)), 1),
        choices=np.full((count, BIASES), MASKED_LOGIT, np.float32),
        codes=np.full((count, PLACEMENTS), -1, np.int16),
        logits=np.zeros((count, PLACEMENTS), np.float32),
    )
    moves = np.empty(count, np.int64)
    _label_policies(
        states,
        inputs.words,
        inputs.pieces,
        outputs.shapes,
        outputs.biases,
        random,
        *labels[1:],
        moves,
    )
    return labels, moves


@compiled
def _write_all_inputs(states: Numbers, circles: Numbers, inputs: NetworkInputs) -> None:
    """Writes the inputs of the network for states of different games."""
    for number in range(len(states)):
        one = slice(number, number + 1)
        part = NetworkInputs(
            inputs.words[one], inputs.pieces[one], inputs.planes[one], inputs.scalars[one]
        )
        write_inputs(states[one], circles[number], part)


@compiled
def _branch_off(
    states: Numbers, games: Numbers, circles: Numbers, random: Randoms
) -> tuple[Numbers, Numbers]:
    """Returns positions that branch off from about half of some others, and their games."""
    scratch = np.empty((WORKSPACE, LANES), np.int64)
    moves, priors = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES)
    branches, branch_games = np.empty_like(states), np.empty_like(games)
    count = 0
    for number in range(len(states)):
        if draw(random, 2) == 0:
            continue
        state, circle = branches[count], circles[games[number]]
        state[:] = states[number]
        for _ in range(1 + draw(random, _MAX_BRANCH)):
            if state[PHASE] != OVER:
                found = candidates(state, circle, _BRANCH_PLACEMENTS, moves, priors, scratch)
                play(state, circle, moves[draw(random, found)])
        if state[PHASE] != OVER:
            branch_games[count] = games[number]
            count += 1
    return branches[:count].copy(), branch_games[:count].copy()


@compiled
def _play_on(
    states: Numbers, circles: Numbers, moves: Numbers, ends: Reals, games: Numbers
) -> None:
    """Plays a move in each game, then forced moves; records the results of games that end."""
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
def _label_policies(
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
    """Writes the labels of the policy, and draws a move from it."""
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
        # The placements of a slot follow one another, in the order of the slots.
        chosen, best = -1, MASKED_LOGIT
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
            key = everything + gumbel(random)
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
            if at < PLACEMENTS and (near or draw(random, found - TRIED) < _MORE_PLACEMENTS - 1):
                listed[number, at] = tight[rank]
                at += 1
        for place in range(at):
            for move in range(start, end):
                if codes[move] == listed[number, place]:
                    kept[number, place] = logits[move]


@compiled
def _drawn(logits: Floats, start: int, end: int, random: Randoms) -> int:
    """Returns one of the moves from ``start`` to ``end`` - 1, sampled by their logits."""
    best, chosen = -np.inf, start
    for move in range(start, end):
        key = logits[move] + gumbel(random)
        if key > best:
            best, chosen = key, move
    return chosen
