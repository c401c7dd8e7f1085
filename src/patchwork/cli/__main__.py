"""Makes ``python -m patchwork.cli`` the command ``patchwork``."""

import sys

from patchwork.cli import main

if __name__ == "__main__":
    sys.exit(main())
