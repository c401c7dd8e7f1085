"""Every address opens the right screen, in the reader's language; the home screen and its links."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from browser.support.screens import play_until
from browser.support.server import LiveServer
from browser.support.users import Users
from patchwork.locales import LANGUAGES, messages
from support.waiting import PATIENCE

SCREENS = ["/", "/rules", "/learn", "/privacy", "/replay"]


@pytest.mark.parametrize("path", SCREENS)
def test_every_screen_opens(users: Users, path: str) -> None:
    page = users.new_page(path)
    expect(page.get_by_role("main")).to_be_visible()
    expect(page).to_have_title(re.compile("Patchwork"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_uses_the_language_of_the_browser(users: Users, language: str) -> None:
    page = users.new_page(language=language)
    expect(page.locator("html")).to_have_attribute("lang", language)
    words = messages(language)("page-play-now")
    expect(page.get_by_role("button", name=words)).to_be_visible()


def test_another_language_can_be_chosen_and_is_remembered(users: Users) -> None:
    page = users.new_page(language="fr-FR")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_role("button", name="Русский").click()
    for _ in range(2):
        words = messages("ru")("page-play-now")
        expect(page.get_by_role("button", name=words)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "ru")
        page.reload()


def test_running_games_stay_listed_however_many_have_ended(
    users: Users, server: LiveServer
) -> None:
    page = users.new_page()
    running = page.request.post("/api/tables", data={"opponent": "friend"}).json()["table"]["id"]
    for _ in range(52):
        state = page.request.post("/api/tables", data={"opponent": "screen"}).json()
        action = {"t": "abort", "id": "x", "seq": state["status"]["seq"]}
        assert page.request.post(f"/api/tables/{state['table']['id']}/actions", data=action).ok
    page.reload()
    say = messages("en")
    unfinished = page.get_by_role("region", name=say("page-continue"))
    expect(unfinished.get_by_role("link")).to_have_attribute("href", f"/tables/{running}")
    finished = page.get_by_role("region", name=say("page-finished")).get_by_role("listitem")
    expect(finished).to_have_count(6)
    for _ in range(2):
        page.get_by_role("button", name=say("page-more-games")).click()
    expect(finished).to_have_count(52)


def test_a_transfer_link_moves_the_player_after_a_confirmation(users: Users) -> None:
    page, say = users.new_page(), messages("ru")
    page.request.post("/api/tables", data={"opponent": "friend"})
    link = page.request.post("/api/me/carry-link").json()["url"]
    device = users.new_page(link, language="ru")
    expect(device.get_by_role("heading", name=say("page-carry-here"))).to_be_visible()
    device.get_by_role("button", name=say("page-carry-here-begin")).click()
    expect(device).to_have_url(re.compile("/$"))
    expect(device.get_by_role("region", name=say("page-continue"))).to_be_visible()


def test_an_expired_transfer_link_says_so(users: Users) -> None:
    say = messages("en")
    page = users.new_page("/carry/abcdefghjkmn.1.x")
    expect(page.get_by_role("alert").first).to_have_text(say("page-carry-too-old"))
    expect(page.get_by_role("button", name=say("page-carry-here-begin"))).to_have_count(0)
    users.errors.clear()  # the browser logs the refusal


def test_the_footer_leads_to_the_licence_and_the_api(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    for key in ("page-licence", "page-api"):
        path = page.get_by_role("link", name=messages("en")(key)).get_attribute("href")
        assert path is not None
        assert server.get(path).status_code == 200
    assert "MIT" in server.get("/licence.txt").text


def test_an_unknown_table_says_so(users: Users) -> None:
    page = users.new_page("/tables/abcdefghjkmn")
    expect(page.get_by_text(messages("en")("page-trouble-no-such-table"))).to_be_visible()
    assert "404" in users.errors.pop(), "the browser logs the missing page"


@pytest.mark.parametrize("path", ["/nonsense", "/nonsense/xyz", "/learn/more", "/tables", "/carry"])
def test_an_unknown_address_offers_a_way_on(users: Users, server: LiveServer, path: str) -> None:
    """An address that merely begins like a known one is unknown, too; programs get JSON."""
    say = messages("de")
    page = users.new_page(path, language="de")
    expect(page.get_by_role("heading", level=1)).to_have_text(say("page-nowhere"))
    expect(page.get_by_role("button", name=say("page-play-now"))).to_be_visible()
    page.get_by_role("main").get_by_role("link", name=say("page-table-home")).click()
    expect(page).to_have_url(f"{server.address}/")
    expect(page.get_by_text(say("page-tagline"))).to_be_visible()
    assert "404" in users.errors.pop(), "the browser logs the missing page"
    assert server.get(path).json()["code"] == "not-found"


@pytest.mark.parametrize(
    ("path", "accept", "kind"),
    [
        ("/nonsense", "text/html,*/*", "text/html"),
        ("/nonsense", "*/*", "application/json"),
        ("/api/nonsense", "text/html,*/*", "application/json"),
        ("/assets/nonsense.js", "text/html,*/*", "application/json"),
    ],
)
def test_only_browsers_get_the_page_at_an_unknown_address(
    server: LiveServer, path: str, accept: str, kind: str
) -> None:
    answer = httpx.get(server.address + path, headers={"Accept": accept}, timeout=PATIENCE)
    assert answer.status_code == 404
    assert answer.headers["content-type"].split(";")[0] == kind


def test_running_games_are_listed_by_what_is_most_urgent(users: Users) -> None:
    """Also over pages: the server sends 50 at a time."""
    page, say = users.new_page(), messages("en")
    friend = users.new_page().request

    def open_game(name: str, days: int | None, moved: bool) -> None:
        clock = None if days is None else {"days": days}
        data = {"opponent": "friend", "clock": clock, "first": 0}
        game = page.request.post("/api/tables", data=data).json()["table"]["id"]
        state = friend.post(f"/api/tables/{game}/join", data={"name": name}).json()
        if moved:
            action = {"t": "move", "id": "m", "seq": state["status"]["seq"], "move": "A"}
            assert page.request.post(f"/api/tables/{game}/actions", data=action).ok

    friend.post("/api/me")
    open_game("Three", 3, moved=False)
    open_game("Theirs", 1, moved=True)
    open_game("One", 1, moved=False)
    open_game("Unhurried", None, moved=False)
    for number in range(55):
        open_game(f"Other {number}", 7, moved=True)
    page.reload()
    region = page.get_by_role("region", name=say("page-continue"))
    games = region.get_by_role("listitem")
    for place, (name, left) in enumerate(
        (("One", "23 hours"), ("Three", "2 days"), ("Unhurried", None), ("Theirs", "23 hours"))
    ):
        game = games.nth(place)
        expect(game).to_contain_text(say("page-against", name=name))
        if left is not None:
            expect(game).to_contain_text(say("page-time-left", time=left))
        # Not by colour alone.
        expect(game.get_by_text(say("page-your-turn"))).to_have_count(1 if place < 3 else 0)
    for _ in range(3):
        page.get_by_role("button", name=say("page-more-games")).click()
    expect(games).to_have_count(59)
    names = [text.split("\n")[0] for text in games.all_inner_texts()]
    assert len(set(names)) == 59, "each game is listed once"


def test_the_last_quilt_takes_the_place_of_the_sample(users: Users) -> None:
    page, say = users.new_page(), messages("en")
    state = play_until(page, lambda game: game.position.outcome is not None)
    aborted = page.request.post("/api/tables", data={"opponent": "screen"}).json()
    action = {"t": "abort", "id": "x", "seq": aborted["status"]["seq"]}
    page.request.post(f"/api/tables/{aborted['table']['id']}/actions", data=action)
    page.goto("/")
    link = page.get_by_role("link", name=say("page-last-quilt"))
    expect(link).to_have_attribute("href", f"/tables/{state['table']['id']}")
    link.click()
    expect(page.get_by_role("row", name=say("page-table-step-total"))).to_be_visible()


@pytest.mark.parametrize("width", [1600, 1920, 2560])
def test_home_uses_the_width_of_a_big_screen(users: Users, width: int) -> None:
    page = users.new_page(viewport={"width": width, "height": 1080})
    expect(page.get_by_role("button", name=messages("en")("page-play-now"))).to_be_visible()
    used = page.get_by_role("main").bounding_box()
    assert used is not None
    assert used["width"] >= 0.8 * width
