"""A server in a process of its own that benchmarks can measure."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import httpx

SOURCE = Path(__file__).parents[1] / "src"
NO_LIMITS = dict.fromkeys(
    (
        *("play_messages", "watch_messages", "requests_per_minute"),
        *("reads", "copies_per_minute", "streams"),
        *("new_games_per_minute", "new_games_per_day", "connections_per_address"),
    ),
    "0",
)
"""Settings where all players come from one address."""


class Server:
    """A server in a process of its own."""

    def __init__(self, database: str, source: Path = SOURCE, **settings: str) -> None:
        """Starts it.

        Args:
            database: a path or a URL.
            source: the folder of the package that serves.
            settings: others than the server's own.
        """
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        chosen = {"port": str(self.port), "database": database, "log_level": "warning", **settings}
        environment = {
            **os.environ,
            **{f"PATCHWORK_{name.upper()}": value for name, value in chosen.items()},
            "PYTHONPATH": str(source),
        }
        self._process = subprocess.Popen(
            (sys.executable, "-m", "patchwork", "serve", "--no-browser"),
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        self.pid = self._process.pid

    async def wait_until_ready(self) -> None:
        """Returns when the engine is warm, too, so that it does not disturb."""
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}") as http:
            while True:
                try:
                    if (await http.get("/healthz")).json()["engine"] == "ready":
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.05)

    def cpu(self) -> float:
        """Returns the seconds of processor time used so far."""
        text = Path(f"/proc/{self.pid}/stat").read_text()
        user, system = text.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Returns the megabytes in memory."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self) -> None:
        """Ends it."""
        self._process.terminate()
        self._process.wait()
