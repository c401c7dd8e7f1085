"""A house and a browser for programs that are no tests: pictures and measurements."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from browser.house import House
from browser.program import NOT_FOUND, launched


@contextmanager
def outing() -> Iterator[tuple[Browser, House]]:
    """Opens both for as long as they are needed; ends the program where there is no Chromium."""
    with (
        tempfile.TemporaryDirectory() as folder,
        House(Path(folder)) as house,
        sync_playwright() as playwright,
        launched(playwright) as browser,
    ):
        if browser is None:
            sys.exit(NOT_FOUND)
        yield browser, house
