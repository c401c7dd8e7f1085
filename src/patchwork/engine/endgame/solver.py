"""The end of a game, solved: who wins if both play perfectly from here on, and by how much?"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import TIMEOUT_MAX, Event, Timer
from typing import NamedTuple

from patchwork.engine.endgame.alphabeta import (
    INFINITY,
    KIND,
    LIMIT,
    MOVES_PER_STATE,
    NODES,
    new_workspace,
)
from patchwork.engine.endgame.alphabeta import solve as alpha_beta
from patchwork.engine.kernel.rules import (
    play,
)
from patchwork.engine.kernel.state import (
    OVER,
    PHASE,
    TURN,
    Numbers,
    from_position,
    to_move,
)
from patchwork.rules.moves import Move
from patchwork.rules.position import Position

_ANY = -INFINITY, INFINITY
"""Bounds that every value is between."""


class Solution(NamedTuple):
    """The result of a position under perfect play."""

    points: int
    """How far seat 0 ends ahead."""
    winner: int
    moves: tuple[Move, ...]
    """One perfect way to play on, to the end of the game."""


class Proof(NamedTuple):
    """Who wins a position under perfect play."""

    winner: int
    move: Move | None
    """A move that wins, if the seat to move does."""


class Solver:
    """Solves the ends of games."""

    def __init__(self, entries: int, moves_per_state: int = 0) -> None:
        """Makes a solver.

        Args:
            entries: states that it remembers, a power of 2.
            moves_per_state: moves of a state that count as one more state visited; with 0, all
                states count alike. Where a 7 x 7 square is in reach, a state with all its moves can
                take a hundred times as long as another one.
        """
        self._work = new_workspace(entries)
        self._work.counts[MOVES_PER_STATE] = moves_per_state
        self.visits = 0
        """States visited for the last position, counted as ``moves_per_state`` says."""

    def solve(self, position: Position, nodes: int, stopped: Callable[[], bool]) -> Solution | None:
        """Returns the solution of an unfinished position, or None if it takes more nodes.

        To end it early, first let ``stopped`` return true, then call ``stop``: so it also ends if
        it has not started yet.
        """
        state, circle = self._begin(position)
        return self._solution(state, circle, nodes, stopped, _ANY)

    def prove(
        self, position: Position, nodes: int, stopped: Callable[[], bool]
    ) -> Solution | Proof | None:
        """Returns the solution or, if that takes too many nodes, who wins, or None."""
        state, circle = self._begin(position)
        value = self._value(state, circle, nodes, stopped, (0, 1))
        if value is None:
            return None
        winner = 0 if value > 0 else 1
        move = to_move(int(self._work.best[0])) if winner == state[TURN] else None
        bounds = (0, INFINITY) if winner == 0 else (-INFINITY, 0)
        solution = self._solution(state, circle, nodes - self.visits, stopped, bounds)
        return solution or Proof(winner, move)

    def test(
        self,
        position: Position,
        moves: Iterable[Move],
        nodes: int,
        stopped: Callable[[], bool],
    ) -> tuple[Move | None, list[Move]]:
        """Tests moves of a position, one by one, until one of them does not lose.

        Returns the move that is proven to win, or None, and those that are proven to lose.
        """
        turn = position.turn
        self._begin(position)
        lost: list[Move] = []
        for move in moves:
            state, circle = from_position(position.play(move))
            value = self._value(state, circle, nodes - self.visits, stopped, (0, 1))
            if value is None:
                break
            if (value > 0) == (turn == 0):
                return move, lost
            lost.append(move)
        return None, lost

    def _begin(self, position: Position) -> tuple[Numbers, Numbers]:
        self._work.table[:, KIND] = 0  # in another circle, the same keys mean other patches
        self.visits = 0
        return from_position(position)

    def _solution(
        self,
        state: Numbers,
        circle: Numbers,
        nodes: int,
        stopped: Callable[[], bool],
        bounds: tuple[int, int],
    ) -> Solution | None:
        """Returns the solution of a state whose value is between bounds."""
        value = self._value(state, circle, nodes, stopped, bounds)
        if value is None:
            return None
        visits = self.visits
        moves = []
        while state[PHASE] != OVER:
            moves.append(int(self._work.best[0]))
            play(state, circle, moves[-1])
            if state[PHASE] != OVER and self._value(state, circle, nodes, stopped, _ANY) is None:
                break
        self.visits = visits  # how the game goes on is mostly read off the table
        return Solution(
            points=(abs(value) // 2) * (1 if value > 0 else -1),
            winner=0 if value > 0 else 1,
            moves=tuple(map(to_move, moves)),
        )

    @contextmanager
    def limited(
        self, seconds: float | None, stopped: Callable[[], bool]
    ) -> Iterator[Callable[[], bool]]:
        """Stops the solver after some seconds; with None, never.

        Yields a function to pass to the solver, which returns true from then on, and whenever
        ``stopped`` does.
        """
        if seconds is None:
            yield stopped
            return
        late = Event()

        def end() -> None:
            late.set()
            self.stop()

        alarm = Timer(min(seconds, TIMEOUT_MAX), end)
        alarm.start()
        try:
            yield lambda: late.is_set() or stopped()
        finally:
            alarm.cancel()
            alarm.join()

    def stop(self) -> None:
        """Stops a search that runs in another thread."""
        self._work.counts[LIMIT] = 0

    def _value(
        self,
        state: Numbers,
        circle: Numbers,
        nodes: int,
        stopped: Callable[[], bool],
        bounds: tuple[int, int],
    ) -> int | None:
        counts = self._work.counts
        self._work.states[0] = state
        counts[NODES], counts[LIMIT] = 0, nodes
        if stopped():
            return None
        value = alpha_beta(self._work, circle, 0, *bounds)
        self.visits += int(counts[NODES])
        return None if counts[NODES] > counts[LIMIT] else value
