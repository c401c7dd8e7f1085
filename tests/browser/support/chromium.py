"""Finds and launches Chromium for the browser tests; run as a program, fails if there is none.

The headless shell comes first: it is the same engine without a window, and takes half the time.
Where the machine has none, ``make chromium`` unpacks one into ``build/chromium``, together with the
libraries it needs.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib
from playwright.sync_api import Browser, Playwright, sync_playwright

NOT_FOUND = "Chromium is not installed (`make chromium` says why)"
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
"""Root cannot use the sandbox, a server has no graphics card, and tests need no update checks."""
_SHELL = "chromium-headless-shell"
_UNPACKED = Path(__file__).parents[3] / "build" / "chromium"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FONTS = f"""<fontconfig>
  <dir>{Path(matplotlib.get_data_path()) / "fonts" / "ttf"}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias>
    <family>monospace</family>
    <prefer><family>DejaVu Sans Mono</family></prefer>
  </alias>
  <match>
    <edit name="family" mode="append"><string>DejaVu Sans</string></edit>
  </match>
</fontconfig>
"""
"""Makes text equally wide on every machine, with the DejaVu fonts that come with Matplotlib."""


@contextmanager
def launched(playwright: Playwright) -> Iterator[Browser | None]:
    """Runs the browser inside the block; yields None where there is none."""
    program = _find(playwright)
    if program is None:
        yield None
        return
    with TemporaryDirectory() as folder:
        fonts = Path(folder, "fonts.conf")
        fonts.write_text(_FONTS, "utf-8")
        environment: dict[str, str | float | bool] = {**os.environ, "FONTCONFIG_FILE": str(fonts)}
        if program.is_relative_to(_UNPACKED):
            environment["LD_LIBRARY_PATH"] = str(_UNPACKED / "lib")
        browser = playwright.chromium.launch(
            executable_path=program, args=_ARGUMENTS, env=environment
        )
        yield browser
        browser.close()


def _find(playwright: Playwright) -> Path | None:
    """Returns the path of the headless shell, or else of a full Chromium, or None."""
    on_path = map(shutil.which, (_SHELL, *_NAMES))
    shell, *whole = (Path(path) if path is not None else None for path in on_path)
    own = Path(playwright.chromium.executable_path)
    candidates = (shell, _UNPACKED / _SHELL, *whole, own)
    return next((path for path in candidates if path is not None and path.exists()), None)


if __name__ == "__main__":
    with sync_playwright() as playwright:
        sys.exit(_find(playwright) is None)
