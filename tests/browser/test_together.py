"""Two people in two browsers at one table, whatever happens to the connection or the server."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.house import House
from browser.playing import (
    Table,
    agree,
    decide_with_keys,
    decide_with_mouse,
    sit_down,
    without_connection,
)
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
    sit_down(bob, "Bob")
    for page in (ann, bob):
        expect(page.get_by_role("grid")).to_have_count(2)
    return Table(ann, house), Table(bob, house)


def play(tables: tuple[Table, Table], decisions: int) -> bool:
    """Plays some decisions, Ann with the mouse, Bob with the keys; tells whether that was all."""
    for _ in range(decisions):
        position = tables[0].turn(0, 1)
        if position is not None:
            decide = (decide_with_mouse, decide_with_keys)[position["turn"]]
            decide(tables[position["turn"]], position)
    return tables[0].turn(0, 1) is None


@pytest.mark.long
def test_a_whole_game_over_a_link_with_a_connection_lost_in_the_middle(
    tables: tuple[Table, Table], visitors: Visitors
) -> None:
    ann, bob = tables
    play(tables, 8)
    while (position := ann.turn(0, 1))["turn"] != 0:
        decide_with_keys(bob, position)
    made = len(ann.state()["moves"])
    with without_connection(bob.page):
        lost = bob.page.get_by_text(say("page-table-lost")).first
        expect(lost).to_be_visible()
        while ann.state()["position"]["turn"] == 0:
            decide_with_mouse(ann, ann.turn(0))
    missed = say("page-table-missed", moves=len(ann.state()["moves"]) - made)
    expect(bob.page.get_by_text(missed)).to_be_visible()
    agree(*tables)
    while not play(tables, 10):
        agree(*tables)
    for table in tables:
        expect(table.page.get_by_role("row", name=say("page-table-step-total"))).to_be_visible()
    tables[0].button("page-table-rematch").click()
    tables[1].button("page-table-rematch-accept").click()
    for table in tables:
        expect(table.page).not_to_have_url(re.compile(table.id))
        expect(table.page.get_by_role("grid")).to_have_count(2)
        swapped = say("page-table-swapped", begins="other", name="").split(":")[0]
        expect(table.page.get_by_text(swapped)).to_be_visible()
    visitors.troubles.clear()  # the browser says that the connection was lost


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


def test_a_move_made_offline_is_sent_when_back(visitors: Visitors, house: House) -> None:
    table = Table.open(visitors.come(), house)
    table.turn(0)
    seq = table.seq
    expect(table.button("page-table-advance")).to_be_visible()
    with without_connection(table.page):
        table.page.keyboard.press("a")
        table.page.keyboard.press("Enter")
        expect(table.page.get_by_text(say("page-table-sending"))).to_be_visible()
        assert table.seq == seq
    table.after(seq)
    assert table.state()["moves"][0] == [0, "A"]
    visitors.troubles.clear()


def test_a_move_made_offline_is_withdrawn_if_another_was_made(
    visitors: Visitors, house: House
) -> None:
    """The same player decides on another device meanwhile."""
    phone = Table.open(visitors.come(), house)
    state = phone.page.context.storage_state()
    laptop = Table(visitors.come(f"/tables/{phone.id}", storage_state=state), house)
    position = phone.turn(0)
    expect(phone.button("page-table-advance")).to_be_visible()
    with without_connection(phone.page):
        phone.page.keyboard.press("a")
        phone.page.keyboard.press("Enter")
        expect(phone.page.get_by_text(say("page-table-sending"))).to_be_visible()
        decide_with_mouse(laptop, position)
        made = laptop.state()["moves"][0]
        assert made != [0, "A"]
    expect(phone.page.get_by_text(say("page-table-withdrawn"))).to_be_visible()
    assert phone.state()["moves"][0] == made
    phone.turn(0)
    agree(phone, laptop)
    visitors.troubles.clear()


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
            for table in tables:
                expect(table.page.get_by_text(say("page-table-lost")).first).to_be_visible()
            house.start()
            # What is chosen before the page knows the table again would be forgotten.
            for table in tables:
                expect(table.page.get_by_text(say("page-table-lost"))).to_have_count(0)
            play(tables, 3)
            agree(*tables)
        visitors.leave()
