"""Preparing one's next move in the other player's turn, in two browsers with a clock."""

import pytest
from playwright.sync_api import expect

from browser.support.server import LiveServer
from browser.support.table import TablePage, two_players, unplugged
from browser.support.users import Users
from browser.table.test_planning import (
    CHEAP,
    DEAR,
    PHONE_OPTIONS,
    SHORT,
    move_as,
    patch,
    spaces,
)
from patchwork.locales import messages

say = messages("en")
CLOCK = {"minutes": 5, "increment": 3}
TOO_DEAR = 17
"""On offer once SHORT is bought, for more buttons than Ann has."""


def on_bobs_turn(users: Users, server: LiveServer) -> tuple[TablePage, TablePage]:
    """Returns the pages of two players after Ann's first advance."""
    ann, bob = two_players(users, server, seat=0, first=0, clock=CLOCK)
    move_as(ann, "A")
    expect(ann.button("page-next-begin")).to_be_visible()
    return ann, bob


def prepare_patch(table: TablePage, number: int) -> set[int]:
    """Prepares a purchase, and returns where it is to lie."""
    patch(table, number).click()
    expect(table.button("page-next-play")).to_be_enabled()
    table.button("page-next-play").click()
    expect(table.button("page-next-cancel")).to_be_visible()
    found = spaces(table, f"{say('page-next-tag')}: patch {number}")
    assert found
    return found


def prepare_advance(table: TablePage) -> None:
    table.button("page-next-begin").click()
    table.button("page-next-play").click()
    expect(table.button("page-next-cancel")).to_be_visible()


def moves(table: TablePage) -> list[tuple[int, str]]:
    return [(seat, move) for seat, move in table.state()["moves"]]


def test_a_prepared_purchase_is_played_where_it_was_shown(users: Users, server: LiveServer) -> None:
    ann, bob = on_bobs_turn(users, server)
    seq = ann.seq
    lies = prepare_patch(ann, CHEAP)
    assert ann.seq == seq
    move_as(bob, "A")
    ann.wait_for_event_after(seq + 1)
    ((number, cells),) = ann.state()["position"]["players"][0]["layout"]
    assert (number, set(cells)) == (CHEAP, lies)
    assert [seat for seat, _ in moves(ann)] == [0, 1, 0]
    expect(ann.button("page-next-cancel")).to_have_count(0)


def test_a_move_is_prepared_with_keys_and_with_taps(users: Users, server: LiveServer) -> None:
    ann, bob = on_bobs_turn(users, server)
    for key in ("a", "Enter"):
        ann.page.keyboard.press(key)
    expect(ann.page.get_by_role("status").filter(has_text="Next move: advance.")).to_have_count(1)
    ann.page.keyboard.press("Escape")
    expect(ann.button("page-next-cancel")).to_have_count(0)
    ann.page.keyboard.press("2")
    expect(ann.button("page-next-play")).to_be_enabled()
    ann.page.keyboard.press("ArrowLeft")
    ann.page.keyboard.press("Enter")
    expect(ann.button("page-next-cancel")).to_be_visible()
    move_as(bob, "A")
    ann.wait_for_event_after(ann.seq - 1)
    expect(ann.button("page-next-cancel")).to_have_count(0)
    ann.wait_for_turn(0, 1)
    phone, other = two_players(users, server, seat=0, first=1, clock=CLOCK)
    state = phone.page.context.storage_state()
    page = users.new_page(f"/tables/{phone.id}", storage_state=state, **PHONE_OPTIONS)
    hand = TablePage(page, server)
    phone.page.close()
    patch(hand, CHEAP).tap()
    hand.space(0).tap()
    hand.button("page-next-play").tap()
    expect(hand.button("page-next-cancel")).to_be_visible()
    seq = hand.seq
    move_as(other, "A")
    hand.wait_for_event_after(seq + 1)
    assert moves(hand)[-1][1].startswith(str(CHEAP))


def test_a_prepared_advance_is_for_the_next_decision_only(users: Users, server: LiveServer) -> None:
    ann, bob = on_bobs_turn(users, server)
    seq = ann.seq
    prepare_advance(ann)
    move_as(bob, f"{SHORT}Aa1")  # Bob's token is now two spaces ahead
    ann.wait_for_event_after(seq + 1)
    expect(ann.button("page-next-begin")).to_be_visible()
    move_as(bob, "A")
    expect(ann.button("page-table-advance")).to_be_visible()
    assert moves(ann)[1:] == [(1, f"{SHORT}Aa1"), (0, "A"), (1, "A")]


