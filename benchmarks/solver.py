"""Measures how early in a game the solver proves who wins, and the exact result.

    python benchmarks/solver.py [--json] [--games N] [--seconds S]

The engine plays against itself. Then the solver gets the positions of each game, from the last one
backwards, until one takes it longer than its time. It uses one core and takes about half a minute
per game.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import patchwork as pw
from patchwork.engine import Engine, Limit
from patchwork.engine.endgame.solver import Solver
from patchwork.rules.timeboard import LAST

NODES = 2_000
"""Nodes that a player searches for each move."""
ENTRIES = 1 << 18
"""The size of the solver's table, as in the engine."""
NO_LIMIT = 1 << 40
"""More states than any proof can visit in its time."""
MEMORY = 64
"""Megabytes of a player's tree."""
Prove = Callable[[pw.Position, int, Callable[[], bool]], object]


def game(seed: int) -> list[pw.Position]:
    """Returns the unfinished positions of a game."""
    engine = Engine(8, seed=seed, threads=1, memory=MEMORY)
    edition = (pw.CLASSIC, pw.REVISED)[seed % 2]
    position = pw.Setup.random(seed, edition).start()
    positions = []
    while position.outcome is None:
        positions.append(position)
        position = position.play(engine.analyse(position, Limit(nodes=NODES)).best)
    return positions


def proven(solver: Solver, prove: Prove, position: pw.Position, seconds: float) -> bool:
    """Returns whether the time suffices for a proof."""
    with solver.limited(seconds, lambda: False) as stopped:
        return prove(position, NO_LIMIT, stopped) is not None


def main() -> None:
    """Measures and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each position")
    options = parser.parse_args()
    solver = Solver(ENTRIES)
    ways: dict[str, Prove] = {"result": solver.solve, "winner": solver.prove}
    spaces: dict[str, list[int]] = {name: [] for name in ways}
    decisions: dict[str, list[int]] = {name: [] for name in ways}
    states, spent = 0, 0.0
    for seed in range(options.games):
        positions = game(seed)
        for name, prove in ways.items():
            number = 0
            for position in reversed(positions):
                start = time.perf_counter()
                found = proven(solver, prove, position, options.seconds)
                spent += time.perf_counter() - start
                states += solver.visits
                if not found:
                    break
                number += 1
            earliest = positions[-number]
            spaces[name].append(sum(LAST - player.time for player in earliest.players))
            decisions[name].append(number)
        print(f"\rgames: {seed + 1} of {options.games}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    figures = {
        "games": options.games,
        "seconds": options.seconds,
        **{f"median_spaces_left_{name}": statistics.median(spaces[name]) for name in ways},
        **{f"median_decisions_left_{name}": statistics.median(decisions[name]) for name in ways},
        "states_per_s": round(states / spent),
    }
    if options.json:
        print(json.dumps(figures))
        return
    print(f"within {options.seconds:g} s, median of {options.games} games:")
    for name in ways:
        print(
            f"  {name} proven {figures[f'median_decisions_left_{name}']:g} decisions and"
            f" {figures[f'median_spaces_left_{name}']:g} spaces before the end"
            " (both tokens together)"
        )
    print(f"  {figures['states_per_s']:,} states/s")


if __name__ == "__main__":
    main()
