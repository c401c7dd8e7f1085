"""The Chromium that the tests of the page drive; run as a program, fails where there is none.

Best is its headless shell: the same engine without the windows of a browser, which take as long
again as the page in them. Where the machine has none, ``make chromium`` unpacks one in a folder of
the clone, with the libraries it needs.
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
"""Root has no sandbox, a server has no graphics card, and nobody is to be told of the tests."""
_SHELL = "chromium-headless-shell"
_UNPACKED = Path(__file__).parents[2] / "build" / "chromium"
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
"""Lets letters be as wide on every machine: those of DejaVu, which Matplotlib brings."""


@contextmanager
def launched(playwright: Playwright) -> Iterator[Browser | None]:
    """Runs the browser for as long as it is needed; gives nothing where there is none."""
    program = _found(playwright)
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


def _found(playwright: Playwright) -> Path | None:
    """Returns the path of the headless shell, or else of a whole Chromium, if there is one."""
    on_path = map(shutil.which, (_SHELL, *_NAMES))
    shell, *whole = (Path(path) if path is not None else None for path in on_path)
    own = Path(playwright.chromium.executable_path)
    candidates = (shell, _UNPACKED / _SHELL, *whole, own)
    return next((path for path in candidates if path is not None and path.exists()), None)


if __name__ == "__main__":
    with sync_playwright() as playwright:
        sys.exit(_found(playwright) is None)
