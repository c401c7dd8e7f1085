"""A server whose process a test suspends: ``suspended_server.py DATABASE FILE``.

The server's clock is ahead by as many seconds as the file says, so that a test need not wait for as
long as the suspension seems to last. The port is written when the server answers.
"""

import asyncio
import socket
import sys
from functools import partial
from pathlib import Path
from time import monotonic

sys.path.insert(0, str(Path(__file__).parents[2]))

from patchwork.server import app
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.clocks import Timekeeper
from patchwork.server.serving import Server
from patchwork.server.settings import Settings
from server.support.live_server import NO_LIMITS


def main() -> None:
    """Serves until killed."""
    database, file = sys.argv[1:]
    settings = Settings.read({}, database=database, **NO_LIMITS)

    def steady() -> float:
        return monotonic() + float(Path(file).read_text())

    # A slow machine must not look like a pause.
    vars(app)["Timekeeper"] = partial(Timekeeper, steady=steady, longest=600.0)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def write_port() -> None:
            sys.stdout.write(f"{listening.getsockname()[1]}\n")
            sys.stdout.flush()

        server = Server(app.create_app(settings, EnginePool(0)), settings, write_port)
        asyncio.run(server.serve([listening]))


if __name__ == "__main__":
    main()
