"""What a network teaches: positions, and all that it says of them.

The positions are those of games that it plays with itself, each move as likely as it thinks it
should be, and others that lie beside them, since a search looks at those, too.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.compiling import compiled
from patchwork.engine.evaluators import CANDIDATES
from patchwork.engine.features import LEATHER_SLOT, PLANES, SCALARS, SLOTS, Floats
from patchwork.engine.judging import TRIED
from patchwork.engine.kernel import SCRATCH, draw, legal_moves, play, score, winner
from patchwork.engine.network import Learned, see_all
from patchwork.engine.playouts import WORKSPACE, add_tightest, candidates
from patchwork.engine.policy import BIASES, legal_logits, new_frame
from patchwork.engine.state import (
    CIRCLE,
    MOST_MOVES,
    OVER,
    PHASE,
    TURN,
    WORDS,
    Numbers,
    Randoms,
    Reals,
    from_position,
)
from patchwork.engine.tables import LANES, PLACES
from patchwork.rules.quilt import CELLS
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITIONS

_AT_ONCE = 512
"""Games that are played side by side."""
_BATCH = 64
"""Positions that the network is asked about at a time."""
_ASIDE = 3
"""Moves that lead away from a game, at most, to a position beside it."""
_LEFT_OUT = 8
"""Places beyond those that touch most: the network's favourite, if it is one, and others."""
LISTED = TRIED + _LEFT_OUT
NEVER = -1e9
"""Instead of the logit of what cannot be done."""


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
    network: Learned, games: int, seed: int, threads: int, tell: Callable[[int], None]
) -> Teachings:
    """Returns what a network says in that many games; tells how many are over, again and again."""
    pool = ThreadPoolExecutor(threads)
    random = np.array([seed + 1], np.uint64)
    circles = np.empty((games, CIRCLE), np.int64)
    ends = np.zeros((games, 3))
    going_on = np.empty(0, np.int64)
    states = np.empty((0, WORDS), np.int64)
    looked_at: list[Numbers] = []
    numbers: list[Numbers] = []
    inside: list[NDArray[np.bool_]] = []
    said: list[Said] = []
    begun = 0
    while begun < games or len(going_on) > 0:
        new = min(_AT_ONCE - len(going_on), games - begun)
        for number in range(begun, begun + new):
            edition = EDITIONS[number % len(EDITIONS)]
            state, circles[number] = from_position(Setup.random(seed + number, edition).start())
            states = np.concatenate((states, state[np.newaxis]))
            going_on = np.append(going_on, number)
        begun += new
        aside, beside = _step_aside(states, going_on, circles, random)
        looked_at.append(np.concatenate((states, aside)))
        numbers.append(np.concatenate((going_on, beside)))
        inside.append(np.arange(len(looked_at[-1])) < len(states))
        chance = int(random[0] >> np.uint64(1))
        answer, moves = _ask(network, looked_at[-1], circles[numbers[-1]], chance, pool)
        said.append(answer)
        _play_on(states, circles[going_on], moves, ends, going_on)
        left = states[:, PHASE] != OVER
        states, going_on = states[left], going_on[left]
        tell(begun - len(going_on))
    every, games_of = np.concatenate(looked_at), np.concatenate(numbers)
    return Teachings(
        every,
        games_of,
        circles,
        Said(*(np.concatenate(part) for part in zip(*said, strict=True))),
        _results(every, games_of, np.concatenate(inside), ends),
    )


def _results(states: Numbers, games: Numbers, inside: NDArray[np.bool_], ends: Reals) -> Floats:
    first, ahead, both = ends[games].T
    mine = states[:, TURN] == 0
    found = np.stack((np.where(mine, first, 1 - first), np.where(mine, ahead, -ahead), both), 1)
    found[~inside] = np.nan
    return found.astype(np.float32)


def _ask(
    network: Learned, states: Numbers, circles: Numbers, seed: int, pool: ThreadPoolExecutor
) -> tuple[Said, Numbers]:
    """Returns what a network says of some positions, and a move for each."""
    count = len(states)
    answer = Said(
        values=np.empty((count, 3), np.float32),
        choices=np.full((count, BIASES), NEVER, np.float32),
        codes=np.full((count, LISTED), -1, np.int16),
        logits=np.zeros((count, LISTED), np.float32),
    )
    moves = np.empty(count, np.int64)

    def ask(start: int) -> None:
        part = slice(start, min(start + _BATCH, count))
        size = part.stop - start
        words, pieces = np.empty((size, PLANES, 2), np.int64), np.empty((size, SLOTS), np.int64)
        planes = np.empty((size, PLANES, CELLS), np.float32)
        scalars = np.empty((size, SCALARS), np.float32)
        _see_each(states[part], circles[part], words, pieces, planes, scalars)
        said = network.ask(planes, scalars)
        answer.values[part, :2] = said.values
        answer.values[part, 2] = said.scores.sum(1)
        random = np.array([seed + start + 1], np.uint64)
        _listen(
            states[part],
            words,
            pieces,
            said.shapes,
            said.biases,
            random,
            answer.choices[part],
            answer.codes[part],
            answer.logits[part],
            moves[part],
        )

    list(pool.map(ask, range(0, count, _BATCH)))
    return answer, moves


@compiled
def _see_each(
    states: Numbers,
    circles: Numbers,
    words: Numbers,
    pieces: Numbers,
    planes: Floats,
    scalars: Floats,
) -> None:
    """Writes what the network is given about states of different games."""
    for number in range(len(states)):
        one = slice(number, number + 1)
        see_all(states[one], circles[number], words[one], pieces[one], planes[one], scalars[one])


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
    legal = np.empty(MOST_MOVES, np.int64)
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
    codes, logits = np.empty(MOST_MOVES, np.int64), np.empty(MOST_MOVES, np.float32)
    tight, unused = np.empty(MOST_MOVES, np.int64), np.empty(MOST_MOVES)
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
            while last < count and (codes[last] - 1) // (LANES * PLACES) == pieces[number, slot]:
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
            states[number], pieces[number, chosen], 0.0, MOST_MOVES, tight, unused, 0, scratch
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
