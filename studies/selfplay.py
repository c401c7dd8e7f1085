"""Games that a network plays with itself on the processor, for studies that look at them.

Either edition, any circle, by chance. Each place of the orchard plays one game, so that long games
count as often as short ones.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from patchwork.engine.evaluators.features import PLANES, SLOTS, unpack
from patchwork.engine.evaluators.network import NetworkEvaluator, NetworkOutputs
from patchwork.engine.evaluators.policy import BIASES, legal_logits, new_frame, placement_bonus
from patchwork.engine.insight import shipped_network
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.rules import OFFER, SCRATCH, legal_moves, play, score
from patchwork.engine.kernel.state import (
    HIGH,
    LEATHER,
    LOW,
    MAX_GAME_LENGTH,
    OVER,
    PHASE,
    SEAT,
    TIME,
    TURN,
    WORDS,
    Floats,
    Numbers,
    Randoms,
)
from patchwork.engine.search.gumbel import schedule
from patchwork.learn.selfplay.features import new_seen, see
from patchwork.learn.selfplay.games import (
    GIVEN,
    Evaluations,
    Orchard,
    Rules,
    new_evaluations,
    new_orchard,
    new_work,
    sow,
    tend,
)
from patchwork.learn.selfplay.ranking import rank
from patchwork.learn.training.replay_buffer import MINE, Samples, new_samples
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.quilt import CELLS
from patchwork.rules.timeboard import EDITIONS

BATCH = 64
"""Positions that a network is asked about at a time."""
_CONSIDERED = 16
_ROOM = 64
"""Samples that a game leaves, more or less; a shelf has room for all games to end at once."""
_LEATHERS = [sum(1 << line for line in edition.leather) for edition in EDITIONS]


class Games(NamedTuple):
    """``g`` games of ``p`` positions in all, those with one legal move included."""

    editions: Numbers
    """[g]: 0 or 1, as in ``EDITIONS``."""
    circles: Numbers
    """[g, CIRCLE]"""
    ends: Numbers
    """[g, WORDS]: the final states."""
    games: Numbers
    """[p]: to which each position belongs, in ascending order; within a game they are in order."""
    states: Numbers
    """[p, WORDS]"""
    moves: Numbers
    """[p]: codes of what was played."""
    choice: Numbers
    """[p]: 1 where there was more than one legal move."""
    values: Floats
    """[p, 2]: what the network said, as the one who decides sees it: probability to win, points
    ahead; not a number where there was no choice."""


def arguments(purpose: str | None, games: int) -> argparse.ArgumentParser:
    """Returns a parser of the options that all studies of self-play share."""
    parser = argparse.ArgumentParser(description=purpose.splitlines()[0] if purpose else None)
    parser.add_argument(
        "--network",
        type=Path,
        metavar="FILE",
        help="by default, the shipped one",
    )
    parser.add_argument("--games", type=int, default=games)
    parser.add_argument(
        "--simulations", "--walks", type=int, default=16, metavar="N", help="for each move"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--write", action="store_true", help="update docs/strategy.md")
    return parser


def named_network(path: Path | None) -> NetworkEvaluator:
    """Returns a network of a file, or the one that comes with the package."""
    return NetworkEvaluator(path) if path else shipped_network()


def played(options: argparse.Namespace, *, luck: float) -> tuple[NetworkEvaluator, Games]:
    """Returns the network and the games that the arguments ask for."""
    network = named_network(options.network)
    return network, play_games(
        network,
        options.games,
        options.simulations,
        options.seed,
        luck=luck,
        threads=options.threads,
    )


def unpacked(words: Numbers) -> Floats:
    """Returns planes [b, PLANES, CELLS] of their words."""
    planes = np.empty((len(words), PLANES, CELLS), np.float32)
    _unpack_all(words, planes)
    return planes


def asked(
    network: NetworkEvaluator, words: Numbers, scalars: Floats, pool: ThreadPoolExecutor
) -> NetworkOutputs:
    """Returns what a network says of any number of positions; threads share the work."""

    def ask(start: int) -> NetworkOutputs:
        end = start + BATCH
        return network.ask(unpacked(words[start:end]), scalars[start:end])

    parts = pool.map(ask, range(0, len(words), BATCH))
    return NetworkOutputs(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def play_games(
    network: NetworkEvaluator, games: int, walks: int, seed: int, *, luck: float, threads: int = 1
) -> Games:
    """Returns games of a network with itself.

    Args:
        network: plays both seats.
        games: how many.
        walks: simulations for each move; with 0 the policy plays alone.
        seed: decides on set-ups and luck.
        luck: how much chance there is in the moves: 0 for none, 1 as in learning. Without it, a
            patch counts for all its places.
        threads: processor cores to use; they change nothing.
    """
    rules = Rules(schedule(_CONSIDERED, walks), luck, trust=1.0)
    orchard, room = new_orchard(games, rules), new_evaluations(games)
    samples = new_samples(1, games * _ROOM + MAX_GAME_LENGTH)
    said = np.zeros((games, MAX_GAME_LENGTH, 2), np.float32)
    random = np.array([seed + 1], np.uint64)
    work = new_work()
    sow(orchard, room, rules, seed, 1)
    first = orchard.circles.copy()
    parts: list[Games | None] = [None] * games
    left, told = games, 0.0
    pool = ThreadPoolExecutor(threads)
    while left > 0:
        _answer(network, orchard, room, said, random, pool)
        finished = orchard.done[:, 0].copy()
        start = int(samples.written[0])
        tend(orchard, room, rules, samples, 0, 0, games, work)
        size = samples.counts.shape[1]
        for game in np.flatnonzero(orchard.done[:, 0] > finished):
            # The samples of a game lie from its end to its start.
            rows = []
            while True:
                rows.append(start % size)
                start += 1
                if _at_start(samples.states[0, rows[-1]]):
                    break
            if finished[game] == 0:
                chosen = np.array(rows[::-1])
                parts[game] = _replayed(int(game), first[game], samples, chosen, said[game])
                left -= 1
        if time.monotonic() - told > 1 or left == 0:
            told = time.monotonic()
            print(f"\rgames: {games - left:,} of {games:,}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return Games(*(np.concatenate(part) for part in zip(*map(_whole, parts), strict=True)))


def _whole(part: Games | None) -> Games:
    assert part is not None
    return part


def _answer(
    network: NetworkEvaluator,
    orchard: Orchard,
    room: Evaluations,
    said: Floats,
    random: Randoms,
    pool: ThreadPoolExecutor,
) -> None:
    """Evaluates the positions that wait.

    Nobody looks at the second game in a place: it is played at random.
    """
    games = len(room.states)
    seen = new_seen(games)
    see(room.states, room.circles, seen)
    going_on = np.flatnonzero(orchard.done[:, 0] == 0)
    answers = asked(network, seen.words[going_on], seen.scalars[going_on], pool)
    shapes = np.zeros((games, 2 * SLOTS, CELLS), np.float32)
    biases = np.zeros((games, BIASES), np.float32)
    shapes[going_on], biases[going_on] = answers.shapes, answers.biases
    room.values[:] = 0.5
    room.values[going_on] = answers.values
    _weigh_patches(seen.words, seen.pieces, room.luck, shapes, biases)
    given: Any = (seen.words, seen.pieces, room.luck, shapes, biases, *room[GIVEN:-1], random)
    rank(*given)
    roots = going_on[room.luck[going_on] >= 0]
    said[roots, orchard.past.written[roots]] = room.values[roots]


def _at_start(state: Numbers) -> bool:
    return bool(state[TIME] == state[SEAT + TIME] == 0)


def _replayed(game: int, circle: Numbers, samples: Samples, rows: Numbers, said: Floats) -> Games:
    """Returns one game as its samples tell it, with the moves between them."""
    states = np.empty((MAX_GAME_LENGTH, WORDS), np.int64)
    moves, choice = np.empty(MAX_GAME_LENGTH, np.int64), np.empty(MAX_GAME_LENGTH, np.int64)
    end = np.empty(WORDS, np.int64)
    known = samples.states[0, rows]
    count = _replay(
        circle,
        known,
        samples.counts[0, rows].astype(np.int64),
        samples.codes[0, rows].astype(np.int64),
        samples.results[0, rows[-1], MINE:].astype(np.int64),
        samples.quilts[0, rows[-1]],
        states,
        moves,
        choice,
        end,
    )
    assert count > 0, "no move leads from one sample to the next"
    values = np.full((count, 2), np.nan, np.float32)
    values[choice[:count] == 1] = said[: len(rows)]
    return Games(
        editions=np.array([_LEATHERS.index(int(known[0, LEATHER]))]),
        circles=circle[np.newaxis],
        ends=end[np.newaxis],
        games=np.full(count, game),
        states=states[:count].copy(),
        moves=moves[:count].copy(),
        choice=choice[:count].copy(),
        values=values,
    )


@njit(nogil=True)
def _unpack_all(words: Numbers, planes: Floats) -> None:
    for number in range(len(words)):
        unpack(words[number], planes[number])


@njit(nogil=True)
def _weigh_patches(
    words: Numbers, pieces: Numbers, luck: Floats, shapes: Floats, biases: Floats
) -> None:
    """Raises the logits of roots without luck, so that a patch counts for all its places."""
    codes, logits = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(MOST_LEGAL_MOVES, np.float32)
    framed = new_frame()
    for number in range(len(words)):
        if luck[number] != 0:
            continue
        count = legal_logits(
            words[number], pieces[number], shapes[number], biases[number], codes, logits, framed
        )
        for slot in range(OFFER):
            biases[number, 1 + slot] += placement_bonus(pieces[number, slot], codes, logits, count)


@njit(nogil=True)
def _replay(
    circle: Numbers,
    known: Numbers,
    counts: Numbers,
    codes: Numbers,
    scores: Numbers,
    quilts: Numbers,
    states: Numbers,
    moves: Numbers,
    choice: Numbers,
    end: Numbers,
) -> int:
    """Writes all positions and moves of a game; returns how many, or 0 if a move is not found."""
    scratch = np.empty((SCRATCH, LANES), np.int64)
    legal = np.empty(MOST_LEGAL_MOVES, np.int64)
    written = 0
    for at in range(len(known)):
        found = False
        for number in range(counts[at]):
            end[:] = known[at]
            play(end, circle, codes[at, number])
            written_before = written
            states[written], moves[written], choice[written] = known[at], codes[at, number], 1
            written += 1
            while end[PHASE] != OVER and legal_moves(end, circle, legal, scratch) == 1:
                states[written], moves[written], choice[written] = end, legal[0], 0
                written += 1
                play(end, circle, legal[0])
            if at + 1 < len(known):
                found = bool((end == known[at + 1]).all())
            elif end[PHASE] == OVER:
                found = _same_end(end, known[at, TURN], scores, quilts)
            if found:
                break
            written = written_before
        if not found:
            return 0
    return written


@njit(nogil=True)
def _same_end(end: Numbers, turn: int, scores: Numbers, quilts: Numbers) -> bool:
    for number, who in enumerate((turn, 1 - turn)):
        if score(end, who) != scores[number]:
            return False
        if (
            end[SEAT * who + LOW] != quilts[number, 0]
            or end[SEAT * who + HIGH] != quilts[number, 1]
        ):
            return False
    return True
