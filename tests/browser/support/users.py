"""Users of the page, each with a browser context of their own, and the errors they run into."""

from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from support.waiting import PATIENCE

WIDE = {"width": 1280, "height": 720}
PHONE = {"width": 360, "height": 740}
_RECORD_SOCKETS = """
  window.sockets = [];
  window.WebSocket = class extends WebSocket {
    constructor(...values) { super(...values); window.sockets.push(this); }
  };
"""
"""For ``support.table.unplugged``: what the browser calls offline keeps open sockets open."""


class Users:
    """Opens pages for users who share no cookies, and collects their errors."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser = browser
        self._address = address
        self._contexts: list[BrowserContext] = []
        self.errors: list[str] = []
        """Errors in the console, failed requests, and requests to other hosts."""

    def new_page(self, path: str = "/", *, language: str = "en", **options: Any) -> Page:
        """Opens the page for a new user; motion is reduced unless the options say otherwise."""
        options = {"viewport": WIDE, "reduced_motion": "reduce", **options}
        context = self._browser.new_context(
            base_url=self._address, locale=language, service_workers="block", **options
        )
        context.set_default_timeout(PATIENCE * 1000)
        context.add_init_script(_RECORD_SOCKETS)
        self._contexts.append(context)
        page = context.new_page()
        self._listen(page)
        page.goto(path)
        return page

    def close(self) -> None:
        """Closes all their browser contexts."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()

    def _listen(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.errors.append(f"script: {error}"))
        page.on(
            "console",
            lambda message: (
                self.errors.append(f"console: {message.text} {message.location}")
                if message.type in ("error", "warning")
                else None
            ),
        )
        page.on(
            "requestfailed",
            lambda request: (
                self.errors.append(f"request: {request.url} {request.failure}")
                # Leaving a page aborts the requests it was still waiting for.
                if request.failure != "net::ERR_ABORTED"
                else None
            ),
        )
        page.on("request", lambda request: self._check_host(request.url))
        page.on("websocket", lambda socket: self._check_host(socket.url))

    def _check_host(self, url: str) -> None:
        own = (self._address, self._address.replace("http", "ws", 1), "data:", "blob:")
        if not url.startswith(own):
            self.errors.append(f"another host: {url}")
