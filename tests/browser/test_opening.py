"""The page opens: in the reader's language, and within what the content policy allows."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from browser.house import House
from browser.visitors import Visitors
from patchwork.locales import LANGUAGES, messages
from support.waiting import PATIENCE

SCREENS = ["/", "/rules", "/learn", "/privacy", "/replay"]


@pytest.mark.parametrize("path", SCREENS)
def test_every_screen_opens(visitors: Visitors, path: str) -> None:
    page = visitors.come(path)
    expect(page.get_by_role("main")).to_be_visible()
    expect(page).to_have_title(re.compile("Patchwork"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_browser_chooses_the_language(visitors: Visitors, language: str) -> None:
    page = visitors.come(language=language)
    expect(page.locator("html")).to_have_attribute("lang", language)
    words = messages(language)("page-play-now")
    expect(page.get_by_role("button", name=words)).to_be_visible()


def test_another_language_can_be_chosen_and_is_remembered(visitors: Visitors) -> None:
    page = visitors.come(language="fr-FR")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_role("button", name="Русский").click()
    for _ in range(2):
        words = messages("ru")("page-play-now")
        expect(page.get_by_role("button", name=words)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "ru")
        page.reload()


def test_running_games_are_listed_however_many_have_ended_since(
    visitors: Visitors, house: House
) -> None:
    page = visitors.come()
    running = page.request.post("/api/tables", data={"opponent": "friend"}).json()["table"]["id"]
    for _ in range(52):
        state = page.request.post("/api/tables", data={"opponent": "screen"}).json()
        action = {"t": "abort", "id": "x", "seq": state["status"]["seq"]}
        assert page.request.post(f"/api/tables/{state['table']['id']}/actions", data=action).ok
    page.reload()
    say = messages("en")
    going_on = page.get_by_role("region", name=say("page-continue"))
    expect(going_on.get_by_role("link")).to_have_attribute("href", f"/tables/{running}")
    finished = page.get_by_role("region", name=say("page-finished")).get_by_role("listitem")
    expect(finished).to_have_count(6)
    for _ in range(2):
        page.get_by_role("button", name=say("page-more-games")).click()
    expect(finished).to_have_count(52)


def test_another_device_goes_on_after_it_was_asked(visitors: Visitors) -> None:
    page, say = visitors.come(), messages("ru")
    page.request.post("/api/tables", data={"opponent": "friend"})
    link = page.request.post("/api/me/carry-link").json()["url"]
    device = visitors.come(link, language="ru")
    expect(device.get_by_role("heading", name=say("page-carry-here"))).to_be_visible()
    device.get_by_role("button", name=say("page-carry-here-begin")).click()
    expect(device).to_have_url(re.compile("/$"))
    expect(device.get_by_role("region", name=say("page-continue"))).to_be_visible()


def test_a_link_that_is_too_old_says_so(visitors: Visitors) -> None:
    say = messages("en")
    page = visitors.come("/carry/abcdefghjkmn.1.x")
    page.get_by_role("button", name=say("page-carry-here-begin")).click()
    expect(page.get_by_role("alert")).to_have_text(say("page-carry-too-old"))
    visitors.troubles.clear()  # the browser notes the refusal


def test_the_footer_leads_to_the_licence_and_the_api(visitors: Visitors, house: House) -> None:
    page = visitors.come()
    for key in ("page-licence", "page-api"):
        path = page.get_by_role("link", name=messages("en")(key)).get_attribute("href")
        assert path is not None
        assert house.ask(path).status_code == 200
    assert "MIT" in house.ask("/licence.txt").text


def test_a_table_that_is_not_there_says_so(visitors: Visitors) -> None:
    page = visitors.come("/tables/abcdefghjkmn")
    expect(page.get_by_text(messages("en")("page-trouble-no-such-table"))).to_be_visible()


@pytest.mark.parametrize("path", ["/nonsense", "/nonsense/xyz", "/learn/more", "/tables", "/carry"])
def test_an_address_of_nothing_leads_on(visitors: Visitors, house: House, path: str) -> None:
    """Also where an address only begins like one of the page; programs are told in JSON."""
    say = messages("de")
    page = visitors.come(path, language="de")
    expect(page.get_by_role("heading", level=1)).to_have_text(say("page-nowhere"))
    expect(page.get_by_role("button", name=say("page-play-now"))).to_be_visible()
    page.get_by_role("main").get_by_role("link", name=say("page-table-home")).click()
    expect(page).to_have_url(f"{house.address}/")
    expect(page.get_by_text(say("page-tagline"))).to_be_visible()
    assert "404" in visitors.troubles.pop(), "the browser notes that nothing is there"
    assert house.ask(path).json()["code"] == "not-found"


@pytest.mark.parametrize(
    ("path", "accept", "kind"),
    [
        ("/nonsense", "text/html,*/*", "text/html"),
        ("/nonsense", "*/*", "application/json"),
        ("/api/nonsense", "text/html,*/*", "application/json"),
        ("/assets/nonsense.js", "text/html,*/*", "application/json"),
    ],
)
def test_only_people_get_the_page_where_nothing_is(
    house: House, path: str, accept: str, kind: str
) -> None:
    answer = httpx.get(house.address + path, headers={"Accept": accept}, timeout=PATIENCE)
    assert answer.status_code == 404
    assert answer.headers["content-type"].split(";")[0] == kind
