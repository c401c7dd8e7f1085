"""The command ``patchwork``, with a server that does not replace workers paused by a test."""

import sys

from patchwork.cli import main
from patchwork.server.engines.pool import EnginePool

if __name__ == "__main__":
    EnginePool.GRACE = 3600.0
    sys.exit(main())
