"""Looking closer: the opponent's quilt in place of one's own, and any coming patch enlarged."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.support.server import LiveServer
from browser.support.table import TablePage
from browser.support.users import PHONE, Users
from patchwork.locales import messages

say = messages("en")
TOUCH: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
LANDSCAPE: dict[str, Any] = {**TOUCH, "viewport": {"width": 844, "height": 390}}


def width(quilt: Locator) -> float:
    """Returns how wide a quilt is."""
    box = quilt.bounding_box()
    assert box is not None
    return box["width"]


def own_is_larger(page: Page) -> bool:
    """Whether the user's own quilt is larger than the opponent's."""
    return width(page.get_by_role("grid").first) > width(page.get_by_role("grid").nth(1))


@pytest.mark.parametrize("how", ["click", "tap", "key"])
def test_the_quilts_can_be_swapped(users: Users, server: LiveServer, how: str) -> None:
    table = TablePage.open(users.new_page(**(TOUCH if how == "tap" else {})), server)
    page = table.page
    swap = page.get_by_role("button", name=say("page-table-swap-quilts"))
    expect(swap).to_have_attribute("aria-pressed", "false")

    def press() -> None:
        {"click": swap.click, "tap": swap.tap, "key": lambda: page.keyboard.press("q")}[how]()

    assert own_is_larger(page)
    press()
    expect(swap).to_have_attribute("aria-pressed", "true")
    assert not own_is_larger(page)
    press()
    expect(swap).to_have_attribute("aria-pressed", "false")
    assert own_is_larger(page)
    press()
    page.keyboard.press("Escape")
    expect(swap).to_have_attribute("aria-pressed", "false")
    assert own_is_larger(page)


def test_who_picks_up_a_patch_sees_the_own_quilt(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    swap = table.page.get_by_role("button", name=say("page-table-swap-quilts"))
    position = table.wait_for_turn(0)
    swap.click()
    assert not own_is_larger(table.page)
    assert table.pick_up_first_patch(position)
    expect(swap).to_have_attribute("aria-pressed", "false")
    assert own_is_larger(table.page)
    table.page.keyboard.press("Escape")
    swap.click()
    table.page.keyboard.press("a")
    expect(swap).to_have_attribute("aria-pressed", "false")


def coming(table: TablePage, place: int) -> Locator:
    """A patch that is not on offer yet."""
    circle = table.page.get_by_role("group", name=say("page-table-circle"))
    return circle.get_by_role("listitem").nth(place).get_by_role("button")


def away(table: TablePage, patches: int) -> Locator:
    """The line of an enlarged patch that says how soon it can be on offer."""
    return table.page.get_by_text(say("page-table-coming-after", patches=patches), exact=True)


def test_the_mouse_enlarges_a_patch(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    coming(table, 6).hover()
    expect(away(table, 7)).to_be_visible()
    coming(table, 29).hover()
    expect(away(table, 30)).to_be_in_viewport(ratio=1)
    expect(away(table, 7)).to_have_count(0)
    table.quilt.hover()
    expect(away(table, 30)).to_have_count(0)


@pytest.mark.parametrize("options", [TOUCH, LANDSCAPE], ids=["upright", "landscape"])
def test_a_tap_enlarges_a_patch(users: Users, server: LiveServer, options: dict[str, Any]) -> None:
    table = TablePage.open(users.new_page(**options), server)
    coming(table, 1).tap()
    expect(away(table, 2)).to_be_in_viewport(ratio=1)
    coming(table, 1).tap()
    expect(away(table, 2)).to_have_count(0)
    coming(table, 29).tap()
    expect(away(table, 30)).to_be_in_viewport(ratio=1)
    table.button("page-table-cancel").tap()  # it is tried on the quilt, too
    expect(away(table, 30)).to_have_count(0)
    expect(table.button("page-table-advance")).to_be_visible()


@pytest.mark.parametrize("what", ["space", "turn", "time board"])
def test_a_touch_elsewhere_puts_the_enlarged_patch_away(
    users: Users, server: LiveServer, what: str
) -> None:
    table = TablePage.open(users.new_page(**TOUCH), server)
    other = {
        "space": table.space(70),
        "turn": table.button("page-table-turn"),
        "time board": table.page.locator(".board"),
    }[what]
    coming(table, 1).tap()
    expect(away(table, 2)).to_be_visible()
    other.dispatch_event("pointerdown", {"pointerType": "touch", "isPrimary": True})
    expect(away(table, 2)).to_have_count(0)
    # It does not come back when the patch is moved on.
    table.space(40).tap()
    expect(away(table, 2)).to_have_count(0)


def test_keys_walk_along_the_circle(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    keyboard = table.page.keyboard
    expect(table.quilt).to_be_visible()
    keyboard.press("c")
    expect(coming(table, 0)).to_be_focused()
    expect(away(table, 1)).to_be_visible()
    keyboard.press("ArrowRight")
    expect(away(table, 2)).to_be_visible()
    keyboard.press("End")
    expect(away(table, 30)).to_be_visible()
    keyboard.press("Escape")
    expect(away(table, 30)).to_have_count(0)
    keyboard.press("Shift+Tab")
    keyboard.press("Tab")
    expect(coming(table, 29)).to_be_focused()


def test_the_arrow_keys_of_the_circle_leave_the_patch_alone_that_is_placed(
    users: Users, server: LiveServer
) -> None:
    table = TablePage.open(users.new_page(), server)
    assert table.pick_up_first_patch(table.wait_for_turn(0))
    fits = table.quilt.get_by_label(re.compile(re.escape(say("page-table-cell-fits", cell=""))))
    before = fits.evaluate_all("cells => cells.map(cell => cell.id)")
    assert before
    table.page.keyboard.press("c")
    table.page.keyboard.press("ArrowRight")
    table.page.keyboard.press("Escape")
    assert fits.evaluate_all("cells => cells.map(cell => cell.id)") == before


def test_screen_readers_hear_the_income_of_every_patch(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    circle = table.page.get_by_role("group", name=say("page-table-circle"))
    expect(circle.get_by_role("button", name=re.compile(r"income \d"))).to_have_count(33)
