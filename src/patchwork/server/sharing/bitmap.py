"""Drawings as bitmaps, for messengers, which do not show SVG.

The library holds Python's lock while it draws, so it would stop the event loop for a tenth of a
second, whichever thread it ran in. It runs in a short-lived process instead.
"""

import subprocess
import sys

_SECONDS = 20.0
"""That drawing may take. On a slow machine it takes about one."""
_PROGRAM = """
import sys, resvg_py
drawing = sys.stdin.buffer.read().decode()
sys.stdout.buffer.write(resvg_py.svg_to_bytes(svg_string=drawing, skip_system_fonts=True))
"""


class CannotDraw(Exception):
    """The drawing could not be made, for example because the server is stopping."""


def png(drawing: str) -> bytes:
    """Returns an SVG drawing as PNG; texts are left out, because no font is sure to be there.

    Raises:
        CannotDraw: the process failed or took too long.
    """
    command = [sys.executable, "-I", "-c", _PROGRAM]
    try:
        done = subprocess.run(
            command, input=drawing.encode(), capture_output=True, timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotDraw(str(error)) from error
    if done.returncode != 0:
        raise CannotDraw(done.stderr.decode(errors="replace"))
    return done.stdout
