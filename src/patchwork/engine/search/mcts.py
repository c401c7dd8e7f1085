"""The search: grows a tree from a position and reads off what it found."""

from collections.abc import Callable
from math import isnan
from time import perf_counter

import numpy as np

from patchwork.engine.analysis import Analysis, Limit, Line, final_scores
from patchwork.engine.evaluators.evaluator import Evaluator, new_evaluation
from patchwork.engine.kernel.state import TURN, Numbers, from_position, to_move
from patchwork.engine.search.gumbel import completed_values, rounds
from patchwork.engine.search.tree import (
    MARGIN,
    PLAIN,
    UTILITY,
    WIN,
    Manner,
    gather,
    grow,
    new_batch,
    new_tree,
    plant,
    utility,
)
from patchwork.rules.moves import Move
from patchwork.rules.position import Position

_WALKS = 256
"""Walks between two looks at the clock, at most: late in a game they all end at once."""
_BUDGET = 64
"""Walks that a search by halving shares out first if their number is not known; then twice them."""
_SERIOUS = 0.75
"""Of the visits of the most visited move: with fewer, a move is not played."""


class Search:
    """A tree and the evaluator that feeds it; used again for every position."""

    def __init__(
        self,
        evaluator: Evaluator,
        memory: int,
        *,
        considered: int = 0,
        manner: Manner = PLAIN,
        serious: float = 1.0,
    ) -> None:
        """Makes a search.

        Args:
            evaluator: judges positions.
            memory: bytes that the tree may take.
            considered: moves of the root among which walks are shared out by halving; with 0,
                walks go where they like, as suits an evaluator that is fast.
            manner: how walks choose among moves.
            serious: of the visits of the most visited move, the share with which a move that
                promises more is played instead.
        """
        self._evaluator = evaluator
        self._considered = considered
        self._manner = manner
        self._serious = serious
        self._tree = new_tree(memory)
        self._batch = new_batch(evaluator.batch)
        self._evaluation = new_evaluation(evaluator.batch)

    def run(
        self,
        position: Position,
        limit: Limit,
        lines: int,
        stopped: Callable[[], bool],
        progress: Callable[[Analysis], None] | None = None,
    ) -> Analysis:
        """Returns what is found until the limit is reached or ``stopped`` says so.

        Tells ``progress`` from time to time what is found so far.
        """
        started = told = perf_counter()
        state, circle = from_position(position)
        plant(self._tree, self._batch, state)
        self._visits, self._evaluated, self._total = 0, 0, 0.0
        self._take_in(circle, 1)
        self._first: tuple[float, float] = tuple(self._evaluation.values[0].tolist())

        def over() -> bool:
            nonlocal told
            now = perf_counter()
            if stopped() or (limit.time is not None and now - started >= limit.time):
                return True
            if progress is not None and now - told >= 0.5:
                told = now
                progress(self._read(lines))
            return limit.nodes is not None and self._visits >= limit.nodes

        if self._considered > 0:
            return self._read(lines, self._halve(circle, limit.nodes, over))
        while not over():
            walks = _WALKS if limit.nodes is None else min(_WALKS, limit.nodes - self._visits)
            waiting, ended = gather(
                self._tree, self._batch, circle, self._manner, self._wanted(), walks, -1
            )
            self._take_in(circle, waiting)
            self._visits += ended
        return self._read(lines)

    def _wanted(self) -> int:
        """Returns how many positions to evaluate at a time.

        A young tree has few good leaves: asking for many at once would spread them thin.
        """
        return min(self._evaluator.batch, 1 + self._visits // 64)

    def _take_in(self, circle: Numbers, waiting: int) -> None:
        """Has the positions that wait evaluated, and grows the tree by them."""
        if waiting > 0:
            batch, out = self._batch, self._evaluation
            self._evaluator.evaluate(batch.states[:waiting], circle, self._visits, out)
            grow(self._tree, batch, waiting, *out[:4])
            self._total += float(out.totals[:waiting].sum())
            self._evaluated += waiting
        self._visits += waiting

    def _halve(self, circle: Numbers, nodes: int | None, over: Callable[[], bool]) -> int:
        """Shares walks out among the likeliest moves, see ``halving``; returns the best edge.

        Where the number of walks is not known, they are shared out again and again, each time for
        twice as many; what a move has got already counts.
        """
        tree = self._tree
        budget = _BUDGET if nodes is None else max(0, nodes - 1)
        start = int(tree.first_edge[0])
        count = min(self._considered, int(tree.edge_count[0]), max(1, budget))
        base = np.log(np.maximum(tree.priors[start : start + count].astype(np.float64), 1e-30))
        scores = np.zeros(count)
        value = utility(*self._first)
        while not over():
            moves = np.arange(count)
            for left, target in rounds(count, budget):
                completed_values(tree, count, value, scores)
                moves = moves[np.argsort(-(base + scores)[moves], kind="stable")[:left]]
                self._visit(circle, (start + moves).tolist(), target, nodes, over)
            budget *= 2
        completed_values(tree, count, value, scores)
        visits = tree.visits[start : start + count]
        serious = visits >= _SERIOUS * visits.max()
        return start + int(np.argmax(np.where(serious, base + scores, -np.inf)))

    def _visit(
        self,
        circle: Numbers,
        edges: list[int],
        target: int,
        nodes: int | None,
        over: Callable[[], bool],
    ) -> None:
        """Walks until every one of some edges of the root has so many visits."""
        tree, size = self._tree, self._evaluator.batch
        while not over():
            share = max(1, self._wanted() // len(edges))
            waiting, walked = 0, 0
            for edge in edges:
                walks = min(share, target - int(tree.visits[edge]), size - waiting)
                if nodes is not None:
                    walks = min(walks, nodes - self._visits - waiting)
                if walks > 0:
                    room = self._batch.after(waiting)
                    more, ended = gather(tree, room, circle, self._manner, walks, walks, edge)
                    waiting += more
                    walked += more + ended
                    self._visits += ended
            self._take_in(circle, waiting)
            if walked == 0:
                return

    def _read(self, count: int, chosen: int | None = None) -> Analysis:
        """Returns what the tree says; the line that begins with ``chosen`` comes first."""
        tree = self._tree
        seat = int(tree.states[0, TURN])
        ranked = self._ranked(0)
        if chosen is None:
            enough = self._serious * tree.visits[ranked[0]]
            chosen = max(
                (edge for edge in ranked if tree.visits[edge] >= enough), key=self._worth_to(seat)
            )
        ranked.sort(key=lambda edge: edge != chosen)
        lines = []
        for edge in ranked[:count]:
            tried = int(tree.visits[edge])
            found = tree.sums[edge, (WIN, MARGIN)] / tried if tried > 0 else self._first
            win, margin = map(float, found)
            if seat == 1:
                win, margin = 1 - win, -margin
            lines.append(Line(self._continuation(edge), win, margin, tried))
        best = lines[0]
        return Analysis(
            best=best.moves[0],
            win=best.win,
            margin=best.margin,
            seat=seat,
            lines=tuple(lines),
            visits=self._visits,
            exact=False,
            scores=self._scores(best.margin if seat == 0 else -best.margin),
        )

    def _scores(self, margin: float) -> tuple[float, float] | None:
        """Returns the final scores expected if seat 0 ends that far ahead."""
        total = self._total / self._evaluated
        return None if isnan(total) else final_scores(total, margin)

    def _ranked(self, node: int) -> list[int]:
        """Returns the edges of a node, best first: most visited, then best, then likeliest."""
        tree = self._tree
        first = int(tree.first_edge[node])
        edges = range(first, first + max(0, int(tree.edge_count[node])))
        worth = self._worth_to(int(tree.states[node, TURN]))
        return sorted(
            edges, key=lambda edge: (-tree.visits[edge], -worth(edge), -tree.priors[edge])
        )

    def _worth_to(self, seat: int) -> Callable[[int], float]:
        """Returns what tells how much an edge promises to a seat."""
        tree, sign = self._tree, 1 if seat == 0 else -1
        return lambda edge: sign * float(tree.sums[edge, UTILITY]) / max(1, int(tree.visits[edge]))

    def _continuation(self, edge: int) -> tuple[Move, ...]:
        tree = self._tree
        moves = []
        while True:
            moves.append(to_move(int(tree.moves[edge])))
            node = int(tree.children[edge])
            edges = self._ranked(node) if node >= 0 else []
            if not edges or tree.visits[edges[0]] == 0:
                return tuple(moves)
            edge = edges[0]
