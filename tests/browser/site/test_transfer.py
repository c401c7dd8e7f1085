"""Continuing on another device that has games of its own: none of them gets lost."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from browser.support.inspection import layout_problems
from browser.support.server import LiveServer
from browser.support.table import TablePage, play_with_mouse
from browser.support.users import PHONE, Users
from patchwork.locales import Messages, messages

say = messages("en")


def opened(page: Page, opponent: str = "screen", **terms: Any) -> str:
    """Opens a table for the user of a page, and returns its id."""
    answer = page.request.post("/api/tables", data={"opponent": opponent, "seed": 3, **terms})
    game: str = answer.json()["table"]["id"]
    return game


def aborted(page: Page, game: str) -> str:
    """Ends a game, and returns its id."""
    seq = page.request.get(f"/api/tables/{game}").json()["status"]["seq"]
    action = {"t": "abort", "id": "end", "seq": seq}
    assert page.request.post(f"/api/tables/{game}/actions", data=action).ok
    return game


def link_of(page: Page) -> str:
    """Returns a private link of the user of a page."""
    link: str = page.request.post("/api/me/carry-link").json()["url"]
    return link


def listed(page: Page, heading: str, ids: list[str]) -> None:
    """Checks which games are listed under a heading, in any order."""
    region = page.get_by_role("region", name=say(heading))
    for game in ids:
        expect(region.locator(f"a[href='/tables/{game}']")).to_be_visible()
    expect(region.locator("a[href^='/tables/']")).to_have_count(len(ids))


def accept(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name=say("page-carry-here-begin")).click()
    expect(page).to_have_url(re.compile("/$"))


def row(page: Page, key: str) -> list[str]:
    """Returns the numbers of running and finished games that the page names."""
    found = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=say(key)))
    return found.get_by_role("cell").all_inner_texts()


def test_the_games_of_both_devices_are_listed_and_played_on_both(
    users: Users, server: LiveServer
) -> None:
    laptop, phone = users.new_page(), users.new_page(viewport=PHONE)
    running = [opened(laptop), opened(phone), opened(phone)]
    finished = [aborted(laptop, opened(laptop)), aborted(phone, opened(phone))]
    phone.goto(link_of(laptop))
    expect(phone.get_by_text(say("page-carry-merge"))).to_be_visible()
    assert row(phone, "page-carry-own") == ["2", "1"]
    assert row(phone, "page-carry-maker") == ["1", "1"]
    expect(phone.get_by_text(say("page-carry-merge-own-link"))).to_be_visible()
    phone.get_by_role("button", name=say("page-carry-here-begin")).click()
    expect(phone).to_have_url(re.compile("/$"))
    laptop.reload()
    for page in (laptop, phone):
        listed(page, "page-continue", running)
        listed(page, "page-finished", finished)
    for page, game in ((laptop, running[1]), (phone, running[0])):
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(f"/tables/{game}")
        table = TablePage(page, server)
        play_with_mouse(table, table.wait_for_turn(0, 1))
        expect(page.get_by_text(say("page-table-watching"))).to_have_count(0)


def test_opponents_are_told_which_game_to_finish_first(users: Users) -> None:
    ann, bob = users.new_page(), users.new_page()
    game = opened(ann, "friend", name="Ann")
    bob.request.post(f"/api/tables/{game}/join", data={"name": "Bob"})
    own, hers = opened(bob), opened(ann)
    bob.goto(link_of(ann))
    expect(bob.get_by_text(say("page-carry-opponents"))).to_be_visible()
    expect(bob.get_by_role("button", name=say("page-carry-here-begin"))).to_have_count(0)
    bob.get_by_role("link", name="Ann").click()
    expect(bob).to_have_url(re.compile(f"/tables/{game}$"))
    expect(bob.get_by_text(say("page-table-watching"))).to_have_count(0)
    aborted(bob, game)
    accept(bob, link_of(ann))
    listed(bob, "page-continue", [own, hers])
    listed(bob, "page-finished", [game])
    for page in (ann, bob):  # a game against oneself is shown from the seat that one had
        page.goto(f"/tables/{game}")
        expect(page.get_by_text(say("page-table-ended", reason="aborted")).first).to_be_visible()
        page.goto(f"/replay/{game}")
        expect(page.get_by_role("main")).to_be_visible()


def test_a_game_that_begins_while_the_page_asks_is_shown(users: Users) -> None:
    ann, bob = users.new_page(), users.new_page()
    opened(bob)
    bob.goto(link_of(ann))
    expect(bob.get_by_text(say("page-carry-merge"))).to_be_visible()
    game = opened(ann, "friend", name="Ann")
    bob.request.post(f"/api/tables/{game}/join", data={"name": "Bob"})
    bob.get_by_role("button", name=say("page-carry-here-begin")).click()
    expect(bob.get_by_role("link", name="Ann")).to_have_attribute("href", f"/tables/{game}")
    assert "409" in users.errors.pop(), "the browser logs the refusal"


def test_it_can_be_undone_with_the_keyboard(users: Users) -> None:
    laptop, phone = users.new_page(), users.new_page()
    hers, own = opened(laptop), opened(phone)
    accept(phone, link_of(laptop))
    later = opened(phone)
    phone.reload()
    listed(phone, "page-continue", [hers, own, later])
    undo = phone.get_by_role("button", name=say("page-carry-undo"))
    expect(undo).to_be_visible()
    laptop.reload()
    listed(laptop, "page-continue", [hers, own, later])
    expect(laptop.get_by_role("button", name=say("page-carry-undo"))).to_have_count(0)
    undo.focus()
    with phone.expect_navigation():
        phone.keyboard.press("Enter")
    listed(phone, "page-continue", [own])
    expect(undo).to_have_count(0)
    laptop.reload()
    listed(laptop, "page-continue", [hers, later])
    phone.goto(f"/tables/{hers}")
    expect(phone.get_by_text(say("page-table-watching"))).to_be_visible()


def test_the_panel_for_another_device_offers_to_undo_it(users: Users) -> None:
    laptop, phone = users.new_page(), users.new_page()
    phone.request.post("/api/me")
    accept(phone, link_of(laptop))
    expect(phone.get_by_role("button", name=say("page-carry-undo"))).to_have_count(0)
    phone.get_by_text(say("page-carry"), exact=True).click()
    with phone.expect_navigation():
        phone.get_by_role("button", name=say("page-carry-undo")).click()
    assert phone.request.get("/api/me/merge").json()["players"] == 1


def test_a_lost_answer_or_a_reload_loses_nothing(users: Users) -> None:
    laptop, phone = users.new_page(), users.new_page()
    hers, own = opened(laptop), opened(phone)
    link = link_of(laptop)
    phone.goto(link)
    button = phone.get_by_role("button", name=say("page-carry-here-begin"))
    expect(button).to_be_enabled()

    def lose_the_answer(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort("connectionreset")

    phone.context.set_offline(True)
    button.click()
    offline = phone.get_by_role("alert").filter(has_text=say("page-trouble-offline"))
    expect(offline).to_be_visible()
    phone.context.set_offline(False)
    phone.route("**/carry/*", lambda route: _only_posts(route, lose_the_answer))
    button.click()
    expect(offline).to_be_visible()
    expect(button).to_be_enabled()
    assert len(phone.request.get("/api/me/games").json()["games"]) == 2
    phone.unroute_all()
    button.click()
    listed(phone, "page-continue", [hers, own])
    phone.goto(link)
    expect(phone.get_by_text(say("page-carry-same"))).to_be_visible()
    expect(button).to_have_count(0)
    users.errors.clear()  # the browser logs the lost connection


def _only_posts(route: Route, handle: Any) -> None:
    if route.request.method == "POST":
        handle(route)
    else:
        route.continue_()


def test_without_a_connection_the_question_can_be_asked_again(users: Users) -> None:
    laptop, phone = users.new_page(), users.new_page()
    phone.route("**/api/carry/*", lambda route: route.abort("connectionreset"))
    phone.goto(link_of(laptop))
    expect(phone.get_by_role("alert").filter(has_text=say("page-trouble-offline"))).to_be_visible()
    phone.unroute_all()
    phone.get_by_role("button", name=say("page-carry-retry")).click()
    expect(phone.get_by_text(say("page-carry-adopt"))).to_be_visible()
    users.errors.clear()  # the browser logs the lost connection


def test_deleting_says_that_it_concerns_both(users: Users) -> None:
    laptop, phone = users.new_page(), users.new_page()
    opened(laptop)
    opened(phone)
    accept(phone, link_of(laptop))
    for page in (laptop, phone):
        page.goto("/privacy")
        page.get_by_role("button", name=say("page-privacy-delete-begin")).click()
        expect(page.get_by_text(say("page-privacy-delete-merged"))).to_be_visible()
    phone.get_by_role("button", name=say("page-privacy-delete-yes")).click()
    expect(phone.get_by_text(say("page-privacy-delete-done"))).to_be_visible()
    assert laptop.request.get("/api/me/games").json()["games"] == []


@pytest.mark.parametrize("language", ["de", "ru"])
def test_the_texts_fit_on_a_phone(users: Users, language: str) -> None:
    words: Messages = messages(language)
    laptop = users.new_page()
    phone = users.new_page(viewport=PHONE, language=language)
    opened(phone)
    game = opened(laptop, "friend", name="W" * 20)
    phone.request.post(f"/api/tables/{game}/join", data={"name": "Bob"})
    found = []
    for key in ("page-carry-opponents", "page-carry-merge-own-link", "page-carry-same"):
        phone.goto(link_of(laptop))
        expect(phone.get_by_text(words(key))).to_be_visible()
        found += [f"{key}: {problem}" for problem in layout_problems(phone)]
        if key == "page-carry-opponents":
            aborted(phone, game)
        if key == "page-carry-merge-own-link":
            phone.get_by_role("button", name=words("page-carry-here-begin")).click()
            expect(phone.get_by_role("button", name=words("page-carry-undo"))).to_be_visible()
            found += [f"home: {problem}" for problem in layout_problems(phone)]
    assert not found, "\n".join(found)
