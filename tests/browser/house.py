"""The real server as a process of its own, which tests may kill and start again."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

_PATIENCE = 30
_WARMING = 180
_NO_LIMITS = dict.fromkeys(
    (
        "PATCHWORK_PLAY_MESSAGES",
        "PATCHWORK_WATCH_MESSAGES",
        "PATCHWORK_NEW_GAMES_PER_MINUTE",
        "PATCHWORK_NEW_GAMES_PER_DAY",
        "PATCHWORK_REQUESTS_PER_MINUTE",
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
        # Without certificates, which take longer to read than most answers: it is plain HTTP.
        self._http = httpx.Client(timeout=_PATIENCE, verify=False)
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
        if self._process is not None:
            self._end(signal.SIGTERM)

    def start(self) -> None:
        """Starts the server and returns when it answers."""
        command = [sys.executable, "-m", "patchwork", "serve", "--no-browser", "--workers", "1"]
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
        end = time.monotonic() + _WARMING
        while self.ask("/healthz").json()["engine"] != "ready":
            assert time.monotonic() < end, "the engine is not ready"
            time.sleep(0.1)

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
            process.wait(_PATIENCE)
        self._process = None
