"""Many games at once, each with its own tree: what self-play and rating walk through.

All games of an orchard rest while their positions are evaluated together, one of each game; then
threads tend a part of the games each: every tree takes in its value and walks to the next position
that needs one. A game whose search is done plays on by itself, a finished one leaves its samples
and begins anew.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.network import INNER_CANDIDATES
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import EMPTY_HIGH, EMPTY_LOW, LANES
from patchwork.engine.kernel.rng import draw, seeded
from patchwork.engine.kernel.rules import SCRATCH as KERNEL_SCRATCH
from patchwork.engine.kernel.rules import legal_moves, play, score, winner
from patchwork.engine.kernel.state import (
    BUTTONS,
    CIRCLE,
    CIRCLE_LEFT,
    FIRST_HOME,
    HIGH,
    LEATHER,
    LOW,
    MAX_GAME_LENGTH,
    OVER,
    PHASE,
    SEAT,
    TILE_OWNER,
    TURN,
    WORDS,
    Floats,
    Numbers,
    Randoms,
    Reals,
)
from patchwork.engine.parameters import SearchParameters
from patchwork.engine.search.gumbel import choose, completed_values, most_visits
from patchwork.engine.search.tree import (
    MARGIN,
    WIN,
    LeafBatch,
    Tree,
    empty_trees,
    expand,
    gather,
    reset,
    utility,
)
from patchwork.learn.training import replay_buffer as shelf
from patchwork.learn.training.replay_buffer import Samples
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.patches import SMALLEST
from patchwork.rules.timeboard import EDITIONS

_START_BUTTONS = 5
_LEATHERS = np.array([sum(1 << line for line in edition.leather) for edition in EDITIONS])
_OTHERS = np.array([patch for patch in range(CIRCLE) if patch != SMALLEST])


_SEARCH = SearchParameters()
"""How simulations choose among moves: self-play always explores with the defaults."""


class Rules(NamedTuple):
    """How the games of an orchard are searched."""

    order: Numbers
    """[considered + 1, walks]: see ``halving.schedule``."""
    luck: float
    """How much chance there is in the moves: 1 for self-play, 0 for matches."""
    trust: float
    """How far a sample trusts the results of later positions and not their searches: lambda."""


class Orchard(NamedTuple):
    """``g`` games; the arrays of ``tree`` and ``batch`` have one more dimension, the game."""

    tree: Tree
    batch: LeafBatch
    circles: Numbers
    """[g, CIRCLE]"""
    randoms: Randoms
    """[g, 1]"""
    walks: Numbers
    """[g]: walks done for the present move."""
    early: Numbers
    """[g]: moves still to be played by the policy alone, which no sample tells of."""
    values: Reals
    """[g, 2]: what the network says of the root for seat 0: probability to win, points ahead."""
    logits: Reals
    """[g, CANDIDATES]: of the root's moves; all legal ones together would sum up to 1."""
    keys: Reals
    """[g, CANDIDATES]: the same with what chance adds, the greatest first."""
    rest: Reals
    """[g]: the share of the moves left out."""
    past: Samples
    """[g, MAX_GAME_LENGTH]: the moves of the game so far; ``written`` counts them."""
    done: Numbers
    """[g, 3]: games finished, games that seat 0 won, positions evaluated."""


GIVEN: Final = 3
"""Of what passes between an orchard and a network, the parts that go to the network."""


class Evaluations(NamedTuple):
    """What passes between an orchard and a network, one row for each game."""

    states: Numbers
    """[g, WORDS], to the network; what it sees of them is written by ``seeing``."""
    circles: Numbers
    """[g, CIRCLE], to the network"""
    luck: Floats
    """[g], to the network: how much chance there is in a root's moves; -1: it is no root."""
    codes: NDArray[np.int32]
    """[g, CANDIDATES], from it: the moves that deserve a look; see ``ranking``."""
    priors: Floats
    """[g, CANDIDATES]: how likely each is, among all legal moves."""
    logits: Floats
    """[g, CANDIDATES]"""
    keys: Floats
    """[g, CANDIDATES]"""
    counts: NDArray[np.int32]
    """[g]"""
    norms: Floats
    """[g]"""
    values: Floats
    """[g, 2]: as the decider sees it, the probability to win and the points ahead."""


