"""Each screen loads only what it needs; where a part cannot be loaded, there is a way on."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect

from browser.support.server import LiveServer
from browser.support.table import TablePage
from browser.support.users import Users
from browser.support.weight import HOME_LIMIT, TABLE_LIMIT, received_bytes
from patchwork.locales import messages


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("encoding", ["gzip", "br"])
def test_the_first_screen_is_light(users: Users, encoding: str, language: str) -> None:
    play = f"button:text-is('{messages(language)('page-play-now')}')"
    received = received_bytes(users, "/", play, encoding, language)
    assert 30_000 < received <= HOME_LIMIT


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("encoding", ["gzip", "br"])
def test_a_table_is_light(users: Users, server: LiveServer, encoding: str, language: str) -> None:
    table = TablePage.open(users.new_page(), server, "screen")
    received = received_bytes(users, f"/tables/{table.id}", "[role=grid]", encoding, language)
    assert 50_000 < received <= TABLE_LIMIT


def test_the_files_of_a_screen_are_requested_together(users: Users, server: LiveServer) -> None:
    """The page names them all, so that none is found out about only when another has come."""
    table = TablePage.open(users.new_page(), server, "screen")
    named = set(
        re.findall(r'(?:src|href)="(/assets/[^"]*)"', server.get(f"/tables/{table.id}").text)
    )
    page = users.new_page("/healthz")
    requested: set[str] = set()
    page.on("request", lambda request: requested.add(urlsplit(request.url).path))
    page.goto(f"/tables/{table.id}")
    expect(page.get_by_role("grid").first).to_be_visible()
    (late,) = {path for path in requested if path.startswith("/assets/")} - named
    assert "/en-" in late, "only the messages depend on the user"


def test_a_screen_is_loaded_when_somebody_turns_to_it(users: Users) -> None:
    page = users.new_page()
    with page.expect_response(re.compile("/assets/Table-.*js")):
        page.get_by_role("button", name=messages("en")("page-play-now")).hover()
    with page.expect_response(re.compile("/assets/Rules-.*js")):
        page.get_by_role("link", name=messages("en")("page-rules"), exact=True).focus()


def test_a_screen_that_cannot_be_loaded_offers_to_try_again(
    users: Users, server: LiveServer
) -> None:
    say = messages("de")
    page = users.new_page(language="de")
    page.context.set_offline(True)
    page.get_by_role("link", name=say("page-rules"), exact=True).click()
    page.get_by_role("button", name=say("page-try-again")).click()
    expect(page.get_by_role("alert")).to_have_text(say("page-trouble-offline"))
    page.context.set_offline(False)  # the page notices by itself
    expect(page.get_by_role("heading", level=1)).to_have_text(say("page-rules"))
    expect(page).to_have_url(f"{server.address}/rules")
    assert users.errors
    users.errors.clear()  # the browser logs what it could not load


def test_after_a_new_version_the_page_loads_itself_anew(users: Users, server: LiveServer) -> None:
    """The files of the old version are gone, so the table's script is not found once."""
    page, missing = users.new_page(), True

    def answer(route: Route) -> None:
        nonlocal missing
        if missing:
            missing = False
            route.fulfill(status=404, body="{}")
        else:
            route.continue_()

    page.route("**/assets/Table-*.js", answer)
    page.get_by_role("button", name=messages("en")("page-play-now")).click()
    expect(page.get_by_role("grid").first).to_be_visible()
    assert not missing
    assert all("404" in error or "Failed to fetch" in error for error in users.errors)
    users.errors.clear()


def test_the_page_says_so_when_it_keeps_missing_a_file(users: Users) -> None:
    """It does not load itself anew again and again."""
    say = messages("en")
    page = users.new_page("/healthz")
    page.route("**/assets/Rules-*.js", lambda route: route.fulfill(status=404, body="{}"))
    page.goto("/rules")
    expect(page.get_by_role("button", name=say("page-try-again"))).to_be_visible()
    page.unroute("**/assets/Rules-*.js")
    page.get_by_role("button", name=say("page-try-again")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(say("page-rules"))
    users.errors.clear()


def test_without_messages_there_is_a_button_to_load_the_page_again(users: Users) -> None:
    page = users.new_page("/healthz")
    page.route("**/assets/en-*.js", lambda route: route.abort())
    page.goto("/")
    again = page.get_by_role("button", name="Reload")
    expect(again).to_be_visible()
    page.unroute("**/assets/en-*.js")
    again.click()
    expect(page.get_by_text(messages("en")("page-tagline"))).to_be_visible()
    users.errors.clear()


def test_a_language_that_cannot_be_loaded_leaves_the_page_as_it_is(users: Users) -> None:
    say = messages("en")
    page = users.new_page()
    page.context.set_offline(True)
    page.get_by_role("button", name="Русский").click()
    footer = page.get_by_role("contentinfo")
    expect(footer.get_by_role("alert")).to_have_text(say("page-trouble-offline"))
    expect(page.get_by_role("button", name=say("page-play-now"))).to_be_visible()
    page.context.set_offline(False)
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    users.errors.clear()
