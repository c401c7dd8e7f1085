"""Reloading the page at any moment leads back to the same table and loses nothing."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import patchwork as pw
from browser.support.screens import play_until
from browser.support.server import LiveServer
from browser.support.table import TablePage, play_with_mouse, two_players, wait_until_in_sync
from browser.support.users import Users
from patchwork.locales import messages

say = messages("en")


def reload_keeps(page: Page, *shown: Locator) -> None:
    """Checks that some elements are visible before and after a reload."""
    for again in (False, True):
        if again:
            page.reload()
        for locator in shown:
            expect(locator).to_be_visible()


def text(table: TablePage, key: str, **values: Any) -> Locator:
    return table.page.get_by_text(say(key, **values)).filter(visible=True).first


def test_while_waiting_for_a_friend(users: Users, server: LiveServer) -> None:
    ann = TablePage.open(users.new_page(), server, "friend", name="Ann")
    link = ann.page.get_by_label(say("page-table-link"))
    expect(link).to_have_value(re.compile(ann.id))
    reload_keeps(ann.page, link, text(ann, "page-table-waiting"))
    bob = users.new_page(f"/tables/{ann.id}")
    join = bob.get_by_role("button", name=say("page-table-join"))
    reload_keeps(bob, join, bob.get_by_text(say("page-table-invited", name="Ann")))


def test_while_choosing_who_begins(users: Users, server: LiveServer) -> None:
    ann, bob = two_players(users, server, first="needle")
    for table in (ann, bob):
        names = [table.page.get_by_role("button", name=name) for name in ("Ann", "Bob")]
        reload_keeps(table.page, text(table, "page-table-needle"), *names)
    ann.page.get_by_role("button", name="Bob").click()
    assert ann.wait_for_turn(1) is not None


PHASES: dict[str, Callable[[pw.Game], bool]] = {
    "beginning": lambda game: not game.moves,
    "choosing": lambda game: len(game.moves) > 10 and game.position.phase is pw.Phase.TURN,
    "leather": lambda game: game.position.phase is pw.Phase.LEATHER,
}


@pytest.mark.parametrize("phase", PHASES)
def test_on_the_turn_of_the_player(users: Users, server: LiveServer, phase: str) -> None:
    page = users.new_page()
    page.goto(f"/tables/{play_until(page, PHASES[phase])['table']['id']}")
    table = TablePage(page, server)
    for _ in range(2):
        wait_until_in_sync(table)
        page.reload()
    play_with_mouse(table, table.wait_for_turn(0, 1))


def test_while_placing_a_patch(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    position = table.wait_for_turn(0)
    assert table.pick_up_first_patch(position)
    expect(table.button("page-table-sew")).to_be_visible()
    table.page.reload()
    expect(table.button("page-table-advance")).to_be_visible()
    expect(table.button("page-table-sew")).to_have_count(0)
    assert table.state()["position"] == position
    play_with_mouse(table, position)


def test_while_the_computer_thinks(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server)
    table.wait_for_turn(0)
    with server.paused_workers():
        while table.state()["position"]["turn"] == 0:
            play_with_mouse(table, table.wait_for_turn(0))
        reload_keeps(table.page, text(table, "page-table-thinks"))
    position = table.wait_for_turn(0)
    wait_until_in_sync(table)
    play_with_mouse(table, position)


def test_while_waiting_for_a_move_or_an_answer(users: Users, server: LiveServer) -> None:
    ann, bob = two_players(users, server, first=0)
    while ann.state()["position"]["turn"] == 0:
        play_with_mouse(ann, ann.wait_for_turn(0))
    reload_keeps(ann.page, text(ann, "page-table-waits-for", name="Bob"))
    ann.button("page-table-undo").click()
    reload_keeps(ann.page, text(ann, "page-table-asked"))
    reload_keeps(bob.page, text(bob, "page-table-asks", name="Ann"))
    seq = ann.seq
    bob.button("page-table-accept").click()
    ann.wait_for_event_after(seq)
    assert ann.wait_for_turn(0) is not None


def test_while_a_move_is_being_sent(users: Users, server: LiveServer) -> None:
    """The server gets the move only after the reload."""
    table = TablePage.open(users.new_page(), server)
    table.wait_for_turn(0)
    seq = table.seq
    expect(table.button("page-table-advance")).to_be_visible()
    table.page.evaluate("WebSocket.prototype.send = () => undefined")
    table.page.keyboard.press("a")
    table.page.keyboard.press("Enter")
    expect(text(table, "page-table-sending")).to_be_visible()
    assert table.seq == seq
    table.page.reload()
    table.wait_for_event_after(seq)
    assert table.state()["moves"][0] == [0, "A"]


def test_after_the_end(users: Users, server: LiveServer) -> None:
    ann, bob = two_players(users, server, first=0)
    play_with_mouse(ann, ann.wait_for_turn(0))
    resign = {"t": "resign", "id": "r", "seq": ann.seq}
    assert bob.page.request.post(f"/api/tables/{ann.id}/actions", data=resign).ok
    for table, reason in ((ann, "resigned"), (bob, "resigned-you")):
        total = table.page.get_by_role("row", name=say("page-table-step-total"))
        why = text(table, "page-table-ended", reason=reason, name="Bob")
        reload_keeps(table.page, total, why)
    ann.button("page-table-rematch").click()
    reload_keeps(ann.page, text(ann, "page-table-rematch-asked"))
    reload_keeps(bob.page, bob.button("page-table-rematch-accept"))


def test_in_a_replay(users: Users) -> None:
    page = users.new_page()
    state = play_until(page, lambda game: game.position.outcome is not None)
    page.goto(f"/replay/{state['table']['id']}")
    reload_keeps(page, page.get_by_role("slider"), *page.get_by_role("grid").all())
