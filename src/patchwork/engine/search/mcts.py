"""The tree search (MCTS): runs simulations from a position and reads the result off the tree."""

from collections.abc import Callable
from math import isnan
from time import perf_counter

import numpy as np

from patchwork.engine.analysis import Analysis, Limit, Line, final_scores
from patchwork.engine.evaluators.evaluator import Evaluator, Positions, new_evaluation
from patchwork.engine.kernel.state import TURN, from_position, to_move
from patchwork.engine.search.gumbel import completed_values, rounds
from patchwork.engine.search.tree import (
    MARGIN,
    UTILITY,
    WIN,
    expand,
    gather,
    new_batch,
    new_tree,
    reset,
    utility,
)
from patchwork.rules.moves import Move
from patchwork.rules.position import Position

_SIMULATIONS_PER_LOOK = 256
"""Simulations between two looks at the clock, at most: late in a game all of them end at once."""
_VISITS_PER_LEAF = 64
"""Visits of the root for every leaf of a batch beyond the first; see ``Search._wanted``."""
_FIRST_BUDGET = 64
"""Simulations that sequential halving first shares out if their number is not known; then twice as
many, and so on."""
_PROGRESS_INTERVAL = 0.5
"""Seconds between two reports of what has been found so far."""
_LEAST_PRIOR = 1e-30
"""Smaller priors count as this, so that they have a logarithm."""


