"""Measures the engine with its network: speed, start-up time and memory.

    python benchmarks/network.py [--json] [--seconds N] [--fill N]

The simulations per second are those of a search from the opening, on one thread and on two, with
the network alone and with its pattern evaluator, as level 8 searches. They are compared with what
ONNX Runtime does alone on one thread, in batches of 8 and of 16. Rounds of all measurements
alternate, and each figure is the best of its rounds, since other work on the machine can only slow
a round down.

Start-up time, with the network and without, and memory are measured in processes of their own; for
the memory, one analyses the opening until its tree is full. Everything takes up to three minutes,
and longer when the engine has to be compiled first.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import patchwork as pw
from patchwork.engine import Engine, Limit
from patchwork.engine.evaluators.features import PLANES, SCALARS
from patchwork.engine.evaluators.network import SHIPPED, NetworkEvaluator
from patchwork.engine.warmup import prepare
from patchwork.rules.quilt import CELLS

SOURCE = Path(__file__).parents[1] / "src"
ROUNDS = 5
"""How often each measurement is repeated."""
OPENING = pw.Setup.random(seed=0).start()

START = """
import time
began = time.perf_counter()
import patchwork as pw
from patchwork.engine import Engine, Limit
Engine(8, {arguments}).analyse(pw.Setup.random(seed=0).start(), Limit(nodes=1))
print(time.perf_counter() - began)
"""
FILL = """
import resource
import patchwork as pw
from patchwork.engine import Engine, Limit
engine = Engine(8, threads=2, {arguments})
def listen(analysis):
    nodes, edges = engine._search._tree.used
    if nodes == len(engine._search._tree.states) or edges > len(engine._search._tree.moves) - 48:
        engine.stop()
engine.analyse(pw.Setup.random(seed=0).start(), Limit(time={seconds}), progress=listen)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def simulations(engine: Engine, seconds: float) -> float:
    """Returns the simulations per second of a search from the opening."""
    start = time.perf_counter()
    found = engine.analyse(OPENING, Limit(time=seconds))
    return found.visits / (time.perf_counter() - start)


def raw(batch: int, seconds: float) -> float:
    """Returns the positions per second that ONNX Runtime evaluates on one thread."""
    network = NetworkEvaluator()
    planes = np.zeros((batch, PLANES, CELLS), np.float32)
    scalars = np.zeros((batch, SCALARS), np.float32)
    count, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        network.ask(planes, scalars)
        count += batch
    return count / spent


def alone(code: str) -> float:
    """Returns the number that some code prints, run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def main() -> None:
    """Measures and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--seconds", type=float, default=20.0, help="time to measure speed")
    parser.add_argument("--fill", type=float, default=120.0, help="time limit for filling the tree")
    options = parser.parse_args()
    prepare()
    each = options.seconds / ROUNDS / 6
    one = two = eight = sixteen = patterns_one = patterns_two = 0.0
    with_network = without = float("inf")
    for _ in range(ROUNDS):
        one = max(one, simulations(Engine(evaluator=NetworkEvaluator(), threads=1), each))
        two = max(two, simulations(Engine(evaluator=NetworkEvaluator(threads=2), threads=2), each))
        patterns_one = max(patterns_one, simulations(Engine(8, threads=1), each))
        patterns_two = max(patterns_two, simulations(Engine(8, threads=2), each))
        eight = max(eight, raw(8, each))
        sixteen = max(sixteen, raw(16, each))
        with_network = min(with_network, alone(START.format(arguments="")))
        without = min(without, alone(START.format(arguments="network=None")))
    figures = {
        "network": NetworkEvaluator().card,
        "network_megabytes": round(SHIPPED.stat().st_size / 1e6, 2),
        "simulations_per_s_one_thread": round(one),
        "simulations_per_s_two_threads": round(two),
        "simulations_per_s_patterns_one_thread": round(patterns_one),
        "simulations_per_s_patterns_two_threads": round(patterns_two),
        "onnx_per_s_batch_8": round(eight),
        "onnx_per_s_batch_16": round(sixteen),
        "start_s": round(with_network, 2),
        "start_s_without_network": round(without, 2),
        "memory_megabytes": round(alone(FILL.format(arguments="", seconds=options.fill))),
    }
    if options.json:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(f"{name.replace('_', ' ')}: {figure}")
    print(f"one thread: {one / eight:.0%} of what ONNX Runtime does alone; two: {two / eight:.0%}")


if __name__ == "__main__":
    main()
