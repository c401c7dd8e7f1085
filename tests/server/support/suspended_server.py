"""A server whose process is stopped: ``suspended_server.py DATABASE FILE``.

As many seconds as the file says have passed besides those that do: whoever stops the process need
not wait for as long as it is to seem. The port is written when the server answers.
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

    # That a machine is slow is no pause here.
    vars(app)["Timekeeper"] = partial(Timekeeper, steady=steady, longest=600.0)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def tell() -> None:
            sys.stdout.write(f"{listening.getsockname()[1]}\n")
            sys.stdout.flush()

        server = Server(app.create_app(settings, EnginePool(0)), settings, tell)
        asyncio.run(server.serve([listening]))


if __name__ == "__main__":
    main()
