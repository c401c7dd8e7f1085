"""The commands for the server: run it, back up its games, restore them, export them."""

import argparse
import asyncio
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from patchwork.cli.arguments import Parser
from patchwork.cli.command import AddCommand, CommandError, file_errors
from patchwork.cli.engines import engine_needed
from patchwork.locales import Messages

if TYPE_CHECKING:
    from patchwork.server.settings import SettingError, Settings
    from patchwork.server.store import StoredGame

_OPTIONS = (
    *("host", "port", "database", "public_url", "origins", "proxies", "workers"),
    *("log_format", "log_level"),
)
"""The settings that have an option; others come from the environment alone."""

_FOR_OTHERS = ("PATCHWORK_HOST", "PATCHWORK_PUBLIC_URL", "PATCHWORK_ORIGINS", "PATCHWORK_PROXIES")
"""Whoever sets one of these arranges how others reach the server, and needs no offer to open it."""


def add_commands(command: AddCommand) -> None:
    """Adds the commands of this module."""
    serve = command("serve", _serve)
    serve.option("--host", "cli-host", metavar="ADDRESS")
    serve.option("--port", "cli-port", metavar="N")
    _database_option(serve)
    serve.option("--public-url", "cli-public-url", metavar="URL")
    serve.option("--origins", "cli-origins", metavar="LIST")
    serve.option("--proxies", "cli-proxies", metavar="LIST")
    serve.option("--workers", "cli-workers", metavar="N")
    serve.option("--log-format", "cli-log-format", choices=("text", "json"))
    serve.option("--log-level", "cli-log-level", choices=("debug", "info", "warning", "error"))
    serve.flag("--no-browser", "cli-no-browser")

    backup = command("backup", _backup)
    backup.argument("file", "cli-backup-file", metavar="FILE", type=Path)
    _database_option(backup)
    backup.flag("--force", "cli-force")

    restore = command("restore", _restore)
    restore.argument("file", "cli-restore-file", metavar="FILE", type=Path)
    _database_option(restore)

    export = command("export", _export)
    export.argument("file", "cli-export-file", metavar="FILE", nargs="?", default="-")
    _database_option(export)


def _database_option(parser: Parser) -> None:
    parser.option("--database", "cli-database", metavar="PATH|URL")


def serve_here(say: Messages) -> int:
    """Serves this machine alone and opens the page: what ``patchwork`` does without a command."""
    from patchwork.server.settings import SettingError, Settings

    try:
        settings = Settings.read({"PATCHWORK_LOG_LEVEL": "warning", **os.environ}, host="127.0.0.1")
    except SettingError as error:
        raise CommandError(_message(error, say, {})) from error
    openable = not any(os.environ.get(name) for name in _FOR_OTHERS)
    return _run(settings, say, browser=True, openable=openable)


def _serve(options: argparse.Namespace, say: Messages) -> int:
    from patchwork.server.settings import is_loopback

    settings = _settings(options, say)
    if not is_loopback(settings.host):
        print(f"patchwork: {say('cli-open-host', host=settings.host)}", file=sys.stderr)
    return _run(settings, say, browser=not options.no_browser)


def _run(settings: "Settings", say: Messages, *, browser: bool, openable: bool = False) -> int:
    with engine_needed(say), _database_needed(settings, say):
        from patchwork.server import serving

        try:
            serving.serve(
                settings,
                browser=browser,
                openable=openable,
                ready=lambda url: print(say("cli-serving", url=url), flush=True),
            )
        except serving.CannotListen as error:
            where = {"host": error.host, "port": str(error.port)}
            raise CommandError(
                say("cli-port-in-use", **where)
                if error.in_use
                else say("cli-cannot-listen", **where, detail=error.detail)
            ) from error
    return 0


def _backup(options: argparse.Namespace, say: Messages) -> int:
    settings = _settings(options, say)
    with _copying(say, settings.database_file, options.file):
        from patchwork.server.store.backup import backup

        backup(settings.database, options.file, overwrite=options.force)
    print(say("cli-backup-done", file=str(options.file)))
    return 0


def _restore(options: argparse.Namespace, say: Messages) -> int:
    settings = _settings(options, say)
    database = settings.database_file
    kept = None
    with _copying(say, options.file, options.file):
        from patchwork.server.store.backup import BackupError, Problem, backup, restore

        if options.file.is_file() and database is not None and database.exists():
            kept = database.with_name(f"{database.name}.{datetime.now():%Y-%m-%d-%H%M%S}")
            backup(settings.database, kept)
        try:
            restore(options.file, settings.database)
        except BackupError as error:
            if kept is not None and error.code is not Problem.FAILED:  # nothing was changed
                kept.unlink()
            raise
    print(say("cli-restore-done", file=str(options.file)))
    if kept is not None:
        print(say("cli-restore-kept", file=str(kept)))
    return 0


