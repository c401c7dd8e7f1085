"""The command line: ``patchwork COMMAND``. Data goes to stdout, messages to stderr.

Exit status: 0 done; 1 what was given is wrong or cannot be read or written; 2 wrong usage.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from secrets import randbelow
from typing import NoReturn

import patchwork
from patchwork.locales import LANGUAGES, Messages, messages, preferred_language
from patchwork.notation.errors import NotationError
from patchwork.notation.record import Record
from patchwork.rules.game import Game, Layout
from patchwork.rules.moves import Move
from patchwork.rules.position import Position
from patchwork.rules.quilt import cells
from patchwork.rules.setup import SEEDS, Setup, SetupError
from patchwork.rules.timeboard import EDITIONS
from patchwork.terminal.complaints import complaint

WIDE = 100
"""Columns that a full table needs."""
Command = Callable[[argparse.Namespace, Messages], int]


class Failure(Exception):
    """A message for the user that ends the command with status 1."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    say = messages(_language(arguments))
    options = _parser(say).parse_args(arguments)
    run: Command = options.run
    try:
        status = run(options, say)
        sys.stdout.flush()
    except Failure as failure:
        print(f"patchwork: {failure}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of our output has left, as `head` does; Python must not try to flush again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _language(arguments: Sequence[str]) -> str:
    """Returns the language to speak, which the parser proper needs to know beforehand."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument("--lang", nargs="?")
    chosen: str | None = finder.parse_known_args(arguments)[0].lang
    return chosen if chosen in LANGUAGES else preferred_language(os.environ)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Lays out help, with the word for "usage" in the user's language."""

    def __init__(self, say: Messages, prog: str) -> None:
        super().__init__(prog)
        self._say = say

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(
            usage, actions, groups, f"{self._say('cli-usage')} " if prefix is None else prefix
        )


class _Parser(argparse.ArgumentParser):
    """An argument parser whose frame is in the user's language; only its own errors are English."""

    def __init__(self, say: Messages, prog: str, text: str) -> None:
        super().__init__(
            prog=prog,
            description=say(text),
            epilog=say(f"{text}-examples"),
            formatter_class=partial(_Formatter, say),
            add_help=False,
        )
        self.say = say
        self.arguments = self.add_argument_group(say("cli-arguments"))
        self.options = self.add_argument_group(say("cli-options"))
        self.options.add_argument("-h", "--help", action="help", help=say("cli-help"))
        self.options.add_argument("--lang", choices=LANGUAGES, help=say("cli-lang"))

    def option(self, name: str, text: str, **details: object) -> None:
        self.options.add_argument(name, help=self.say(text), **details)  # type: ignore[arg-type]

    def flag(self, name: str, text: str) -> None:
        self.option(name, text, action="store_true")

    def argument(self, name: str, text: str, **details: object) -> None:
        self.arguments.add_argument(name, help=self.say(text), **details)  # type: ignore[arg-type]

    def setup_options(self) -> None:
        names = [edition.name for edition in EDITIONS]
        self.option("--seed", "cli-seed", type=int, metavar="N")
        self.option("--edition", "cli-edition", choices=names, default=names[0])
        self.option("--first", "cli-first", type=int, choices=(0, 1), default=0)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n{self.say('cli-see-help', prog=self.prog)}\n")


def _parser(say: Messages) -> _Parser:
    parser = _Parser(say, "patchwork", "cli-description")
    version = f"patchwork {patchwork.__version__}"
    parser.option("--version", "cli-version", action="version", version=version)
    commands = parser.add_subparsers(
        title=say("cli-commands"), metavar="COMMAND", required=True, parser_class=_Parser
    )

    def command(name: str, run: Command) -> _Parser:
        text = f"cli-{name}"
        made = commands.add_parser(name, help=say(text), say=say, text=text)
        made.set_defaults(run=run)
        return made

    play = command("play", _play)
    play.option("--opponent", "cli-opponent", choices=("greedy", "human"), default="greedy")
    play.option("--seat", "cli-seat", type=int, choices=(0, 1), default=0)
    play.option("--names", "cli-names", nargs=2, metavar=("NAME0", "NAME1"))
    play.setup_options()
    play.flag("--new", "cli-play-new")
    play.option("--file", "cli-file", type=Path)
    play.flag("--compact", "cli-compact")

    show = command("show", _show)
    show.argument("source", "cli-source", metavar="FILE|TEXT")
    show.option("--game", "cli-game", type=int, default=1, metavar="N")
    show.option("--move", "cli-move", type=int, metavar="N")
    show.flag("--compact", "cli-compact")
    show.flag("--svg", "cli-svg")
    show.flag("--dark", "cli-dark")
    show.flag("--json", "cli-json")

    replay = command("replay", _replay)
    replay.argument("file", "cli-record-file", metavar="FILE")
    replay.option("--game", "cli-game", type=int, default=1, metavar="N")
    replay.flag("--compact", "cli-compact")
    replay.flag("--json", "cli-json")

    check = command("check", _check)
    check.argument("files", "cli-record-file", metavar="FILE", nargs="+")
    check.flag("--json", "cli-json")

    new = command("new", _new)
    new.setup_options()
    new.flag("--json", "cli-json")

    counts = command("perft", _perft)
    counts.argument("depth", "cli-depth", metavar="DEPTH", type=int)
    counts.argument("position", "cli-position", metavar="POSITION", nargs="?")
    counts.setup_options()
    counts.flag("--json", "cli-json")
    return parser


def _play(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.terminal import saves, start

    narrow = options.compact or shutil.get_terminal_size((WIDE, 24)).columns < WIDE
    path: Path | None = options.file
    with _failing(say, path):
        if path is None and not options.new:
            path = saves.newest_unfinished(saves.games_folder(os.environ))
        if path is not None and path.exists():
            if options.new:
                raise Failure(say("cli-file-exists", file=str(path)))
            game = start.resume(path, say, narrow)
            if game is None:
                raise Failure(say("cli-game-finished", file=str(path)))
            print(say("play-resumed"))
        else:
            people = (0, 1) if options.opponent == "human" else (options.seat,)
            names = (options.names[0], options.names[1]) if options.names else None
            game = start.begin(_setup(options, say)[0], people, names, path, say, narrow)
        game.run()
    return 0


def _show(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.render import ascii as drawing
    from patchwork.render import svg

    position, layouts = _position(options, say)
    if options.json:
        print(json.dumps(_as_json(position)))
    elif options.svg:
        print(svg.table(position, layouts, theme=svg.DARK if options.dark else svg.LIGHT))
    elif options.compact:
        print(drawing.compact(position))
    else:
        print(drawing.table(position, layouts))
    return 0


def _position(
    options: argparse.Namespace, say: Messages
) -> tuple[Position, tuple[Layout, Layout] | None]:
    """Returns the position that ``show`` was asked for, with the layouts where it has them."""
    source: str = options.source
    # os.path.isfile, since a position is longer than a file name may be, which Path refuses.
    if source != "-" and not os.path.isfile(source):  # noqa: PTH113
        try:
            return Position.parse(source), None
        except NotationError as error:
            raise Failure(
                say("cli-no-such-source", source=source[:60], complaint=complaint(say, error))
            ) from error
    text = _text(source, say)
    if "[" not in text:
        with _failing(say, source):
            return Position.parse(text), None
    game = _record(text, source, options.game, say).game
    if options.move is not None:
        if not 0 <= options.move <= len(game.moves):
            raise Failure(say("cli-no-such-move", move=options.move, last=len(game.moves)))
        while len(game.moves) > options.move:
            game.pop()
    return game.position, (game.layout(0), game.layout(1))


def _replay(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.render import ascii as drawing
    from patchwork.terminal.effects import effects
    from patchwork.terminal.lines import scoring

    record = _record(_text(options.file, say), options.file, options.game, say)
    steps = Game(record.setup)
    pausing = sys.stdin.isatty() and sys.stdout.isatty()
    for number, move in enumerate(record.game.moves, 1):
        before = steps.position
        steps.push(move)
        if options.json:
            print(json.dumps(_step_as_json(number, before, move, steps.position)))
            continue
        print(f"\n{number}. {move}")
        print("\n".join(effects(say, record.players, before, move)))
        if options.compact:
            print(drawing.compact(steps.position, record.players))
        else:
            layouts = (steps.layout(0), steps.layout(1))
            print("\n" + drawing.table(steps.position, layouts, record.players))
        if pausing and input(f"\n{say('cli-press-enter')} ").strip().lower() == "q":
            return 0
    if not options.json:
        if steps.position.outcome is None:
            print("\n" + say("cli-ends-here", termination=record.termination.name.lower()))
        else:
            print("\n".join(scoring(say, record.players, steps.position)))
    return 0


def _check(options: argparse.Namespace, say: Messages) -> int:
    status = 0
    for file in options.files:
        games, error = 0, None
        try:
            games = len(Record.parse_all(_text(file, say)))
            problem = None if games else f"{file}: {say('cli-no-game')}"
        except NotationError as found:
            error, problem = found, _located(say, file, found)
        except Failure as failure:
            problem = str(failure)
        if problem is not None:
            status = 1
        if options.json:
            print(json.dumps({"file": file, "games": games, **_error_as_json(problem, error)}))
        elif problem is None:
            print(f"{file}: {say('cli-checked', games=games)}")
        else:
            print(problem, file=sys.stderr)
    return status


def _new(options: argparse.Namespace, say: Messages) -> int:
    setup, seed = _setup(options, say)
    if options.json:
        print(json.dumps({"seed": seed, **_as_json(setup.start())}))
    else:
        print(Record(setup, tags={"Seed": str(seed)}).format(), end="")
    return 0


def _perft(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.rules.perft import perft

    if options.depth < 1:
        raise Failure(say("cli-bad-depth", depth=options.depth))
    if options.position is None:
        position = _setup(options, say, default_seed=0)[0].start()
    else:
        with _failing(say, None):
            position = Position.parse(options.position)
    counts: dict[str, int] = {}
    for move in position.legal_moves():
        counts[str(move)] = perft(position.play(move), options.depth - 1)
        if not options.json:
            print(f"{move}: {counts[str(move)]}", flush=True)
    total = sum(counts.values())
    print(
        json.dumps({"depth": options.depth, "total": total, "moves": counts})
        if options.json
        else total
    )
    return 0


def _setup(
    options: argparse.Namespace, say: Messages, default_seed: int | None = None
) -> tuple[Setup, int]:
    """Returns the set-up asked for and its seed, drawn where none is given."""
    seed: int = randbelow(SEEDS) if options.seed is None else options.seed
    if options.seed is None and default_seed is not None:
        seed = default_seed
    edition = next(edition for edition in EDITIONS if edition.name == options.edition)
    try:
        return Setup.random(seed, edition, options.first), seed
    except SetupError as error:
        raise Failure(say("cli-bad-seed", seed=str(seed), last=str(SEEDS - 1))) from error


def _text(file: str, say: Messages) -> str:
    """Returns the text of a file, or of standard input for ``-``."""
    with _failing(say, file):
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return content.decode("utf-8")


def _record(text: str, file: str, number: int, say: Messages) -> Record:
    """Returns one record of a text, counted from 1."""
    with _failing(say, file):
        records = Record.parse_all(text)
    if not 1 <= number <= len(records):
        raise Failure(say("cli-no-such-game", file=file, game=number, games=len(records)))
    return records[number - 1]


@contextmanager
def _failing(say: Messages, file: object) -> Iterator[None]:
    """Turns what can go wrong with a file or a text into a message for the user."""
    try:
        yield
    except NotationError as error:
        raise Failure(_located(say, file, error)) from error
    except UnicodeDecodeError as error:
        raise Failure(say("cli-not-text", file=str(file), byte=error.start)) from error
    except OSError as error:
        name = str(error.filename or file)
        raise Failure(say("cli-cannot-open", file=name, detail=error.strerror or "")) from error


def _located(say: Messages, file: object, error: NotationError) -> str:
    """Returns what is wrong with a text and where, as compilers write it."""
    places = [str(place) for place in (file, error.line, error.column) if place is not None]
    if error.number is not None:
        places.append(" " + say("notation-move", number=error.number))
    return (
        ":".join((*places, "")) + " " + complaint(say, error) if places else complaint(say, error)
    )


def _error_as_json(problem: str | None, error: NotationError | None) -> dict[str, object]:
    if error is None:
        return {"ok": problem is None, "message": problem}
    return {
        "ok": False,
        "message": problem,
        "problem": error.problem,
        "reason": error.reason,
        "detail": error.detail,
        "line": error.line,
        "column": error.column,
        "number": error.number,
    }


def _as_json(position: Position) -> dict[str, object]:
    outcome = position.outcome
    return {
        "position": str(position),
        "edition": position.edition.name,
        "turn": position.turn,
        "phase": position.phase,
        "players": [
            {
                "buttons": p.buttons,
                "income": p.income,
                "time": p.time,
                "filled": list(cells(p.quilt)),
            }
            for p in position.players
        ],
        "circle": position.circle,
        "offer": position.offer,
        "leather": position.leather,
        "tile": position.tile,
        "first_home": position.first_home,
        "scores": position.scores,
        "winner": None if outcome is None else outcome.winner,
        "tie_break": None if outcome is None else outcome.tie_break,
    }


def _step_as_json(number: int, before: Position, move: Move, after: Position) -> dict[str, object]:
    return {"number": number, "seat": before.turn, "move": str(move), **_as_json(after)}


if __name__ == "__main__":
    sys.exit(main())
