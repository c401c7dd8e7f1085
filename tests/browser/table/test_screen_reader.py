"""The table for screen reader users: its text view, its announcements, and the focus."""

import re

import pytest
from playwright.sync_api import expect

from browser.support.server import LiveServer
from browser.support.table import TablePage, play_with_keys, play_with_mouse
from browser.support.users import PHONE, Users
from patchwork.locales import LANGUAGES, messages

say = messages("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_view_describes_the_table(users: Users, server: LiveServer, language: str) -> None:
    words = messages(language)
    table = TablePage.open(users.new_page(language=language), server)
    expect(table.quilt).to_be_visible()
    table.page.keyboard.press("t")
    dialog = table.page.get_by_role("dialog", name=words("page-table-words"))
    expect(dialog.get_by_role("heading", name=words("page-table-words"))).to_be_focused()
    position = table.state()["position"]
    for buttons in {player["buttons"] for player in position["players"]}:
        expect(
            dialog.get_by_text(words("page-table-buttons", buttons=buttons)).first
        ).to_be_visible()
    headings = dialog.get_by_role("heading", level=3)
    expect(headings).to_have_count(7)
    expect(dialog.get_by_text(words("page-table-words-place", space=0))).to_have_count(2)
    expect(dialog.get_by_text(words("page-table-words-income-next", space=5))).to_have_count(2)
    row = words(
        "page-table-words-row", row=9, content=words("page-table-cell-empty", cell="a\N{EN DASH}i")
    )
    expect(dialog.get_by_text(row, exact=True)).to_have_count(2)
    table.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(table.page.get_by_role("main")).to_be_focused()


def test_the_text_view_follows_the_game(users: Users, server: LiveServer) -> None:
    table = TablePage.open(
        users.new_page(), server, opponent="screen", name="Ann", other_name="Bob"
    )
    table.button("page-table-menu").click()
    table.button("page-table-words").click()
    dialog = table.page.get_by_role("dialog", name=say("page-table-words"))
    expect(dialog.get_by_text(say("page-table-no-moves"))).to_be_visible()
    table.page.request.post(
        f"/api/tables/{table.id}/actions",
        data={"t": "move", "id": "m", "seq": table.seq, "move": "A"},
    )
    expect(dialog.get_by_text(re.compile("Ann: advance"))).to_be_visible()
    expect(dialog.get_by_text(say("page-table-words-place", space=1))).to_be_visible()


def test_every_event_is_announced_once(users: Users, server: LiveServer) -> None:
    table = TablePage.open(
        users.new_page(), server, opponent="screen", name="Ann", other_name="Bob"
    )
    log = table.page.get_by_role("log")
    expect(log).to_have_count(1)
    for _ in range(3):
        play_with_keys(table, table.wait_for_turn(0, 1))
        seat, move = table.state()["moves"][-1]
        name = ("Ann", "Bob")[seat]
        what = "advanced" if move == "A" else f"bought patch {re.match(r'[0-9]+', move)[0]}"  # type: ignore[index]
        expect(log.get_by_role("paragraph").last).to_contain_text(f"{name}: {what}")
    expect(log.get_by_role("paragraph")).to_have_count(3)


def test_the_patch_being_placed_is_announced(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    assert table.pick_up_first_patch(table.wait_for_turn(0))
    shape = table.page.get_by_role("status").filter(has_text="wide")
    expect(shape).to_contain_text(re.compile(r"\d wide, \d high; filled columns: row 1: \d"))
    before = shape.inner_text()
    table.page.keyboard.press("r")
    expect(shape).not_to_have_text(before)
    expect(shape).to_contain_text("points")


def test_the_focus_is_never_lost(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    main = table.page.get_by_role("main")
    expect(main).to_be_focused()
    position = table.wait_for_turn(0)
    assert table.pick_up_first_patch(position)
    expect(table.quilt).to_be_focused()
    table.button("page-table-cancel").click()
    expect(table.quilt).to_be_focused()
    for name, key in {"page-table-menu": "page-table-keys", "page-preferences": ""}.items():
        opener = table.page.get_by_role("button", name=say(name), exact=True)
        opener.click()
        if key:
            table.button(key).click()
        expect(table.page.get_by_role("dialog")).to_be_visible()
        table.page.keyboard.press("Escape")
        expect(opener).to_be_focused()
    play_with_mouse(table, position)
    expect(table.quilt).to_be_focused()
    table.wait_for_turn(0)
    table.button("page-table-menu").click()
    table.page.get_by_role("button", name=re.compile("Resign|Cancel game")).click()
    table.button("page-table-sure").click()
    expect(table.page.get_by_role("heading", level=1)).to_be_focused()


def test_the_text_view_fits_on_a_phone(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(viewport=PHONE, language="de"), server)
    expect(table.quilt).to_be_visible()
    table.page.keyboard.press("t")
    dialog = table.page.get_by_role("dialog")
    assert dialog.evaluate("dialog => dialog.scrollWidth - dialog.clientWidth") <= 0
