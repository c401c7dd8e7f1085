"""Many games in flight, each with a search tree of its own; self-play and matches both use them.

All games of a batch wait while their positions are evaluated together, one position of each game.
Then worker threads take the games one step further: each tree takes in its value and runs on to the
next position that needs one. When a search is over, its move is played; a finished game writes its
samples to the replay buffer, and another game starts in its place.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.network import INNER_CANDIDATES
from patchwork.engine.kernel.jit import compiled
from patchwork.engine.kernel.pieces import LANES
from patchwork.engine.kernel.rng import draw, seeded
from patchwork.engine.kernel.rules import SCRATCH as KERNEL_SCRATCH
from patchwork.engine.kernel.rules import legal_moves, play, score, winner
from patchwork.engine.kernel.state import (
    CIRCLE,
    HIGH,
    LOW,
    MAX_GAME_LENGTH,
    OVER,
    PHASE,
    SEAT,
    TURN,
    WORDS,
    Floats,
    Numbers,
    Randoms,
    Reals,
    from_position,
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
    utility,
)
from patchwork.engine.search.tree import reset as reset_tree
from patchwork.learn.training.replay_buffer import (
    MARGIN_TARGET,
    OTHER_SCORE_TARGET,
    OWN_SCORE_TARGET,
    WIN_TARGET,
    ReplayBuffer,
    new_buffer,
)
from patchwork.rules.moves import MOST_LEGAL_MOVES
from patchwork.rules.patches import SMALLEST
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITIONS

_STARTS = np.array([from_position(Setup.random(0, edition).start())[0] for edition in EDITIONS])
"""The state in which games of each edition start; the circle is no part of it."""
_OTHER_PATCHES = np.array([patch for patch in range(CIRCLE) if patch != SMALLEST])
_SEARCH = SearchParameters()
"""Below the root, simulations always choose among moves with the default parameters."""
_TINY = 1e-30
"""Keeps a division by the sum of no priors at all from failing."""


class SelfPlayParameters(NamedTuple):
    """How games are searched, and what the samples of a game aim at."""

    visit_schedule: Numbers
    """[num_considered + 1, simulations]: see ``gumbel.schedule``."""
    gumbel_scale: float
    """How much randomness there is in the moves: 1 for self-play, 0 for matches."""
    td_lambda: float
    """How much a value target follows later positions rather than their searches."""


FINISHED, FIRST_SEAT_WINS, EVALUATED = range(3)
"""What is counted for each game: games finished, games that seat 0 won, positions evaluated."""


class GameBatch(NamedTuple):
    """``g`` games in flight; in ``tree`` and ``leaves``, too, the first dimension is the game."""

    tree: Tree
    leaves: LeafBatch
    """One position of each game, which waits for its value."""
    circles: Numbers
    """[g, CIRCLE]"""
    randoms: Randoms
    """[g, 1]"""
    simulations: Numbers
    """[g]: simulations done for the current move."""
    unsearched: Numbers
    """[g]: moves that the policy still plays alone; they leave no samples."""
    root_values: Reals
    """[g, 2]: the network's value of the root for seat 0: probability of winning, margin."""
    root_logits: Reals
    """[g, CANDIDATES]: normalised so that the shares of all legal moves sum to 1."""
    gumbel_logits: Reals
    """[g, CANDIDATES]: the same with Gumbel noise, in descending order."""
    root_rest: Reals
    """[g]: the share of the legal moves that are not candidates."""
    trajectories: ReplayBuffer
    """[g, MAX_GAME_LENGTH]: the samples of the game so far; ``written`` counts them."""
    counts: Numbers
    """[g, 3]: ``FINISHED``, ``FIRST_SEAT_WINS`` and ``EVALUATED``."""


NETWORK_INPUTS: Final = 3
"""How many of the ``InferenceBuffers``, the first ones, go to the network."""
NO_ROOT: Final = -1.0
"""In place of the Gumbel scale of a position that is not the root of a search."""


