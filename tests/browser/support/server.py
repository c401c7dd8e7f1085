"""The real server in a process of its own, which tests can kill and restart."""

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

_WARM_UP_TIMEOUT = 300.0
"""Seconds the engine may take to get ready: on its first start it is compiled."""
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


class LiveServer:
    """A server with its own database in a folder; it keeps its port across restarts.

    It has no rate limits. Keyword arguments become environment variables. With ``play``, it is
    started as ``make play`` does, without a command.
    """

    def __init__(self, folder: Path, *, play: bool = False, **environment: str) -> None:
        self._folder = folder
        self._play = play
        self._environment = {**os.environ, **_NO_LIMITS, "PATCHWORK_LANG": "en", **environment}
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        self._reservation = socket.socket()
        if sys.platform == "linux":
            # A bound socket that does not listen leaves the port free for the server, but keeps the
            # system from giving it to another process between restarts.
            self._reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._reservation.bind(("127.0.0.1", 0))
            self._port = self._reservation.getsockname()[1]
        # It is plain HTTP, and loading the certificates takes longer than most requests.
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
        self._reservation.close()
        if self._process is not None:
            self._stop(signal.SIGTERM)

    def start(self) -> None:
        """Starts the server and returns once it accepts requests."""
        patchwork = str(Path(__file__).with_name("command.py"))
        settings = {
            "PATCHWORK_PORT": str(self._port),
            "PATCHWORK_DATABASE": "server.db",
            "PATCHWORK_LOG_LEVEL": "error",
            "PATCHWORK_WORKERS": "1",
            **dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY"), ""),  # no other browser opens
        }
        self._process = subprocess.Popen(
            [sys.executable, patchwork, *([] if self._play else ["serve", "--no-browser"])],
            cwd=self._folder,
            env={**self._environment, **settings},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = re.search(r"http://[\d.]+:(\d+)", line)
        assert found is not None, f"the server does not start: {line!r}"
        self.address, self._port = found[0], int(found[1])

    def wait_until_ready(self) -> None:
        """Waits until the engine is ready; compiling it for the first time takes a while."""
        wait_until(lambda: self.get("/healthz").json()["engine"] == "ready", _WARM_UP_TIMEOUT)

    @contextmanager
    def paused_workers(self) -> Iterator[None]:
        """Stops the engine's processes, so that the computer keeps thinking."""
        assert self._process is not None
        found = Path(f"/proc/{self._process.pid}/task").glob("*/children")
        children = [int(pid) for path in found for pid in path.read_text().split()]
        assert children, "the engine has no processes"
        for pid in children:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in children:
                os.kill(pid, signal.SIGCONT)

    def kill(self) -> None:
        """Kills the server without letting it shut down."""
        self._stop(signal.SIGKILL)

    def get(self, path: str) -> httpx.Response:
        """Requests a path from the server, without a player's cookie."""
        return self._http.get(self.address + path)

    def _stop(self, signal_number: signal.Signals) -> None:
        assert self._process is not None
        with self._process as process:
            process.send_signal(signal_number)
            process.wait(PATIENCE)
        self._process = None
