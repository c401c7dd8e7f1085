"""Every screen at every size: axe finds no barriers, and nothing is cut off or overlaps."""

import os

import pytest
from playwright.sync_api import expect

from browser.support.inspection import accessibility_problems, layout_problems
from browser.support.screens import screens
from browser.support.server import LiveServer
from browser.support.table import TablePage
from browser.support.users import PHONE, WIDE, Users
from patchwork.locales import LANGUAGES, messages

LANDSCAPE = [{"width": 844, "height": 390}, {"width": 740, "height": 360}]
"""Phones on their sides."""
ENLARGED = {"width": 640, "height": 360}
"""A window of 1280 by 720 pixels, enlarged to 200 %."""
SIZES = [
    *(PHONE, {"width": 768, "height": 1024}, *LANDSCAPE, ENLARGED),
    *(WIDE, {"width": 1024, "height": 768}, {"width": 1920, "height": 1080}),
]
TESTED_LANGUAGES = LANGUAGES if "PATCHWORK_EVERY_LANGUAGE" in os.environ else ("de", "ru")
"""One with long words, one with another alphabet; `make screens` tests all languages."""
AXE_SIZES = {"de": WIDE, "ru": PHONE}
"""The languages in which axe checks every screen, each with its viewport size.

What axe reports depends on structure, size and colours, hardly on the words.
"""
PAGE_WITH_BARRIERS = """
    <title>Patchwork</title>
    <link rel="icon" href="data:,">
    <style>
        @media (prefers-color-scheme: dark) { body { background: black } }
        .day { color: #eee } .night { color: #222 }
    </style>
    <main>
        <h1 class="night">Hard to see by night</h1>
        <p class="day">Hard to see by day</p>
        <button></button>
    </main>
"""
CROWDED_PAGE = """
    <style>* { font: 16px/20px sans-serif; margin: 0 }</style>
    <p style="width: 40px; overflow: hidden; white-space: nowrap">a text that is cut off</p>
    <p style="height: 10px; overflow: hidden">half</p>
    <p style="position: absolute; top: 100px">below</p>
    <p style="position: absolute; top: 105px">above</p>
    <p style="position: absolute; top: 205px">covered</p>
    <button style="position: absolute; top: 200px; height: 30px; width: 60px">key</button>
    <button style="position: absolute; top: 300px; height: 20px; width: 60px">tiny</button>
    <p style="position: absolute; top: 400px; left: -20px">left</p>
"""


@pytest.mark.long
@pytest.mark.parametrize("language", TESTED_LANGUAGES)
def test_no_screen_has_problems(users: Users, language: str) -> None:
    own = AXE_SIZES.get(language, WIDE)
    page = users.new_page(language=language, viewport=own, bypass_csp=True)
    found = []
    for name in screens(page, language):
        if name == "not-found":
            assert "404" in users.errors.pop(), "the browser logs the missing page"
        if language in AXE_SIZES:
            found += [f"{name}: {problem}" for problem in accessibility_problems(page)]
        for size in SIZES:
            page.set_viewport_size(size)  # type: ignore[arg-type]
            problems = layout_problems(page)
            found += [f"{name} at {size['width']} px: {problem}" for problem in problems]
        page.set_viewport_size(own)  # type: ignore[arg-type]
    assert not found, "\n".join(found)


def test_accessibility_problems_are_found(users: Users) -> None:
    page = users.new_page("/healthz", bypass_csp=True)
    page.set_content(PAGE_WITH_BARRIERS)
    found = "\n".join(accessibility_problems(page))
    for words in ("light: button-name", "light: color-contrast", "dark: color-contrast"):
        assert words in found
    assert found.count("by night") == found.count("by day") == 1


def test_layout_problems_are_found(users: Users) -> None:
    page = users.new_page("/healthz", bypass_csp=True)
    page.set_content(CROWDED_PAGE)
    found = "\n".join(layout_problems(page))
    for words in ("cut off by", 'px: <p class=""> half', "below overlaps", "key overlaps"):
        assert words in found
    for words in ('px small: <button class=""> tiny', 'sticks out: <p class=""> left'):
        assert words in found
    page.set_content("<p>All is well.</p><button style='min-height: 24px'>Good</button>")
    assert layout_problems(page) == []


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size['width']}x{size['height']}")
@pytest.mark.parametrize("language", TESTED_LANGUAGES)
def test_the_table_fits(
    users: Users, server: LiveServer, language: str, size: dict[str, int]
) -> None:
    """Without scrolling, except on phones to patches further on, and on their sides to the rest."""
    say = messages(language)
    table = TablePage.open(users.new_page(language=language, viewport=size), server)
    position = table.wait_for_turn(0)
    page = table.page
    circle = page.get_by_role("group", name=say("page-table-circle"))
    coming = [circle.get_by_role("listitem").nth(place) for place in range(30)]
    parts = [
        page.get_by_role("grid").first,
        *(page.locator("section.player").nth(place) for place in range(2)),
        *(circle.get_by_role("button").nth(place) for place in range(3)),
        *coming[:4],
        page.get_by_role("button", name=say("page-table-advance")),
    ]
    if size["height"] > 400:
        parts += [page.get_by_role("grid").nth(1), page.locator(".board svg").first]
        expect(page.locator("html")).to_have_js_property("scrollHeight", size["height"])
    if size["width"] >= 768 and size["height"] > 400:
        parts += coming
    assert len(position["circle"]) == 33
    for part in parts:
        expect(part).to_be_in_viewport(ratio=0.99)
    big, small = (page.get_by_role("grid").nth(place).bounding_box() for place in range(2))
    assert big is not None
    assert small is not None
    assert big["width"] > small["width"]
