"""Everything on the table is large enough to be read and pressed, at every size of the window."""

from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from browser.support.screens import play_until
from browser.support.server import LiveServer
from browser.support.table import TablePage
from browser.support.users import Users
from patchwork.locales import messages

say = messages("en")


class Sizes(NamedTuple):
    """The least width of a space in CSS pixels: of the own quilt, an offer, a coming patch."""

    quilt: float
    offer: float
    coming: float
    """At the beginning of a game, when the most patches are coming."""


LEAST = {
    (1920, 1080): Sizes(80, 64, 18),
    (1366, 768): Sizes(56, 45, 12),
    (1280, 720): Sizes(52, 42, 12),
    (1024, 768): Sizes(42, 33, 11),
    (768, 1024): Sizes(47, 42, 12),
    (390, 844): Sizes(36, 20, 10),
    (360, 740): Sizes(30, 16, 10),
    (844, 390): Sizes(39, 26, 11),
    (740, 360): Sizes(36, 22, 9),
    (640, 360): Sizes(30, 17, 9),
}
"""The last is a window of 1280 by 720 pixels, enlarged to 200 %."""

_WIDTHS = """selector => [...document.querySelectorAll(selector)].map(
  each => each.getBoundingClientRect().width / (each.viewBox.baseVal.width / 40))"""


def measure(page: Page) -> Sizes:
    """Returns the smallest of each kind of space on the page."""
    box = page.get_by_role("grid").first.bounding_box()
    assert box is not None
    offers = page.evaluate(_WIDTHS, ".offers [data-spot^=patch] svg")
    coming = page.evaluate(_WIDTHS, "[data-coming] > svg")
    assert len(offers) == 3
    assert len(coming) == 30
    return Sizes(box["width"] / 9, min(offers), min(coming))


@pytest.mark.parametrize("size", LEAST, ids=lambda size: f"{size[0]}x{size[1]}")
def test_spaces_are_large_enough(users: Users, server: LiveServer, size: tuple[int, int]) -> None:
    table = TablePage.open(users.new_page(viewport={"width": size[0], "height": size[1]}), server)
    expect(table.quilt).to_be_visible()
    found = measure(table.page)
    assert all(is_now >= least - 0.01 for is_now, least in zip(found, LEAST[size], strict=True)), (
        found
    )


def test_offers_are_as_large_as_on_the_quilt_where_there_is_room(users: Users) -> None:
    page = users.new_page(viewport={"width": 1920, "height": 1080})
    state = play_until(page, lambda game: len(game.moves) >= 16)
    page.goto(f"/tables/{state['table']['id']}")
    expect(page.get_by_role("grid").first).to_be_visible()
    quilt = page.get_by_role("grid").first.bounding_box()
    assert quilt is not None
    offers = page.evaluate(_WIDTHS, ".offers [data-spot^=patch] svg")
    assert min(offers) >= 0.95 * quilt["width"] / 9


@pytest.mark.parametrize("size", [(360, 740), (390, 844), (844, 390)])
def test_five_coming_patches_are_in_sight_on_a_phone(
    users: Users, server: LiveServer, size: tuple[int, int]
) -> None:
    page = users.new_page(viewport={"width": size[0], "height": size[1]})
    TablePage.open(page, server)
    coming = page.get_by_role("group", name=say("page-table-circle")).get_by_role("listitem")
    for place in range(5):
        expect(coming.nth(place)).to_be_in_viewport(ratio=0.99)
    expect(coming.nth(29)).not_to_be_in_viewport()
    coming.nth(29).scroll_into_view_if_needed()
    expect(coming.nth(29)).to_be_in_viewport(ratio=0.99)


@pytest.mark.parametrize("size", [(1280, 720), (360, 740), (844, 390)])
def test_spectators_see_both_quilts_equally_large(
    users: Users, server: LiveServer, size: tuple[int, int]
) -> None:
    table = TablePage.open(users.new_page(), server, "screen")
    page = users.new_page(f"/tables/{table.id}", viewport={"width": size[0], "height": size[1]})
    first, second = (page.get_by_role("grid").nth(place) for place in range(2))
    expect(second).to_be_visible()
    boxes = first.bounding_box(), second.bounding_box()
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["width"] == pytest.approx(boxes[1]["width"])
    expect(page.get_by_role("button", name=say("page-table-swap-quilts"))).to_have_count(0)
