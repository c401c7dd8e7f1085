"""The command ``patchwork``, with a server that does not replace workers paused by a test.

If ``PATCHWORK_TEST_AHEAD`` names a file, the server's clock is ahead by as many seconds as it says.
On a machine without a network, ``PATCHWORK_TEST_ADDRESS`` is its address there.
"""

import os
import sys
from functools import partial
from pathlib import Path

from patchwork.cli import main
from patchwork.server import app
from patchwork.server.engines.pool import EnginePool
from patchwork.server.game.clocks import Timekeeper, steady
from patchwork.server.transport import local_network
from patchwork.server.transport.local_network import own_addresses


def _set_ahead(file: Path) -> None:
    def ahead() -> float:
        return steady() + float(file.read_text())

    # A slow machine must not look like a pause, and neither must a clock that is moved.
    vars(app)["Timekeeper"] = partial(Timekeeper, steady=ahead, longest=600.0)


if __name__ == "__main__":
    EnginePool.GRACE = 3600.0
    if name := os.environ.get("PATCHWORK_TEST_AHEAD"):
        _set_ahead(Path(name))
    if (address := os.environ.get("PATCHWORK_TEST_ADDRESS")) and not own_addresses():
        vars(local_network)["own_addresses"] = lambda: [address]
    sys.exit(main())
