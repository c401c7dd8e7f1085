"""Browsers without JavaScript, and the titles of pages whose links are shared."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from browser.support.screens import play_until
from browser.support.server import LiveServer
from browser.support.table import TablePage, two_players
from browser.support.users import PHONE, Users
from patchwork.locales import messages


@pytest.fixture(autouse=True)
def scripts_are_refused(users: Users) -> Iterator[None]:
    """Takes out of the errors that the browser did not run the page's scripts."""
    yield
    users.errors[:] = [error for error in users.errors if not error.endswith(".js csp")]


def test_home_says_what_this_is_and_how_to_play(users: Users) -> None:
    for language in ("en", "ru"):
        say = messages(language)
        page = users.new_page(language=language, java_script_enabled=False, viewport=PHONE)
        expect(page.get_by_role("heading", level=1)).to_have_text("Patchwork")
        for key in ("page-tagline", "link-how", "link-script"):
            expect(page.get_by_role("main")).to_contain_text(say(key))


def test_a_table_shows_its_names_its_state_and_its_picture(
    users: Users, server: LiveServer
) -> None:
    ann, _ = two_players(users, server)
    say = messages("de")
    page = users.new_page(f"/tables/{ann.id}", language="de", java_script_enabled=False)
    expect(page.get_by_role("heading", level=1)).to_have_text("Ann \N{EN DASH} Bob · Patchwork")
    expect(page.get_by_role("main")).to_contain_text(say("link-running"))
    picture = page.get_by_alt_text(say("link-drawing"))
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.evaluate("innerWidth")


def test_a_finished_game_shows_its_result(users: Users) -> None:
    page = users.new_page()
    game = play_until(page, lambda game: game.position.outcome is not None)["table"]["id"]
    reader = users.new_page(f"/replay/{game}", java_script_enabled=False)
    expect(reader.get_by_role("main")).to_contain_text(messages("en")("link-replay"))
    expect(reader.get_by_role("main")).to_contain_text("wins!")


def test_with_javascript_the_title_is_that_of_the_screen(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    expect(table.quilt).to_be_visible()
    expect(table.page).to_have_title("Patchwork")
    assert server.get("/favicon.ico").headers["content-type"] == "image/x-icon"
    assert server.get("/robots.txt").headers["content-type"].startswith("text/plain")
    for path in (f"/tables/{table.id}", "/"):
        text = server.get(path).text
        assert 'property="og:image"' in text
        assert "<noscript><main" in text
