"""Which Chromium the tests of the page drive; run as a program, prints it or fails."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NOT_FOUND = "Chromium is not installed (neither in PATH nor by Playwright)"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
"""Root has no sandbox, a server has no graphics card, and nobody is to be told of the tests."""
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """Returns the path of the machine's Chromium, or else of Playwright's own, if there is one."""
    for name in _NAMES:
        if found := shutil.which(name):
            return found
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    return str(own) if own.exists() else None


if __name__ == "__main__":
    sys.exit(chromium() is None)
