"""The tree of a search, in flat arrays, and the compiled walk through it.

A node is a position looked at; an edge is a move from it. Values are kept for seat 0, and each node
knows who decides there, since players do not alternate. A walk goes down from the root to a move
not tried before; the new position waits in a batch for an evaluator. Moves on the way are marked as
pending, which counts as a loss until the value is there, so that the next walk goes elsewhere.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.kernel.jit import compiled, inlined
from patchwork.engine.kernel.rules import piece_of, play, score, winner
from patchwork.engine.kernel.state import MOST_DECISIONS, OVER, PHASE, TURN, WORDS, Numbers, Reals

UTILITY, WIN, MARGIN = range(3)
"""What is summed up for an edge, for seat 0: what the search wants, wins, and points ahead."""

_UNKNOWN, _FULL = -1, -2
"""Instead of the number of edges: the node waits for its values; there was no room for edges."""


class Tree(NamedTuple):
    """The arrays; ``n`` nodes and ``e`` edges at most."""

    states: Numbers
    """[n, WORDS]"""
    first_edge: Numbers
    """[n]"""
    edge_count: Numbers
    """[n]"""
    moves: NDArray[np.int16]
    """[e]: codes."""
    priors: NDArray[np.float32]
    """[e]: how much a move deserves a look before it is tried; the sum over a node is 1."""
    children: NDArray[np.int32]
    """[e]: nodes, or -1."""
    visits: NDArray[np.int32]
    """[e]"""
    pending: NDArray[np.int16]
    """[e]: of the visits, those without a value yet."""
    sums: Reals
    """[e, 3]: of the values of all visits."""
    used: Numbers
    """[2]: nodes and edges in use."""


class Manner(NamedTuple):
    """How walks choose among moves."""

    exploration: float = 1.5
    """How much moves count that are likely but little tried."""
    patience: int = 0
    """Below the root: where places for one patch follow each other, the likeliest first, how often
    one is tried before the next one is."""


PLAIN = Manner()
"""How walks choose unless told otherwise."""


class Batch(NamedTuple):
    """Positions that wait for values; ``b`` at most."""

    states: Numbers
    """[b, WORDS]"""
    nodes: Numbers
    """[b]: the node of each, or -1 where the tree is full."""
    paths: NDArray[np.int32]
    """[b, MOST_DECISIONS]: the edges that led there."""
    lengths: Numbers
    """[b]"""

    def after(self, start: int) -> "Batch":
        """Returns a view of the room from some number on."""
        return Batch._make(each[start:] for each in self)


EDGES_PER_NODE = 6
"""Room for edges: what a search by tables needs. Nodes with more leave room for fewer nodes."""


# All about a node, and about an edge, lies together: a walk reads it one after the other.
_NODE = np.dtype([("first_edge", np.int64), ("edge_count", np.int64), ("states", np.int64, WORDS)])


def _edge(whole: type[np.integer], real: type[np.floating]) -> np.dtype[np.void]:
    fields = [
        ("sums", real, 3),
        ("priors", np.float32),
        ("moves", np.int16),
        ("pending", np.int16),
        ("children", whole),
        ("visits", whole),
    ]
    return np.dtype(fields, align=True)


def new_tree(memory: int) -> Tree:
    """Returns an empty tree that takes that many bytes at most."""
    kinds = np.int32, np.float64
    nodes = memory // (_NODE.itemsize + EDGES_PER_NODE * _edge(*kinds).itemsize)
    return empty_trees((), nodes, nodes * EDGES_PER_NODE, *kinds)


def empty_trees(
    count: tuple[int, ...], nodes: int, edges: int, whole: type[np.integer], real: type[np.floating]
) -> Tree:
    """Returns room for some trees, each with so many nodes and edges at most.

    Their number comes first in the shape of every array. ``whole`` numbers count visits and nodes,
    ``real`` ones sum up values.
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
        pending=edge["pending"],
        sums=edge["sums"],
        used=np.zeros((*count, 2), np.int64),
    )


def new_batch(size: int) -> Batch:
    """Returns room for that many positions."""
    return Batch(
        states=np.empty((size, WORDS), np.int64),
        nodes=np.empty(size, np.int64),
        paths=np.empty((size, MOST_DECISIONS), np.int32),
        lengths=np.empty(size, np.int64),
    )


