"""What is kept is said, and players do with what is theirs as they like."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.house import House
from browser.visitors import Visitors
from patchwork.locales import messages

say = messages("en")


def opened(page: Page, name: str = "Annabel") -> str:
    """Opens a table for a friend, and returns its id."""
    answer = page.request.post("/api/tables", data={"opponent": "friend", "name": name})
    game = answer.json()["table"]["id"]
    assert isinstance(game, str)
    return game


def test_the_page_is_found_where_it_is_wanted(visitors: Visitors) -> None:
    page = visitors.come()
    page.get_by_role("link", name=say("page-privacy"), exact=True).click()
    expect(page).to_have_url(re.compile("/privacy$"))
    expect(page.get_by_role("heading", level=1)).to_have_text(say("page-privacy"))
    page.go_back()
    page.get_by_text(say("page-options"), exact=True).click()
    page.get_by_role("link", name=say("page-privacy-name")).first.click()
    expect(page).to_have_url(re.compile("/privacy$"))
    game = opened(page)
    guest = visitors.come(f"/tables/{game}")
    expect(guest.get_by_role("link", name=say("page-privacy-name"))).to_have_attribute(
        "href", "/privacy"
    )


def test_it_says_how_long_games_are_kept(
    visitors: Visitors, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = visitors.come("/privacy")
    unlimited = say("page-privacy-time-unlimited")
    told = page.get_by_text(say("page-privacy-time-finished", time=unlimited), exact=True)
    expect(told).to_be_visible()
    folder = tmp_path_factory.mktemp("house")
    with House(folder, PATCHWORK_KEEP_FINISHED_DAYS="30") as house:
        page = visitors.come(f"{house.address}/privacy")
        told = page.get_by_text(say("page-privacy-time-finished", time="30 days"), exact=True)
        expect(told).to_be_visible()
        visitors.troubles.clear()  # it is another host
        page.close()


def test_data_is_downloaded_as_a_file(visitors: Visitors, tmp_path: Path) -> None:
    page = visitors.come("/privacy")
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


def test_other_devices_are_locked_out_by_the_keyboard_alone(
    visitors: Visitors, house: House
) -> None:
    page = visitors.come("/privacy")
    game = opened(page)
    thief = visitors.come()
    (cookie,) = page.context.cookies()
    thief.context.add_cookies(
        [{"name": cookie["name"], "value": cookie["value"], "url": house.address}]
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


def test_deleting_is_asked_about_and_leaves_nothing(visitors: Visitors) -> None:
    page = visitors.come()
    page.evaluate("localStorage.setItem('name', 'Annabel')")
    page.goto("/privacy")
    game = opened(page)
    watcher = visitors.come(f"/tables/{game}")
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


def test_without_the_server_it_says_so_and_can_be_read(visitors: Visitors) -> None:
    page = visitors.come("/privacy")
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
    visitors.troubles.clear()  # the browser notes what could not be reached


def test_a_name_like_the_computers_is_refused_with_words(visitors: Visitors) -> None:
    page = visitors.come()
    page.get_by_text(say("page-options"), exact=True).click()
    page.get_by_label(say("page-name")).first.fill("Level 8")
    page.get_by_role("button", name=say("page-play-now")).click()
    words = say("page-trouble-reserved-name")
    expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    guest = visitors.come(f"/tables/{opened(page)}")
    guest.get_by_label(say("page-table-your-name")).fill("Computer")
    guest.get_by_role("button", name=say("page-table-join")).click()
    expect(guest.get_by_role("alert").filter(has_text=words)).to_be_visible()
    visitors.troubles.clear()  # the browser notes the refusals
