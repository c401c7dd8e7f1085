"""``patchwork serve``, ``backup``, ``restore`` and ``export`` as a user sees them."""

import asyncio
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import patchwork as pw
from patchwork.cli import server as commands
from patchwork.locales import LANGUAGES, messages
from patchwork.notation.record import Record, Termination
from patchwork.server import serving
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.terms import Clock, Opponent, Terms
from patchwork.server.settings import Allowed, SettingError, Settings
from patchwork.server.store import Store, StoredGame, Unavailable
from support.commands import Cli
from support.waiting import PATIENCE

SETUP = pw.Setup.random(5)


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """English, in an empty folder, with a data folder of its own and no settings."""
    for name in [name for name in os.environ if name.startswith("PATCHWORK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATCHWORK_LANG", "en")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "data" / "patchwork" / "server.db"


class Served:
    """Records what would have been served."""

    def __init__(self) -> None:
        self.settings: list[Settings] = []
        self.browsers: list[bool] = []
        self.openable: list[bool] = []
        self.failure: BaseException | None = None

    def __call__(
        self, settings: Settings, *, browser: bool, ready: Any, openable: bool = False
    ) -> None:
        self.settings.append(settings)
        self.browsers.append(browser)
        self.openable.append(openable)
        if self.failure is not None:
            raise self.failure
        ready("http://127.0.0.1:1/")


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Served:
    served = Served()
    monkeypatch.setattr("patchwork.server.serving.serve", served)
    return served


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("command", ["serve", "backup", "restore", "export"])
def test_help_with_examples_in_every_language(cli: Cli, language: str, command: str) -> None:
    text = cli.stopped(0, "--lang", language, command, "--help")
    assert text.count(f"patchwork {command}") >= 2, "no example"
    assert "usage:" not in text or language == "en"
    assert "--database" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_allowed_value_is_described(language: str) -> None:
    say = messages(language)
    for allowed in Allowed:
        error = SettingError("port", "x", allowed)
        assert "PATCHWORK_PORT" in commands._message(error, say, {})
        if language == "en" and allowed not in (Allowed.ORIGINS, Allowed.PROXIES):
            assert str(allowed) in commands._message(error, say, {})


class TestServe:
    def test_without_a_command_it_serves_this_machine_and_opens_the_page(
        self, cli: Cli, served: Served, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATCHWORK_HOST", "0.0.0.0")
        assert cli.output() == "Patchwork is at http://127.0.0.1:1/ (Ctrl+C stops it)\n"
        assert cli.output("--lang", "de").startswith("Patchwork läuft unter http://127.0.0.1:1/")
        assert served.browsers == [True, True]
        assert {settings.host for settings in served.settings} == {"127.0.0.1"}
        assert served.settings[0].log_level == "warning"

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("HOST", "127.0.0.1"),
            ("PUBLIC_URL", "https://x.org"),
            ("ORIGINS", "https://x.org"),
            ("PROXIES", "127.0.0.1"),
        ],
    )
    def test_only_without_a_command_and_such_settings_can_the_page_open_the_server(
        self, cli: Cli, served: Served, monkeypatch: pytest.MonkeyPatch, name: str, value: str
    ) -> None:
        cli.output()
        cli.output("serve")
        monkeypatch.setenv(f"PATCHWORK_{name}", value)
        cli.output()
        assert served.openable == [True, False, False]

    def test_options_and_environment(
        self, cli: Cli, served: Served, monkeypatch: pytest.MonkeyPatch, database: Path
    ) -> None:
        monkeypatch.setenv("PATCHWORK_PORT", "1000")
        monkeypatch.setenv("PATCHWORK_SILENCE", "5")
        cli.output("serve")
        assert served.settings[0] == Settings(
            port=1000, silence=5, database=f"sqlite:///{database}"
        )
        cli.output(
            "serve",
            *("--port", "2000", "--database", "games.db", "--public-url", "https://x.org"),
            *("--origins", "https://y.org", "--proxies", "127.0.0.1", "--workers", "3"),
            *("--log-format", "json", "--log-level", "error", "--no-browser"),
        )
        assert served.settings[1] == Settings(
            port=2000,
            silence=5,
            database=f"sqlite:///{Path.cwd()}/games.db",
            public_url="https://x.org",
            origins=("https://y.org",),
            proxies=("127.0.0.1",),
            workers=3,
            log_format="json",
            log_level="error",
        )
        assert served.browsers == [True, False]

    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "play.example.org"])
    def test_an_open_address_is_warned_about(self, cli: Cli, served: Served, host: str) -> None:
        _, warning = cli.run("serve", "--host", host)
        assert warning.startswith(f"patchwork: listening on {host}, so others can reach")
        assert "proxy with TLS" in warning

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
    def test_a_loopback_address_is_not_warned_about(
        self, cli: Cli, served: Served, host: str
    ) -> None:
        cli.output("serve", "--host", host)

    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("--port", "65536"),
            ("--host", "http://x"),
            ("--database", "mysql://x/y"),
            ("--origins", "https://x.org/path"),
            ("--proxies", "me"),
            ("--public-url", "x.org"),
            ("--workers", "0"),
            ("--log-level", "loud"),
        ],
    )
    def test_a_wrong_option_is_wrong_usage(
        self, cli: Cli, served: Served, option: str, value: str
    ) -> None:
        complaint = cli.stopped(2, "serve", option, value)
        assert option in complaint
        assert value in complaint
        assert "--help" in complaint
        assert not served.settings

    @pytest.mark.parametrize("arguments", [(), ("serve",), ("export",), ("backup", "x")])
    def test_a_wrong_variable_is_named(
        self, cli: Cli, served: Served, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
    ) -> None:
        monkeypatch.setenv("PATCHWORK_PORT", "many")
        assert cli.refused(*arguments) == (
            "PATCHWORK_PORT cannot be “many”; allowed: a whole number from 0 to 65535"
        )

    def test_errors_of_the_server(self, cli: Cli, served: Served) -> None:
        served.failure = serving.CannotListen(Settings(), OSError(98, "Address already in use"))
        served.failure.in_use = True
        assert cli.refused("serve").startswith(
            "port 8327 on 127.0.0.1 is already in use, perhaps by"
        )
        served.failure = serving.CannotListen(Settings(), OSError(13, "Permission denied"))
        assert cli.refused("serve").endswith("port 8327: Permission denied")
        served.failure = Unavailable("disk is full")
        assert cli.refused("serve") == "cannot use the database: disk is full"
        served.failure = ImportError("No module named 'fastapi'")
        assert "pip install '.[play]'" in cli.refused("serve")
        served.failure = KeyboardInterrupt()
        assert cli.run("serve", status=130) == ("", "")

    def test_without_the_extra_it_reports_what_to_install(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in [name for name in sys.modules if name.startswith("patchwork.server.")]:
            if name != "patchwork.server.settings":
                monkeypatch.delitem(sys.modules, name)
        for name in ("fastapi", "uvicorn", "sqlalchemy"):
            monkeypatch.setitem(sys.modules, name, None)
        for arguments in ((), ("serve",), ("backup", "x"), ("restore", "x")):
            assert "pip install '.[play]'" in cli.refused(*arguments)

    def test_postgresql_needs_another_extra(
        self, cli: Cli, served: Served, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(commands, "find_spec", lambda name: None)
        complaint = cli.refused("serve", "--database", "postgresql://localhost/games")
        assert "pip install '.[postgres]'" in complaint


@contextmanager
def running(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A real server without a screen, and the first line that it prints."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY")
    environment = {name: text for name, text in os.environ.items() if name not in hidden}
    with subprocess.Popen(
        [sys.executable, "-m", "patchwork", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "PYTHONIOENCODING": "utf-8"},
    ) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline()
        finally:
            process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="needs the signals of Unix")
class TestProcess:
    @pytest.mark.parametrize(
        ("arguments", "sent", "status"),
        [
            ((), signal.SIGINT, 130),
            (("serve", "--workers", "1", "--log-format", "json"), signal.SIGTERM, 0),
        ],
    )
    def test_it_serves_until_it_is_stopped(
        self,
        arguments: tuple[str, ...],
        sent: signal.Signals,
        status: int,
        monkeypatch: pytest.MonkeyPatch,
        database: Path,
    ) -> None:
        monkeypatch.setenv("PATCHWORK_PORT", "0")
        monkeypatch.setenv("PATCHWORK_WORKERS", "1")
        with running(*arguments) as (process, said):
            url = said.split()[3]
            assert httpx.get(f"{url}healthz", timeout=PATIENCE).status_code == 200
            process.send_signal(sent)
            output, complaints = process.communicate(timeout=PATIENCE)
            assert process.returncode == status
        assert output == ""
        assert "Traceback" not in complaints
        assert database.exists()

    def test_a_port_in_use(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            with running("serve", "--port", port) as (process, _):
                _, complaint = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert complaint.startswith(f"patchwork: port {port} on 127.0.0.1 is already in use")

    def test_a_database_that_cannot_be_opened(self) -> None:
        Path("games.db").write_text("This is no database, it is a text." * 100)
        with running("serve", "--port", "0", "--database", "games.db") as (process, said):
            _, complaint = process.communicate(timeout=PATIENCE)
        assert (process.returncode, said) == (1, "")
        assert "patchwork: cannot use the database: " in complaint
        assert complaint.endswith("games.db: file is not a database\n")
        assert "Traceback" not in complaint


def event(kind: Kind, seq: int, seat: int = 0, data: str = "", player: str | None = None) -> Event:
    return Event(seq, kind, seat, 1_800_000_000_000 + seq, data, player=player)


def game(number: int, opponent: Opponent, *events: Event, **further: Any) -> StoredGame:
    terms = Terms(opponent, SETUP.edition, SETUP.circle, 0, **further)
    return StoredGame(f"game{number:08}", terms, 1_800_000_000_000 + number, events)


GAMES = (
    game(
        1,
        Opponent.COMPUTER,
        event(Kind.JOIN, 1, 0, 'Ann "]\\ {1-0}', "p0"),
        event(Kind.MOVE, 2, 0, "A", "p0"),
        event(Kind.RESIGN, 3, 0, "", "p0"),
        computer=1,
        level=3,
    ),
    game(
        2,
        Opponent.FRIEND,
        event(Kind.JOIN, 1, 0, "Ann Lee", "p0"),
        event(Kind.JOIN, 2, 1, "", "p1"),
        event(Kind.MOVE, 3, 0, "A", "p0"),
        clock=Clock(300_000, 5000),
    ),
    game(3, Opponent.FRIEND, event(Kind.JOIN, 1, 0, "Bøb", "p1")),
)


def fill(database: Path, games: tuple[StoredGame, ...] = GAMES) -> None:
    async def create() -> None:
        store = await Store.open(f"sqlite:///{database}")
        try:
            for each in games:
                await store.create(each, Match(each.terms, each.events).status())
        finally:
            await store.close()

    asyncio.run(create())


class TestExport:
    def test_all_games_are_valid_records(self, cli: Cli, database: Path) -> None:
        fill(database)
        text = cli.output("export")
        first, second, third = Record.parse_all(text)
        assert first.players == ('Ann "]\\ {1-0}', "level:3")
        assert (first.termination, first.winner) == (Termination.RESIGNED, 1)
        assert first.setup == SETUP
        assert first.date == "2027.01.15"
        assert first.tags["Game"] == "game00000001"
        assert second.players == ("Ann Lee", "?")
        assert second.tags["Clock"] == "300+5"
        assert len(second.line.plies) == 1
        assert third.players == ("Bøb", "?")
        assert text == "\n".join(record.format() for record in (first, second, third))

    def test_into_a_file(self, cli: Cli, database: Path) -> None:
        fill(database)
        assert cli.output("export", "games.patchwork") == "3 games written to games.patchwork\n"
        assert cli.output("check", "games.patchwork") == "games.patchwork: 3 games, all in order\n"
        assert cli.refused("export", "games.patchwork").startswith("games.patchwork exists")
        assert cli.refused("export", "nowhere/games").startswith("cannot open nowhere/games")

    def test_no_games(self, cli: Cli, database: Path) -> None:
        fill(database, ())
        assert cli.output("export") == ""

    def test_a_missing_database_is_not_created(self, cli: Cli, database: Path) -> None:
        assert cli.refused("export") == f"there is no file {database}"
        assert cli.refused("export", "--database", "x.db").endswith("x.db")
        assert not database.exists()

    def test_a_damaged_game_does_not_hide_the_others(self, cli: Cli, database: Path) -> None:
        fill(database)
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute(
                "UPDATE events SET data = 'Lc4' WHERE game = 'game00000002' AND seq = 3"
            )
        output, complaint = cli.run("export", status=1)
        assert len(Record.parse_all(output)) == 2
        assert complaint.startswith("patchwork: cannot write game game00000002: ")


class TestBackup:
    def test_a_backup_can_be_restored(self, cli: Cli, database: Path) -> None:
        fill(database, GAMES[:2])
        assert cli.output("backup", "copy.db") == "Games backed up to copy.db\n"
        fill(database, GAMES[2:])
        assert len(Record.parse_all(cli.output("export"))) == 3
        first, second = cli.output("restore", "copy.db").splitlines()
        assert first == "Games restored from copy.db"
        assert len(Record.parse_all(cli.output("export"))) == 2
        kept = second.removeprefix("The previous games are in ")
        assert len(Record.parse_all(cli.output("export", "--database", kept))) == 3

    def test_it_can_be_restored_without_a_database(self, cli: Cli, database: Path) -> None:
        fill(database)
        cli.output("backup", "copy.db")
        text = cli.output("restore", "copy.db", "--database", "other/games.db")
        assert text == "Games restored from copy.db\n"
        assert cli.output("export", "--database", "other/games.db") == cli.output("export")

    def test_a_damaged_database_is_not_replaced(self, cli: Cli, database: Path) -> None:
        fill(database)
        cli.output("backup", "copy.db")
        with database.open("r+b") as file:
            file.write(b"x" * 4096)
        assert "file is not a database" in cli.refused("restore", "copy.db")
        database.rename("damaged.db")
        for beside in database.parent.glob("server.db-*"):
            beside.unlink()
        assert cli.output("restore", "copy.db") == "Games restored from copy.db\n"
        assert len(Record.parse_all(cli.output("export"))) == 3

    def test_nothing_is_overwritten_without_force(self, cli: Cli, database: Path) -> None:
        fill(database)
        Path("copy.db").write_text("dear")
        assert cli.refused("backup", "copy.db").startswith("copy.db exists and will not be")
        assert Path("copy.db").read_text() == "dear"
        cli.output("backup", "copy.db", "--force")
        assert cli.output("export", "--database", "copy.db") == cli.output("export")

    def test_backups_that_fail(self, cli: Cli, database: Path) -> None:
        assert cli.refused("backup", "copy.db") == f"there is no file {database}"
        fill(database)
        Path("text.db").write_text("This is no database, it is a text." * 100)
        assert cli.refused("restore", "nowhere.db") == "there is no file nowhere.db"
        assert cli.refused("restore", "text.db").startswith("this is not a valid copy")
        assert cli.refused("restore", str(database)).startswith("the backup and the database are")
        assert cli.refused("backup", "nowhere/copy.db").startswith("cannot copy the games")
        assert "pg_dump" in cli.refused("backup", "x.db", "--database", "postgresql://h/games")
        assert len(Record.parse_all(cli.output("export"))) == 3
        assert not list(database.parent.glob("server.db.*")), "nothing is left behind"
