"""Games that a network plays against itself on the CPU, for studies of its play.

Editions and circles are random. Each place in the batch plays one game, so that long games count as
often as short ones.
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
from patchwork.learn.selfplay.features import new_features, write_all_features
from patchwork.learn.selfplay.games import (
    FINISHED,
    NETWORK_INPUTS,
    GameBatch,
    InferenceBuffers,
    SelfPlayParameters,
    new_game_batch,
    new_inference_buffers,
    new_workspace,
    reset,
    step,
)
from patchwork.learn.selfplay.ranking import rank
from patchwork.learn.training.replay_buffer import OWN_SCORE_TARGET, ReplayBuffer, new_buffer
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.quilt import CELLS
from patchwork.rules.timeboard import EDITIONS

BATCH = 64
"""Positions that a network evaluates at a time."""
_NUM_CONSIDERED = 16
_ROOM = 64
"""About the number of samples of a game; there is room for all games to end at once."""
_LEATHERS = [sum(1 << line for line in edition.leather) for edition in EDITIONS]


class Games(NamedTuple):
    """``g`` games with ``p`` positions in total, including those with one legal move."""

    editions: Numbers
    """[g]: 0 or 1, as in ``EDITIONS``."""
    circles: Numbers
    """[g, CIRCLE]"""
    ends: Numbers
    """[g, WORDS]: the final states."""
    games: Numbers
    """[p]: the game of each position, ascending; the positions of a game are in order."""
    states: Numbers
    """[p, WORDS]"""
    moves: Numbers
    """[p]: the codes of the moves played."""
    choice: Numbers
    """[p]: 1 if there was more than one legal move."""
    values: Floats
    """[p, 2]: the network's predictions for the seat to decide: the probability of winning and the
    margin; not a number without a choice."""


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
    """Returns the network in a file, or the one that comes with the package."""
    return NetworkEvaluator(path) if path else shipped_network()


def played(options: argparse.Namespace, *, gumbel_scale: float) -> tuple[NetworkEvaluator, Games]:
    """Returns the network and the games that the options ask for."""
    network = named_network(options.network)
    return network, play_games(
        network,
        options.games,
        options.simulations,
        options.seed,
        gumbel_scale=gumbel_scale,
        threads=options.threads,
    )


def unpacked(words: Numbers) -> Floats:
    """Returns the planes [b, PLANES, CELLS] in packed words."""
    planes = np.empty((len(words), PLANES, CELLS), np.float32)
    _unpack_all(words, planes)
    return planes


def evaluate_all(
    network: NetworkEvaluator, words: Numbers, scalars: Floats, pool: ThreadPoolExecutor
) -> NetworkOutputs:
    """Returns a network's outputs for any number of positions; threads share the work."""

    def ask(start: int) -> NetworkOutputs:
        end = start + BATCH
        return network.ask(unpacked(words[start:end]), scalars[start:end])

    parts = pool.map(ask, range(0, len(words), BATCH))
    return NetworkOutputs(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def play_games(
    network: NetworkEvaluator,
    games: int,
    simulations: int,
    seed: int,
    *,
    gumbel_scale: float,
    threads: int = 1,
) -> Games:
    """Returns games of a network against itself.

    Args:
        network: the player of both seats.
        games: the number of games.
        simulations: for each move; with 0 the policy plays alone.
        seed: for the set-ups and the noise.
        gumbel_scale: how much randomness there is in the moves: 0 for none, 1 as in self-play. With
            0, a patch counts for all its placements.
        threads: processor cores to use; they change nothing.
    """
    parameters = SelfPlayParameters(schedule(_NUM_CONSIDERED, simulations), gumbel_scale, 1.0)
    batch, buffers = new_game_batch(games, parameters), new_inference_buffers(games)
    replay = new_buffer(1, games * _ROOM + MAX_GAME_LENGTH)
    predictions = np.zeros((games, MAX_GAME_LENGTH, 2), np.float32)
    random = np.array([seed + 1], np.uint64)
    work = new_workspace()
    reset(batch, buffers, parameters, seed, 1)
    first = batch.circles.copy()
    parts: list[Games | None] = [None] * games
    left, reported = games, 0.0
    pool = ThreadPoolExecutor(threads)
    while left > 0:
        _answer(network, batch, buffers, predictions, random, pool)
        finished = batch.counts[:, FINISHED].copy()
        start = int(replay.written[0])
        step(batch, buffers, parameters, replay, 0, 0, games, work)
        size = replay.counts.shape[1]
        for game in np.flatnonzero(batch.counts[:, FINISHED] > finished):
            # The samples of a game are in reverse order, from its end to its start.
            rows = []
            while True:
                rows.append(start % size)
                start += 1
                if _at_start(replay.states[0, rows[-1]]):
                    break
            if finished[game] == 0:
                chosen = np.array(rows[::-1])
                parts[game] = _replayed(int(game), first[game], replay, chosen, predictions[game])
                left -= 1
        if time.monotonic() - reported > 1 or left == 0:
            reported = time.monotonic()
            print(f"\rgames: {games - left:,} of {games:,}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return Games(*(np.concatenate(part) for part in zip(*map(_whole, parts), strict=True)))


def _whole(part: Games | None) -> Games:
    assert part is not None
    return part


def _answer(
    network: NetworkEvaluator,
    batch: GameBatch,
    buffers: InferenceBuffers,
    predictions: Floats,
    random: Randoms,
    pool: ThreadPoolExecutor,
) -> None:
    """Evaluates the positions that wait for it.

    The second game in a place is not used, so it is played at random.
    """
    games = len(buffers.states)
    features = new_features(games)
    write_all_features(buffers.states, buffers.circles, features)
    going_on = np.flatnonzero(batch.counts[:, FINISHED] == 0)
    answers = evaluate_all(network, features.words[going_on], features.scalars[going_on], pool)
    shapes = np.zeros((games, 2 * SLOTS, CELLS), np.float32)
    biases = np.zeros((games, BIASES), np.float32)
    shapes[going_on], biases[going_on] = answers.shapes, answers.biases
    buffers.values[:] = 0.5
    buffers.values[going_on] = answers.values
    _add_placement_bonuses(features.words, features.pieces, buffers.gumbel_scales, shapes, biases)
    given: Any = (
        features.words,
        features.pieces,
        buffers.gumbel_scales,
        shapes,
        biases,
        *buffers[NETWORK_INPUTS:-1],
        random,
    )
    rank(*given)
    roots = going_on[buffers.gumbel_scales[going_on] >= 0]
    predictions[roots, batch.trajectories.written[roots]] = buffers.values[roots]


def _at_start(state: Numbers) -> bool:
    return bool(state[TIME] == state[SEAT + TIME] == 0)


def _replayed(
    game: int, circle: Numbers, replay: ReplayBuffer, rows: Numbers, predictions: Floats
) -> Games:
    """Returns the game of some samples, with the moves that lead from one to the next."""
    states = np.empty((MAX_GAME_LENGTH, WORDS), np.int64)
    moves, choice = np.empty(MAX_GAME_LENGTH, np.int64), np.empty(MAX_GAME_LENGTH, np.int64)
    end = np.empty(WORDS, np.int64)
    known = replay.states[0, rows]
    count = _replay(
        circle,
        known,
        replay.counts[0, rows].astype(np.int64),
        replay.codes[0, rows].astype(np.int64),
        replay.targets[0, rows[-1], OWN_SCORE_TARGET:].astype(np.int64),
        replay.final_quilts[0, rows[-1]],
        states,
        moves,
        choice,
        end,
    )
    assert count > 0, "no move leads from one sample to the next"
    values = np.full((count, 2), np.nan, np.float32)
    values[choice[:count] == 1] = predictions[: len(rows)]
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
def _add_placement_bonuses(
    words: Numbers, pieces: Numbers, gumbel_scale: Floats, shapes: Floats, biases: Floats
) -> None:
    """Raises the logits of roots without noise, so that a patch counts for all its placements."""
    codes, logits = np.empty(MOST_LEGAL_MOVES, np.int64), np.empty(MOST_LEGAL_MOVES, np.float32)
    framed = new_frame()
    for number in range(len(words)):
        if gumbel_scale[number] != 0:
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
    """Writes all positions and moves of a game; returns their number, or 0 if a move is missing."""
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
