"""Whole games against the computer: with the mouse, with only the keyboard, and with taps."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from browser.support.server import LiveServer
from browser.support.table import (
    CENTRE,
    TablePage,
    play_with_keys,
    play_with_mouse,
    play_with_taps,
    with_minus_signs,
)
from browser.support.users import PHONE, Users
from patchwork.locales import messages

say = messages("en")
PlayMove = Callable[[TablePage, Any], None]


def play_to_the_end(table: TablePage, play_move: PlayMove) -> None:
    """Plays to the end and checks that the page shows the scores of the server."""
    while (position := table.wait_for_turn(0)) is not None:
        play_move(table, position)
    ending = table.state()["status"]["ending"]
    total = table.page.get_by_role("row", name=say("page-table-step-total"))
    for score in ending["scores"]:
        expect(
            total.get_by_role("cell", name=with_minus_signs(str(score)), exact=True).first
        ).to_be_visible()
    expect(table.page.get_by_role("grid")).to_have_count(2)


def begin(
    page: Page, server: LiveServer, press: Callable[[Locator], None] = Locator.click
) -> TablePage:
    """Starts a game against the weakest level from the home screen."""
    press(page.locator("label", has=page.get_by_role("radio", name=say("page-level-1"))))
    press(page.get_by_role("button", name=say("page-play-now")))
    expect(page).to_have_url(re.compile("/tables/"))
    return TablePage(page, server)


def test_a_whole_game_with_the_mouse(users: Users, server: LiveServer) -> None:
    play_to_the_end(begin(users.new_page(), server), play_with_mouse)


def test_a_whole_game_with_only_the_keyboard(users: Users, server: LiveServer) -> None:
    page = users.new_page()
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
    play_to_the_end(TablePage(page, server), play_with_keys)


def test_a_whole_game_on_a_phone(users: Users, server: LiveServer) -> None:
    page = users.new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    play_to_the_end(begin(page, server, Locator.tap), play_with_taps)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_game_with_animations_and_without_confirmation(users: Users, server: LiveServer) -> None:
    page = users.new_page(reduced_motion="no-preference")
    table = TablePage.open(page, server)
    page.get_by_role("button", name=say("page-preferences")).click()
    page.get_by_label(say("page-confirm")).uncheck()
    page.get_by_role("dialog").get_by_role("button", name=say("page-close")).click()
    for _ in range(4):
        position = table.wait_for_turn(0)
        seq = table.seq
        if position["phase"] == "leather":
            table.space(position["leather_choice"]["places"].index("1")).click()
        elif table.pick_up_first_patch(position):
            table.space(CENTRE).click()
        else:
            table.button("page-table-advance").click()
        table.wait_for_event_after(seq)


def test_a_move_is_taken_back(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    play_with_mouse(table, table.wait_for_turn(0))
    table.wait_for_turn(0)
    seq = table.seq
    table.button("page-table-undo").click()
    table.wait_for_event_after(seq)
    assert table.state()["moves"] == []
    play_with_keys(table, table.wait_for_turn(0))


def test_a_hint_is_shown_and_can_be_played(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    table.wait_for_turn(0)
    seq = table.seq
    table.button("page-table-hint").click()
    hint = table.page.get_by_role("region", name=table.say("page-table-hint"))
    expect(hint).to_be_visible()
    for _ in ("which", "where"):
        table.page.keyboard.press("h")
    expect(hint.get_by_text(table.say("page-table-hint-prepared"))).to_be_visible()
    table.page.keyboard.press("Enter")
    table.wait_for_event_after(seq)
