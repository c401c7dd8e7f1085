"""A clock runs out, or a player leaves."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.support.server import LiveServer
from browser.support.table import TablePage, play_with_mouse
from browser.support.users import Users
from patchwork.locales import messages
from support.waiting import wait_until

say = messages("en")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server that lets a win be claimed soon after the opponent has left."""
    with LiveServer(tmp_path_factory.mktemp("server"), PATCHWORK_GONE_LOST="0.2") as server:
        yield server


def ann_and_bob(users: Users, server: LiveServer, **terms: Any) -> tuple[TablePage, TablePage]:
    """Opens a table as Ann, who begins, and joins it as Bob."""
    ann = TablePage.open(users.new_page(), server, opponent="friend", seat=0, first=0, **terms)
    page = users.new_page(f"/tables/{ann.id}")
    page.get_by_role("button", name=say("page-table-join")).click()
    bob = TablePage(page, server)
    for table in (ann, bob):
        expect(table.page.get_by_role("grid")).to_have_count(2)
    return ann, bob


@pytest.mark.long
def test_a_clock_runs_out(users: Users, server: LiveServer) -> None:
    ann, bob = ann_and_bob(users, server, clock={"minutes": 0.25})
    # Nobody does anything.
    name = say("page-table-guest")
    for table, whose in ((ann, "other"), (bob, "you")):
        title = table.page.get_by_role("heading", level=1)
        expect(title).to_contain_text(say("page-table-wins", whose=whose, name=name))
        expect(title).to_contain_text(say("page-table-ended", reason="time"))


def test_low_time_is_announced(users: Users, server: LiveServer) -> None:
    _, bob = ann_and_bob(users, server, clock={"minutes": 180})
    expect(bob.page.get_by_role("timer")).to_have_count(2)
    low = say("page-table-clock-low", name=say("page-table-guest"), seconds=20)
    expect(bob.page.get_by_text(low)).to_have_count(0)
    # The page announces it as soon as its own clock is low, until the server corrects the clock.
    bob.page.evaluate("""() => {
      window.announced = [];
      new MutationObserver((records) => window.announced.push(
        ...records.map(({ target }) => target.textContent.trim())
      )).observe(document.body, { subtree: true, childList: true, characterData: true });
      const { now } = Date;
      Date.now = () => now() + 179.9 * 60_000;
    }""")
    wait_until(lambda: low in bob.page.evaluate("window.announced"))


def test_a_win_is_claimed_after_the_opponent_left(users: Users, server: LiveServer) -> None:
    ann, bob = ann_and_bob(users, server)
    play_with_mouse(ann, ann.wait_for_turn(0))
    bob.page.close()
    expect(ann.page.get_by_text(say("page-table-away"), exact=True)).to_be_visible()
    ann.button("page-table-claim").click()
    title = ann.page.get_by_role("heading", level=1)
    expect(title).to_contain_text(say("page-table-ended", reason="left"))


def test_a_win_cannot_be_claimed_once_the_opponent_is_back(
    users: Users, server: LiveServer
) -> None:
    ann, bob = ann_and_bob(users, server)
    bob.page.goto("/rules")
    expect(ann.button("page-table-claim")).to_be_visible()
    bob.page.goto(f"/tables/{bob.id}")
    expect(ann.button("page-table-claim")).to_have_count(0)