def new_orchard(games: int, rules: Rules) -> Orchard:
    """Returns room for that many games, searched by those rules."""
    nodes = rules.order.shape[1] + 2
    edges = CANDIDATES + INNER_CANDIDATES * nodes
    return Orchard(
        tree=empty_trees((games,), nodes, edges, np.int16, np.float32),
        batch=LeafBatch(
            states=np.empty((games, 1, WORDS), np.int64),
            nodes=np.empty((games, 1), np.int64),
            paths=np.empty((games, 1, MAX_GAME_LENGTH), np.int32),
            lengths=np.empty((games, 1), np.int64),
        ),
        circles=np.zeros((games, CIRCLE), np.int64),
        randoms=np.ones((games, 1), np.uint64),
        walks=np.zeros(games, np.int64),
        early=np.zeros(games, np.int64),
        values=np.zeros((games, 2)),
        logits=np.zeros((games, CANDIDATES)),
        keys=np.zeros((games, CANDIDATES)),
        rest=np.zeros(games),
        past=shelf.new_samples(games, MAX_GAME_LENGTH),
        done=np.zeros((games, 3), np.int64),
    )


def new_evaluations(games: int) -> Evaluations:
    """Returns room for one position of each game."""
    return Evaluations(
        states=np.zeros((games, WORDS), np.int64),
        circles=np.zeros((games, CIRCLE), np.int64),
        luck=np.zeros(games, np.float32),
        codes=np.zeros((games, CANDIDATES), np.int32),
        priors=np.zeros((games, CANDIDATES), np.float32),
        logits=np.zeros((games, CANDIDATES), np.float32),
        keys=np.zeros((games, CANDIDATES), np.float32),
        counts=np.zeros(games, np.int32),
        norms=np.zeros(games, np.float32),
        values=np.zeros((games, 2), np.float32),
    )


class Work(NamedTuple):
    """Working memory of a thread."""

    state: Numbers
    codes: Numbers
    values: Reals
    counts: Numbers
    moves: Numbers
    priors: Reals
    scores: Reals
    scratch: Numbers


@compiled
def new_work() -> Work:
    """Returns working memory."""
    return Work(
        np.empty(WORDS, np.int64),
        np.empty(MOST_LEGAL_MOVES, np.int64),
        np.empty((1, 2), np.float64),
        np.empty(1, np.int64),
        np.empty((1, CANDIDATES), np.int64),
        np.empty((1, CANDIDATES), np.float64),
        np.empty(CANDIDATES, np.float64),
        np.empty((KERNEL_SCRATCH, LANES), np.int64),
    )


@compiled
def _tree_of(orchard: Orchard, game: int) -> Tree:
    tree = orchard.tree
    return Tree(
        tree.states[game],
        tree.first_edge[game],
        tree.edge_count[game],
        tree.moves[game],
        tree.priors[game],
        tree.children[game],
        tree.visits[game],
        tree.virtual_loss[game],
        tree.sums[game],
        tree.used[game],
    )


@compiled
def _batch_of(orchard: Orchard, game: int) -> LeafBatch:
    batch = orchard.batch
    return LeafBatch(batch.states[game], batch.nodes[game], batch.paths[game], batch.lengths[game])


@compiled
def _start(state: Numbers, circle: Numbers, random: Randoms) -> None:
    """Sets up a game: any circle, either edition."""
    state[:] = 0
    for seat in (0, SEAT):
        state[seat + LOW], state[seat + HIGH] = EMPTY_LOW, EMPTY_HIGH
        state[seat + BUTTONS] = _START_BUTTONS
    state[LEATHER] = _LEATHERS[draw(random, len(_LEATHERS))]
    state[TILE_OWNER], state[FIRST_HOME] = -1, -1
    state[CIRCLE_LEFT] = (1 << CIRCLE) - 1
    circle[:-1], circle[-1] = _OTHERS, SMALLEST
    for last in range(CIRCLE - 2, 0, -1):
        other = draw(random, last + 1)
        circle[last], circle[other] = circle[other], circle[last]


