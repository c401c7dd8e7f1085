"""Measures the engine's kernel: random games on one thread and two, compared with the plain rules.

    python benchmarks/kernel.py [--json] [--seconds N]

Moves are drawn uniformly from all legal ones, over many circles and both editions. Rounds of all
three measurements alternate, and each figure is the best of its rounds, since other work on the
machine can only slow a round down. It takes about 20 seconds, and longer when the kernel has to be
compiled first.
"""

import argparse
import json
import platform
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.rules import actions_per_second

import patchwork as pw
from patchwork.engine.kernel.rules import random_playouts
from patchwork.engine.kernel.state import from_position

STARTS = [
    from_position(pw.Setup.random(seed, edition).start())
    for seed in range(16)
    for edition in (pw.CLASSIC, pw.REVISED)
]
ROUNDS = 5
"""How often each measurement is repeated."""
PLAYOUTS = 200
"""Random games from one start between two looks at the clock."""


def play(seconds: float, seed: int) -> float:
    """Returns the actions per second of random games, measured for about this long."""
    random = np.array([seed], np.uint64)
    actions, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        for state, circle in STARTS:
            actions += random_playouts(state, circle, PLAYOUTS, random)
    return actions / spent


def main() -> None:
    """Measures and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--seconds", type=float, default=15.0, help="time for all rounds")
    options = parser.parse_args()
    each = options.seconds / ROUNDS / 3
    play(0, 1)  # compiles
    one, two, plain = 0.0, 0.0, 0.0
    with ThreadPoolExecutor(2) as threads:
        for number in range(ROUNDS):
            one = max(one, play(each, 2 * number + 1))
            two = max(two, sum(threads.map(play, (each, each), (number + 1, number + 101))))
            plain = max(plain, actions_per_second(each))
    figures = {
        "kernel_actions_per_s": round(one),
        "rules_actions_per_s": round(plain),
        "two_threads_ratio": round(two / one, 2),
        "python": platform.python_version(),
    }
    if options.json:
        print(json.dumps(figures))
    else:
        print(
            f"kernel, one thread  {figures['kernel_actions_per_s']:>12,} actions/s (at least 4 M)"
        )
        print(f"kernel, two threads {figures['two_threads_ratio']:>12} times that (at least 1.8)")
        print(f"plain rules         {figures['rules_actions_per_s']:>12,} actions/s")
        print(f"kernel over rules   {one / plain:>12.0f} times")


if __name__ == "__main__":
    main()
