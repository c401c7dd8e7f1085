"""The commands that train networks, rate them and export them to files to play with."""

import argparse
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from patchwork.cli.arguments import Parser
from patchwork.cli.command import DEFAULT_PAIRS, INTERRUPTED, AddCommand, CommandError, file_errors
from patchwork.cli.progress import Progress, StatusLine
from patchwork.cli.results import elo_text
from patchwork.locales import Messages
from patchwork.terminal import screen

if TYPE_CHECKING:
    from patchwork.learn.config import Config, ConfigError
    from patchwork.learn.progress import Progress as State
    from patchwork.learn.run import Run

_RATING_NODES = 64
"""Nodes per move with which networks are rated: as many as most runs use in self-play."""
_GAMES, _STEPS = 24_000, 25_000
"""Games to distil from, and steps of training, by default: half an hour on two cores."""


def add_commands(command: AddCommand) -> None:
    """Adds the commands of this module."""
    run = command("learn run", _run)
    run.option("--config", "cli-learn-config", metavar="NAME|FILE")
    run.option("--minutes", "cli-learn-minutes", type=_minutes(run), metavar="M")
    run.option("--out", "cli-learn-out", type=Path, metavar="DIR")
    run.option("--resume", "cli-learn-resume", type=Path, metavar="DIR|NETWORK")

    rate = command("learn rate", _rate)
    rate.argument("folder", "cli-learn-folder", type=Path, metavar="DIR")
    rate.option("--pairs", "cli-pairs", type=rate.number(1), default=DEFAULT_PAIRS, metavar="N")
    rate.option(
        "--nodes", "cli-learn-nodes", type=rate.number(1), default=_RATING_NODES, metavar="N"
    )
    rate.option("--jobs", "cli-jobs", type=rate.number(1), default=1, metavar="J")
    rate.option("--seed", "cli-match-seed", type=rate.number(0), default=0, metavar="S")

    export = command("learn export", _export)
    export.argument("network", "cli-learn-network", type=Path, metavar="NETWORK")
    export.option("--out", "cli-learn-onnx", type=Path, required=True, metavar="FILE.onnx")

    distil = command("learn distil", _distil)
    distil.argument("network", "cli-learn-distilled-from", type=Path, metavar="FILE")
    distil.option("--games", "cli-learn-games", type=distil.number(2), default=_GAMES, metavar="N")
    distil.option("--steps", "cli-learn-steps", type=distil.number(1), default=_STEPS, metavar="N")
    at_most = _minutes(distil)
    distil.option("--minutes", "cli-learn-minutes-at-most", type=at_most, default=inf, metavar="M")
    distil.option("--seed", "cli-learn-seed", type=distil.number(0), default=0, metavar="S")


def _minutes(parser: Parser) -> Callable[[str], float]:
    """Returns a parser of minutes."""

    def read(text: str) -> float:
        if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text) or not float(text):
            raise argparse.ArgumentTypeError(parser.say("cli-bad-minutes", found=text))
        return float(text)

    return read


def _run(options: argparse.Namespace, say: Messages) -> int:
    resumed: Path | None = options.resume
    out: Path
    if options.out is not None:
        out = options.out
    elif resumed is not None and resumed.is_dir():
        out = resumed
    else:
        options.parser.error(say("cli-learn-no-out"))
    with _learning_needed(say):
        from patchwork.learn.devices import own_device
        from patchwork.learn.run import Run
        from patchwork.learn.training.distributed import ProcessGroup
    config = _config(options, say)
    device = own_device()  # needed to join the process group
    processes = ProcessGroup.join()
    try:
        with _files(say, resumed or out):
            run = Run(config, out, device, processes)
            if resumed is not None:
                _resume(run, resumed, say)
            stop = _stop_by_signals()
            minutes = options.minutes or config.minutes
            with file_errors(say, out), StatusLine(sys.stderr) as line:
                run.learn(
                    minutes, lambda state: line.write(lambda: _status(run, state, say)), stop.is_set
                )
            if processes.is_main:
                _draw(out, say)
    finally:
        processes.leave()
    if processes.is_main:
        key = "cli-learn-stopped" if stop.is_set() else "cli-learn-done"
        screen.print_text(say(key, minutes=round(run.minutes, 1), folder=str(out)))
    return INTERRUPTED if stop.is_set() else 0


def _config(options: argparse.Namespace, say: Messages) -> "Config":
    """Returns the configuration that was named, or that of the run to resume."""
    from patchwork.learn.checkpoint import RunFolder
    from patchwork.learn.config import NAMES, Config, ConfigError, config_path

    resumed: Path | None = options.resume
    if options.config is None and resumed is not None and resumed.is_dir():
        with _files(say, resumed), file_errors(say, resumed):
            return RunFolder(resumed).config()
    name = options.config or "full"
    path = config_path(name)
    if not path.exists():
        raise CommandError(say("cli-no-config", name=name, names=", ".join(NAMES)))
    with file_errors(say, path):
        try:
            return Config.read(path)
        except ConfigError as error:
            raise CommandError(_message(error, path, say)) from error


