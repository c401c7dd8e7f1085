"""The search: grows a tree from a position and reads off what it found."""

from collections.abc import Callable
from time import perf_counter

from patchwork.engine.analysis import Analysis, Limit, Line
from patchwork.engine.evaluators import Evaluator, new_evaluation
from patchwork.engine.state import TURN, from_position, to_move
from patchwork.engine.tree import MARGIN, UTILITY, WIN, gather, grow, new_batch, new_tree, plant
from patchwork.rules.moves import Move
from patchwork.rules.position import Position

_EXPLORATION = 1.5
_WALKS = 256
"""Walks between two looks at the clock, at most: late in a game they all end at once."""


class Search:
    """A tree and the evaluator that feeds it; used again for every position."""

    def __init__(self, evaluator: Evaluator, memory: int) -> None:
        self._evaluator = evaluator
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
        tree, batch, out = self._tree, self._batch, self._evaluation
        plant(tree, batch, state)
        self._evaluator.evaluate(batch.states[:1], circle, 0, out)
        grow(tree, batch, 1, *out)
        first: tuple[float, float] = tuple(out.values[0].tolist())
        visits = 1
        while not stopped():
            now = perf_counter()
            if limit.time is not None and now - started >= limit.time:
                break
            if progress is not None and now - told >= 0.5:
                told = now
                progress(self._read(visits, lines, first))
            walks = _WALKS if limit.nodes is None else min(_WALKS, limit.nodes - visits)
            if walks <= 0:
                break
            # A young tree has few good leaves: asking for many at once would spread them thin.
            wanted = min(self._evaluator.batch, 1 + visits // 64)
            waiting, ended = gather(tree, batch, circle, _EXPLORATION, wanted, walks)
            if waiting > 0:
                self._evaluator.evaluate(batch.states[:waiting], circle, visits, out)
                grow(tree, batch, waiting, *out)
            visits += waiting + ended
        return self._read(visits, lines, first)

    def _read(self, visits: int, count: int, first: tuple[float, float]) -> Analysis:
        """Returns what the tree says; ``first`` is the root's own value, if there is no more."""
        tree = self._tree
        ranked = self._ranked(0)
        seat = int(tree.states[0, TURN])
        lines = []
        for edge in ranked[:count]:
            tried = int(tree.visits[edge])
            win, margin = (tree.sums[edge, (WIN, MARGIN)] / tried).tolist() if tried > 0 else first
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
            visits=visits,
            exact=False,
        )

    def _ranked(self, node: int) -> list[int]:
        """Returns the edges of a node, best first: most visited, then best, then likeliest."""
        tree = self._tree
        first = int(tree.first_edge[node])
        edges = range(first, first + max(0, int(tree.edge_count[node])))
        sign = 1 if tree.states[node, TURN] == 0 else -1

        def rank(edge: int) -> tuple[int, float, float]:
            visits = int(tree.visits[edge])
            worth = sign * float(tree.sums[edge, UTILITY]) / max(1, visits)
            return -visits, -worth, -float(tree.priors[edge])

        return sorted(edges, key=rank)

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
