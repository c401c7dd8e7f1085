"""The real server as a process of its own, which tests may kill and start again."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from support.waiting import PATIENCE, wait_until

_WARMING = 300.0
"""Seconds in which the engine gets ready: the first time ever it is compiled."""
_NO_LIMITS = dict.fromkeys(
    (
        "PATCHWORK_PLAY_MESSAGES",
        "PATCHWORK_WATCH_MESSAGES",
        "PATCHWORK_NEW_GAMES_PER_MINUTE",
        "PATCHWORK_NEW_GAMES_PER_DAY",
        "PATCHWORK_REQUESTS_PER_MINUTE",
        "PATCHWORK_READS",
        "PATCHWORK_COPIES_PER_MINUTE",
        "PATCHWORK_STREAMS",
        "PATCHWORK_CARRIES_PER_HOUR",
    ),
    "0",
)


class House:
    """A server with a database of its own in a folder; it keeps its port when started again.

    It has no limits; further variables of its environment may be given.
    """

    def __init__(self, folder: Path, **environment: str) -> None:
        self._folder = folder
        self._environment = {**os.environ, **_NO_LIMITS, "PATCHWORK_LANG": "en", **environment}
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        self._keeper = socket.socket()
        if sys.platform == "linux":
            # As long as this one does not listen, a server may; but nobody else is given the port
            # while there is no server.
            self._keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._keeper.bind(("127.0.0.1", 0))
            self._port = self._keeper.getsockname()[1]
        # Without certificates, which take longer to read than most answers: it is plain HTTP.
        self._http = httpx.Client(timeout=PATIENCE, verify=False)
        self.address = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()
        self._keeper.close()
        if self._process is not None:
            self._end(signal.SIGTERM)

    def start(self) -> None:
        """Starts the server and returns when it answers."""
        patchwork = str(Path(__file__).with_name("patient.py"))
        command = [sys.executable, patchwork, "serve", "--no-browser", "--workers", "1"]
        options = ["--port", str(self._port), "--database", "server.db", "--log-level", "error"]
        self._process = subprocess.Popen(
            [*command, *options],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = re.search(r"http://[\d.]+:(\d+)", line)
        assert found is not None, f"the server does not start: {line!r}"
        self.address, self._port = found[0], int(found[1])

    def warm_up(self) -> None:
        """Waits until the engine can think; compiled for the first time, it takes a while."""
        wait_until(lambda: self.ask("/healthz").json()["engine"] == "ready", _WARMING)

    @contextmanager
    def thinking_long(self) -> Iterator[None]:
        """Keeps the engine's processes from finishing a thought."""
        assert self._process is not None
        found = Path(f"/proc/{self._process.pid}/task").glob("*/children")
        children = [int(pid) for path in found for pid in path.read_text().split()]
        assert children, "there is nobody to think"
        for pid in children:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in children:
                os.kill(pid, signal.SIGCONT)

    def kill(self) -> None:
        """Kills the server on the spot."""
        self._end(signal.SIGKILL)

    def ask(self, path: str) -> httpx.Response:
        """Asks the server for something, as nobody."""
        return self._http.get(self.address + path)

    def _end(self, sign: signal.Signals) -> None:
        assert self._process is not None
        with self._process as process:
            process.send_signal(sign)
            process.wait(PATIENCE)
        self._process = None
