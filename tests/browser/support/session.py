"""A server and a browser for programs that are not tests: screenshots and benchmarks."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from browser.support.chromium import NOT_FOUND, launched
from browser.support.server import LiveServer


@contextmanager
def server_and_browser() -> Iterator[tuple[Browser, LiveServer]]:
    """Starts both and stops them at the end; exits the program if there is no Chromium."""
    with (
        tempfile.TemporaryDirectory() as folder,
        LiveServer(Path(folder)) as server,
        sync_playwright() as playwright,
        launched(playwright) as browser,
    ):
        if browser is None:
            sys.exit(NOT_FOUND)
        yield browser, server
