"""The engine: a player that searches, at a level or with an evaluator of one's own."""

import logging
import os
from collections.abc import Callable, Container
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Event, Lock
from time import perf_counter

from patchwork.engine.analysis import LEAST_MEMORY, MEMORY, Analysis, Limit, Line, final_scores
from patchwork.engine.endgame.solver import Proof, Solution, Solver
from patchwork.engine.evaluators.evaluator import Evaluator, Playouts
from patchwork.engine.evaluators.network import SHIPPED, Learned, NetworkError
from patchwork.engine.levels import LEVELS, PLAIN_LEVELS, Level, PlainLevel
from patchwork.engine.patterns.evaluator import SUFFIX, Swift
from patchwork.engine.search.mcts import Search
from patchwork.engine.search.tree import PLAIN, Manner
from patchwork.rules.moves import Move
from patchwork.rules.position import Phase, Position
from patchwork.rules.setup import SEEDS
from patchwork.rules.timeboard import LAST

_FORCED, _FORCED_WITH_NETWORK = 256, 32
"""Nodes: enough to say how a game stands where there is nothing to choose."""
_EARLIEST, _EARLIEST_TEST = 24, 36
"""Spaces before both tokens from which on solving is tried, and testing single moves; before that
it hardly ever succeeds."""
_SHARE = 0.4
"""Of the limit, what solving may take; but see ``_STATES_PER_EVALUATION``."""
_MOST_STATES = 1 << 24
"""What solving may look at without a limit of nodes: what that does not solve, nothing will."""
_REMEMBERED = 1 << 18
"""States that the solver remembers, 8 megabytes of them."""
_STATES_PER_EVALUATION = 2_250
"""States that the solver may look at for each position but the first that a network may evaluate,
and besides: it takes about three times as long for them, but what it proves is certain."""
_TESTED = 8
"""Moves that are tested at most, those that the search likes best first."""
_CONSIDERED = 16
"""Moves of a root among which a search with a network shares out few nodes."""
_SWIFT = Manner(exploration=1.0, patience=24)
"""For a swift evaluator, whose values are less rough than those of single playouts. Places for a
patch differ less than patches do."""
_SWIFT_SERIOUS = 0.5
"""Of the visits of the most visited move: with as many, a move that promises more is played. A
search that has just found out what is wrong with a move has not yet turned to the next one."""

_log = logging.getLogger("patchwork.engine")


