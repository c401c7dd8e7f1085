"""People at the page, each with a browser of their own, and what goes wrong there."""

import json
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Page

from support.waiting import PATIENCE

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
CROWDING = Path(__file__).with_name("crowding.js")
WIDE = {"width": 1280, "height": 720}
PHONE = {"width": 360, "height": 740}
_ALL_RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    # An experiment of axe's; our cards show figures with icons, and their names say what these are.
    "rules": {"label-content-name-mismatch": {"enabled": False}},
    "resultTypes": ["violations"],
}
_COLOUR_RULES = {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
    "resultTypes": ["violations"],
}
_RULES: dict[Literal["dark", "light"], dict[str, Any]] = {
    "dark": _COLOUR_RULES,
    "light": _ALL_RULES,
}

_WATCH = """() => {
  window.moved = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    const { duration, delay } = options.duration === undefined ? { duration: options } : options;
    const what = this.closest(".flights") ? "button" : this.getAttribute("class").split(" ")[0];
    window.moved.push([what, duration + (delay ?? 0)]);
    return animate.call(this, frames, options);
  };
}"""


class Visitors:
    """Opens pages for people who do not know each other, and gathers what goes wrong."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser = browser
        self._address = address
        self._contexts: list[BrowserContext] = []
        self.troubles: list[str] = []
        """Errors in the console, requests that failed, and answers that are errors."""

    def come(self, path: str = "/", *, language: str = "en", **options: Any) -> Page:
        """Lets somebody open the page; motion is off unless the options say otherwise."""
        options = {"viewport": WIDE, "reduced_motion": "reduce", **options}
        context = self._browser.new_context(
            base_url=self._address, locale=language, service_workers="block", **options
        )
        context.set_default_timeout(PATIENCE * 1000)
        self._contexts.append(context)
        page = context.new_page()
        self._listen(page)
        page.goto(path)
        return page

    def leave(self) -> None:
        """Closes all their browsers."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()

    def _listen(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.troubles.append(f"script: {error}"))
        page.on(
            "console",
            lambda message: (
                self.troubles.append(f"console: {message.text} {message.location}")
                if message.type in ("error", "warning")
                else None
            ),
        )
        page.on(
            "requestfailed",
            lambda request: (
                self.troubles.append(f"request: {request.url} {request.failure}")
                # What a page that is left was still waiting for.
                if request.failure != "net::ERR_ABORTED"
                else None
            ),
        )
        page.on("request", lambda request: self._belongs(request.url))
        page.on("websocket", lambda socket: self._belongs(socket.url))

    def _belongs(self, url: str) -> None:
        own = (self._address, self._address.replace("http", "ws", 1), "data:", "blob:")
        if not url.startswith(own):
            self.troubles.append(f"another host: {url}")


def barriers(page: Page) -> list[str]:
    """Returns what axe finds wrong on a page, by day and by night.

    By night only the colours differ. It needs a context with ``bypass_csp=True``.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    found = []
    for scheme, rules in _RULES.items():
        page.emulate_media(color_scheme=scheme)
        result = page.evaluate(f"axe.run(document, {json.dumps(rules)})")
        found += [
            f"{scheme}: {violation['id']}: {violation['help']}: {node['html'][:160]} "
            f"{node['failureSummary']}"
            for violation in result["violations"]
            for node in violation["nodes"]
        ]
    return found


def crowding(page: Page) -> list[str]:
    """Returns what has too little room on a page: cut off, on top of each other, too small."""
    found: list[str] = page.evaluate(CROWDING.read_text("utf-8"))
    return found


def watch(page: Page) -> None:
    """Notes in ``window.moved`` what moves from now on, and for how long."""
    page.evaluate(_WATCH)
