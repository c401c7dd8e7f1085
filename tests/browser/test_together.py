"""Two people in two browsers at one table, whatever happens to the connection or the server."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.house import House
from browser.playing import Table, decide_with_keys, decide_with_mouse
from browser.visitors import Visitors
from patchwork.locales import messages

say = messages("en")


@pytest.fixture
def tables(visitors: Visitors, house: House) -> tuple[Table, Table]:
    """Ann's table, and Bob's view of it, to whom she sent the link."""
    return meet(visitors, house)


def meet(visitors: Visitors, house: House) -> tuple[Table, Table]:
    ann = visitors.come()
    ann.get_by_text(say("page-friend"), exact=True).click()
    ann.get_by_role("button", name=say("page-friend-begin")).click()
    link = ann.get_by_label(say("page-table-link")).input_value()
    ann.reload()
    bob = visitors.come(link)
    bob.get_by_label(say("page-table-your-name")).fill("Bob")
    bob.get_by_role("button", name=say("page-table-join")).click()
    for page in (ann, bob):
        expect(page.get_by_role("grid")).to_have_count(2)
    return Table(ann, house), Table(bob, house)


def play(tables: tuple[Table, Table], decisions: int) -> bool:
    """Plays some decisions, Ann with the mouse, Bob with the keys; tells whether that was all."""
    for _ in range(decisions):
        position = tables[0].turn(0, 1)
        if position is None:
            return True
        decide = (decide_with_mouse, decide_with_keys)[position["turn"]]
        decide(tables[position["turn"]], position)
    return False


def agree(*tables: Table) -> None:
    """Waits until all browsers show what the server tells."""
    position = tables[0].state()["position"]
    for table in tables:
        for seat, player in enumerate(position["players"]):
            words = say("page-table-buttons", buttons=player["buttons"])
            expect(table.page.get_by_label(words, exact=True).first, str(seat)).to_be_attached(
                timeout=15_000
            )


@contextmanager
def without_connection(page: Page) -> Iterator[None]:
    page.context.set_offline(True)
    yield
    page.context.set_offline(False)


def test_a_whole_game_over_a_link(tables: tuple[Table, Table]) -> None:
    while not play(tables, 10):
        agree(*tables)
    for table in tables:
        expect(table.page.get_by_role("row", name=say("page-table-step-total"))).to_be_visible()
    tables[0].button("page-table-rematch").click()
    tables[1].button("page-table-rematch-accept").click()
    for table in tables:
        expect(table.page).not_to_have_url(re.compile(table.id))
        expect(table.page.get_by_role("grid")).to_have_count(2)


def test_a_decision_is_taken_back_if_the_friend_agrees(tables: tuple[Table, Table]) -> None:
    ann, bob = tables
    decide_with_mouse(ann, ann.turn(0))
    for answer, moves in (("page-table-decline", 1), ("page-table-accept", 0)):
        ann.button("page-table-undo").click()
        seq = ann.seq
        bob.button(answer).click()
        ann.after(seq)
        assert len(ann.state()["moves"]) == moves
    agree(*tables)


def test_what_happened_during_a_lost_connection_is_shown(
    tables: tuple[Table, Table], visitors: Visitors
) -> None:
    ann, bob = tables
    play(tables, 2)
    with without_connection(bob.page):
        lost = bob.page.get_by_text(say("page-table-lost")).first
        expect(lost).to_be_visible(timeout=15_000)
        while ann.state()["position"]["turn"] == 0:
            decide_with_mouse(ann, ann.turn(0))
    agree(*tables)
    play(tables, 3)
    agree(*tables)
    visitors.troubles.clear()  # the browser says that the connection was lost


def test_two_tabs_of_one_player_agree(visitors: Visitors, house: House) -> None:
    first = Table.open(visitors.come(), house)
    page = first.page.context.new_page()
    page.goto(f"/tables/{first.id}")
    second = Table(page, house)
    for table in (first, second, first):
        decide_with_mouse(table, table.turn(0))
        first.turn(0)  # the computer may have several turns in a row
        agree(first, second)


def test_the_server_is_killed_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    with House(tmp_path) as house:
        visitors = Visitors(browser, house.address)
        tables = meet(visitors, house)
        play(tables, 3)
        for _ in range(2):
            house.kill()
            expect(tables[0].page.get_by_text(say("page-table-lost")).first).to_be_visible()
            house.start()
            play(tables, 3)
            agree(*tables)
        visitors.leave()
