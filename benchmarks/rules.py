"""Measures the plain rules: random games, the time to import them, and reading a record.

    python benchmarks/rules.py [--json] [--seconds N]

It runs on one core, and generates every legal move as a value at every step. Each figure is the
best of several rounds, since other work on the machine can only slow a round down. It takes about
15 seconds.
"""

import argparse
import json
import platform
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
sys.path.insert(0, str(SOURCE))

import patchwork as pw  # noqa: E402  the package is found without being installed

ROUNDS = 3
"""How often the random games are measured."""
STARTS, READINGS = 12, 20
"""How often an import and reading a record are measured."""


def actions_per_second(seconds: float) -> float:
    """Returns the decisions per second in uniformly random games."""
    best = 0.0
    for round_number in range(ROUNDS):
        generator = random.Random(round_number)
        actions, seed, start = 0, 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds / ROUNDS:
            position = pw.Setup.random(seed).start()
            while moves := position.legal_moves():
                position = position.play(moves[int(generator.random() * len(moves))])
                actions += 1
            seed += 1
        best = max(best, actions / spent)
    return best


def fastest(task: Callable[[], object], rounds: int) -> float:
    """Returns the seconds of the fastest of several runs of a task."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def import_ms() -> float:
    """Returns the milliseconds that `import patchwork` adds to starting an empty interpreter."""

    def start(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-I", "-c", code], check=True)

    path = f"import sys; sys.path.insert(0, {str(SOURCE)!r});"
    return 1000 * (fastest(start(path + "import patchwork"), STARTS) - fastest(start(path), STARTS))


def record_ms() -> float:
    """Returns the milliseconds to read and replay the record of a whole random game."""
    generator, game = random.Random(1), pw.Game(pw.Setup.random(1))
    while moves := game.position.legal_moves():
        game.push(generator.choice(moves))
    text = pw.Record.of(game).format()
    return 1000 * fastest(lambda: pw.Record.parse(text).game, READINGS)


def main() -> None:
    """Measures and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--seconds", type=float, default=9.0, help="time for the random games")
    options = parser.parse_args()
    figures = {
        "actions_per_s": round(actions_per_second(options.seconds)),
        "import_ms": round(import_ms(), 1),
        "record_ms": round(record_ms(), 2),
        "python": platform.python_version(),
    }
    if options.json:
        print(json.dumps(figures))
    else:
        print(f"random games       {figures['actions_per_s']:>8,} actions/s (at least 16,000)")
        print(f"import patchwork   {figures['import_ms']:>8} ms (at most 60)")
        print(f"read a game record {figures['record_ms']:>8} ms (at most 5)")


if __name__ == "__main__":
    main()
