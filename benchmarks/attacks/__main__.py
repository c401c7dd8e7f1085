"""Attacks servers and measures how much their players notice.

    python benchmarks/attacks [--json] [--source FOLDER ...] [ATTACK ...]

Each attack meets a fresh server with a fresh SQLite database. With several sources, such as those
of two versions, each of them serves in turn, so that their figures come from one run on one
machine. All attacks together take about six minutes per source.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.attacks import connections, crowds, reading, thinking
from benchmarks.attacks.attack import Attack
from benchmarks.serving import SOURCE, Server

ATTACKS: tuple[Attack, ...] = (
    *connections.ATTACKS,
    *thinking.ATTACKS,
    *reading.ATTACKS,
    *crowds.ATTACKS,
)


async def measure(attack: Attack, source: Path) -> Mapping[str, float]:
    """Returns the figures of an attack on a fresh server."""
    with tempfile.TemporaryDirectory(prefix="patchwork-attacks-") as folder:
        server = Server(str(Path(folder) / "server.db"), source, **attack.settings)
        try:
            await server.wait_until_ready()
            return await attack.run(server)
        finally:
            server.stop()


def main() -> None:
    """Runs the attacks and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("attacks", nargs="*", help=", ".join(each.name for each in ATTACKS))
    parser.add_argument("--source", nargs="+", type=Path, default=[SOURCE], metavar="FOLDER")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    options = parser.parse_args()
    known = {attack.name: attack for attack in ATTACKS}
    if unknown := set(options.attacks) - known.keys():
        parser.error(f"there is no attack {min(unknown)!r}")
    for name in options.attacks or known:
        if not options.json:
            print(f"{name}: {known[name].about}", flush=True)
        for source in options.source:
            figures = asyncio.run(measure(known[name], source.resolve()))
            if options.json:
                print(json.dumps({"attack": name, "source": str(source), **figures}), flush=True)
            else:
                shown = ", ".join(f"{what} {figure:,.1f}" for what, figure in figures.items())
                print(f"  {source}: {shown}", flush=True)


if __name__ == "__main__":
    main()