def _message(error: "ConfigError", path: Path, say: Messages) -> str:
    from patchwork.learn.config import RANGES, ConfigProblem

    least, most = (f"{limit:g}" if limit < 1 else str(int(limit)) for limit in error.limits)
    about = {"file": str(path), "setting": error.name, "value": str(error.value)}
    match error.problem:
        case ConfigProblem.NOT_TOML:
            return say("cli-config-damaged", file=str(path), detail=str(error.value))
        case ConfigProblem.UNKNOWN:
            settings = ", ".join(sorted([*RANGES, "simulations"]))
            return say("cli-config-unknown", file=str(path), setting=error.name, settings=settings)
        case ConfigProblem.NOT_WHOLE:
            return say("cli-config-whole", **about, least=least, most=most)
        case ConfigProblem.NOT_A_NUMBER:
            return say("cli-config-number", **about, least=least, most=most)
        case ConfigProblem.NOT_A_PLAN:
            return say("cli-config-simulations", **about, most=most)


def _resume(run: "Run", path: Path, say: Messages) -> None:
    """Resumes a run, or starts one from a network, depending on what the path holds."""
    from patchwork.learn.checkpoint import Unreadable

    with file_errors(say, path):
        try:
            try:
                run.resume(path)
            except Unreadable:
                run.start_from(path)
        except ValueError as error:
            raise CommandError(say("cli-learn-size", file=str(path), detail=str(error))) from error


def _stop_by_signals() -> Event:
    """Returns an event that a signal sets; a second signal ends the command at once."""
    stop = Event()

    def end(number: int, _: object) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    return stop


def _status(run: "Run", state: "State", say: Messages) -> str:
    """Returns the status of a run in one line; the end, which may not fit, matters least."""
    losses = state.losses[0] if state.losses else ()
    return say(
        "cli-learn-status",
        minutes=round(state.minutes, 1),
        left=f"{100 * state.share_left:.0f}",
        rating="? Elo" if run.rating is None else elo_text(run.rating),
        speed=_rounded(state.evaluations),
        games=_rounded(state.games),
        positions=_rounded(state.positions),
        losses=" ".join(f"{loss:.2f}" for loss in losses) or "?",
    )


def _rounded(number: float) -> str:
    """Returns a number in a few characters: ``12.3k``, ``1.25M``."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.0f}"


def _rate(options: argparse.Namespace, say: Messages) -> int:
    with _learning_needed(say):
        from patchwork.arena.pool import PlayerNotStarted
        from patchwork.learn.checkpoint import RunFolder
        from patchwork.learn.measure.gauntlet import Gauntlet
    folder = RunFolder(options.folder)
    gauntlet = Gauntlet(folder, options.nodes, options.pairs, options.seed)
    if not gauntlet.networks:
        raise CommandError(say("cli-learn-no-networks", folder=str(options.folder)))
    total = 2 * options.pairs * len(gauntlet.missing())
    with (
        _files(say, folder.path),
        file_errors(say, folder.path),
        Progress(sys.stderr, total, say) as progress,
    ):
        try:
            gauntlet.play(
                options.jobs,
                lambda games, names: progress.update(games, lambda: " : ".join(names)),
            )
        except PlayerNotStarted as error:
            failed = {"player": error.player, "detail": error.detail}
            raise CommandError(say("cli-player-not-started", **failed)) from error
    with file_errors(say, folder.path):
        ratings = gauntlet.finish()
    _draw(folder.path, say)
    width = max(len(rated.player) for rated in ratings)
    for rated in ratings:
        screen.print_text(f"{rated.player:{width}}  {elo_text(rated.estimate)}")
    return 0


def _export(options: argparse.Namespace, say: Messages) -> int:
    with _learning_needed(say):
        from patchwork.learn.export import export_file
    with _files(say, options.network), file_errors(say, options.network):
        card = export_file(options.network, options.out)
    screen.print_text(
        say("cli-learn-exported", file=str(options.out), parameters=str(card["parameters"]))
    )
    return 0


def _distil(options: argparse.Namespace, say: Messages) -> int:
    with _learning_needed(say):
        from patchwork.engine.patterns.file import SUFFIX, write
        from patchwork.learn.distillation.distill import distil
    path: Path = options.network
    with StatusLine(sys.stderr) as line:

        def tell_games(games: int) -> None:
            line.write(
                lambda: say("cli-learn-teaching", games=str(games), total=str(options.games))
            )

        def tell_step(step: int, loss: float) -> None:
            values = {"step": step, "total": options.steps, "loss": round(loss, 3)}
            line.write(lambda: say("cli-learn-step", **values))

        with _files(say, path), file_errors(say, path):
            weights, card = distil(
                path,
                options.games,
                options.steps,
                options.seed,
                tell_games,
                tell_step,
                options.minutes,
            )
    target = path.with_suffix(SUFFIX)
    with file_errors(say, target):
        write(target, weights, card)
    losses = {"loss": str(card["log_loss"]), "other": str(card["log_loss_of_network"])}
    screen.print_text(say("cli-learn-distilled", file=str(target), **losses))
    return 0


def _draw(folder: Path, say: Messages) -> None:
    from patchwork.learn.checkpoint import RunFolder
    from patchwork.learn.measure.plots import draw

    with file_errors(say, folder):
        draw(RunFolder(folder))


@contextmanager
def _files(say: Messages, file: object) -> Iterator[None]:
    """Turns errors about invalid files into messages for the user."""
    from patchwork.engine.evaluators.network import NetworkError
    from patchwork.learn.checkpoint import Unreadable

    try:
        yield
    except (NetworkError, Unreadable) as error:
        raise CommandError(
            say("cli-learn-unreadable", file=str(file), detail=str(error))
        ) from error


@contextmanager
def _learning_needed(say: Messages) -> Iterator[None]:
    """Reports what is missing if learning cannot be imported."""
    try:
        yield
    except ImportError as error:
        raise CommandError(say("cli-learn-not-installed", detail=str(error))) from error