class Search:
    """A tree and the evaluator that it asks; used again for every position."""

    def __init__(self, evaluator: Evaluator, memory: int) -> None:
        """Makes a search whose tree takes at most ``memory`` bytes."""
        self._evaluator = evaluator
        self._parameters = evaluator.search
        self._tree = new_tree(memory)
        self._batch = new_batch(evaluator.batch_size)
        self._evaluation = new_evaluation(evaluator.batch_size)

    def run(
        self,
        position: Position,
        limit: Limit,
        lines: int,
        stopped: Callable[[], bool],
        progress: Callable[[Analysis], None] | None = None,
    ) -> Analysis:
        """Returns what is found until the limit is reached or ``stopped`` returns true.

        Calls ``progress`` from time to time with what has been found so far.
        """
        started = reported = perf_counter()
        root, circle = from_position(position)
        reset(self._tree, self._batch, root)
        self._root, self._circle = root, circle
        self._visits, self._evaluated, self._total = 0, 0, 0.0
        self._evaluate(1)
        self._root_value: tuple[float, float] = tuple(self._evaluation.values[0].tolist())

        halving = self._parameters.num_considered > 0
        # Until halving has finished, the move that it likes best is the most visited one.
        min_visit_share = 1.0 if halving else self._parameters.min_visit_share

        def over() -> bool:
            nonlocal reported
            now = perf_counter()
            if stopped() or (limit.time is not None and now - started >= limit.time):
                return True
            if progress is not None and now - reported >= _PROGRESS_INTERVAL:
                reported = now
                progress(self._read(lines, self._best(min_visit_share)))
            return limit.nodes is not None and self._visits >= limit.nodes

        if halving:
            return self._read(lines, self._halve(limit.nodes, over))
        while not over():
            simulations = _SIMULATIONS_PER_LOOK
            if limit.nodes is not None:
                simulations = min(simulations, limit.nodes - self._visits)
            waiting, complete = gather(
                self._tree,
                self._batch,
                circle,
                self._parameters,
                self._wanted(),
                simulations,
                -1,
            )
            self._evaluate(waiting)
            self._visits += complete
        return self._read(lines, self._best(min_visit_share))

    def _wanted(self) -> int:
        """Returns how many leaves to evaluate at a time.

        A young tree has few good leaves: with many at once, most would be poor ones.
        """
        return min(self._evaluator.batch_size, 1 + self._visits // _VISITS_PER_LEAF)

    def _evaluate(self, waiting: int) -> None:
        """Has the leaves that wait evaluated and added to the tree."""
        if waiting > 0:
            states, out = self._batch.states[:waiting], self._evaluation
            positions = Positions(states, self._circle, self._root, self._visits)
            if self._visits == 0:
                self._evaluator.evaluate_root(positions, out)
            else:
                self._evaluator.evaluate(positions, out)
            expand(self._tree, self._batch, waiting, *out[:4])
            self._total += float(out.totals[:waiting].sum())
            self._evaluated += waiting
        self._visits += waiting

    def _halve(self, nodes: int | None, over: Callable[[], bool]) -> int:
        """Searches the root by sequential halving, see ``gumbel``; returns the best edge.

        Where the number of simulations is not known, they are shared out again and again, each time
        for twice as many; visits from earlier rounds count.
        """
        tree = self._tree
        budget = _FIRST_BUDGET if nodes is None else max(0, nodes - 1)
        start = int(tree.first_edge[0])
        most = self._parameters.num_considered
        count = min(most, int(tree.edge_count[0]), max(1, budget))
        priors = tree.priors[start : start + count].astype(np.float64)
        logits = np.log(np.maximum(priors, _LEAST_PRIOR))
        scores = np.zeros(count)
        value = utility(*self._root_value)
        while not over():
            moves = np.arange(count)
            for left, target in rounds(count, budget):
                completed_values(tree, count, value, scores)
                moves = moves[np.argsort(-(logits + scores)[moves], kind="stable")[:left]]
                self._visit((start + moves).tolist(), target, nodes, over)
            budget *= 2
        completed_values(tree, count, value, scores)
        visits = tree.visits[start : start + count]
        enough = visits >= self._parameters.min_visit_share * visits.max()
        return start + int(np.argmax(np.where(enough, logits + scores, -np.inf)))

    def _visit(
        self, edges: list[int], target: int, nodes: int | None, over: Callable[[], bool]
    ) -> None:
        """Runs simulations until each of some edges of the root has ``target`` visits."""
        tree, size = self._tree, self._evaluator.batch_size
        while not over():
            share = max(1, self._wanted() // len(edges))
            waiting, done = 0, 0
            for edge in edges:
                simulations = min(share, target - int(tree.visits[edge]), size - waiting)
                if nodes is not None:
                    simulations = min(simulations, nodes - self._visits - waiting)
                if simulations > 0:
                    more, complete = gather(
                        tree,
                        self._batch.after(waiting),
                        self._circle,
                        self._parameters,
                        simulations,
                        simulations,
                        edge,
                    )
                    waiting += more
                    done += more + complete
                    self._visits += complete
            self._evaluate(waiting)
            if done == 0:
                return

    def _best(self, min_visit_share: float) -> int:
        """Returns the edge with the highest value among those of the root with enough visits."""
        tree, ranked = self._tree, self._ranked(0)
        enough = min_visit_share * tree.visits[ranked[0]]
        return max(
            (edge for edge in ranked if tree.visits[edge] >= enough),
            key=self._value_for(int(tree.states[0, TURN])),
        )

    def _read(self, count: int, chosen: int) -> Analysis:
        """Returns what the tree says; the line that begins with the edge ``chosen`` comes first."""
        tree = self._tree
        seat = int(tree.states[0, TURN])
        ranked = sorted(self._ranked(0), key=lambda edge: edge != chosen)
        lines = []
        for edge in ranked[:count]:
            visits = int(tree.visits[edge])
            found = tree.sums[edge, (WIN, MARGIN)] / visits if visits > 0 else self._root_value
            win, margin = map(float, found)
            if seat == 1:
                win, margin = 1 - win, -margin
            lines.append(Line(self._continuation(edge), win, margin, visits))
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
        """Returns the final scores to expect if seat 0 ends ahead by ``margin``."""
        total = self._total / self._evaluated
        return None if isnan(total) else final_scores(total, margin)

    def _ranked(self, node: int) -> list[int]:
        """Returns the edges of a node, by visits, then by value, then by prior."""
        tree = self._tree
        first = int(tree.first_edge[node])
        edges = range(first, first + max(0, int(tree.edge_count[node])))
        value = self._value_for(int(tree.states[node, TURN]))
        return sorted(
            edges, key=lambda edge: (-tree.visits[edge], -value(edge), -tree.priors[edge])
        )

    def _value_for(self, seat: int) -> Callable[[int], float]:
        """Returns a function that orders edges by their mean utility for a seat."""
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
