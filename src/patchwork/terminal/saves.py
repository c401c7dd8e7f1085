"""The files of games in progress: where they are, and how they are written safely."""

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
"""Of the file of a game."""
_MOST_NAMES = 1000
"""How many games may be begun in one second."""


class ChangedElsewhere(Exception):
    """A file no longer holds what was last read from it or written to it."""


def games_folder(environment: Mapping[str, str]) -> Path:
    """Returns the folder of games. By the XDG convention, a relative path is ignored."""
    data = Path(environment.get("XDG_DATA_HOME", ""))
    if not data.is_absolute():
        data = _home(environment) / ".local" / "share"
    return data / "patchwork" / "games"


def _home(environment: Mapping[str, str]) -> Path:
    if environment.get("HOME") == "":  # which Path.home would read as the root of the disk
        import pwd

        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    return Path.home()


def new_path(folder: Path, now: datetime) -> Path:
    """Returns an unused path in the folder, named after the time."""
    stem = now.strftime("%Y-%m-%d-%H%M%S")
    names = (f"{stem}{f'-{count}' if count else ''}{SUFFIX}" for count in range(_MOST_NAMES))
    return next(path for path in map(folder.joinpath, names) if not path.exists())


def read(path: Path) -> Record:
    """Returns the record in a file.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: it is not UTF-8.
        NotationError: it does not hold exactly one valid record.
    """
    return Record.parse(files.read_file(path).decode("utf-8"))


def write(path: Path, record: Record, replacing: bytes | None = None) -> bytes:
    """Writes a record to a file and returns the file's new content.

    Even if the process dies, the file holds either the old or the new record, complete.

    Raises:
        ChangedElsewhere: the file does not hold what it should be ``replacing``.
        OSError: the file cannot be written; its content is unchanged.
    """
    content = record.format().encode("utf-8")
    try:
        if replacing is not None and path.exists() and files.read_file(path) != replacing:
            raise ChangedElsewhere
        _put(path, content)
    except OSError as error:  # which may name the temporary file, unknown to the user
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
    if os.name == "posix":  # elsewhere, folders cannot be opened, and renaming is durable
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def continued(record: Record, game: Game) -> Record:
    """Returns a record with the moves of a game; comments on moves that remain are kept."""
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
    """Returns the file of the latest unfinished game in the folder, if there is one.

    Also returns the later files that cannot be read as games.
    """
    damaged = []
    for path in sorted(folder.glob(f"*{SUFFIX}"), key=_changed, reverse=True):
        try:
            record = read(path)
        except (OSError, UnicodeDecodeError, NotationError):
            damaged.append(path)  # of another program, or damaged: not ours to touch
            continue
        if record.termination is Termination.UNFINISHED:
            return path, damaged
    return None, damaged


def _changed(path: Path) -> float:
    return path.stat().st_mtime
