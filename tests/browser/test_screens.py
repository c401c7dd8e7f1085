"""Everybody can use every screen: axe finds nothing, and everything has its room, at every size."""

import os

import pytest
from playwright.sync_api import expect

from browser.house import House
from browser.playing import Table
from browser.screens import screens
from browser.visitors import PHONE, WIDE, Visitors, barriers, crowding
from patchwork.locales import LANGUAGES, messages

SIZES = [PHONE, {"width": 768, "height": 1024}, WIDE, {"width": 1920, "height": 1080}]
SHOWN = LANGUAGES if "PATCHWORK_EVERY_LANGUAGE" in os.environ else ("de", "ru")
"""Long words and another alphabet; `make screens` looks at all languages."""
SEEN_BY_AXE = {"de": WIDE, "ru": PHONE}
"""Languages in which axe looks at every screen, and the size it has then.

What it finds depends on structure, size and colours; words only take room, in each language.
"""
BARRIERS = """
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
CROWDED = """
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
@pytest.mark.parametrize("language", SHOWN)
def test_no_screen_has_barriers(visitors: Visitors, language: str) -> None:
    own = SEEN_BY_AXE.get(language, WIDE)
    page = visitors.come(language=language, viewport=own, bypass_csp=True)
    found = []
    for name in screens(page, language):
        if language in SEEN_BY_AXE:
            found += [f"{name}: {barrier}" for barrier in barriers(page)]
        for size in SIZES:
            page.set_viewport_size(size)  # type: ignore[arg-type]
            found += [f"{name} at {size['width']} px: {wrong}" for wrong in crowding(page)]
        page.set_viewport_size(own)  # type: ignore[arg-type]
    assert not found, "\n".join(found)


def test_barriers_would_be_noticed(visitors: Visitors) -> None:
    page = visitors.come(bypass_csp=True)
    page.set_content(BARRIERS)
    found = "\n".join(barriers(page))
    for words in ("light: button-name", "light: color-contrast", "dark: color-contrast"):
        assert words in found
    assert found.count("by night") == found.count("by day") == 1


def test_crowding_would_be_noticed(visitors: Visitors) -> None:
    page = visitors.come(bypass_csp=True)
    page.set_content(CROWDED)
    found = "\n".join(crowding(page))
    for words in ("cut off by", 'px: <p class=""> half', "below lies over", "key lies over"):
        assert words in found
    for words in ('px small: <button class=""> tiny', 'sticks out: <p class=""> left'):
        assert words in found
    page.set_content("<p>All is well.</p><button style='min-height: 24px'>Good</button>")
    assert crowding(page) == []


@pytest.mark.parametrize("language", SHOWN)
def test_everything_is_in_sight_on_a_laptop(
    visitors: Visitors, house: House, language: str
) -> None:
    """Both quilts, the time board, both players, the whole circle, and what can be done."""
    say = messages(language)
    table = Table.open(visitors.come(language=language), house)
    position = table.turn(0)
    page = table.page
    circle = page.get_by_role("group", name=say("page-table-circle"))
    parts = [
        *(page.get_by_role("grid").nth(place) for place in range(2)),
        page.locator(".board svg").first,
        *(page.locator("section.player").nth(place) for place in range(2)),
        *(circle.get_by_role("button").nth(place) for place in range(3)),
        *(circle.get_by_role("listitem").nth(place) for place in range(30)),
        page.get_by_role("button", name=say("page-table-advance")),
    ]
    assert len(position["circle"]) == 33
    for part in parts:
        expect(part).to_be_in_viewport(ratio=1)
    big, small = (page.get_by_role("grid").nth(place).bounding_box() for place in range(2))
    assert big is not None
    assert small is not None
    assert big["width"] > small["width"]