@pytest.mark.parametrize(
    ("number", "why"), [(SHORT, "taken"), (DEAR, "not-on-offer"), (TOO_DEAR, "cannot-afford")]
)
def test_a_purchase_that_no_longer_fits_is_cancelled(
    users: Users, server: LiveServer, number: int, why: str
) -> None:
    ann, bob = on_bobs_turn(users, server)
    prepare_patch(ann, number)
    move_as(bob, f"{SHORT}Aa1")
    text = say("page-next-cancelled", why=why, patch=number)
    expect(ann.page.get_by_text(text).locator("visible=true").first).to_be_visible()
    expect(ann.page.get_by_role("status").filter(has_text=text)).to_have_count(1)
    expect(ann.button("page-table-advance")).to_be_visible()
    assert len(moves(ann)) == 2
    assert not spaces(ann, say("page-next-tag"))
    ann.button("page-table-advance").click()
    expect(ann.page.get_by_text(text).locator("visible=true")).to_have_count(0)


def test_nothing_is_played_while_the_opponent_asks_to_take_back(
    users: Users, server: LiveServer
) -> None:
    """Bob's move and his request reach Ann together, after a lost connection."""
    ann, bob = on_bobs_turn(users, server)
    prepare_advance(ann)
    with unplugged(ann.page):
        move_as(bob, "A")
        bob.button("page-table-undo").click()
        expect(bob.page.get_by_text(say("page-table-asked")).first).to_be_visible()
    expect(ann.button("page-table-decline")).to_be_visible()
    expect(ann.page.get_by_text(say("page-next-is", move="advance")).first).to_be_attached()
    assert len(moves(ann)) == 2
    seq = ann.seq
    ann.button("page-table-decline").click()
    ann.wait_for_event_after(seq + 1)
    assert moves(ann) == [(0, "A"), (1, "A"), (0, "A")]
    users.errors.clear()  # the browser logs the lost connection


def test_a_takeback_cancels_the_prepared_move(users: Users, server: LiveServer) -> None:
    ann, bob = on_bobs_turn(users, server)
    move_as(bob, "A")
    expect(ann.button("page-table-advance")).to_be_visible()
    move_as(ann, "A")
    prepare_advance(ann)
    bob.button("page-table-undo").click()
    expect(ann.button("page-table-accept")).to_be_visible()
    expect(ann.button("page-next-cancel")).to_be_visible()
    ann.button("page-table-accept").click()
    text = say("page-next-cancelled", why="takeback", patch=0)
    expect(ann.page.get_by_text(text).locator("visible=true").first).to_be_visible()
    assert moves(ann) == [(0, "A")]
    seq = ann.seq
    move_as(bob, "A")
    expect(ann.button("page-table-advance")).to_be_visible()
    assert ann.seq == seq + 1


def test_a_prepared_move_is_played_after_a_lost_connection(
    users: Users, server: LiveServer
) -> None:
    ann, bob = on_bobs_turn(users, server)
    lies = prepare_patch(ann, CHEAP)
    seq = ann.seq
    with unplugged(ann.page):
        move_as(bob, "A")
    ann.wait_for_event_after(seq + 1)
    assert len(moves(ann)) == 3
    assert set(ann.state()["position"]["players"][0]["layout"][0][1]) == lies
    users.errors.clear()  # the browser logs the lost connection


def test_a_prepared_move_is_not_played_after_one_from_another_device(
    users: Users, server: LiveServer
) -> None:
    ann, bob = on_bobs_turn(users, server)
    prepare_advance(ann)
    with unplugged(ann.page):
        state = ann.page.context.storage_state()
        laptop = TablePage(users.new_page(f"/tables/{ann.id}", storage_state=state), server)
        move_as(bob, "A")
        move_as(laptop, "A")
        move_as(bob, "A")
    text = say("page-next-cancelled", why="moved", patch=0)
    expect(ann.page.get_by_text(text).locator("visible=true").first).to_be_visible()
    assert len(moves(ann)) == 4
    users.errors.clear()  # the browser logs the lost connection


def test_a_move_is_prepared_while_the_computer_thinks(users: Users, server: LiveServer) -> None:
    with server.paused_workers():
        table = TablePage.open(users.new_page(), server, first=1)
        expect(table.button("page-next-begin")).to_be_visible()
        seq = table.seq
        prepare_advance(table)
    table.wait_for_turn(0, 1)
    table.wait_for_event_after(seq + 1)
    assert (0, "A") in moves(table)