@compiled
def sow(
    orchard: Orchard, evaluations: Evaluations, rules: Rules, seed: int, alike: int, spread: int = 0
) -> None:
    """Begins a game in every place, so that their first positions wait.

    ``alike`` neighbours have the same set-up: 2 where games are played in pairs. The first game of
    a place begins with up to ``spread`` moves without a search, so that not all end at once.
    """
    work = new_work()
    for game in range(len(orchard.walks)):
        orchard.randoms[game, 0] = seeded(seed, game // alike)
        _start(work.state, orchard.circles[game], orchard.randoms[game])
        orchard.past.written[game] = 0
        orchard.done[game] = 0
        orchard.early[game] = draw(orchard.randoms[game], spread + 1)
        reset(_tree_of(orchard, game), _batch_of(orchard, game), work.state)
        _show(orchard, evaluations, rules, game)


@compiled
def _show(orchard: Orchard, evaluations: Evaluations, rules: Rules, game: int) -> None:
    """Shows the network the position that waits."""
    evaluations.states[game] = orchard.batch.states[game, 0]
    evaluations.circles[game] = orchard.circles[game]
    evaluations.luck[game] = rules.luck if orchard.batch.lengths[game, 0] == 0 else -1.0
    orchard.done[game, 2] += 1


@compiled
def tend(
    orchard: Orchard,
    evaluations: Evaluations,
    rules: Rules,
    samples: Samples,
    hand: int,
    first: int,
    last: int,
    work: Work,
) -> None:
    """Takes in what the network said about some of the games, and goes on to new positions.

    Finished games leave their samples on the shelf ``hand``.
    """
    for game in range(first, last):
        _take_in(orchard, evaluations, game, work)
        _go_on(orchard, rules, samples, hand, game, work)
        _show(orchard, evaluations, rules, game)


@compiled
def _take_in(orchard: Orchard, evaluations: Evaluations, game: int, work: Work) -> None:
    win, margin = evaluations.values[game, 0], evaluations.values[game, 1]
    if orchard.batch.states[game, 0, TURN] == 1:
        win, margin = 1 - win, -margin
    work.values[0, 0], work.values[0, 1] = win, margin
    count = evaluations.counts[game]
    seen = 1e-30
    for number in range(count):
        seen += evaluations.priors[game, number]
    for number in range(count):
        work.moves[0, number] = evaluations.codes[game, number]
        work.priors[0, number] = evaluations.priors[game, number] / seen
    work.counts[0] = count
    if orchard.batch.lengths[game, 0] == 0:
        norm = evaluations.norms[game]
        for number in range(count):
            orchard.logits[game, number] = evaluations.logits[game, number] - norm
            orchard.keys[game, number] = evaluations.keys[game, number] - norm
        orchard.walks[game] = 0
        orchard.values[game] = work.values[0]
        orchard.rest[game] = max(0.0, 1 - seen)
    expand(
        _tree_of(orchard, game),
        _batch_of(orchard, game),
        1,
        work.values,
        work.counts,
        work.moves,
        work.priors,
    )


@compiled
def _go_on(
    orchard: Orchard, rules: Rules, samples: Samples, hand: int, game: int, work: Work
) -> None:
    """Walks, plays and begins games until a position waits."""
    tree, batch, circle = _tree_of(orchard, game), _batch_of(orchard, game), orchard.circles[game]
    most, walks = rules.order.shape
    if orchard.early[game] > 0:
        walks = 0
    keys = orchard.keys[game]
    value = utility(orchard.values[game, 0], orchard.values[game, 1])
    while True:
        # Moves stand in the order of their keys: only the first ones are ever tried.
        count = min(tree.edge_count[0], most - 1)
        unknown = completed_values(tree, count, value, work.scores)
        if orchard.walks[game] < walks:
            wanted = rules.order[count, orchard.walks[game]]
            edge = tree.first_edge[0] + choose(tree, count, wanted, keys, work.scores)
            orchard.walks[game] += 1
            waiting, _ = gather(tree, batch, circle, _SEARCH, 1, 1, edge)
            if waiting > 0:
                return
            continue
        chosen = choose(tree, count, most_visits(tree, count), keys, work.scores)
        if orchard.early[game] > 0:
            orchard.early[game] -= 1
        else:
            work.scores[count:] = unknown
            _remember(orchard, tree, game, unknown, work)
        work.state[:] = tree.states[0]
        play(work.state, circle, tree.moves[tree.first_edge[0] + chosen])
        _play_forced(work, circle)
        if work.state[PHASE] == OVER:
            _finish(orchard, rules, samples, hand, game, work.state)
            _start(work.state, circle, orchard.randoms[game])
        reset(tree, batch, work.state)
        return


@compiled
def _play_forced(work: Work, circle: Numbers) -> None:
    """Plays on while there is nothing to choose."""
    while work.state[PHASE] != OVER:
        if legal_moves(work.state, circle, work.codes, work.scratch) > 1:
            return
        play(work.state, circle, work.codes[0])


@compiled
def _remember(orchard: Orchard, tree: Tree, game: int, unknown: float, work: Work) -> None:
    """Notes the position just searched, the better policy found, and what the walks say of it.

    There, a move counts as much as that policy recommends it: many are tried that nobody should
    play.
    """
    past, count = orchard.past, tree.edge_count[0]
    at = past.written[game]
    past.written[game] += 1
    past.states[game, at] = tree.states[0]
    past.counts[game, at] = count
    highest, total = unknown, 0.0
    for number in range(count):
        highest = max(highest, orchard.logits[game, number] + work.scores[number])
    for number in range(count):
        share = np.exp(orchard.logits[game, number] + work.scores[number] - highest)
        work.scores[number] = share
        total += share
    total += orchard.rest[game] * np.exp(unknown - highest)
    win = margin = tried = 0.0
    for number in range(count):
        edge, share = tree.first_edge[0] + number, work.scores[number] / total
        past.codes[game, at, number] = tree.moves[edge]
        past.shares[game, at, number] = share
        if tree.visits[edge] > 0:
            win += share * tree.sums[edge, WIN] / tree.visits[edge]
            margin += share * tree.sums[edge, MARGIN] / tree.visits[edge]
            tried += share
    past.shares[game, at, count:] = 0.0
    if tried == 0.0:  # no walks at all: what the network says
        win, margin, tried = orchard.values[game, 0], orchard.values[game, 1], 1.0
    past.results[game, at, shelf.WIN] = win / tried
    past.results[game, at, shelf.MARGIN] = margin / tried


@compiled
def _finish(
    orchard: Orchard, rules: Rules, samples: Samples, hand: int, game: int, end: Numbers
) -> None:
    """Moves the positions of a finished game to a shelf."""
    past, size = orchard.past, samples.counts.shape[1]
    first_won = winner(end) == 0
    orchard.done[game, 0] += 1
    orchard.done[game, 1] += first_won
    win = 1.0 if first_won else 0.0
    margin = float(score(end, 0) - score(end, 1))
    for at in range(past.written[game] - 1, -1, -1):
        searched_win = past.results[game, at, shelf.WIN]
        searched_margin = past.results[game, at, shelf.MARGIN]
        to = samples.written[hand] % size
        samples.written[hand] += 1
        samples.states[hand, to] = past.states[game, at]
        samples.counts[hand, to] = past.counts[game, at]
        samples.codes[hand, to] = past.codes[game, at]
        samples.shares[hand, to] = past.shares[game, at]
        for place in range(CIRCLE):
            samples.circles[hand, to, place] = orchard.circles[game, place]
        turn = past.states[game, at, TURN]
        results = samples.results[hand, to]
        results[shelf.WIN] = win if turn == 0 else 1 - win
        results[shelf.MARGIN] = margin if turn == 0 else -margin
        results[shelf.MINE] = score(end, turn)
        results[shelf.THEIRS] = score(end, 1 - turn)
        for quilt in range(2):
            seat = SEAT * (turn if quilt == 0 else 1 - turn)
            samples.quilts[hand, to, quilt, 0] = end[seat + LOW]
            samples.quilts[hand, to, quilt, 1] = end[seat + HIGH]
        win = rules.trust * win + (1 - rules.trust) * searched_win
        margin = rules.trust * margin + (1 - rules.trust) * searched_margin
    past.written[game] = 0