class Engine:
    """Finds the best move of a position and says what it is worth."""

    def __init__(
        self,
        level: int | None = None,
        *,
        evaluator: Evaluator | None = None,
        network: Path | None = SHIPPED,
        seed: int = 0,
        threads: int | None = None,
        memory: int = MEMORY,
    ) -> None:
        """Makes a player.

        Args:
            level: 1 to 8; 8 if nothing is said.
            evaluator: judges positions instead of a level's own evaluator.
            network: the file of the network that a level uses, with the tables beside it, if any;
                None for the engine without one. If something cannot be used, ``fault`` says why,
                and the engine plays without it.
            seed: the same seed and number of nodes give the same answers.
            threads: processor cores to use, all if nothing is said; they change no answer.
            memory: megabytes that the tree may take.

        Raises:
            ValueError: one of them is out of range.
        """
        if level is not None and evaluator is not None:
            raise ValueError("an engine has a level or an evaluator, not both")
        number = len(LEVELS) if level is None else level
        if number not in range(1, len(LEVELS) + 1):
            raise ValueError(f"the levels are 1 to {len(LEVELS)}, not {level}")
        if seed not in range(SEEDS):
            raise ValueError(f"seed is a number from 0 to {SEEDS - 1}, not {seed}")
        threads = (os.cpu_count() or 1) if threads is None else threads
        if threads < 1:
            raise ValueError(f"threads is a number from 1 on, not {threads}")
        if memory < LEAST_MEMORY:
            raise ValueError(f"memory is at least {LEAST_MEMORY} megabytes, not {memory}")
        self.fault: str | None = None
        """Why the engine plays without the network or the tables that it was to use."""
        chosen: Level | PlainLevel = LEVELS[number - 1]
        if evaluator is None and network is not None:
            evaluator = self._learned(network, LEVELS[number - 1], seed, threads)
        if evaluator is None:
            plain = chosen = PLAIN_LEVELS[number - 1]
            evaluator = Playouts(seed, sight=plain.sight, noise=plain.noise, threads=threads)
        learned, swift = isinstance(evaluator, Learned), isinstance(evaluator, Swift)
        self._limit = chosen.limit
        self._search = Search(
            evaluator,
            memory << 20,
            considered=_CONSIDERED if learned else 0,
            manner=_SWIFT if swift else PLAIN,
            serious=_SWIFT_SERIOUS if swift else 1.0,
        )
        # The engine without a network stays as it was when others were measured by it.
        self._proves = not isinstance(evaluator, Playouts)
        self._solver = Solver(_REMEMBERED, weighs=self._proves) if chosen.solves else None
        self._forced = _FORCED_WITH_NETWORK if learned else _FORCED
        self._solves_apart = learned  # a network's nodes are too few to share
        self._busy = Lock()
        self._stop = Event()

    def _learned(self, network: Path, level: Level, seed: int, threads: int) -> Evaluator | None:
        """Returns the best evaluator that can be used."""
        learned = None
        tables = network.with_suffix(SUFFIX)
        try:
            learned = Learned(network, seed=seed, luck=level.luck, threads=threads)
            if level.swift and tables.exists():
                return Swift(tables, learned, threads=threads)
        except NetworkError as error:
            self.fault = str(error)
            _tell(self.fault)
        return learned

    def analyse(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        lines: int = 1,
        progress: Callable[[Analysis], None] | None = None,
    ) -> Analysis:
        """Returns the best move and what is expected to come of it.

        Args:
            position: an unfinished one.
            limit: the level's own if not given.
            lines: how many first moves to tell about.
            progress: is told from time to time what is found so far.

        Raises:
            ValueError: the game is over, or ``lines`` is less than 1.
            RuntimeError: the engine is busy with another position.
        """
        if position.phase is Phase.OVER:
            raise ValueError("the game is over: there is no move to find")
        if lines < 1:
            raise ValueError(f"lines is a number from 1 on, not {lines}")
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("this engine is busy with another position; use one for each")
        try:
            self._stop.clear()
            limit = limit or self._limit
            if len(position.legal_moves()) == 1:
                nodes = self._forced if limit.nodes is None else min(limit.nodes, self._forced)
                limit = replace(limit, nodes=nodes)
            return self._think(position, limit, lines, progress)
        finally:
            self._busy.release()

    def stop(self) -> None:
        """Ends a search that runs in another thread: it returns what it has found so far.

        Does nothing where none runs.
        """
        self._stop.set()
        if self._solver is not None:
            self._solver.stop()

    def _think(
        self,
        position: Position,
        limit: Limit,
        lines: int,
        progress: Callable[[Analysis], None] | None,
    ) -> Analysis:
        solver = self._solver
        spaces = sum(LAST - player.time for player in position.players)
        if solver is None or spaces > (_EARLIEST_TEST if self._proves else _EARLIEST):
            return self._search.run(position, limit, lines, self._stop.is_set, progress)
        if spaces > _EARLIEST:
            return self._search_and_test(solver, position, limit, lines, progress)
        started = perf_counter()
        proven = self._solve(solver, position, limit)
        if isinstance(proven, Solution) and lines == 1:
            return _exact(position, proven, solver.visits, ())
        counted = 0 if self._solves_apart else solver.visits
        left = Limit(
            None if limit.time is None else max(0.0, limit.time - (perf_counter() - started)),
            None if limit.nodes is None else max(0, limit.nodes - counted),
        )
        found = self._search.run(position, left, lines, self._stop.is_set, progress)
        found = replace(found, visits=found.visits + solver.visits)
        if isinstance(proven, Solution):
            others = _without(proven.moves[0], found.lines)
            return _exact(position, proven, found.visits, others[: lines - 1])
        if proven is None:
            return found
        lost = [line.moves[0] for line in found.lines] if proven.move is None else []
        return _decided(found, proven.move, lost, lines)

    def _search_and_test(
        self,
        solver: Solver,
        position: Position,
        limit: Limit,
        lines: int,
        progress: Callable[[Analysis], None] | None,
    ) -> Analysis:
        """Searches, then lets the solver test the moves that the search likes best."""
        states = self._states(limit.nodes)
        counted = 0 if self._solves_apart else states
        shorter = Limit(
            None if limit.time is None else (1 - _SHARE) * limit.time,
            None if limit.nodes is None else limit.nodes - counted,
        )

        def tell(found: Analysis) -> None:
            if progress is not None:
                progress(replace(found, lines=found.lines[:lines]))

        found = self._search.run(position, shorter, max(lines, _TESTED), self._stop.is_set, tell)
        moves = [line.moves[0] for line in found.lines[:_TESTED]]
        with self._limited(solver, limit) as stopped:
            won, lost = solver.test(position, moves, states, stopped)
        found = replace(found, visits=found.visits + solver.visits)
        return _decided(found, won, lost, lines)

    def _states(self, nodes: int | None) -> int:
        """Returns how many states the solver may look at under a limit of nodes."""
        if nodes is None:
            return _MOST_STATES
        if self._solves_apart:
            return _STATES_PER_EVALUATION * max(0, nodes - 1)
        return int(_SHARE * nodes)

    def _solve(self, solver: Solver, position: Position, limit: Limit) -> Solution | Proof | None:
        """Returns the solution of a position, if a share of the limit is enough to find it.

        If that is enough to know who wins, it is that.
        """
        solve = solver.prove if self._proves else solver.solve
        states = self._states(limit.nodes)
        with self._limited(solver, limit) as stopped:
            return solve(position, states, stopped)

    def _limited(self, solver: Solver, limit: Limit) -> AbstractContextManager[Callable[[], bool]]:
        """Stops the solver when it has taken its share of the time."""
        seconds = None if limit.time is None else _SHARE * limit.time
        return solver.limited(seconds, self._stop.is_set)


