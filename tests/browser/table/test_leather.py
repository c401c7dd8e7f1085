"""Placing a leather patch, with and without confirming each move."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

import patchwork as pw
from browser.support.screens import play_until
from browser.support.server import LiveServer
from browser.support.table import TablePage
from browser.support.users import PHONE, Users
from patchwork.locales import messages

say = messages("en")
PHONE_OPTIONS = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


def table_with_leather(users: Users, server: LiveServer, **options: Any) -> TablePage:
    """Opens a game for two on one screen in which a leather patch is to be placed."""
    page = users.new_page(**options)
    game = play_until(page, lambda game: game.position.phase is pw.Phase.LEATHER)
    page.goto(f"/tables/{game['table']['id']}")
    expect(page.get_by_text(say("page-table-place-leather")).first).to_be_visible()
    return TablePage(page, server)


def free_spaces(table: TablePage) -> list[int]:
    places = table.state()["position"]["leather_choice"]["places"]
    return [space for space, mark in enumerate(places) if mark == "1"]


def lies_on(table: TablePage, space: int) -> None:
    """Waits until the leather patch lies on a space as a preview."""
    name = str(pw.Leather(space))[1:]
    fits = re.compile(f"^{name}, .*fits here")
    expect(table.space(space)).to_have_attribute("aria-label", fits)


@pytest.mark.parametrize(
    ("press", "options"),
    [(Locator.click, {}), (Locator.tap, PHONE_OPTIONS)],
    ids=["mouse", "finger"],
)
def test_leather_is_previewed_moved_and_then_sewn_on(
    users: Users, server: LiveServer, press: Any, options: dict[str, Any]
) -> None:
    table = table_with_leather(users, server, **options)
    seq, spaces = table.seq, free_spaces(table)
    for space in (spaces[0], spaces[-1], spaces[0], spaces[0]):
        press(table.space(space))
        lies_on(table, space)
    assert table.seq == seq, "nothing is played before it is confirmed"
    press(table.button("page-table-sew"))
    table.wait_for_event_after(seq)
    assert table.state()["moves"][-1][1] == str(pw.Leather(spaces[0]))


def test_leather_is_sewn_on_with_keys(users: Users, server: LiveServer) -> None:
    table = table_with_leather(users, server)
    seq = table.seq
    for key in ("Escape", "ArrowUp", "ArrowLeft", "r", "f"):
        table.page.keyboard.press(key)
    expect(table.button("page-table-sew")).to_be_enabled()
    assert table.seq == seq
    table.page.keyboard.press("Enter")
    table.wait_for_event_after(seq)
    assert table.state()["moves"][-1][1].startswith("L")


def test_without_confirmation_one_tap_sews_leather_on(users: Users, server: LiveServer) -> None:
    table = table_with_leather(users, server, **PHONE_OPTIONS)
    table.page.evaluate("localStorage.setItem('confirm', 'off')")
    table.page.reload()
    expect(table.page.get_by_text(say("page-table-place-leather")).first).to_be_visible()
    seq, space = table.seq, free_spaces(table)[0]
    table.space(space).tap()
    table.wait_for_event_after(seq)
    assert table.state()["moves"][-1][1] == str(pw.Leather(space))
