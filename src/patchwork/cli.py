"""The command line: ``patchwork COMMAND``. Data goes to stdout, messages to stderr.

Exit status: 0 done; 1 what was given is wrong or cannot be read or written; 2 wrong usage; 130
interrupted.
"""

import argparse
import difflib
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import randbelow

import patchwork
from patchwork.locales import LANGUAGES, Messages, messages, preferred_language
from patchwork.notation.errors import NotationError
from patchwork.notation.record import Record
from patchwork.rules.game import Game, Layout
from patchwork.rules.position import Position
from patchwork.rules.quilt import cells
from patchwork.rules.setup import SEEDS, Setup
from patchwork.rules.timeboard import EDITIONS
from patchwork.terminal import reading, screen
from patchwork.terminal.arguments import Parser, given
from patchwork.terminal.complaints import complaint, located, wrong_game

Command = Callable[[argparse.Namespace, Messages], int]

_GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
"""How annotations are written in chess; others stay numbers."""


class Failure(Exception):
    """A message for the user that ends the command with status 1."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    screen.prepare()
    arguments = sys.argv[1:] if arguments is None else arguments
    language, words = _language(arguments)
    say = messages(language)
    try:
        if sys.stdout is None:
            raise Failure(say("cli-no-output"))
        try:
            return _run(arguments, words, say)
        finally:
            sys.stdout.flush()
    except Failure as failure:
        print(f"patchwork: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        # What fails with the files of a command is a Failure, so this was its output.
        if not isinstance(error, BrokenPipeError):  # its reader has left, as `head` does
            print(
                f"patchwork: {say('cli-cannot-write', detail=error.strerror or '')}",
                file=sys.stderr,
            )
        # Python must not try to write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _language(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Returns the language to speak, which the parser proper needs to know, and other words."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument("--lang", nargs="?")
    found, others = finder.parse_known_args(arguments)
    language: str = found.lang if found.lang in LANGUAGES else preferred_language(os.environ)
    return language, [word for word in others if not word.startswith("-")]


def _run(arguments: Sequence[str], words: Sequence[str], say: Messages) -> int:
    parser, commands = _parser(say)
    if words and words[0] not in commands:
        similar = difflib.get_close_matches(words[0], commands, n=1)
        parser.error(
            say("cli-similar-command", command=words[0], similar=similar[0])
            if similar
            else say("cli-no-such-command", command=words[0], commands=", ".join(commands))
        )
    options = parser.parse_args(arguments)
    if options.version:
        print(f"patchwork {patchwork.__version__}")
        return 0
    if not words:
        parser.print_help()
        return 0
    run: Command = options.run
    return run(options, say)


def _parser(say: Messages) -> tuple[Parser, list[str]]:
    """Returns the parser of all arguments, and the names of the commands."""
    parser = Parser(say, "patchwork", "cli-description")
    parser.flag("--version", "cli-version")
    commands = parser.add_subparsers(
        title=say("cli-commands"), metavar="COMMAND", parser_class=Parser
    )

    def command(name: str, run: Command) -> Parser:
        text = f"cli-{name}"
        made = commands.add_parser(name, help=say(text), say=say, text=text)
        made.set_defaults(run=run, parser=made)
        return made

    play = command("play", _play)
    play.option("--opponent", "cli-opponent", choices=("greedy", "human"))
    play.option("--seat", "cli-seat", choices=("0", "1"))
    play.option("--names", "cli-names", nargs=2, type=play.name, metavar=("NAME0", "NAME1"))
    play.setup_options()
    play.flag("--new", "cli-play-new")
    play.option("--file", "cli-file", type=Path)
    play.flag("--compact", "cli-compact")

    show = command("show", _show)
    show.argument("source", "cli-source", metavar="FILE|TEXT")
    show.option("--game", "cli-game", type=show.number(1), metavar="N")
    show.option("--move", "cli-move", type=show.number(0), metavar="N")
    show.flag("--compact", "cli-compact")
    show.flag("--svg", "cli-svg")
    show.flag("--dark", "cli-dark")
    show.flag("--json", "cli-json")

    replay = command("replay", _replay)
    replay.argument("file", "cli-record-file", metavar="FILE")
    replay.option("--game", "cli-game", type=replay.number(1), metavar="N")
    replay.flag("--compact", "cli-compact")
    replay.flag("--json", "cli-json")

    check = command("check", _check)
    check.argument("files", "cli-record-file", metavar="FILE", nargs="+")
    check.flag("--json", "cli-json")

    new = command("new", _new)
    new.setup_options()
    new.flag("--json", "cli-json")

    counts = command("perft", _perft)
    counts.argument("depth", "cli-depth", metavar="DEPTH", type=counts.number(1))
    counts.argument("position", "cli-position", metavar="POSITION", nargs="?")
    counts.setup_options(seed="cli-perft-seed")
    counts.flag("--json", "cli-json")
    return parser, list(commands.choices)


def _play(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.terminal import saves, start

    if sys.stdin is None:
        raise Failure(say("cli-no-input"))
    if options.opponent == "human":
        _refuse_together(options, say, ["--opponent human", *given(options, "seat")])
    described = given(options, "new", "opponent", "seat", "names", "seed", "edition", "first")
    path: Path | None = options.file
    with _failing(say, path):
        if path is None and not described:
            path, damaged = saves.newest_unfinished(saves.games_folder(os.environ))
            for file in damaged:
                print(f"patchwork: {say('cli-damaged-save', file=str(file))}", file=sys.stderr)
        resuming = path is not None and path.exists()
        if path is not None and resuming:
            if described:
                raise Failure(say("cli-file-exists", file=str(path), option=described[0]))
            game = start.resume(path, say)
            if game is None:
                command = f"patchwork replay {shlex.quote(str(path))}"
                raise Failure(say("cli-game-finished", file=str(path), command=command))
        else:
            people = (0, 1) if options.opponent == "human" else (int(options.seat or 0),)
            names = (options.names[0], options.names[1]) if options.names else None
            game = start.begin(_setup(options)[0], people, names, path, say)
    if resuming:
        screen.tell(say("play-resumed"))
    game.compact = options.compact
    if options.file is not None:
        game.command = f"patchwork play --file {shlex.quote(str(path))}"
    screen.edit_lines()
    game.run()
    return 0


def _show(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.render import svg

    _refuse_together(options, say, given(options, "compact", "svg", "json"))
    if options.dark and not options.svg:
        options.parser.error(say("cli-needs", option="--dark", other="--svg"))
    position, layouts, names = _position(options, say)
    if options.json:
        print(json.dumps(_as_json(position)))
    elif options.svg:
        theme = svg.DARK if options.dark else svg.LIGHT
        picture = svg.table(position, layouts, names=names, theme=theme)
        # So that a picture is right in a file of whatever encoding the terminal has.
        print(picture.encode("ascii", "xmlcharrefreplace").decode("ascii"))
    else:
        print(screen.table(position, layouts, names, options.compact))
    return 0


def _position(
    options: argparse.Namespace, say: Messages
) -> tuple[Position, tuple[Layout, Layout] | None, tuple[str, str]]:
    """Returns the position that ``show`` was asked for; of a game, with layouts and names."""
    source: str = options.source
    # os.path.exists, since a position is longer than a file name may be, which Path refuses.
    if source != "-" and not os.path.exists(source):  # noqa: PTH110
        try:
            position = Position.parse(source)
        except NotationError as error:
            raise Failure(
                say("cli-no-such-source", source=source[:60], complaint=complaint(say, error))
            ) from error
        return _alone(position, options, say)
    text = _text(source, say)
    if "[" not in text:
        with _failing(say, source):
            position = Position.parse(text)
        return _alone(position, options, say)
    record = _record(text, source, options.game, say)
    game = record.game
    if options.move is not None:
        if options.move > len(game.moves):
            raise Failure(say("cli-no-such-move", move=options.move, last=len(game.moves)))
        while len(game.moves) > options.move:
            game.pop()
    first, second = ("" if name == "?" else name for name in record.players)
    return game.position, (game.layout(0), game.layout(1)), (first, second)


def _alone(
    position: Position, options: argparse.Namespace, say: Messages
) -> tuple[Position, None, tuple[str, str]]:
    """Returns a position that is not from a game, so that none of its moves can be asked for."""
    for option in given(options, "game", "move"):
        options.parser.error(say("cli-needs-record", option=option))
    return position, None, ("", "")


def _replay(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.terminal.effects import effects
    from patchwork.terminal.lines import scoring

    _refuse_together(options, say, given(options, "compact", "json"))
    record = _record(_text(options.file, say), options.file, options.game, say)
    if options.json:
        for step in _steps_as_json(record):
            print(json.dumps(step))
        return 0
    steps = Game(record.setup)

    def draw() -> None:
        layouts = (steps.layout(0), steps.layout(1))
        print("\n" + screen.table(steps.position, layouts, record.players, options.compact))

    if record.line.comment:
        screen.tell(record.line.comment)
    if not record.line.plies:
        draw()
    pausing = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    for number, ply in enumerate(record.line.plies, 1):
        before = steps.position
        steps.push(ply.move)
        glyphs = (_GLYPHS.get(nag, f"${nag}") for nag in ply.nags)
        print("\n" + " ".join((f"{number}. {ply.move}", *glyphs)))
        screen.tell("\n".join(effects(say, record.players, before, ply.move)))
        if ply.comment:
            screen.tell(ply.comment)
        draw()
        if pausing and _stopped(say):
            return 0
    if steps.position.outcome is None:
        screen.tell("\n" + say("cli-ends-here", termination=record.termination.name.lower()))
    else:
        screen.tell("\n".join(scoring(say, record.players, steps.position)))
    return 0


def _stopped(say: Messages) -> bool:
    """Waits for the user, and returns whether they have seen enough."""
    try:
        return input(f"\n{say('cli-press-enter')} ").strip().lower() == "q"
    except EOFError:
        return True


def _check(options: argparse.Namespace, say: Messages) -> int:
    status = 0
    for file in options.files:
        games, text, error = 0, "", None
        try:
            text = _text(file, say)
            games = len(Record.parse_all(text))
            problem = None if games else f"{file}: {say('cli-no-game')}"
        except NotationError as found:
            error, problem = found, located(say, file, found, text)
        except Failure as failure:
            problem = str(failure)
        if problem is not None:
            status = 1
        if options.json:
            result = {"file": file, "games": games, **_error_as_json(problem, error, text)}
            print(json.dumps(result))
        elif problem is None:
            print(f"{file}: {say('cli-checked', games=games)}")
        else:
            print(problem, file=sys.stderr)
    return status


def _new(options: argparse.Namespace, say: Messages) -> int:
    setup, seed = _setup(options)
    if options.json:
        print(json.dumps({"seed": seed, **_as_json(setup.start())}))
    else:
        print(Record(setup, tags={"Seed": str(seed)}).format(), end="")
    return 0


def _perft(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.rules.perft import perft

    if options.position is None:
        position = _setup(options, default_seed=0)[0].start()
    else:
        for option in given(options, "seed", "edition", "first"):
            _refuse_together(options, say, ["POSITION", option])
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


def _setup(options: argparse.Namespace, default_seed: int | None = None) -> tuple[Setup, int]:
    """Returns the set-up asked for and its seed, drawn where there is none."""
    seed: int | None = default_seed if options.seed is None else options.seed
    if seed is None:
        seed = randbelow(SEEDS)
    edition = next(edition for edition in EDITIONS if options.edition in (edition.name, None))
    return Setup.random(seed, edition, int(options.first or 0)), seed


def _refuse_together(options: argparse.Namespace, say: Messages, together: list[str]) -> None:
    """Ends the command if two options are given of which only one can be obeyed."""
    if len(together) > 1:
        first, second = together[:2]
        options.parser.error(say("cli-not-together", first=first, second=second))


def _text(file: str, say: Messages) -> str:
    """Returns the text of a file, or of standard input for ``-``."""
    if file == "-" and sys.stdin is None:
        raise Failure(say("cli-no-input"))
    with _failing(say, file):
        content = reading.rest(sys.stdin.buffer) if file == "-" else reading.content(Path(file))
        return content.decode("utf-8")


def _record(text: str, file: str, number: int | None, say: Messages) -> Record:
    """Returns one record of a text, counted from 1; the first if none is asked for."""
    with _failing(say, file, text):
        records = Record.parse_all(text)
    number = number or 1
    if number > len(records):
        raise Failure(say("cli-no-such-game", file=file, game=number, games=len(records)))
    return records[number - 1]


@contextmanager
def _failing(say: Messages, file: object, text: str = "") -> Iterator[None]:
    """Turns what can go wrong with a file or its text into a message for the user."""
    try:
        yield
    except NotationError as error:
        raise Failure(located(say, file, error, text)) from error
    except UnicodeDecodeError as error:
        raise Failure(say("cli-not-text", file=str(file), byte=error.start)) from error
    except OSError as error:
        name = str(error.filename or file)
        raise Failure(say("cli-cannot-open", file=name, detail=error.strerror or "")) from error


def _error_as_json(
    problem: str | None, error: NotationError | None, text: str
) -> dict[str, object]:
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
        "game": wrong_game(error, text),
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


def _steps_as_json(record: Record) -> Iterator[dict[str, object]]:
    """Yields the moves of the main line, each with what is said about it and where it leads."""
    game, before = Game(record.setup), record.line.comment
    for number, ply in enumerate(record.line.plies, 1):
        seat = game.position.turn
        game.push(ply.move)
        yield {
            "number": number,
            "seat": seat,
            "move": str(ply.move),
            "nags": ply.nags,
            "comment_before": before,
            "comment": ply.comment,
            **_as_json(game.position),
        }
        before = ""


if __name__ == "__main__":
    sys.exit(main())
