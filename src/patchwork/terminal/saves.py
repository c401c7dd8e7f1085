"""Where games in progress are kept, and how they are written so that nothing is lost."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from patchwork.notation.errors import NotationError
from patchwork.notation.record import Line, Ply, Record, Termination
from patchwork.rules.game import Game

SUFFIX = ".patchwork"


def games_folder(environment: Mapping[str, str]) -> Path:
    """Returns the folder for games, by the XDG convention."""
    data = environment.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "patchwork" / "games"


def new_path(folder: Path, now: datetime) -> Path:
    """Returns a path in the folder, named after the moment, that no game has yet."""
    stem = now.strftime("%Y-%m-%d-%H%M%S")
    names = (f"{stem}{f'-{count}' if count else ''}{SUFFIX}" for count in range(1000))
    return next(path for path in map(folder.joinpath, names) if not path.exists())


def read(path: Path) -> Record:
    """Returns the record in a file.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: it is not UTF-8.
        NotationError: it does not hold one sound record.
    """
    return Record.parse(path.read_bytes().decode("utf-8"))


def write(path: Path, record: Record) -> None:
    """Puts a record into a file; whenever the process dies, the old or the new one is there whole.

    Raises:
        OSError: the file cannot be written; what was there before still is.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(record.format().encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if os.name == "posix":  # elsewhere a folder cannot be opened, and renaming is durable by itself
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def continued(record: Record, game: Game) -> Record:
    """Returns a record with the moves of a game; what it says about moves that stay, stays."""
    kept = 0
    for ply, move in zip(record.line.plies, game.moves, strict=False):
        if ply.move != move:
            break
        kept += 1
    plies = (*record.line.plies[:kept], *map(Ply, game.moves[kept:]))
    outcome = game.position.outcome
    return replace(
        record,
        line=Line(plies, record.line.comment),
        termination=Termination.UNFINISHED if outcome is None else Termination.PLAYED_OUT,
        winner=None if outcome is None else outcome.winner,
    )


def newest_unfinished(folder: Path) -> Path | None:
    """Returns the file of the game in the folder that was played last and can go on."""
    for path in sorted(folder.glob(f"*{SUFFIX}"), key=_changed, reverse=True):
        try:
            record = read(path)
        except (OSError, UnicodeDecodeError, NotationError):
            continue  # somebody else's file, or damaged by hand: not ours to touch
        if record.termination is Termination.UNFINISHED:
            return path
    return None


def _changed(path: Path) -> float:
    return path.stat().st_mtime
