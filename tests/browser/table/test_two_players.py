"""Two players in two browsers, with lost connections, several tabs, and a server that is killed."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.support.server import LiveServer
from browser.support.table import (
    TablePage,
    join_table,
    offline,
    play_with_keys,
    play_with_mouse,
    unplugged,
    wait_until_in_sync,
)
from browser.support.users import Users
from patchwork.locales import messages

say = messages("en")


@pytest.fixture
def tables(users: Users, server: LiveServer) -> tuple[TablePage, TablePage]:
    """The pages of Ann, who opened a table, and Bob, to whom she sent the link."""
    return meet(users, server)


def meet(users: Users, server: LiveServer) -> tuple[TablePage, TablePage]:
    ann = users.new_page()
    ann.get_by_text(say("page-friend"), exact=True).click()
    ann.get_by_role("button", name=say("page-friend-begin")).click()
    link = ann.get_by_label(say("page-table-link")).input_value()
    ann.reload()
    bob = users.new_page(link)
    join_table(bob, "Bob")
    for page in (ann, bob):
        expect(page.get_by_role("grid")).to_have_count(2)
    return TablePage(ann, server), TablePage(bob, server)


def play(tables: tuple[TablePage, TablePage], moves: int) -> bool:
    """Plays some moves, Ann's with the mouse, Bob's with keys; returns whether the game is over."""
    for _ in range(moves):
        position = tables[0].wait_for_turn(0, 1)
        if position is not None:
            play_move = (play_with_mouse, play_with_keys)[position["turn"]]
            play_move(tables[position["turn"]], position)
    return tables[0].wait_for_turn(0, 1) is None


@pytest.mark.long
def test_a_whole_game_over_a_link_with_a_connection_lost_in_the_middle(
    tables: tuple[TablePage, TablePage], users: Users
) -> None:
    ann, bob = tables
    play(tables, 8)
    while (position := ann.wait_for_turn(0, 1))["turn"] != 0:
        play_with_keys(bob, position)
    made = len(ann.state()["moves"])
    with unplugged(bob.page):
        while ann.state()["position"]["turn"] == 0:
            play_with_mouse(ann, ann.wait_for_turn(0))
    missed = say("page-table-missed", moves=len(ann.state()["moves"]) - made)
    expect(bob.page.get_by_text(missed)).to_be_visible()
    wait_until_in_sync(*tables)
    while not play(tables, 10):
        wait_until_in_sync(*tables)
    for table in tables:
        expect(table.page.get_by_role("row", name=say("page-table-step-total"))).to_be_visible()
    tables[0].button("page-table-rematch").click()
    tables[1].button("page-table-rematch-accept").click()
    for table in tables:
        expect(table.page).not_to_have_url(re.compile(table.id))
        expect(table.page.get_by_role("grid")).to_have_count(2)
        swapped = say("page-table-swapped", begins="other", name="").split(":")[0]
        expect(table.page.get_by_text(swapped)).to_be_visible()
    users.errors.clear()  # the browser logs the lost connection


def test_a_move_is_taken_back_if_the_opponent_agrees(tables: tuple[TablePage, TablePage]) -> None:
    ann, bob = tables
    play_with_mouse(ann, ann.wait_for_turn(0))
    for answer, moves in (("page-table-decline", 1), ("page-table-accept", 0)):
        ann.button("page-table-undo").click()
        seq = ann.seq
        bob.button(answer).click()
        ann.wait_for_event_after(seq)
        assert len(ann.state()["moves"]) == moves
    wait_until_in_sync(*tables)
    name = say("page-table-player", number=1)
    news = bob.page.get_by_role("log").get_by_text(say("page-table-taken-back", name=name))
    expect(news).to_have_count(1)


def test_a_move_made_offline_is_sent_after_reconnecting(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    table.wait_for_turn(0)
    seq = table.seq
    expect(table.button("page-table-advance")).to_be_visible()
    with offline(table.page):
        table.page.keyboard.press("a")
        table.page.keyboard.press("Enter")
        expect(table.page.get_by_text(say("page-table-sending"))).to_be_visible()
        assert table.seq == seq
    table.wait_for_event_after(seq)
    assert table.state()["moves"][0] == [0, "A"]
    users.errors.clear()


def test_a_move_made_offline_is_withdrawn_if_another_was_made(
    users: Users, server: LiveServer
) -> None:
    """The same player moves on another device in the meantime."""
    phone = TablePage.open(users.new_page(), server)
    state = phone.page.context.storage_state()
    laptop = TablePage(users.new_page(f"/tables/{phone.id}", storage_state=state), server)
    position = phone.wait_for_turn(0)
    expect(phone.button("page-table-advance")).to_be_visible()
    with offline(phone.page):
        phone.page.keyboard.press("a")
        phone.page.keyboard.press("Enter")
        expect(phone.page.get_by_text(say("page-table-sending"))).to_be_visible()
        play_with_mouse(laptop, position)
        made = laptop.state()["moves"][0]
        assert made != [0, "A"]
    expect(phone.page.get_by_text(say("page-table-withdrawn"))).to_be_visible()
    assert phone.state()["moves"][0] == made
    phone.wait_for_turn(0)
    wait_until_in_sync(phone, laptop)
    users.errors.clear()


def test_two_tabs_of_one_player_stay_in_sync(users: Users, server: LiveServer) -> None:
    first = TablePage.open(users.new_page(), server)
    page = first.page.context.new_page()
    page.goto(f"/tables/{first.id}")
    second = TablePage(page, server)
    for table in (first, second, first):
        play_with_mouse(table, table.wait_for_turn(0))
        first.wait_for_turn(0)  # the computer may move several times in a row
        wait_until_in_sync(first, second)


def test_the_server_is_killed_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    with LiveServer(tmp_path) as server:
        users = Users(browser, server.address)
        tables = meet(users, server)
        play(tables, 3)
        for _ in range(2):
            server.kill()
            for table in tables:
                expect(table.page.get_by_text(say("page-table-lost")).first).to_be_visible()
            server.start()
            # A selection made before the page has reconnected would be dropped.
            for table in tables:
                expect(table.page.get_by_text(say("page-table-lost"))).to_have_count(0)
            play(tables, 3)
            wait_until_in_sync(*tables)
        users.close()
