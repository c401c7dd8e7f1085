"""Servers that a test kills: ``killable_server.py DATABASE`` starts one for each line it reads.

Each is a process of its own, forked from this one, which has already imported everything. After a
line ``before N`` or ``after N``, the server kills itself when it stores event N of a game: right
before the commit, or right after it, before the event is announced. After any other line it lives.
The process id is written when the server answers. SIGUSR1 has a server collect its garbage.

The port is written first. All servers share the listening socket, because a port that is released
for a moment may be taken by another program.
"""

import asyncio
import gc
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

sys.path.insert(0, str(Path(__file__).parents[2]))

from patchwork.server.app import create_app
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.events import Event
from patchwork.server.serving import Server
from patchwork.server.settings import Settings
from patchwork.server.store import Store
from server.support.live_server import NO_LIMITS


def write_line(number: int) -> None:
    """Writes a number as a line."""
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def serve(app: FastAPI, settings: Settings, listening: socket.socket, death: str) -> None:
    """Serves until killed."""
    append = Store.append

    def die_at(moment: str) -> None:
        if moment == death:
            os.kill(os.getpid(), signal.SIGKILL)

    async def append_and_die(store: Store, game: str, event: Event, *args: Any) -> None:
        die_at(f"before {event.seq}")
        await append(store, game, event, *args)
        die_at(f"after {event.seq}")

    Store.append = append_and_die  # type: ignore[method-assign,assignment]
    signal.signal(signal.SIGUSR1, lambda *_: gc.collect())
    Server(app, settings, lambda: write_line(os.getpid())).run([listening])


async def warm_up(app: FastAPI, settings: Settings) -> None:
    """Loads what a server and its database need, and lets the application prepare its routes."""
    Server(app, settings, lambda: None).config.load()
    await (await Store.open(settings.database)).close()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as http:
        await http.get("/nowhere")


def main() -> None:
    """Forks one server per line of input."""
    settings = Settings.read({}, database=sys.argv[1], **NO_LIMITS)
    app = create_app(settings, EnginePool(0))  # games in these tests have no computer player
    asyncio.run(warm_up(app, settings))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system reaps the servers
    with socket.create_server(("127.0.0.1", 0)) as listening:
        write_line(listening.getsockname()[1])
        for line in sys.stdin:
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                serve(app, settings, listening, line.strip())
                os._exit(1)


if __name__ == "__main__":
    main()
