"""Puts the levels, and the network with more and more nodes, on one Elo scale.

    python studies/ladder.py [--pairs N] [--long-pairs N] [--jobs J] [--logs DIR] [--write]
        [--store]

On this scale, ``greedy`` is 0. Every player meets its neighbours in the list and theirs, in pairs
of games with seats swapped, in both editions; slow players play fewer. With a folder for logs, an
interrupted ladder can be continued. ``--write`` puts the table and the plot into
``docs/engine.md``; ``--store`` puts the ratings into the network's metadata. It takes about two
hours on two cores.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from studies.pages import picture, table, write_block

from patchwork.arena.elo import Pairs
from patchwork.arena.ladder import RatedPlayer, ladder, pairings
from patchwork.arena.log import Log
from patchwork.arena.match import play_schedule, summarise
from patchwork.arena.schedule import PlayedGame, Schedule
from patchwork.engine.evaluators.network import SHIPPED
from patchwork.learn.export import amend
from patchwork.learn.measure.gauntlet import ANCHOR, rating_entry

PLAYERS = {
    ANCHOR: "a simple rule of thumb",
    "level:1": "one node, much noise",
    "level:2": "one node, some noise",
    "level:3": "one node, less noise",
    "level:4": "one node, little noise",
    "uct1000": "plain UCT: 1,000 random playouts per move",
    "level:5": "the network's policy alone",
    "level:7@16n": "16 nodes",
    "level:6": "32 nodes",
    "level:7@64n": "64 nodes",
    "level:7": "128 nodes",
    "level:7@256n": "256 nodes",
    "level:7@1024n": "1,024 nodes",
    "level:8": "one second with the pattern evaluator, on one core",
}
"""The players, roughly from weakest to strongest, and how each thinks."""
LONG = {"level:7@256n", "level:7@1024n", "level:8"}
"""The slow players."""
REACH = 2
"""How many places in the list apart two players may be to meet."""
SEED = 1
PAGE = Path(__file__).parents[1] / "docs" / "engine.md"
PICTURE = PAGE.parent / "images" / "ladder.svg"


def play(schedule: Schedule, jobs: int, log: Path | None) -> list[PlayedGame]:
    """Returns the games of a schedule; prints how many are finished."""
    total = 2 * schedule.pairs * len(schedule.pairings)
    kept = None if log is None else Log(log, schedule)
    games: list[PlayedGame] = []
    with closing(play_schedule(schedule, jobs, kept)) as playing:
        for played in playing:
            games.append(played)
            print(f"\r{len(games)} of {total} games", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if kept is not None:
        kept.close()
    return games


def measure(pairs: int, long_pairs: int, jobs: int, logs: Path | None) -> tuple[RatedPlayer, ...]:
    """Returns the ladder, strongest first."""
    all_pairings = pairings(tuple(PLAYERS), REACH)
    results: dict[tuple[str, str], Pairs] = {}
    for name, count in (("short", pairs), ("long", long_pairs)):
        mine = tuple(names for names in all_pairings if (name == "long") != LONG.isdisjoint(names))
        log = None if logs is None else logs / f"{name}.jsonl"
        games = play(Schedule(mine, count, SEED), jobs, log)
        results |= {names: summarise(names, games).pairs for names in mine}
    return ladder(tuple(PLAYERS), results, ANCHOR)


def written(ratings: Sequence[RatedPlayer]) -> str:
    """Returns the table as Markdown."""
    rows = [
        (
            f"`{rated.player}`",
            PLAYERS[rated.player],
            f"{rated.estimate.elo:+,.0f}",
            f"{rated.estimate.low:+,.0f} to {rated.estimate.high:+,.0f}",
        )
        for rated in reversed(ratings)
    ]
    return table(("player", "thinks", "Elo", "95 % interval"), rows)


def draw(ratings: Sequence[RatedPlayer], path: Path) -> None:
    """Draws the players by strength, with levels and others in different colours."""
    with picture(path, (7.2, 4.8)) as axes:
        for place, rated in enumerate(reversed(ratings)):
            found, level = rated.estimate, rated.player[:-1] == "level:"
            colour = "#c2461f" if level else "#2f629b" if "@" in rated.player else "#8a6248"
            reach = [[found.elo - found.low], [found.high - found.elo]]
            axes.errorbar(found.elo, place, xerr=reach, fmt="s" if level else "o", color=colour)
        names = [f"{rated.player}: {PLAYERS[rated.player]}" for rated in reversed(ratings)]
        axes.set_yticks(range(len(names)), names, fontsize="small")
        axes.set(xlabel="Elo, greedy = 0, with 95 % intervals")
        axes.grid(axis="x", alpha=0.3)


def main() -> None:
    """Plays the games that are missing and prints the ladder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--long-pairs", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--logs", type=Path, metavar="DIR")
    parser.add_argument("--write", action="store_true", help="update docs/engine.md")
    parser.add_argument("--store", action="store_true", help="in the network's metadata")
    options = parser.parse_args()
    ratings = measure(options.pairs, options.long_pairs, options.jobs, options.logs)
    print(written(ratings))
    if options.write:
        write_block(PAGE, "ladder", written(ratings))
        draw(ratings, PICTURE)
    if options.store:
        amend(SHIPPED, {"strength": [rating_entry(rated) for rated in ratings]})


if __name__ == "__main__":
    main()
