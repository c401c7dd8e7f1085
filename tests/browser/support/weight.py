"""Counts what a browser receives for a screen."""

from playwright.sync_api import Request

from browser.support.users import Users

HOME_LIMIT = 90_000
TABLE_LIMIT = 120_000
"""Bytes that a new visitor may receive for the first screen, or for a table, until it is there."""


def received_bytes(users: Users, path: str, shown: str, encoding: str, language: str) -> int:
    """Returns how many bytes a new visitor receives until a screen shows something.

    They are those of all answers over HTTP, without headers, and of the icons, which a browser
    without a window does not request by itself. ``shown`` is a selector, ``encoding`` the only one
    that the browser accepts.
    """
    page = users.new_page("/healthz", language=language)
    page.set_extra_http_headers({"Accept-Encoding": encoding})
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))
    page.goto(path)
    page.locator(shown).first.wait_for()
    page.evaluate(
        """() => Promise.all(
            [...document.querySelectorAll("link[rel=icon], link[rel=manifest]")]
                .map(async ({ href }) => (await fetch(href)).text()))"""
    )
    return sum(_size(request) for request in requests)


def _size(request: Request) -> int:
    """Returns the size of the body of the answer as it was transferred."""
    response = request.response()
    assert response is not None, request.url
    response.finished()
    size: int = request.sizes()["responseBodySize"]
    return size