@cache
def _tell(fault: str) -> None:
    """Says once in a process what the engine does without."""
    _log.warning("The engine cannot use all it has learned: %s.", fault)


def _without(move: Move, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    return tuple(line for line in lines if line.moves[0] != move)


def _decided(found: Analysis, won: Move | None, lost: Container[Move], lines: int) -> Analysis:
    """Returns what a search found where some moves are proven to win or to lose."""
    first, middle, last = [], [], []
    for line in found.lines:
        if line.moves[0] == won:
            first.append(replace(line, win=1.0, margin=max(0.0, line.margin)))
        elif line.moves[0] in lost:
            last.append(replace(line, win=0.0, margin=min(0.0, line.margin)))
        else:
            middle.append(line)
    if won is not None and not first:
        first.append(Line((won,), 1.0, max(0.0, found.margin), 0))
    told = (*first, *middle, *last)[:lines]
    best, scores = told[0], found.scores
    if scores is not None:
        scores = final_scores(sum(scores), best.margin if found.seat == 0 else -best.margin)
    return replace(
        found, best=best.moves[0], win=best.win, margin=best.margin, lines=told, scores=scores
    )


def _exact(
    position: Position, solution: Solution, visits: int, others: tuple[Line, ...]
) -> Analysis:
    """Returns what a solution says; the other lines are estimates."""
    seat = position.turn
    end = position
    for move in solution.moves:
        end = end.play(move)
    win = 1.0 if solution.winner == seat else 0.0
    margin = float(solution.points if seat == 0 else -solution.points)
    return Analysis(
        best=solution.moves[0],
        win=win,
        margin=margin,
        seat=seat,
        lines=(Line(solution.moves, win, margin, visits), *others),
        visits=visits,
        exact=True,
        scores=(float(end.scores[0]), float(end.scores[1])) if end.phase is Phase.OVER else None,
    )
