"""Which Chromium the tests of the page drive; run as a program, fails where there is none.

Most drive the headless shell if it is there: the same engine without the windows of a browser,
which take as long again as the page in them.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

NOT_FOUND = "Chromium is not installed (neither in PATH nor by Playwright)"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
"""Root has no sandbox, a server has no graphics card, and nobody is to be told of the tests."""
_SHELL = "chromium-headless-shell"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def whole_chromium(playwright: Playwright) -> str | None:
    """Returns the path of the machine's Chromium, or else of Playwright's own, if there is one."""
    for name in _NAMES:
        if found := shutil.which(name):
            return found
    own = Path(playwright.chromium.executable_path)
    return str(own) if own.exists() else None


def chromium(playwright: Playwright) -> str | None:
    """Returns the path of the headless shell, or else of the whole Chromium, if there is one."""
    return shutil.which(_SHELL) or whole_chromium(playwright)


if __name__ == "__main__":
    with sync_playwright() as playwright:
        sys.exit(whole_chromium(playwright) is None)
