"""A reload at any moment comes back to the same table, and nothing is lost by it."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import patchwork as pw
from browser.house import House
from browser.playing import Table, agree, decide_with_mouse, friends
from browser.screens import played
from browser.visitors import Visitors
from patchwork.locales import messages

say = messages("en")


def reload_keeps(page: Page, *shown: Locator) -> None:
    """Looks for something before and after a reload."""
    for again in (False, True):
        if again:
            page.reload()
        for locator in shown:
            expect(locator).to_be_visible()


def text(table: Table, key: str, **values: Any) -> Locator:
    return table.page.get_by_text(say(key, **values)).filter(visible=True).first


def test_while_a_friend_is_awaited(visitors: Visitors, house: House) -> None:
    ann = Table.open(visitors.come(), house, "friend", name="Ann")
    link = ann.page.get_by_label(say("page-table-link"))
    expect(link).to_have_value(re.compile(ann.id))
    reload_keeps(ann.page, link, text(ann, "page-table-waiting"))
    bob = visitors.come(f"/tables/{ann.id}")
    join = bob.get_by_role("button", name=say("page-table-join"))
    reload_keeps(bob, join, bob.get_by_text(say("page-table-invited", name="Ann")))


def test_while_it_is_asked_who_begins(visitors: Visitors, house: House) -> None:
    ann, bob = friends(visitors, house, first="needle")
    for table in (ann, bob):
        names = [table.page.get_by_role("button", name=name) for name in ("Ann", "Bob")]
        reload_keeps(table.page, text(table, "page-table-needle"), *names)
    ann.page.get_by_role("button", name="Bob").click()
    assert ann.turn(1) is not None


PHASES: dict[str, Callable[[pw.Game], bool]] = {
    "beginning": lambda game: not game.moves,
    "choosing": lambda game: len(game.moves) > 10 and game.position.phase is pw.Phase.TURN,
    "leather": lambda game: game.position.phase is pw.Phase.LEATHER,
}


@pytest.mark.parametrize("phase", PHASES)
def test_while_something_is_to_be_decided(visitors: Visitors, house: House, phase: str) -> None:
    page = visitors.come()
    page.goto(f"/tables/{played(page, PHASES[phase])['table']['id']}")
    table = Table(page, house)
    for _ in range(2):
        agree(table)
        page.reload()
    decide_with_mouse(table, table.turn(0, 1))


def test_with_a_patch_in_the_hand(visitors: Visitors, house: House) -> None:
    table = Table.open(visitors.come(), house)
    position = table.turn(0)
    assert table.take_something(position)
    expect(table.button("page-table-sew")).to_be_visible()
    table.page.reload()
    expect(table.button("page-table-advance")).to_be_visible()
    expect(table.button("page-table-sew")).to_have_count(0)
    assert table.state()["position"] == position
    decide_with_mouse(table, position)


def test_while_the_computer_thinks(visitors: Visitors, house: House) -> None:
    table = Table.open(visitors.come(), house)
    table.turn(0)
    with house.thinking_long():
        while table.state()["position"]["turn"] == 0:
            decide_with_mouse(table, table.turn(0))
        reload_keeps(table.page, text(table, "page-table-thinks"))
    position = table.turn(0)
    agree(table)
    decide_with_mouse(table, position)


def test_while_the_friend_decides_or_is_asked(visitors: Visitors, house: House) -> None:
    ann, bob = friends(visitors, house, first=0)
    while ann.state()["position"]["turn"] == 0:
        decide_with_mouse(ann, ann.turn(0))
    reload_keeps(ann.page, text(ann, "page-table-waits-for", name="Bob"))
    ann.button("page-table-undo").click()
    reload_keeps(ann.page, text(ann, "page-table-asked"))
    reload_keeps(bob.page, text(bob, "page-table-asks", name="Ann"))
    seq = ann.seq
    bob.button("page-table-accept").click()
    ann.after(seq)
    assert ann.turn(0) is not None


def test_while_a_move_is_on_its_way(visitors: Visitors, house: House) -> None:
    """The server never hears of it, until the page is there again."""
    table = Table.open(visitors.come(), house)
    table.turn(0)
    seq = table.seq
    expect(table.button("page-table-advance")).to_be_visible()
    table.page.evaluate("WebSocket.prototype.send = () => undefined")
    table.page.keyboard.press("a")
    table.page.keyboard.press("Enter")
    expect(text(table, "page-table-sending")).to_be_visible()
    assert table.seq == seq
    table.page.reload()
    table.after(seq)
    assert table.state()["moves"][0] == [0, "A"]


def test_after_the_end(visitors: Visitors, house: House) -> None:
    ann, bob = friends(visitors, house, first=0)
    decide_with_mouse(ann, ann.turn(0))
    resign = {"t": "resign", "id": "r", "seq": ann.seq}
    assert bob.page.request.post(f"/api/tables/{ann.id}/actions", data=resign).ok
    for table in (ann, bob):
        total = table.page.get_by_role("row", name=say("page-table-step-total"))
        reload_keeps(table.page, total, text(table, "page-table-ended", reason="resigned"))
    ann.button("page-table-rematch").click()
    reload_keeps(ann.page, text(ann, "page-table-rematch-asked"))
    reload_keeps(bob.page, bob.button("page-table-rematch-accept"))


def test_of_a_replay(visitors: Visitors) -> None:
    page = visitors.come()
    state = played(page, lambda game: game.position.outcome is not None)
    page.goto(f"/replay/{state['table']['id']}")
    reload_keeps(page, page.get_by_role("slider"), *page.get_by_role("grid").all())
