"""Fixtures of the browser tests: Chromium, a server, and users."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from browser.support.chromium import NOT_FOUND, launched
from browser.support.server import LiveServer
from browser.support.users import Users
from patchwork.server.http.pages import STATIC
from support.waiting import PATIENCE

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """Playwright, shared by all browser tests.

    Not for the whole session: while it runs, its event loop occupies the thread.
    """
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One browser for all browser tests."""
    with launched(playwright) as browser:
        if browser is None:
            pytest.skip(NOT_FOUND)
        yield browser


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One server for all browser tests, with the page that ``make page`` has built."""
    assert (STATIC / "index.html").exists(), "the page is not built: make page"
    with LiveServer(tmp_path_factory.mktemp("server")) as server:
        server.wait_until_ready()
        yield server


@pytest.fixture
def users(browser: Browser, server: LiveServer) -> Iterator[Users]:
    """Users of the page; any error in their browsers fails the test."""
    users = Users(browser, server.address)
    yield users
    users.close()
    assert users.errors == []
