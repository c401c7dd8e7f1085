"""The tree of a search, in flat arrays, and the compiled simulations that expand it by PUCT.

A node is a position, an edge a move from it. Values are kept for seat 0, and each node knows which
seat is to move there, since players do not alternate. A simulation goes down from the root to a
move not tried before; the new position, a leaf, waits in a batch for the evaluator. Until its value
is there, the visits of the edges on the way count as lost (virtual loss), so that the next
simulation goes elsewhere.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.kernel.jit import compiled, inlined
from patchwork.engine.kernel.rules import piece_of, play, score, winner
from patchwork.engine.kernel.state import MAX_GAME_LENGTH, OVER, PHASE, TURN, WORDS, Numbers, Reals
from patchwork.engine.parameters import SearchParameters

UTILITY, WIN, MARGIN = range(3)
"""What is summed up for an edge, for seat 0: utility, wins, and points ahead."""

_UNEVALUATED, _FULL = -1, -2
"""Instead of the number of edges: the node waits for its value; there was no room for edges."""
_UNKNOWN_UTILITY = 0.5
"""What a node is worth of which nothing is known: as much to either seat."""
_WIN_WEIGHT, _MARGIN_WEIGHT, _MARGIN_SCALE = 0.5, 0.25, 20.0
"""The parts of utility: the win counts as much as the margin, which ranges from -1 to 1 and is half
way there at 20 points. With less weight on the margin, fewer games were won (docs/engine.md)."""


class Tree(NamedTuple):
    """Room for ``n`` nodes and ``e`` edges."""

    states: Numbers
    """[n, WORDS]"""
    first_edge: Numbers
    """[n]"""
    edge_count: Numbers
    """[n]"""
    moves: NDArray[np.int16]
    """[e]: codes."""
    priors: NDArray[np.float32]
    """[e]: the policy; the sum over a node is 1."""
    children: NDArray[np.int32]
    """[e]: nodes, or -1."""
    visits: NDArray[np.int32]
    """[e]"""
    virtual_loss: NDArray[np.int16]
    """[e]: visits that have no value yet."""
    sums: Reals
    """[e, 3]: the sums of the values of all visits; see UTILITY."""
    used: Numbers
    """[2]: nodes and edges in use."""


class LeafBatch(NamedTuple):
    """Room for ``b`` leaves that wait for their values."""

    states: Numbers
    """[b, WORDS]"""
    nodes: Numbers
    """[b]: the node of each, or -1 where the tree is full."""
    paths: NDArray[np.int32]
    """[b, MAX_GAME_LENGTH]: the edges that led there."""
    lengths: Numbers
    """[b]"""

    def after(self, start: int) -> "LeafBatch":
        """Returns a view of the room after the first ``start`` leaves."""
        return LeafBatch._make(each[start:] for each in self)


EDGES_PER_NODE = 6
"""Room for edges: what a search with patterns needs. With other evaluators, the tree is full before
all room for nodes is used."""


# The fields of a node, and those of an edge, lie side by side in memory: they are read together.
_NODE = np.dtype([("first_edge", np.int64), ("edge_count", np.int64), ("states", np.int64, WORDS)])


def _edge(whole: type[np.integer], real: type[np.floating]) -> np.dtype[np.void]:
    fields = [
        ("sums", real, 3),
        ("priors", np.float32),
        ("moves", np.int16),
        ("virtual_loss", np.int16),
        ("children", whole),
        ("visits", whole),
    ]
    return np.dtype(fields, align=True)


def new_tree(memory: int) -> Tree:
    """Returns an empty tree of at most ``memory`` bytes."""
    kinds = np.int32, np.float64
    nodes = memory // (_NODE.itemsize + EDGES_PER_NODE * _edge(*kinds).itemsize)
    return empty_trees((), nodes, nodes * EDGES_PER_NODE, *kinds)


def empty_trees(
    count: tuple[int, ...], nodes: int, edges: int, whole: type[np.integer], real: type[np.floating]
) -> Tree:
    """Returns room for some trees of at most ``nodes`` nodes and ``edges`` edges each.

    ``count`` is the beginning of the shape of every array. Visits and nodes are counted in numbers
    of type ``whole``, values summed up in numbers of type ``real``.
    """
    node, edge = np.empty((*count, nodes), _NODE), np.empty((*count, edges), _edge(whole, real))
    return Tree(
        states=node["states"],
        first_edge=node["first_edge"],
        edge_count=node["edge_count"],
        moves=edge["moves"],
        priors=edge["priors"],
        children=edge["children"],
        visits=edge["visits"],
        virtual_loss=edge["virtual_loss"],
        sums=edge["sums"],
        used=np.zeros((*count, 2), np.int64),
    )


def new_batch(size: int) -> LeafBatch:
    """Returns room for ``size`` leaves."""
    return LeafBatch(
        states=np.empty((size, WORDS), np.int64),
        nodes=np.empty(size, np.int64),
        paths=np.empty((size, MAX_GAME_LENGTH), np.int32),
        lengths=np.empty(size, np.int64),
    )


@compiled
def reset(tree: Tree, batch: LeafBatch, root: Numbers) -> None:
    """Starts a new tree; its root waits in the batch."""
    tree.used[0], tree.used[1] = 1, 0
    tree.states[0] = root
    tree.edge_count[0] = _UNEVALUATED
    batch.states[0] = root
    batch.nodes[0] = 0
    batch.lengths[0] = 0


@inlined
def utility(win: float, margin: float) -> float:
    """Returns what the search maximizes, from 0 to 1; that of both seats adds up to 1.

    It is the win, and also the margin, so that a decided game is still played for points.
    """
    return _WIN_WEIGHT * win + _MARGIN_WEIGHT * (1.0 + margin / (_MARGIN_SCALE + abs(margin)))


@inlined
def select(tree: Tree, node: int, parameters: SearchParameters) -> int:
    """Returns the edge to follow by PUCT: its mean utility, plus a bonus for exploration."""
    first, count = tree.first_edge[node], tree.edge_count[node]
    sign = 1.0 if tree.states[node, TURN] == 0 else -1.0
    total, known, value, tried = 0, 0, 0.0, 0.0
    for edge in range(first, first + count):
        visits = tree.visits[edge]
        if visits > 0:
            total += visits
            known += visits - tree.virtual_loss[edge]
            value += tree.sums[edge, UTILITY]
            tried += tree.priors[edge]
    mean = value / known if known > 0 else _UNKNOWN_UTILITY
    if sign < 0:
        mean = 1.0 - mean
    untried = mean - parameters.first_play_urgency * np.sqrt(tried)
    scale = parameters.exploration * np.sqrt(total + 1.0)
    best, chosen = -np.inf, int(first)
    for edge in range(first, first + count):
        visits = tree.visits[edge]
        if visits > 0:
            gained = tree.sums[edge, UTILITY]
            if sign < 0:
                gained = visits - tree.virtual_loss[edge] - gained
            worth = gained / visits
        elif (
            edge > first
            and node > 0
            and tree.visits[edge - 1] < parameters.sibling_delay
            and piece_of(tree.moves[edge]) == piece_of(tree.moves[edge - 1])
        ):
            continue
        else:
            worth = untried
        worth += scale * tree.priors[edge] / (1 + visits)
        if worth > best:
            best, chosen = worth, edge
    return chosen


@inlined
def back_up(tree: Tree, path: NDArray[np.int32], length: int, win: float, margin: float) -> None:
    """Adds the value of a leaf to the edges that led there."""
    worth = utility(win, margin)
    for step in range(length):
        edge = path[step]
        tree.virtual_loss[edge] -= 1
        tree.sums[edge, UTILITY] += worth
        tree.sums[edge, WIN] += win
        tree.sums[edge, MARGIN] += margin


@compiled
def gather(
    tree: Tree,
    batch: LeafBatch,
    circle: Numbers,
    parameters: SearchParameters,
    wanted: int,
    simulations: int,
    start: int,
) -> tuple[int, int]:
    """Runs up to ``simulations`` simulations, until ``wanted`` leaves wait for their values.

    All begin with the edge ``start`` of the root, or by PUCT if that is -1. A simulation that
    reaches the end of the game is complete at once, with the true result. One that reaches a
    position that already waits is undone, and ends the batch.

    Returns how many leaves wait, and how many simulations are complete.
    """
    waiting, complete = 0, 0
    while waiting < wanted and waiting + complete < simulations:
        node, length = 0, 0
        path = batch.paths[waiting]
        while True:
            edge = start if node == 0 and start >= 0 else select(tree, node, parameters)
            path[length] = edge
            length += 1
            tree.visits[edge] += 1
            tree.virtual_loss[edge] += 1
            if tree.children[edge] < 0:
                break
            node = tree.children[edge]
            if tree.edge_count[node] <= 0:
                break
        edge = path[length - 1]
        if tree.children[edge] >= 0 and tree.edge_count[node] == _UNEVALUATED:
            for step in range(length):
                tree.visits[path[step]] -= 1
                tree.virtual_loss[path[step]] -= 1
            break
        state = batch.states[waiting]
        if tree.children[edge] < 0:
            state[:] = tree.states[node]
            play(state, circle, tree.moves[edge])
            node = -1
            if tree.used[0] < len(tree.states):
                node = tree.used[0]
                tree.used[0] += 1
                tree.states[node] = state
                tree.edge_count[node] = 0 if state[PHASE] == OVER else _UNEVALUATED
                tree.children[edge] = node
        else:
            state[:] = tree.states[node]
        if state[PHASE] == OVER:
            win = 1.0 if winner(state) == 0 else 0.0
            back_up(tree, path, length, win, float(score(state, 0) - score(state, 1)))
            complete += 1
        else:
            batch.nodes[waiting] = node
            batch.lengths[waiting] = length
            waiting += 1
    return waiting, complete


@compiled
def expand(
    tree: Tree,
    batch: LeafBatch,
    waiting: int,
    values: Reals,
    counts: Numbers,
    moves: Numbers,
    priors: Reals,
) -> None:
    """Adds the moves of evaluated leaves to the tree, and backs up their values."""
    for number in range(waiting):
        node = batch.nodes[number]
        if node >= 0 and tree.edge_count[node] == _UNEVALUATED:
            first, count = tree.used[1], counts[number]
            if first + count > len(tree.moves):
                tree.edge_count[node] = _FULL
            else:
                tree.used[1] += count
                tree.first_edge[node], tree.edge_count[node] = first, count
                for offset in range(count):
                    edge = first + offset
                    tree.moves[edge] = moves[number, offset]
                    tree.priors[edge] = priors[number, offset]
                    tree.children[edge] = -1
                    tree.visits[edge] = 0
                    tree.virtual_loss[edge] = 0
                    for each in range(3):  # assigning to the whole row takes longer
                        tree.sums[edge, each] = 0.0
        back_up(
            tree, batch.paths[number], batch.lengths[number], values[number, 0], values[number, 1]
        )
