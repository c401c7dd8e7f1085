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
from patchwork.terminal import files

SUFFIX = ".patchwork"


class ChangedElsewhere(Exception):
    """A file no longer holds what we last read from it or wrote to it."""


def games_folder(environment: Mapping[str, str]) -> Path:
    """Returns the folder for games, by the XDG convention, which ignores relative paths."""
    data = Path(environment.get("XDG_DATA_HOME", ""))
    if not data.is_absolute():
        data = _home(environment) / ".local" / "share"
    return data / "patchwork" / "games"


def _home(environment: Mapping[str, str]) -> Path:
    if environment.get("HOME") == "":  # Path.home would take the root of the disk for it
        import pwd

        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    return Path.home()


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
    return Record.parse(files.read_file(path).decode("utf-8"))


def write(path: Path, record: Record, replacing: bytes | None = None) -> bytes:
    """Puts a record into a file and returns what the file holds now.

    Whenever the process dies, the old or the new record is there whole.

    Raises:
        ChangedElsewhere: the file holds something else than it is to be ``replacing``.
        OSError: the file cannot be written; what was there before still is.
    """
    content = record.format().encode("utf-8")
    try:
        if replacing is not None and path.exists() and files.read_file(path) != replacing:
            raise ChangedElsewhere
        _put(path, content)
    except OSError as error:  # which may name the file written aside, unknown to the user
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    return content


def _put(path: Path, content: bytes) -> None:
    if not path.parent.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
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


def newest_unfinished(folder: Path) -> tuple[Path | None, list[Path]]:
    """Returns the file of the game in the folder that was played last and can go on.

    With it come the files, changed later, that cannot be read as games.
    """
    damaged = []
    for path in sorted(folder.glob(f"*{SUFFIX}"), key=_changed, reverse=True):
        try:
            record = read(path)
        except (OSError, UnicodeDecodeError, NotationError):
            damaged.append(path)  # somebody else's file, or damaged by hand: not ours to touch
            continue
        if record.termination is Termination.UNFINISHED:
            return path, damaged
    return None, damaged


def _changed(path: Path) -> float:
    return path.stat().st_mtime
