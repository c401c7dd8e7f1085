"""Chromium for the tests of the page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from browser.house import House
from browser.program import NOT_FOUND, launched
from browser.visitors import Visitors
from patchwork.server.http.pages import STATIC
from support.waiting import PATIENCE

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """What drives browsers, for all tests of this folder.

    Not for longer: as long as it drives, its event loop occupies the thread.
    """
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A browser for all tests of this folder."""
    with launched(playwright) as browser:
        if browser is None:
            pytest.skip(NOT_FOUND)
        yield browser


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server for all tests of this folder, with the page that ``make page`` has built."""
    assert (STATIC / "index.html").exists(), "the page is not built: make page"
    with House(tmp_path_factory.mktemp("house")) as house:
        house.warm_up()
        yield house


@pytest.fixture
def visitors(browser: Browser, house: House) -> Iterator[Visitors]:
    """People who come to the page; what goes wrong in their browsers fails the test."""
    visitors = Visitors(browser, house.address)
    yield visitors
    visitors.leave()
    assert visitors.troubles == []
