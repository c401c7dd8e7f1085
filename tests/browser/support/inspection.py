"""Checks of what a page shows: accessibility, layout, and animations."""

import json
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page

_AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
_LAYOUT_SCRIPT = Path(__file__).with_name("layout_problems.js")
_ALL_RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    # An experimental rule: patch cards show numbers with icons, and their names spell them out.
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

_RECORD_ANIMATIONS = """() => {
  window.animations = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    const { duration, delay } = options.duration === undefined ? { duration: options } : options;
    const what = this.closest(".flights") ? "button" : this.getAttribute("class").split(" ")[0];
    window.animations.push([what, duration + (delay ?? 0)]);
    return animate.call(this, frames, options);
  };
}"""


def accessibility_problems(page: Page) -> list[str]:
    """Returns what axe reports about a page, in the light and in the dark theme.

    Only the colours differ in the dark theme. The context needs ``bypass_csp=True``.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE.read_text("utf-8"))
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


def layout_problems(page: Page) -> list[str]:
    """Returns what is cut off, overlaps something else, or is too small to press.

    What is drawn as large as its room allows is measured by the browser once per frame, so two
    frames pass after a change of the viewport.
    """
    page.evaluate("new Promise(then => requestAnimationFrame(() => requestAnimationFrame(then)))")
    found: list[str] = page.evaluate(_LAYOUT_SCRIPT.read_text("utf-8"))
    return found


def record_animations(page: Page) -> None:
    """Records every animation from now on in ``window.animations``, with its duration."""
    page.evaluate(_RECORD_ANIMATIONS)
