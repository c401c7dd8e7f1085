"""Whole games against the computer: with the mouse, with the keyboard alone, with a finger."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from browser.house import House
from browser.playing import (
    CENTRE,
    Table,
    decide_with_keys,
    decide_with_mouse,
    decide_with_taps,
    signed,
)
from browser.visitors import PHONE, Visitors
from patchwork.locales import messages

say = messages("en")
Decide = Callable[[Table, Any], None]


def play_out(table: Table, decide: Decide) -> None:
    """Plays to the end, and looks whether the page shows the scores that the server tells."""
    while (position := table.turn(0)) is not None:
        decide(table, position)
    ending = table.state()["status"]["ending"]
    total = table.page.get_by_role("row", name=say("page-table-step-total"))
    for score in ending["scores"]:
        expect(total.get_by_role("cell", name=signed(str(score)), exact=True).first).to_be_visible()
    expect(table.page.get_by_role("grid")).to_have_count(2)


def begin(page: Page, house: House, press: Callable[[Locator], None] = Locator.click) -> Table:
    """Begins from the first screen, against the weakest level."""
    press(page.locator("label", has=page.get_by_role("radio", name=say("page-level-1"))))
    press(page.get_by_role("button", name=say("page-play-now")))
    expect(page).to_have_url(re.compile("/tables/"))
    return Table(page, house)


def test_a_whole_game_with_the_mouse(visitors: Visitors, house: House) -> None:
    play_out(begin(visitors.come(), house), decide_with_mouse)


def test_a_whole_game_with_the_keyboard_alone(visitors: Visitors, house: House) -> None:
    page = visitors.come()
    play = page.get_by_role("button", name=say("page-play-now"))
    expect(play).to_be_visible()
    for _ in range(20):
        page.keyboard.press("Tab")
        if play.evaluate("button => button === document.activeElement"):
            break
    page.keyboard.press("Tab")
    while not page.get_by_role("radio", name=say("page-level-1")).is_checked():
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/tables/"))
    play_out(Table(page, house), decide_with_keys)


def test_a_whole_game_on_a_phone(visitors: Visitors, house: House) -> None:
    page = visitors.come(viewport=PHONE, has_touch=True, is_mobile=True)
    play_out(begin(page, house, Locator.tap), decide_with_taps)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_game_with_motion_and_without_confirming(visitors: Visitors, house: House) -> None:
    page = visitors.come(reduced_motion="no-preference")
    table = Table.open(page, house)
    page.get_by_role("button", name=say("page-preferences")).click()
    page.get_by_label(say("page-confirm")).uncheck()
    page.get_by_role("dialog").get_by_role("button", name=say("page-close")).click()
    for _ in range(4):
        position = table.turn(0)
        seq = table.seq
        if position["phase"] == "leather" or not table.take_something(position):
            decide_with_mouse(table, position)
        else:
            table.space(CENTRE).click()
            table.after(seq)


def test_a_move_is_taken_back(visitors: Visitors, house: House) -> None:
    table = Table.open(visitors.come(), house)
    decide_with_mouse(table, table.turn(0))
    table.turn(0)
    seq = table.seq
    table.button("page-table-undo").click()
    table.after(seq)
    assert table.state()["moves"] == []
    decide_with_keys(table, table.turn(0))


def test_a_hint_is_shown_and_can_be_played(visitors: Visitors, house: House) -> None:
    table = Table.open(visitors.come(), house)
    table.turn(0)
    seq = table.seq
    table.button("page-table-hint").click()
    expect(table.page.get_by_text(re.compile(r"\d+ %|\d+%")).first).to_be_visible()
    table.page.keyboard.press("Enter")
    table.after(seq)