class InferenceBuffers(NamedTuple):
    """What passes between games and network, one row for each game."""

    states: Numbers
    """[g, WORDS], to the network, which makes its features of them."""
    circles: Numbers
    """[g, CIRCLE], to the network."""
    gumbel_scales: Floats
    """[g], to the network: how much noise to add to the logits of a root, or ``NO_ROOT``."""
    codes: NDArray[np.int32]
    """[g, CANDIDATES], from the network: the candidate moves; see ``ranking``."""
    priors: Floats
    """[g, CANDIDATES]: the share of each among all legal moves."""
    logits: Floats
    """[g, CANDIDATES]"""
    gumbel_logits: Floats
    """[g, CANDIDATES]: with noise, in descending order."""
    counts: NDArray[np.int32]
    """[g]: how many candidates there are."""
    norms: Floats
    """[g]: the logarithm of the sum over all legal moves."""
    values: Floats
    """[g, 2]: for the player to decide: probability of winning, margin."""


def new_game_batch(count: int, parameters: SelfPlayParameters) -> GameBatch:
    """Returns empty arrays for that many games, searched with those parameters."""
    nodes = parameters.visit_schedule.shape[1] + 2
    edges = CANDIDATES + INNER_CANDIDATES * nodes
    return GameBatch(
        tree=empty_trees((count,), nodes, edges, np.int16, np.float32),
        leaves=LeafBatch(
            states=np.empty((count, 1, WORDS), np.int64),
            nodes=np.empty((count, 1), np.int64),
            paths=np.empty((count, 1, MAX_GAME_LENGTH), np.int32),
            lengths=np.empty((count, 1), np.int64),
        ),
        circles=np.zeros((count, CIRCLE), np.int64),
        randoms=np.ones((count, 1), np.uint64),
        simulations=np.zeros(count, np.int64),
        unsearched=np.zeros(count, np.int64),
        root_values=np.zeros((count, 2)),
        root_logits=np.zeros((count, CANDIDATES)),
        gumbel_logits=np.zeros((count, CANDIDATES)),
        root_rest=np.zeros(count),
        trajectories=new_buffer(count, MAX_GAME_LENGTH),
        counts=np.zeros((count, 3), np.int64),
    )


def new_inference_buffers(count: int) -> InferenceBuffers:
    """Returns empty buffers for one position of each game."""
    return InferenceBuffers(
        states=np.zeros((count, WORDS), np.int64),
        circles=np.zeros((count, CIRCLE), np.int64),
        gumbel_scales=np.zeros(count, np.float32),
        codes=np.zeros((count, CANDIDATES), np.int32),
        priors=np.zeros((count, CANDIDATES), np.float32),
        logits=np.zeros((count, CANDIDATES), np.float32),
        gumbel_logits=np.zeros((count, CANDIDATES), np.float32),
        counts=np.zeros(count, np.int32),
        norms=np.zeros(count, np.float32),
        values=np.zeros((count, 2), np.float32),
    )


class Workspace(NamedTuple):
    """Scratch memory of one thread."""

    state: Numbers
    codes: Numbers
    values: Reals
    counts: Numbers
    moves: Numbers
    priors: Reals
    scores: Reals
    scratch: Numbers


