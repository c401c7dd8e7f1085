"""The command ``patchwork``, whose server never takes a worker that a test stops for a lost one."""

import sys

from patchwork.cli import main
from patchwork.server.engines.queue import Thinkers

if __name__ == "__main__":
    Thinkers.GRACE = 3600.0
    sys.exit(main())