def _export(options: argparse.Namespace, say: Messages) -> int:
    settings = _settings(options, say)
    database = settings.database_file
    if database is not None and not database.exists():
        raise CommandError(say("cli-no-such-file", file=str(database)))
    with engine_needed(say), _database_needed(settings, say):
        if options.file == "-":
            _, skipped = asyncio.run(_write_games(settings.database, sys.stdout, say))
            return 1 if skipped else 0
        path = Path(options.file)
        if path.exists():
            raise CommandError(say("cli-exists", file=str(path)))
        with file_errors(say, path), path.open("x", encoding="utf-8") as file:
            written, skipped = asyncio.run(_write_games(settings.database, file, say))
    print(say("cli-exported", games=written, file=str(path)))
    return 1 if skipped else 0


async def _write_games(url: str, file: TextIO, say: Messages) -> tuple[int, int]:
    """Writes all games as records; returns how many were written and how many were skipped."""
    from patchwork.server.store import Store

    written = skipped = 0
    store = await Store.open(url)
    try:
        async for game in store.games():
            try:
                text = _record_text(game)
            except Exception as error:  # one bad game must not keep the others from being saved
                skipped += 1
                message = say("cli-export-skipped", game=game.id, detail=str(error))
                print(f"patchwork: {message}", file=sys.stderr)
            else:
                file.write(f"\n{text}" if written else text)
                written += 1
    finally:
        await store.close()
    return written, skipped


def _record_text(game: "StoredGame") -> str:
    from patchwork.server.game.match import Match
    from patchwork.server.game.record import record

    return record(game.id, game.created, Match(game.terms, game.events)).format()


def _settings(options: argparse.Namespace, say: Messages) -> "Settings":
    """Returns the settings that the options and the environment give."""
    from patchwork.server.settings import SettingError, Settings

    texts = {name: getattr(options, name, None) for name in _OPTIONS}
    chosen = {name: text for name, text in texts.items() if text is not None}
    try:
        return Settings.read(os.environ, **chosen)
    except SettingError as error:
        message = _message(error, say, chosen)
        if error.name in chosen:
            options.parser.error(message)
        raise CommandError(message) from error


def _message(error: "SettingError", say: Messages, chosen: Mapping[str, str]) -> str:
    from patchwork.server.settings import Allowed

    texts = {
        Allowed.HOST: "cli-allowed-host",
        Allowed.PORT: "cli-allowed-port",
        Allowed.DATABASE: "cli-allowed-database",
        Allowed.ORIGINS: "cli-allowed-origins",
        Allowed.PROXIES: "cli-allowed-proxies",
        Allowed.PUBLIC_URL: "cli-allowed-public-url",
        Allowed.SWITCH: "cli-allowed-switch",
        Allowed.WORKERS: "cli-allowed-workers",
        Allowed.SECRET: "cli-allowed-secret",
        Allowed.LOG_FORMAT: "cli-allowed-log-format",
        Allowed.LOG_LEVEL: "cli-allowed-log-level",
        Allowed.FRAME: "cli-allowed-frame",
        Allowed.COUNT: "cli-allowed-count",
        Allowed.POSITIVE: "cli-allowed-positive",
        Allowed.SECONDS: "cli-allowed-seconds",
    }
    option = f"--{error.name.replace('_', '-')}"
    setting = option if error.name in chosen else f"PATCHWORK_{error.name.upper()}"
    allowed = say(texts[error.allowed])
    return say("cli-bad-setting", setting=setting, value=error.value, allowed=allowed)


@contextmanager
def _database_needed(settings: "Settings", say: Messages) -> Iterator[None]:
    """Reports what is wrong with a database that cannot be used."""
    from patchwork.server.store import Unavailable, UnknownVersion

    if settings.database_file is None and find_spec("asyncpg") is None:
        raise CommandError(say("cli-no-postgres"))
    try:
        yield
    except Unavailable as error:
        raise CommandError(say("cli-no-database", detail=str(error))) from error
    except UnknownVersion as error:
        raise CommandError(say("cli-newer-database", detail=str(error))) from error


@contextmanager
def _copying(say: Messages, source: object, target: Path) -> Iterator[None]:
    """Reports why games could not be copied."""
    with engine_needed(say):
        from patchwork.server.store.backup import BackupError, Problem
    texts = {
        Problem.NOT_SQLITE: "cli-copy-not-sqlite",
        Problem.MISSING: "cli-no-such-file",
        Problem.EXISTS: "cli-copy-exists",
        Problem.SAME_FILE: "cli-copy-same-file",
        Problem.UNSOUND: "cli-copy-unsound",
        Problem.UNKNOWN_VERSION: "cli-newer-database",
        Problem.FAILED: "cli-copy-failed",
    }
    try:
        yield
    except BackupError as error:
        file = str(source if error.code is Problem.MISSING else target)
        raise CommandError(say(texts[error.code], file=file, detail=error.detail)) from error
