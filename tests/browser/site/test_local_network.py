"""A server that was started for one machine is opened to the local network, and closed again."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from browser.support.server import LiveServer
from browser.support.table import TablePage, join_table
from browser.support.users import Users
from patchwork.locales import messages
from patchwork.server.transport.local_network import own_addresses

say = messages("en")

STAND_IN = "127.0.0.2"
"""The address of a machine that is in no network."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server as ``make play`` starts it."""
    folder = tmp_path_factory.mktemp("server")
    with LiveServer(folder, play=True, PATCHWORK_TEST_ADDRESS=STAND_IN) as server:
        yield server


def test_a_friend_in_the_network_follows_the_invitation(
    users: Users, server: LiveServer, browser: Browser
) -> None:
    there = server.address.replace("127.0.0.1", (own_addresses() or [STAND_IN])[0])
    ann = TablePage.open(users.new_page(), server, "friend", name="Ann")
    link = ann.page.get_by_label(say("page-table-link"))
    expect(link).to_have_value(f"{server.address}/tables/{ann.id}")
    ann.button("page-network").click()
    expect(link).to_have_value(f"{there}/tables/{ann.id}")
    expect(ann.page.get_by_text(there, exact=True)).to_be_visible()
    expect(ann.page.get_by_text(say("page-network-firewall"))).to_be_visible()
    code = ann.page.get_by_alt_text(say("page-table-qr"))
    expect(code).to_have_attribute("src", re.compile("of=" + re.escape(there[:4])))
    others = Users(browser, there)
    try:
        bob = others.new_page(f"/tables/{ann.id}")
        join_table(bob, "Bob")
        expect(ann.page.get_by_role("grid")).to_have_count(2)
        expect(bob.get_by_role("grid")).to_have_count(2)
        # Only the machine itself is asked.
        home = others.new_page("/")
        home.get_by_text(say("page-carry"), exact=True).click()
        expect(home.get_by_role("button", name=say("page-carry-begin"))).to_be_visible()
        expect(home.get_by_role("button", name=say("page-network"))).to_have_count(0)
        # Without HTTPS, browsers have no use for this header, and say so.
        ignored = "console: The Cross-Origin-Opener-Policy header has been ignored"
        assert [error for error in others.errors if not error.startswith(ignored)] == []
    finally:
        others.close()
    page = users.new_page("/")
    page.get_by_text(say("page-carry"), exact=True).click()
    expect(page.get_by_alt_text(say("page-network-picture"))).to_be_visible()
    page.get_by_role("button", name=say("page-network-close")).click()
    expect(page.get_by_role("button", name=say("page-network"))).to_be_visible()


def test_keyboard_alone_opens_and_closes_it(users: Users, server: LiveServer) -> None:
    ann = TablePage.open(users.new_page(), server, "friend", name="Ann")
    for key in ("page-network", "page-network-close"):
        ann.button(key).focus()
        ann.page.keyboard.press("Enter")
    expect(ann.button("page-network")).to_be_visible()