@compiled
def new_workspace() -> Workspace:
    """Returns scratch memory for one thread."""
    return Workspace(
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
def tree_of(games: GameBatch, game: int) -> Tree:
    """Returns a view of the tree of one game."""
    tree = games.tree
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
def _leaf_of(games: GameBatch, game: int) -> LeafBatch:
    leaves = games.leaves
    return LeafBatch(
        leaves.states[game], leaves.nodes[game], leaves.paths[game], leaves.lengths[game]
    )


@compiled
def _set_up(state: Numbers, circle: Numbers, random: Randoms) -> None:
    """Sets up a game: any circle, either edition."""
    state[:] = _STARTS[draw(random, len(_STARTS))]
    circle[:-1], circle[-1] = _OTHER_PATCHES, SMALLEST
    for last in range(CIRCLE - 2, 0, -1):
        other = draw(random, last + 1)
        circle[last], circle[other] = circle[other], circle[last]


@compiled
def reset(
    games: GameBatch,
    buffers: InferenceBuffers,
    parameters: SelfPlayParameters,
    seed: int,
    alike: int,
    max_unsearched: int = 0,
) -> None:
    """Starts all games and shows the network their first positions.

    Groups of ``alike`` neighbours have the same set-up: 2 for games played in pairs. Each game
    starts with up to ``max_unsearched`` moves by the policy alone, so that not all end at the same
    time.
    """
    work = new_workspace()
    for game in range(len(games.simulations)):
        games.randoms[game, 0] = seeded(seed, game // alike)
        _set_up(work.state, games.circles[game], games.randoms[game])
        games.trajectories.written[game] = 0
        games.counts[game] = 0
        games.unsearched[game] = draw(games.randoms[game], max_unsearched + 1)
        reset_tree(tree_of(games, game), _leaf_of(games, game), work.state)
        _show(games, buffers, parameters, game)


@compiled
def _show(
    games: GameBatch, buffers: InferenceBuffers, parameters: SelfPlayParameters, game: int
) -> None:
    """Shows the network the position that waits."""
    buffers.states[game] = games.leaves.states[game, 0]
    buffers.circles[game] = games.circles[game]
    is_root = games.leaves.lengths[game, 0] == 0
    buffers.gumbel_scales[game] = parameters.gumbel_scale if is_root else NO_ROOT
    games.counts[game, EVALUATED] += 1


@compiled
def step(
    games: GameBatch,
    buffers: InferenceBuffers,
    parameters: SelfPlayParameters,
    replay: ReplayBuffer,
    shard: int,
    first: int,
    last: int,
    work: Workspace,
) -> None:
    """Takes the games from ``first`` to ``last`` - 1 to their next positions to evaluate.

    Finished games write their samples to that shard of the replay buffer.
    """
    for game in range(first, last):
        _take_in(games, buffers, game, work)
        _go_on(games, parameters, replay, shard, game, work)
        _show(games, buffers, parameters, game)


@compiled
def _take_in(games: GameBatch, buffers: InferenceBuffers, game: int, work: Workspace) -> None:
    """Expands the leaf with what the network says about it."""
    win, margin = buffers.values[game, 0], buffers.values[game, 1]
    if games.leaves.states[game, 0, TURN] == 1:
        win, margin = 1 - win, -margin
    work.values[0, 0], work.values[0, 1] = win, margin
    count = buffers.counts[game]
    total = _TINY
    for number in range(count):
        total += buffers.priors[game, number]
    for number in range(count):
        work.moves[0, number] = buffers.codes[game, number]
        work.priors[0, number] = buffers.priors[game, number] / total
    work.counts[0] = count
    if games.leaves.lengths[game, 0] == 0:
        norm = buffers.norms[game]
        for number in range(count):
            games.root_logits[game, number] = buffers.logits[game, number] - norm
            games.gumbel_logits[game, number] = buffers.gumbel_logits[game, number] - norm
        games.simulations[game] = 0
        games.root_values[game] = work.values[0]
        games.root_rest[game] = max(0.0, 1 - total)
    expand(
        tree_of(games, game),
        _leaf_of(games, game),
        1,
        work.values,
        work.counts,
        work.moves,
        work.priors,
    )


@compiled
def _go_on(
    games: GameBatch,
    parameters: SelfPlayParameters,
    replay: ReplayBuffer,
    shard: int,
    game: int,
    work: Workspace,
) -> None:
    """Runs simulations, plays moves and starts games until a position waits."""
    tree, leaf, circle = tree_of(games, game), _leaf_of(games, game), games.circles[game]
    rows, simulations = parameters.visit_schedule.shape
    if games.unsearched[game] > 0:
        simulations = 0
    gumbel_logits = games.gumbel_logits[game]
    value = utility(games.root_values[game, 0], games.root_values[game, 1])
    while True:
        # Candidates are in the order of their noisy logits: only the first ones are ever tried.
        count = min(tree.edge_count[0], rows - 1)
        unknown = completed_values(tree, count, value, work.scores)
        if games.simulations[game] < simulations:
            wanted = parameters.visit_schedule[count, games.simulations[game]]
            edge = tree.first_edge[0] + choose(tree, count, wanted, gumbel_logits, work.scores)
            games.simulations[game] += 1
            waiting, _ = gather(tree, leaf, circle, _SEARCH, 1, 1, edge)
            if waiting > 0:
                return
            continue
        chosen = choose(tree, count, most_visits(tree, count), gumbel_logits, work.scores)
        if games.unsearched[game] > 0:
            games.unsearched[game] -= 1
        else:
            work.scores[count:] = unknown
            record_sample(games, tree, game, unknown, work)
        work.state[:] = tree.states[0]
        play(work.state, circle, tree.moves[tree.first_edge[0] + chosen])
        _play_forced_moves(work, circle)
        if work.state[PHASE] == OVER:
            _finish(games, parameters, replay, shard, game, work.state)
            _set_up(work.state, circle, games.randoms[game])
        reset_tree(tree, leaf, work.state)
        return


@compiled
def _play_forced_moves(work: Workspace, circle: Numbers) -> None:
    """Plays on as long as there is only one legal move."""
    while work.state[PHASE] != OVER:
        if legal_moves(work.state, circle, work.codes, work.scratch) > 1:
            return
        play(work.state, circle, work.codes[0])


@compiled
def record_sample(games: GameBatch, tree: Tree, game: int, unknown: float, work: Workspace) -> None:
    """Adds the position just searched to the trajectory: improved policy, and value of the search.

    ``work.scores`` are the completed values, ``unknown`` that of the moves left out. The value of
    the search weighs each move by the improved policy rather than by its visits, since many moves
    are tried that should not be played.
    """
    trajectories, count = games.trajectories, tree.edge_count[0]
    at = trajectories.written[game]
    trajectories.written[game] += 1
    trajectories.states[game, at] = tree.states[0]
    trajectories.counts[game, at] = count
    highest, total = unknown, 0.0
    for number in range(count):
        highest = max(highest, games.root_logits[game, number] + work.scores[number])
    for number in range(count):
        share = np.exp(games.root_logits[game, number] + work.scores[number] - highest)
        work.scores[number] = share
        total += share
    total += games.root_rest[game] * np.exp(unknown - highest)
    win = margin = tried = 0.0
    for number in range(count):
        edge, share = tree.first_edge[0] + number, work.scores[number] / total
        trajectories.codes[game, at, number] = tree.moves[edge]
        trajectories.policies[game, at, number] = share
        if tree.visits[edge] > 0:
            win += share * tree.sums[edge, WIN] / tree.visits[edge]
            margin += share * tree.sums[edge, MARGIN] / tree.visits[edge]
            tried += share
    trajectories.policies[game, at, count:] = 0.0
    if tried == 0.0:  # there was no search: what the network says
        win, margin, tried = games.root_values[game, 0], games.root_values[game, 1], 1.0
    trajectories.targets[game, at, WIN_TARGET] = win / tried
    trajectories.targets[game, at, MARGIN_TARGET] = margin / tried


@compiled
def _finish(
    games: GameBatch,
    parameters: SelfPlayParameters,
    replay: ReplayBuffer,
    shard: int,
    game: int,
    end: Numbers,
) -> None:
    """Moves the trajectory of a finished game to the replay buffer, with TD(lambda) targets."""
    trajectories, size = games.trajectories, replay.counts.shape[1]
    td_lambda = parameters.td_lambda
    first_won = winner(end) == 0
    games.counts[game, FINISHED] += 1
    games.counts[game, FIRST_SEAT_WINS] += first_won
    win = 1.0 if first_won else 0.0
    margin = float(score(end, 0) - score(end, 1))
    for at in range(trajectories.written[game] - 1, -1, -1):
        searched_win = trajectories.targets[game, at, WIN_TARGET]
        searched_margin = trajectories.targets[game, at, MARGIN_TARGET]
        to = replay.written[shard] % size
        replay.written[shard] += 1
        replay.states[shard, to] = trajectories.states[game, at]
        replay.counts[shard, to] = trajectories.counts[game, at]
        replay.codes[shard, to] = trajectories.codes[game, at]
        replay.policies[shard, to] = trajectories.policies[game, at]
        for place in range(CIRCLE):
            replay.circles[shard, to, place] = games.circles[game, place]
        turn = trajectories.states[game, at, TURN]
        targets = replay.targets[shard, to]
        targets[WIN_TARGET] = win if turn == 0 else 1 - win
        targets[MARGIN_TARGET] = margin if turn == 0 else -margin
        targets[OWN_SCORE_TARGET] = score(end, turn)
        targets[OTHER_SCORE_TARGET] = score(end, 1 - turn)
        for quilt in range(2):
            seat = SEAT * (turn if quilt == 0 else 1 - turn)
            replay.final_quilts[shard, to, quilt, 0] = end[seat + LOW]
            replay.final_quilts[shard, to, quilt, 1] = end[seat + HIGH]
        win = td_lambda * win + (1 - td_lambda) * searched_win
        margin = td_lambda * margin + (1 - td_lambda) * searched_margin
    trajectories.written[game] = 0
