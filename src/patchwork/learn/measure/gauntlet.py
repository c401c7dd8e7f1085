"""How strong the networks of a run are: they play one another and the arena's baselines.

Unlike a run's own Elo, this scale is the same for all runs: ``greedy`` is 0, and the networks play
as they would for any user, exported and searched by the engine.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

from patchwork.arena.elo import Pairs
from patchwork.arena.ladder import RatedPlayer, ladder, pairings
from patchwork.arena.match import play_schedule, summarise
from patchwork.arena.schedule import PlayedGame, Schedule
from patchwork.learn.checkpoint import RunFolder, write_whole
from patchwork.learn.export import export_file

ANCHOR = "greedy"
BASELINES = ("random", ANCHOR, "uct1000")
_REACH = 2
"""Each network plays this many of those before it and of those after it."""

Names = tuple[str, str]


class Gauntlet:
    """The matches of a run's networks, kept in its folder, so that none is played twice."""

    def __init__(self, folder: RunFolder, nodes: int, pairs: int, seed: int) -> None:
        """Prepares matches of so many pairs, in which networks search so many nodes for each move.

        Raises:
            OSError: the folder has no networks, or cannot be read.
        """
        self._folder = folder
        self._settings = {"nodes": nodes, "pairs": pairs, "seed": seed}
        self._files = {
            f"{path.stem}@{nodes}n": path for path in sorted(folder.networks.glob("*.pt"))
        }
        self._ratings = read_ratings(folder.ratings)
        self._results = self._known()

    @property
    def networks(self) -> tuple[str, ...]:
        """The names of the networks, which include the number of nodes, in order."""
        return tuple(self._files)

    def missing(self) -> list[Names]:
        """Returns the pairings that have not been played."""
        return [names for names in self._pairings() if names not in self._results]

    def play(self, jobs: int, report: Callable[[int, Names], None]) -> None:
        """Plays what is missing; every finished match is kept.

        ``report`` gets the number of games that are over, and the players of the last one.

        Raises:
            OSError: a file cannot be read or written.
            PlayerNotStarted: a player cannot take part.
        """
        known = {
            (self._description(first), self._description(second)): (first, second)
            for first, second in self.missing()
        }
        pairs = self._settings["pairs"]
        schedule = Schedule(tuple(known), pairs, self._settings["seed"])
        over: dict[Names, list[PlayedGame]] = {}
        with closing(play_schedule(schedule, jobs)) as playing:
            for count, played in enumerate(playing, 1):
                players = played.task.players
                games = over.setdefault(players, [])
                games.append(played)
                if len(games) == 2 * pairs:
                    self._results[known[players]] = summarise(players, games).pairs
                    self._write()
                report(count, known[players])

    def finish(self) -> tuple[RatedPlayer, ...]:
        """Returns the ladder of all players once everything has been played, and writes it."""
        ratings = ladder(self._players(), self._results, ANCHOR)
        self._ratings = [rating_entry(rated) for rated in ratings]
        self._write()
        return ratings

    def _players(self) -> tuple[str, ...]:
        return (*BASELINES, *self._files)

    def _pairings(self) -> Sequence[Names]:
        """Returns pairs of neighbours, and the last network with every baseline, as anchors."""
        near = pairings(self._players(), _REACH)
        anchors = product(BASELINES, list(self._files)[-1:])
        return (*near, *(names for names in anchors if names not in near))

    def _description(self, name: str) -> str:
        """Returns the arena's description of a player."""
        if name not in self._files:
            return name
        source = self._files[name]
        exported = source.with_suffix(".onnx")
        if not exported.exists() or exported.stat().st_mtime < source.stat().st_mtime:
            export_file(source, exported)
        return f'network:"{exported.resolve()}"@{self._settings["nodes"]}n'

    def _known(self) -> dict[Names, Pairs]:
        """Returns the results in the folder if they were played with the same settings."""
        if not self._folder.ratings.exists():
            return {}
        kept = json.loads(self._folder.ratings.read_text(encoding="utf-8"))
        if kept["settings"] != self._settings:
            return {}
        return {
            (result["players"][0], result["players"][1]): Pairs(**result["pairs"])
            for result in kept["results"]
        }

    def _write(self) -> None:
        content = {
            "settings": self._settings,
            "ratings": self._ratings,
            "results": [
                {"players": names, "pairs": asdict(pairs)} for names, pairs in self._results.items()
            ],
        }
        write_whole(self._folder.ratings, (json.dumps(content, indent=2) + "\n").encode())


def rating_entry(rated: RatedPlayer) -> dict[str, Any]:
    """Returns the rating of a player as files have it."""
    return {"player": rated.player, **asdict(rated.estimate)}


def read_ratings(path: Path) -> list[dict[str, Any]]:
    """Returns the ratings in a file: player, Elo, and both ends of the interval."""
    if not path.exists():
        return []
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["ratings"]
    return found
