"""Whole games against the computer: with the mouse, with the keyboard alone, with a finger."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from browser.house import House
from browser.playing import CENTRE, Table, decide_with_keys, decide_with_mouse, decide_with_taps
from browser.visitors import PHONE, Visitors
from patchwork.locales import messages

say = messages("en")
EMPTY = re.compile("empty|fits")
Decide = Callable[[Table, Any], None]


def signed(score: int) -> str:
    return str(score).replace("-", "\N{MINUS SIGN}")


def play_out(table: Table, decide: Decide) -> None:
    """Plays to the end, and looks whether the page shows the scores that the server tells."""
    while (position := table.turn(0)) is not None:
        decide(table, position)
    ending = table.state()["status"]["ending"]
    total = table.page.get_by_role("row", name=say("page-table-step-total"))
    for score in ending["scores"]:
        expect(total.get_by_role("cell", name=signed(score), exact=True).first).to_be_visible()
    expect(table.page.get_by_role("grid")).to_have_count(2)


def begin(page: Page, house: House) -> Table:
    """Begins from the first screen, against the weakest level."""
    page.get_by_role("radio", name=say("page-level-1")).check(force=True)
    page.get_by_role("button", name=say("page-play-now")).click()
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
    table = begin(page, house)
    play_out(table, decide_with_taps)
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
    expect(table.page.get_by_text(re.compile(r"\d+ %|\d+%")).first).to_be_visible(timeout=30_000)
    table.page.keyboard.press("Enter")
    table.after(seq)


def test_a_reload_comes_back_to_the_same_table(visitors: Visitors, house: House) -> None:
    table = Table.open(visitors.come(), house)
    while (position := table.turn(0)) is not None and position["phase"] != "leather":
        decide_with_mouse(table, position)
    for _ in range(2):  # leather in the hand, then a turn
        table.page.reload()
        position = table.turn(0)
        assert position is not None
        sewn = sum(len(spaces) for _, spaces in position["players"][0]["layout"])
        empty = table.quilt.get_by_role("gridcell", name=EMPTY)
        expect(empty).to_have_count(81 - sewn)
        decide_with_mouse(table, position)
    table.page.request.post(
        f"/api/tables/{table.id}/actions", data={"t": "resign", "id": "r", "seq": table.seq}
    )
    table.page.reload()
    expect(table.page.get_by_role("row", name=say("page-table-step-total"))).to_be_visible()
