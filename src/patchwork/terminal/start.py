"""Starts a new game at the terminal, or resumes one."""

import os
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from patchwork.engine.baselines.greedy import greedy
from patchwork.engine.levels import LEVELS
from patchwork.locales import Messages
from patchwork.notation.record import Record, Termination
from patchwork.rules.moves import Move
from patchwork.rules.position import Position
from patchwork.rules.setup import Setup
from patchwork.terminal import files, saves
from patchwork.terminal.line_game import LineGame, Player

if TYPE_CHECKING:
    from patchwork.engine import Engine

_LEVELS = {str(number) for number, _ in enumerate(LEVELS, 1)}

_TYPE_TAGS = ("Player0Type", "Player1Type")
"""Tags that say whether a seat is played by a ``human`` or a ``program``, as in chess."""
_LEVEL_TAG = "Level"
"""The tag with the engine's level; without it, the program is ``greedy``."""


def resume(path: Path, say: Messages) -> LineGame | None:
    """Returns the game in a file; None if it is finished.

    Raises:
        OSError, UnicodeDecodeError, NotationError: as for ``saves.read``.
    """
    content = files.read_file(path)
    record = Record.parse(content.decode("utf-8"))
    if record.termination is not Termination.UNFINISHED:
        return None
    types = [record.tags.get(tag) for tag in _TYPE_TAGS]
    level = record.tags.get(_LEVEL_TAG)
    player = _program(int(level) if level in _LEVELS else None)
    programs = {seat: player for seat in (0, 1) if types[seat] == "program"}
    return LineGame(record, path, content, programs, say)


def begin(
    setup: Setup,
    people: tuple[int, ...],
    level: int | None,
    names: tuple[str, str] | None,
    path: Path | None,
    say: Messages,
) -> LineGame:
    """Returns a new game, already saved; a program plays the seats that people do not.

    The program is the engine at a level, or ``greedy`` if no level is given.

    Raises:
        OSError: it could not be saved.
    """
    now = datetime.now()
    program = "greedy" if level is None else f"level {level}"
    default = [say("play-player", seat=seat) if seat in people else program for seat in (0, 1)]
    types = ["human" if seat in people else "program" for seat in (0, 1)]
    record = Record(
        setup,
        players=names or (default[0], default[1]),
        date=now.strftime("%Y.%m.%d"),
        tags=dict(zip(_TYPE_TAGS, types, strict=True))
        | ({} if level is None else {_LEVEL_TAG: str(level)}),
    )
    path = path or saves.new_path(saves.games_folder(os.environ), now)
    content = saves.write(path, record)
    player = _program(level)
    programs = {seat: player for seat in (0, 1) if seat not in people}
    return LineGame(record, path, content, programs, say)


def uses_engine(record: Record) -> bool:
    """Returns whether the engine plays in a game."""
    return record.tags.get(_LEVEL_TAG) in _LEVELS


def _program(level: int | None) -> Player:
    """Returns a program; an engine is created when it has to move for the first time."""
    if level is None:
        return greedy

    def search(position: Position) -> Move:
        return _engine(level).analyse(position).best

    return search


@cache
def _engine(level: int) -> "Engine":
    from patchwork.engine import Engine

    return Engine(level)
