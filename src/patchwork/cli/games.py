"""The commands about games: play one, draw one, check one, make a new one."""

import argparse
import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from secrets import randbelow

from patchwork.cli.arguments import given_options
from patchwork.cli.as_json import error_as_json, position_as_json, steps_as_json
from patchwork.cli.command import AddCommand, CommandError, file_errors, forbid_together, read_text
from patchwork.cli.engines import prepare_engine
from patchwork.engine.levels import LEVELS
from patchwork.locales import Messages
from patchwork.notation.errors import NotationError
from patchwork.notation.record import Record
from patchwork.rules.game import Game, Layout
from patchwork.rules.position import Position
from patchwork.rules.setup import SEEDS, Setup
from patchwork.rules.timeboard import CLASSIC, EDITION_BY_NAME
from patchwork.terminal import screen
from patchwork.terminal.error_messages import error_message, located_message

_GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
"""Annotations as they are written in chess; others remain numbers."""

_QUOTED = 60
"""How many characters of a text that cannot be shown an error quotes."""


def add_commands(command: AddCommand) -> None:
    """Adds the commands of this module."""
    levels = [str(number) for number, _ in enumerate(LEVELS, 1)]
    play = command("play", _play)
    play.option("--opponent", "cli-opponent", choices=("greedy", *levels, "human"))
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


