"""The commands that measure strength: a match between two players, and a ladder of many."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from patchwork.cli.arguments import Parser
from patchwork.cli.command import DEFAULT_PAIRS, INTERRUPTED, AddCommand, CommandError, file_errors
from patchwork.cli.engines import engine_needed
from patchwork.cli.progress import Progress
from patchwork.cli.results import elo_text, print_summary, rating_as_json, summary_as_json
from patchwork.locales import Messages
from patchwork.rules.timeboard import CLASSIC, EDITION_BY_NAME
from patchwork.terminal import screen

if TYPE_CHECKING:
    from patchwork.arena.log import LogError
    from patchwork.arena.schedule import PlayedGame, Schedule


def add_commands(command: AddCommand) -> None:
    """Adds the commands of this module."""
    match = command("match", _match)
    match.argument("first", "cli-player", metavar="A")
    match.argument("second", "cli-player", metavar="B")
    _common_options(match)
    match.option("--sprt", "cli-sprt", nargs=2, type=_difference(match), metavar=("LOW", "HIGH"))

    ladder = command("ladder", _ladder)
    ladder.argument("players", "cli-player", metavar="PLAYER", nargs="+")
    _common_options(ladder)
    ladder.option("--neighbours", "cli-neighbours", type=ladder.number(1), metavar="K")
    ladder.option("--anchor", "cli-anchor", metavar="PLAYER")


def _common_options(parser: Parser) -> None:
    number = parser.number(1)
    parser.option("--pairs", "cli-pairs", type=number, default=DEFAULT_PAIRS, metavar="N")
    parser.option("--jobs", "cli-jobs", type=number, default=1, metavar="J")
    parser.option("--seed", "cli-match-seed", type=parser.number(0), default=0, metavar="S")
    parser.option("--edition", "cli-match-edition", choices=list(EDITION_BY_NAME))
    parser.option("--timeout", "cli-timeout", type=number, metavar="SECONDS")
    parser.option("--log", "cli-log", type=Path, metavar="FILE")
    parser.option("--records", "cli-records", type=Path, metavar="FILE")
    parser.flag("--json", "cli-json")


def _difference(parser: Parser) -> Callable[[str], float]:
    """Returns a parser of differences in Elo."""

    def read(text: str) -> float:
        if not re.fullmatch(r"[+-]?[0-9]{1,4}(\.[0-9]{1,4})?", text):
            raise argparse.ArgumentTypeError(parser.say("cli-bad-elo", found=text))
        return float(text)

    return read


def _match(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.arena.match import summarise
    from patchwork.arena.schedule import Schedule
    from patchwork.arena.sprt import Sprt

    players = (options.first, options.second)
    edition = _edition(options, say, players)
    sprt = None
    if options.sprt:
        low, high = options.sprt
        if not low < high:
            options.parser.error(say("cli-sprt-order", low=f"{low:g}", high=f"{high:g}"))
        sprt = Sprt(low, high)
    schedule = Schedule((players,), options.pairs, options.seed, edition)
    games, status = _play(
        schedule,
        options,
        say,
        lambda games: elo_text(summarise(players, games).estimate),
        lambda games: sprt is not None and summarise(players, games, sprt).decided,
    )
    result = summarise(players, games, sprt)
    if options.json:
        print(json.dumps(summary_as_json(result)))
    else:
        print_summary(result, say, options.sprt)
    return status


def _ladder(options: argparse.Namespace, say: Messages) -> int:
    with engine_needed(say):
        from patchwork.arena.ladder import ladder, pairings
    from patchwork.arena.match import summarise
    from patchwork.arena.schedule import Schedule

    players: list[str] = options.players
    edition = _edition(options, say, players)
    if len(players) < 2 or len(set(players)) < len(players):
        options.parser.error(say("cli-ladder-players"))
    anchor = options.anchor or players[0]
    if anchor not in players:
        options.parser.error(say("cli-no-anchor", player=anchor))
    schedule = Schedule(pairings(players, options.neighbours), options.pairs, options.seed, edition)
    games, status = _play(schedule, options, say, lambda _: "", lambda _: False)
    results = {names: summarise(names, games).pairs for names in schedule.pairings}
    try:
        ratings = ladder(players, results, anchor)
    except ValueError as error:  # interrupted before all players had played
        raise CommandError(say("cli-ladder-unconnected")) from error
    counts = {
        player: sum(pairs.count for names, pairs in results.items() if player in names)
        for player in players
    }
    if options.json:
        print(
            json.dumps(
                [{**rating_as_json(rated), "pairs": counts[rated.player]} for rated in ratings]
            )
        )
    else:
        width = max(map(len, players))
        for rated in ratings:
            screen.print_text(
                f"{rated.player:{width}}  {elo_text(rated.estimate)}  "
                + say("cli-ladder-pairs", pairs=counts[rated.player])
            )
    return status


def _edition(options: argparse.Namespace, say: Messages, players: Sequence[str]) -> str | None:
    """Returns the edition to play, None for both; a text that describes no player is an error."""
    from patchwork.arena.players import Description

    edition: str | None = options.edition
    for player in players:
        try:
            description = Description.parse(player)
        except ValueError:
            options.parser.error(say("cli-bad-player", player=ascii(player)[1:-1]))
        if description.classic_only:
            edition = edition or CLASSIC.name
            if edition != CLASSIC.name:
                options.parser.error(say("cli-classic-only", player=player))
    return edition


def _play(
    schedule: "Schedule",
    options: argparse.Namespace,
    say: Messages,
    summary: Callable[[list["PlayedGame"]], str],
    enough: Callable[[list["PlayedGame"]], bool],
) -> tuple[list["PlayedGame"], int]:
    """Plays a schedule with the given options; returns the games and the exit status."""
    from patchwork.arena.log import Log, LogError
    from patchwork.arena.match import play_schedule
    from patchwork.arena.pool import TIMEOUT, PlayerNotStarted

    games: list[PlayedGame] = []
    status = 0
    records: Path | None = options.records
    with file_errors(say, options.log):
        known = options.log is not None and options.log.exists()
        if records is not None and records.exists() and not known:
            raise CommandError(say("cli-exists", file=str(records)))
        try:
            log = None if options.log is None else Log(options.log, schedule)
        except LogError as error:
            raise CommandError(_log_message(error, options.log, say)) from error
    total = 2 * len(schedule.pairings) * schedule.pairs
    progress = Progress(sys.stderr, total, say)
    playing = play_schedule(schedule, options.jobs, log, options.timeout or TIMEOUT)
    try:
        with closing(playing), nullcontext() if log is None else closing(log), progress:
            for played in playing:
                games.append(played)
                progress.update(len(games), lambda: summary(games))
                if enough(games):
                    break
    except KeyboardInterrupt:
        status = INTERRUPTED
        print(f"patchwork: {say('cli-match-interrupted', games=len(games))}", file=sys.stderr)
    except PlayerNotStarted as error:
        raise CommandError(
            say("cli-player-not-started", player=error.player, detail=error.detail)
        ) from error
    finally:
        if records is not None and games:
            with file_errors(say, records):
                _write_records(records, games)
    return games, status


def _write_records(path: Path, games: list["PlayedGame"]) -> None:
    """Writes all games to a file, in the order of the schedule."""
    ordered = sorted(games, key=lambda played: played.task.key)
    path.write_text("\n".join(played.record().format() for played in ordered), encoding="utf-8")


def _log_message(error: "LogError", path: Path, say: Messages) -> str:
    from patchwork.arena.log import LogProblem

    match error.problem:
        case LogProblem.ANOTHER_MATCH:
            return say("cli-log-another-match", file=str(path), detail=error.detail)
        case LogProblem.DAMAGED:
            return say("cli-log-damaged", file=str(path), detail=error.detail)
        case LogProblem.IN_USE:
            return say("cli-log-in-use", file=str(path))
