"""Starts a new game at the terminal, or goes on with one that was left."""

import os
from datetime import datetime
from pathlib import Path

from patchwork.engine.greedy import greedy
from patchwork.locales import Messages
from patchwork.notation.record import Record, Termination
from patchwork.rules.setup import Setup
from patchwork.terminal import reading, saves
from patchwork.terminal.lines import LineGame

_TYPE_TAGS = ("Player0Type", "Player1Type")
"""Tags that say whether ``human`` or ``program`` sits there, as in chess."""


def resume(path: Path, say: Messages) -> LineGame | None:
    """Returns the game of a file, or None if it is not one to go on with.

    Raises:
        OSError, UnicodeDecodeError, NotationError: as ``saves.read``.
    """
    content = reading.content(path)
    record = Record.parse(content.decode("utf-8"))
    if record.termination is not Termination.UNFINISHED:
        return None
    types = [record.tags.get(tag) for tag in _TYPE_TAGS]
    programs = {seat: greedy for seat in (0, 1) if types[seat] == "program"}
    return LineGame(record, path, content, programs, say)


def begin(
    setup: Setup,
    people: tuple[int, ...],
    names: tuple[str, str] | None,
    path: Path | None,
    say: Messages,
) -> LineGame:
    """Returns a new game, already saved; ``greedy`` takes the seats that people do not.

    Raises:
        OSError: it could not be saved.
    """
    now = datetime.now()
    default = [say("play-player", seat=seat) if seat in people else "greedy" for seat in (0, 1)]
    types = ["human" if seat in people else "program" for seat in (0, 1)]
    record = Record(
        setup,
        players=names or (default[0], default[1]),
        date=now.strftime("%Y.%m.%d"),
        tags=dict(zip(_TYPE_TAGS, types, strict=True)),
    )
    path = path or saves.new_path(saves.games_folder(os.environ), now)
    content = saves.write(path, record)
    programs = {seat: greedy for seat in (0, 1) if seat not in people}
    return LineGame(record, path, content, programs, say)