def _play(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.terminal import saves, start

    if sys.stdin is None:
        raise CommandError(say("cli-no-input"))
    if options.opponent == "human":
        forbid_together(options, say, ["--opponent human", *given_options(options, "seat")])
    described = given_options(
        options, "new", "opponent", "seat", "names", "seed", "edition", "first"
    )
    path: Path | None = options.file
    with file_errors(say, path):
        if path is None and not described:
            path, damaged = saves.newest_unfinished(saves.games_folder(os.environ))
            for file in damaged:
                print(f"patchwork: {say('cli-damaged-save', file=str(file))}", file=sys.stderr)
        resuming = path is not None and path.exists()
        if path is not None and resuming:
            if described:
                raise CommandError(say("cli-file-exists", file=str(path), option=described[0]))
            game = start.resume(path, say)
            if game is None:
                command = f"{_program()} replay {shlex.quote(str(path))}"
                raise CommandError(say("cli-game-finished", file=str(path), command=command))
        else:
            people = (0, 1) if options.opponent == "human" else (int(options.seat or 0),)
            names = (options.names[0], options.names[1]) if options.names else None
            levelled = options.opponent not in (None, "greedy", "human")
            level = int(options.opponent) if levelled else None
            game = start.begin(_setup(options)[0], people, level, names, path, say)
    if resuming:
        screen.print_text(say("play-resumed"))
    game.compact = options.compact
    game.command = f"{_program()} play"
    if options.file is not None:
        game.command += f" --file {shlex.quote(str(path))}"
    if start.uses_engine(game.record):
        prepare_engine(say)
    screen.edit_lines()
    game.run()
    return 0


def _program() -> str:
    """Returns how to call this program; after `make play`, it is not on the path."""
    started = Path(sys.argv[0])
    off_path = started.name == "patchwork" and shutil.which("patchwork") is None
    return str(started) if off_path else "patchwork"


def _show(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.render import svg

    forbid_together(options, say, given_options(options, "compact", "svg", "json"))
    if options.dark and not options.svg:
        options.parser.error(say("cli-needs", option="--dark", other="--svg"))
    position, layouts, names = _position(options, say)
    if options.json:
        print(json.dumps(position_as_json(position)))
    elif options.svg:
        theme = svg.DARK if options.dark else svg.LIGHT
        picture = svg.table(position, layouts, names=names, theme=theme)
        # In ASCII, a picture is right in a file whatever the encoding of the terminal.
        print(picture.encode("ascii", "xmlcharrefreplace").decode("ascii"))
    else:
        print(screen.table(position, layouts, names, options.compact))
    return 0


def _position(
    options: argparse.Namespace, say: Messages
) -> tuple[Position, tuple[Layout, Layout] | None, tuple[str, str]]:
    """Returns the position to show; for a game, with layouts and names."""
    source: str = options.source
    # os.path.exists, because Path refuses a position, which is longer than a file name may be.
    if source != "-" and not os.path.exists(source):  # noqa: PTH110
        try:
            position = Position.parse(source)
        except NotationError as error:
            raise CommandError(
                say(
                    "cli-no-such-source",
                    source=source[:_QUOTED],
                    complaint=error_message(say, error),
                )
            ) from error
        return _alone(position, options, say)
    text = read_text(source, say)
    if "[" not in text:
        with file_errors(say, source):
            position = Position.parse(text)
        return _alone(position, options, say)
    record = _record(text, source, options.game, say)
    game = record.game
    if options.move is not None:
        if options.move > len(game.moves):
            raise CommandError(say("cli-no-such-move", move=options.move, last=len(game.moves)))
        while len(game.moves) > options.move:
            game.pop()
    first, second = ("" if name == "?" else name for name in record.players)
    return game.position, (game.layout(0), game.layout(1)), (first, second)


def _alone(
    position: Position, options: argparse.Namespace, say: Messages
) -> tuple[Position, None, tuple[str, str]]:
    """Returns a position without a game; options that select a game or a move are errors."""
    for option in given_options(options, "game", "move"):
        options.parser.error(say("cli-needs-record", option=option))
    return position, None, ("", "")


def _replay(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.terminal.effects import effects
    from patchwork.terminal.line_game import scoring

    forbid_together(options, say, given_options(options, "compact", "json"))
    record = _record(read_text(options.file, say), options.file, options.game, say)
    if options.json:
        for step in steps_as_json(record):
            print(json.dumps(step))
        return 0
    steps = Game(record.setup)

    def draw() -> None:
        layouts = (steps.layout(0), steps.layout(1))
        print("\n" + screen.table(steps.position, layouts, record.players, options.compact))

    if record.line.comment:
        screen.print_text(record.line.comment)
    if not record.line.plies:
        draw()
    pausing = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    for number, ply in enumerate(record.line.plies, 1):
        before = steps.position
        steps.push(ply.move)
        glyphs = (_GLYPHS.get(nag, f"${nag}") for nag in ply.nags)
        print("\n" + " ".join((f"{number}. {ply.move}", *glyphs)))
        screen.print_text("\n".join(effects(say, record.players, before, ply.move)))
        if ply.comment:
            screen.print_text(ply.comment)
        draw()
        if pausing and _stopped(say):
            return 0
    if steps.position.outcome is None:
        screen.print_text("\n" + say("cli-ends-here", termination=record.termination.name.lower()))
    else:
        screen.print_text("\n".join(scoring(say, record.players, steps.position)))
    return 0


def _stopped(say: Messages) -> bool:
    """Waits for the user, and returns whether they want to stop."""
    try:
        return input(f"\n{say('cli-press-enter')} ").strip().lower() == "q"
    except EOFError:
        return True


def _check(options: argparse.Namespace, say: Messages) -> int:
    status = 0
    for file in options.files:
        games, text, error = 0, "", None
        try:
            text = read_text(file, say)
            games = len(Record.parse_all(text))
            problem = None if games else f"{file}: {say('cli-no-game')}"
        except NotationError as found:
            error, problem = found, located_message(say, file, found, text)
        except CommandError as failure:
            problem = str(failure)
        if problem is not None:
            status = 1
        if options.json:
            result = {"file": file, "games": games, **error_as_json(problem, error, text)}
            print(json.dumps(result))
        elif problem is None:
            print(f"{file}: {say('cli-checked', games=games)}")
        else:
            print(problem, file=sys.stderr)
    return status


def _new(options: argparse.Namespace, say: Messages) -> int:
    setup, seed = _setup(options)
    if options.json:
        print(json.dumps({"seed": seed, **position_as_json(setup.start())}))
    else:
        print(Record(setup, tags={"Seed": str(seed)}).format(), end="")
    return 0


def _perft(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.rules.perft import perft

    if options.position is None:
        position = _setup(options, default_seed=0)[0].start()
    else:
        for option in given_options(options, "seed", "edition", "first"):
            forbid_together(options, say, ["POSITION", option])
        with file_errors(say, None):
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
    """Returns the chosen set-up and its seed, which is random if none is given."""
    seed: int | None = default_seed if options.seed is None else options.seed
    if seed is None:
        seed = randbelow(SEEDS)
    edition = EDITION_BY_NAME[options.edition or CLASSIC.name]
    return Setup.random(seed, edition, int(options.first or 0)), seed


def _record(text: str, file: str, number: int | None, say: Messages) -> Record:
    """Returns a record of a text by its number, from 1; the first one by default."""
    with file_errors(say, file, text):
        records = Record.parse_all(text)
    number = number or 1
    if number > len(records):
        raise CommandError(say("cli-no-such-game", file=file, game=number, games=len(records)))
    return records[number - 1]
