"""Searches that are stopped, watched, interrupted by another caller, or fail."""

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import patchwork as pw
from engine.search.search_support import parse
from patchwork.engine import Analysis, Engine, Limit
from patchwork.engine.endgame.alphabeta import NODES
from patchwork.engine.evaluators.evaluator import Evaluation, Positions
from patchwork.engine.evaluators.rollouts import RolloutEvaluator
from support.positions import MIDDLE, START
from support.quilts import table
from support.waiting import wait_until


class Hooked(RolloutEvaluator):
    """Calls a function in the middle of a search."""

    def __init__(self, seed: int, hook: Callable[[], None], at: int = 20) -> None:
        super().__init__(seed)
        self._hook, self._wait = hook, at

    def evaluate(self, positions: Positions, out: Evaluation) -> None:
        self._wait -= 1
        if self._wait == 0:
            self._hook()
        super().evaluate(positions, out)


def test_a_second_search_on_one_engine_is_refused_and_the_first_unharmed() -> None:
    refusals: list[RuntimeError] = []

    def intrude() -> None:
        with pytest.raises(RuntimeError, match="busy with another position") as caught:
            engine.analyse(parse(START), Limit(nodes=10))
        refusals.append(caught.value)

    engine = Engine(evaluator=Hooked(3, intrude), memory=8)
    found = engine.analyse(parse(MIDDLE), Limit(nodes=1_000), lines=3)
    undisturbed = Engine(evaluator=RolloutEvaluator(3), memory=8)
    assert len(refusals) == 1
    assert found == undisturbed.analyse(parse(MIDDLE), Limit(nodes=1_000), lines=3)
    assert engine.analyse(parse(START), Limit(nodes=10)).visits == 10


def in_a_thread(engine: Engine, position: pw.Position, limit: Limit) -> Callable[[], Analysis]:
    """Starts a search in another thread; the function returned waits for its result."""
    results: list[Analysis] = []
    thread = threading.Thread(
        target=lambda: results.append(engine.analyse(position, limit)), daemon=True
    )
    thread.start()

    def wait() -> Analysis:
        thread.join(300)
        assert not thread.is_alive(), "the search does not end"
        return results[0]

    return wait


@pytest.mark.parametrize("limit", [Limit(nodes=10**9), Limit(time=10_000)])
def test_stop_from_another_thread_ends_a_long_search(limit: Limit) -> None:
    running = threading.Event()
    engine = Engine(evaluator=Hooked(0, running.set), memory=8)
    wait = in_a_thread(engine, parse(START), limit)
    assert running.wait(300)
    engine.stop()
    found = wait()
    assert found.best in parse(START).legal_moves()
    assert found.visits < 10**9


def unsolvable() -> pw.Position:
    """A late position with so many moves that solving it would take forever."""
    rich = pw.Player(0, buttons=60, income=5, time=42)
    return table(rich, rich)


def test_stop_ends_a_search_that_tries_to_solve_the_end_of_the_game() -> None:
    engine = Engine(8, memory=8)
    wait = in_a_thread(engine, unsolvable(), Limit(time=10_000))
    assert engine._solver is not None
    counts = engine._solver._work.counts
    wait_until(lambda: counts[NODES] > 1000, 300)
    engine.stop()
    assert wait().best in unsolvable().legal_moves()


def test_a_stop_before_a_search_does_not_harm_it() -> None:
    engine = Engine(6, memory=8)
    engine.stop()
    assert engine.analyse(parse(START), Limit(nodes=100)).visits == 100


def test_progress_is_called_with_what_has_been_found_so_far() -> None:
    told: list[Analysis] = []

    def listen(analysis: Analysis) -> None:
        told.append(analysis)
        if len(told) == 2:
            engine.stop()

    engine = Engine(8, memory=8)
    found = engine.analyse(parse(START), Limit(nodes=10**9), lines=2, progress=listen)
    assert len(told) == 2
    assert 0 < told[0].visits < told[1].visits <= found.visits < 10**9
    for analysis in told:
        assert len(analysis.lines) == 2
        assert analysis.best in parse(START).legal_moves()


def test_an_engine_goes_on_after_its_evaluator_failed() -> None:
    def fail() -> None:
        raise ConnectionError("the network is away")

    engine = Engine(evaluator=Hooked(3, fail), memory=8)
    with pytest.raises(ConnectionError):
        engine.analyse(parse(MIDDLE), Limit(nodes=1_000))
    undisturbed = Engine(evaluator=RolloutEvaluator(3), memory=8)
    limit = Limit(nodes=500)
    assert engine.analyse(parse(MIDDLE), limit) == undisturbed.analyse(parse(MIDDLE), limit)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_process_may_end_in_the_middle_of_a_search(threads: int) -> None:
    code = f"""
import threading
import patchwork as pw
from patchwork.engine import Engine, Limit
engine = Engine(8, memory=8, threads={threads})
running = threading.Event()
def search():
    engine.analyse(pw.Setup.random(0).start(), Limit(time=1e6), progress=lambda _: running.set())
threading.Thread(target=search, daemon=True).start()
assert running.wait(300)
"""
    source = Path(pw.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(source), "HOME": str(Path.home())},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