@compiled
def plant(tree: Tree, batch: Batch, root: Numbers) -> None:
    """Starts a tree anew; its root waits in the batch."""
    tree.used[0], tree.used[1] = 1, 0
    tree.states[0] = root
    tree.edge_count[0] = _UNKNOWN
    batch.states[0] = root
    batch.nodes[0] = 0
    batch.lengths[0] = 0


@inlined
def utility(win: float, margin: float) -> float:
    """Returns what the search wants: to win, and by much, since a decided game is played on."""
    return 0.5 * win + 0.25 * (1.0 + margin / (20.0 + abs(margin)))


@inlined
def select(tree: Tree, node: int, manner: Manner) -> int:
    """Returns the edge to follow: the mean so far, and more for moves likely but little tried."""
    first, count = tree.first_edge[node], tree.edge_count[node]
    sign = 1.0 if tree.states[node, TURN] == 0 else -1.0
    total, known, value, seen = 0, 0, 0.0, 0.0
    for edge in range(first, first + count):
        visits = tree.visits[edge]
        if visits > 0:
            total += visits
            known += visits - tree.pending[edge]
            value += tree.sums[edge, UTILITY]
            seen += tree.priors[edge]
    mean = value / known if known > 0 else 0.5
    if sign < 0:
        mean = 1.0 - mean
    # A move not tried is taken to be somewhat worse than those tried.
    hope = mean - 0.2 * np.sqrt(seen)
    scale = manner.exploration * np.sqrt(total + 1.0)
    best, chosen = -1e9, int(first)
    for edge in range(first, first + count):
        visits = tree.visits[edge]
        if visits > 0:
            gained = tree.sums[edge, UTILITY]
            if sign < 0:
                gained = visits - tree.pending[edge] - gained
            worth = gained / visits
        elif (
            edge > first
            and node > 0
            and tree.visits[edge - 1] < manner.patience
            and piece_of(tree.moves[edge]) == piece_of(tree.moves[edge - 1])
        ):
            continue
        else:
            worth = hope
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
        tree.pending[edge] -= 1
        tree.sums[edge, UTILITY] += worth
        tree.sums[edge, WIN] += win
        tree.sums[edge, MARGIN] += margin


@compiled
def gather(
    tree: Tree,
    batch: Batch,
    circle: Numbers,
    manner: Manner,
    wanted: int,
    walks: int,
    start: int,
) -> tuple[int, int]:
    """Walks down until enough positions wait; returns how many wait and how many walks ended.

    Walks begin with the edge ``start`` of the root, or with the one that deserves it most if that
    is -1. A walk that meets a finished game ends at once, with its true result; one that meets a
    position that already waits is taken back, and ends the gathering.
    """
    waiting, ended = 0, 0
    while waiting < wanted and waiting + ended < walks:
        node, length = 0, 0
        path = batch.paths[waiting]
        while True:
            edge = start if node == 0 and start >= 0 else select(tree, node, manner)
            path[length] = edge
            length += 1
            tree.visits[edge] += 1
            tree.pending[edge] += 1
            if tree.children[edge] < 0:
                break
            node = tree.children[edge]
            if tree.edge_count[node] <= 0:
                break
        edge = path[length - 1]
        if tree.children[edge] >= 0 and tree.edge_count[node] == _UNKNOWN:
            for step in range(length):
                tree.visits[path[step]] -= 1
                tree.pending[path[step]] -= 1
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
                tree.edge_count[node] = 0 if state[PHASE] == OVER else _UNKNOWN
                tree.children[edge] = node
        else:
            state[:] = tree.states[node]
        if state[PHASE] == OVER:
            win = 1.0 if winner(state) == 0 else 0.0
            back_up(tree, path, length, win, float(score(state, 0) - score(state, 1)))
            ended += 1
        else:
            batch.nodes[waiting] = node
            batch.lengths[waiting] = length
            waiting += 1
    return waiting, ended


@compiled
def grow(
    tree: Tree,
    batch: Batch,
    waiting: int,
    values: Reals,
    counts: Numbers,
    moves: Numbers,
    priors: Reals,
) -> None:
    """Takes in the values of a batch and opens its nodes."""
    for number in range(waiting):
        node = batch.nodes[number]
        if node >= 0 and tree.edge_count[node] == _UNKNOWN:
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
                    tree.pending[edge] = 0
                    for each in range(3):  # assigning to the whole row takes longer
                        tree.sums[edge, each] = 0.0
        back_up(
            tree, batch.paths[number], batch.lengths[number], values[number, 0], values[number, 1]
        )
