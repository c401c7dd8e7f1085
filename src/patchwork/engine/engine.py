"""The engine: a player that searches, at a level or with an evaluator of the caller's own."""

import logging
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Event, Lock
from time import perf_counter

from patchwork.engine.analysis import LEAST_MEMORY, MEMORY, Analysis, Limit
from patchwork.engine.endgame.merge import solved, with_proofs
from patchwork.engine.endgame.solver import Proof, Solution, Solver
from patchwork.engine.evaluators.evaluator import Evaluator
from patchwork.engine.evaluators.network import SHIPPED, NetworkError, NetworkEvaluator
from patchwork.engine.evaluators.rollouts import RolloutEvaluator
from patchwork.engine.levels import LEVELS, ROLLOUT_LEVELS, Level, RolloutLevel
from patchwork.engine.patterns.evaluator import PatternEvaluator
from patchwork.engine.patterns.file import SUFFIX
from patchwork.engine.search.mcts import Search
from patchwork.rules.position import Phase, Position
from patchwork.rules.setup import SEEDS
from patchwork.rules.timeboard import LAST

_SOLVER_ENTRIES = 1 << 18
"""States that the solver remembers: 8 megabytes."""
_MOST_STATES = 1 << 24
"""States that the solver may visit without a limit of nodes: more have never solved a position."""

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
            level: 1 to 8; 8 if not given.
            evaluator: evaluates positions instead of the evaluator of a level.
            network: the file of the network that a level uses, with the patterns file beside it, if
                there is one; None for the engine without a network. If a file cannot be used,
                ``fault`` says why, and the engine plays without it.
            seed: the same seed and number of nodes give the same answers.
            threads: processor cores to use, by default all; they change no answer.
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
        """Why the engine plays without the network or the patterns file that it should use."""
        chosen: Level | RolloutLevel = LEVELS[number - 1]
        if evaluator is None and network is not None:
            evaluator = self._load(network, LEVELS[number - 1], seed, threads)
        if evaluator is None:
            without = chosen = ROLLOUT_LEVELS[number - 1]
            evaluator = RolloutEvaluator(
                seed,
                placements_per_patch=without.placements_per_patch,
                noise=without.noise,
                threads=threads,
            )
        self._limit = chosen.limit
        self._only_move_nodes = evaluator.search.only_move_nodes
        self._endgame = evaluator.endgame
        self._search = Search(evaluator, memory << 20)
        moves_per_state = self._endgame.moves_per_state
        self._solver = Solver(_SOLVER_ENTRIES, moves_per_state) if chosen.solves else None
        self._busy = Lock()
        self._stop = Event()

    def _load(self, path: Path, level: Level, seed: int, threads: int) -> Evaluator | None:
        """Returns the best evaluator of a level whose files can be used."""
        network = None
        patterns = path.with_suffix(SUFFIX)
        try:
            network = NetworkEvaluator(
                path, seed=seed, gumbel_scale=level.gumbel_scale, threads=threads
            )
            if level.patterns and patterns.exists():
                return PatternEvaluator(patterns, network, threads=threads)
        except NetworkError as error:
            self.fault = str(error)
            _warn_once(self.fault)
        return network

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
            lines: how many first moves to report, at most.
            progress: called from time to time with what has been found so far.

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
                nodes = self._only_move_nodes
                limit = replace(
                    limit, nodes=nodes if limit.nodes is None else min(limit.nodes, nodes)
                )
            return self._think(position, limit, lines, progress)
        finally:
            self._busy.release()

    def stop(self) -> None:
        """Ends a search that runs in another thread: it returns what it has found so far.

        Does nothing if no search runs.
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
        solver, endgame = self._solver, self._endgame
        spaces_left = sum(LAST - player.time for player in position.players)
        if solver is None or spaces_left > max(endgame.solve_from, endgame.test_from):
            return self._search.run(position, limit, lines, self._stop.is_set, progress)
        if spaces_left > endgame.solve_from:
            return self._search_and_test(solver, position, limit, lines, progress)
        started = perf_counter()
        proven = self._solve(solver, position, limit)
        if isinstance(proven, Solution) and lines == 1:
            return solved(position, proven, solver.visits)
        nodes = 0 if endgame.states_per_node else solver.visits
        left = Limit(
            None if limit.time is None else max(0.0, limit.time - (perf_counter() - started)),
            None if limit.nodes is None else max(0, limit.nodes - nodes),
        )
        found = self._search.run(position, left, lines, self._stop.is_set, progress)
        found = replace(found, visits=found.visits + solver.visits)
        if isinstance(proven, Solution):
            best = proven.moves[0]
            others = tuple(line for line in found.lines if line.moves[0] != best)
            return solved(position, proven, found.visits, others[: lines - 1])
        if proven is None:
            return found
        lost = [line.moves[0] for line in found.lines] if proven.move is None else []
        return with_proofs(found, proven.move, lost, lines)

    def _search_and_test(
        self,
        solver: Solver,
        position: Position,
        limit: Limit,
        lines: int,
        progress: Callable[[Analysis], None] | None,
    ) -> Analysis:
        """Searches, then lets the solver test the moves that the search likes best."""
        endgame = self._endgame
        states = self._states(limit.nodes)
        nodes = 0 if endgame.states_per_node else states
        shorter = Limit(
            None if limit.time is None else (1 - endgame.limit_share) * limit.time,
            None if limit.nodes is None else limit.nodes - nodes,
        )

        def report(found: Analysis) -> None:
            if progress is not None:
                progress(replace(found, lines=found.lines[:lines]))

        most = max(lines, endgame.max_tested)
        found = self._search.run(position, shorter, most, self._stop.is_set, report)
        moves = [line.moves[0] for line in found.lines[: endgame.max_tested]]
        with self._limited(solver, limit) as stopped:
            won, lost = solver.test(position, moves, states, stopped)
        found = replace(found, visits=found.visits + solver.visits)
        return with_proofs(found, won, lost, lines)

    def _states(self, nodes: int | None) -> int:
        """Returns how many states the solver may visit under a limit of nodes."""
        if nodes is None:
            return _MOST_STATES
        if self._endgame.states_per_node:
            return self._endgame.states_per_node * max(0, nodes - 1)
        return int(self._endgame.limit_share * nodes)

    def _solve(self, solver: Solver, position: Position, limit: Limit) -> Solution | Proof | None:
        """Returns the solution of a position, or who wins it, if that is found within the limit."""
        solve = solver.prove if self._endgame.proves_winner else solver.solve
        states = self._states(limit.nodes)
        with self._limited(solver, limit) as stopped:
            return solve(position, states, stopped)

    def _limited(self, solver: Solver, limit: Limit) -> AbstractContextManager[Callable[[], bool]]:
        """Stops the solver when it has used its share of the time."""
        seconds = None if limit.time is None else self._endgame.limit_share * limit.time
        return solver.limited(seconds, self._stop.is_set)


@cache
def _warn_once(fault: str) -> None:
    """Logs, once in a process, what the engine plays without."""
    _log.warning("The engine cannot use all it has learned: %s.", fault)
