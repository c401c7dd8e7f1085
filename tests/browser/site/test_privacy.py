"""The privacy screen: how long data is kept, and what players can do with theirs."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.support.server import LiveServer
from browser.support.users import Users
from patchwork.locales import messages

say = messages("en")


def opened(page: Page, name: str = "Annabel") -> str:
    """Opens a table for a friend, and returns its id."""
    answer = page.request.post("/api/tables", data={"opponent": "friend", "name": name})
    game = answer.json()["table"]["id"]
    assert isinstance(game, str)
    return game


def test_the_privacy_screen_is_linked_where_a_name_is_asked_for(users: Users) -> None:
    page = users.new_page()
    page.get_by_role("link", name=say("page-privacy"), exact=True).click()
    expect(page).to_have_url(re.compile("/privacy$"))
    expect(page.get_by_role("heading", level=1)).to_have_text(say("page-privacy"))
    page.go_back()
    page.get_by_text(say("page-options"), exact=True).click()
    page.get_by_role("link", name=say("page-privacy-name")).first.click()
    expect(page).to_have_url(re.compile("/privacy$"))
    game = opened(page)
    guest = users.new_page(f"/tables/{game}")
    expect(guest.get_by_role("link", name=say("page-privacy-name"))).to_have_attribute(
        "href", "/privacy"
    )


def test_it_says_how_long_games_are_kept(
    users: Users, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = users.new_page("/privacy")
    unlimited = say("page-privacy-time-unlimited")
    text = page.get_by_text(say("page-privacy-time-finished", time=unlimited), exact=True)
    expect(text).to_be_visible()
    folder = tmp_path_factory.mktemp("server")
    with LiveServer(folder, PATCHWORK_KEEP_FINISHED_DAYS="30") as server:
        page = users.new_page(f"{server.address}/privacy")
        text = page.get_by_text(say("page-privacy-time-finished", time="30 days"), exact=True)
        expect(text).to_be_visible()
        users.errors.clear()  # the second server is another host
        page.close()


def test_data_is_downloaded_as_a_file(users: Users, tmp_path: Path) -> None:
    page = users.new_page("/privacy")
    button = page.get_by_role("button", name=say("page-privacy-data-begin"))
    button.click()
    expect(page.get_by_text(say("page-privacy-nobody"))).to_be_visible()
    game = opened(page)
    with page.expect_download() as download:
        button.click()
    file = tmp_path / "data.json"
    download.value.save_as(file)
    data = json.loads(file.read_text("utf-8"))
    assert (data["names"], [each["id"] for each in data["games"]]) == (["Annabel"], [game])
    expect(page.get_by_text(say("page-privacy-data-done"))).to_be_visible()


def test_other_devices_are_signed_out_with_only_the_keyboard(
    users: Users, server: LiveServer
) -> None:
    page = users.new_page("/privacy")
    game = opened(page)
    thief = users.new_page()
    (cookie,) = page.context.cookies()
    thief.context.add_cookies(
        [{"name": cookie["name"], "value": cookie["value"], "url": server.address}]
    )
    thief.goto(f"/tables/{game}")
    expect(thief.get_by_text(say("page-table-waiting"))).to_be_visible()
    page.get_by_role("button", name=say("page-privacy-data-begin")).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name=say("page-privacy-revoke-begin"))).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text(say("page-privacy-revoke-done"))).to_be_visible()
    expect(thief.get_by_text(say("page-table-invited", name="Annabel"))).to_be_visible()
    page.goto(f"/tables/{game}")
    expect(page.get_by_text(say("page-table-waiting"))).to_be_visible()


def test_deletion_is_confirmed_first_and_leaves_nothing(users: Users) -> None:
    page = users.new_page()
    page.evaluate("localStorage.setItem('name', 'Annabel')")
    page.goto("/privacy")
    game = opened(page)
    watcher = users.new_page(f"/tables/{game}")
    expect(watcher.get_by_text(say("page-table-invited", name="Annabel"))).to_be_visible()
    begin = page.get_by_role("button", name=say("page-privacy-delete-begin"))
    for leave in ("Escape", "Enter"):
        begin.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text(say("page-privacy-delete-sure"))).to_be_focused()
        if leave == "Enter":
            page.keyboard.press("Tab")
            page.keyboard.press("Tab")
        page.keyboard.press(leave)
        expect(begin).to_be_focused()
    assert len(page.request.get("/api/me/games").json()["games"]) == 1
    page.keyboard.press("Enter")
    page.get_by_role("button", name=say("page-privacy-delete-yes")).click()
    expect(page.get_by_text(say("page-privacy-delete-done"))).to_be_visible()
    expect(begin).to_be_focused()
    assert page.evaluate("localStorage.getItem('name')") is None
    assert page.context.cookies() == []
    assert page.request.get("/api/me/games").json()["games"] == []
    expect(watcher.get_by_text("Annabel")).to_have_count(0)


def test_without_a_connection_actions_fail_and_the_text_stays(users: Users) -> None:
    page = users.new_page("/privacy")
    opened(page)
    page.context.set_offline(True)
    for key in ("page-privacy-data-begin", "page-privacy-revoke-begin"):
        page.get_by_role("button", name=say(key)).click()
        expect(
            page.get_by_role("alert").filter(has_text=say("page-trouble-offline"))
        ).to_have_count(1)
    page.get_by_role("button", name=say("page-privacy-delete-begin")).click()
    page.get_by_role("button", name=say("page-privacy-delete-yes")).click()
    expect(page.get_by_role("alert").filter(has_text=say("page-trouble-offline"))).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("button", name=say("page-privacy-revoke-begin")).click()
    expect(page.get_by_text(say("page-privacy-revoke-done"))).to_be_visible()
    users.errors.clear()  # the browser logs the failed requests


def test_a_reserved_name_is_refused_with_an_explanation(users: Users) -> None:
    page = users.new_page()
    page.get_by_text(say("page-options"), exact=True).click()
    page.get_by_label(say("page-name")).first.fill("Level 8")
    page.get_by_role("button", name=say("page-play-now")).click()
    words = say("page-trouble-reserved-name")
    expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    guest = users.new_page(f"/tables/{opened(page)}")
    guest.get_by_label(say("page-table-your-name")).fill("Computer")
    guest.get_by_role("button", name=say("page-table-join")).click()
    expect(guest.get_by_role("alert").filter(has_text=words)).to_be_visible()
    users.errors.clear()  # the browser notes the refusals
