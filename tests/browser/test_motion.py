"""What moves on the table: it ends in the right place, holds nobody up, and can be switched off."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.house import House
from browser.playing import Table, decide_with_keys, decide_with_mouse
from browser.visitors import PHONE, Visitors, watch
from patchwork.locales import messages

say = messages("en")


def purses(page: Page, position: Any) -> None:
    """Looks whether both players are shown with the buttons they have."""
    for player in position["players"]:
        told = say("page-table-buttons", buttons=player["buttons"])
        expect(page.get_by_role("img", name=told, exact=True).first).to_be_visible()


def settle(page: Page) -> None:
    """Waits until nothing moves."""
    page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")
    expect(page.locator(".flights > *")).to_have_count(0)


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE}], ids=["wide", "phone"])
def test_an_exchange_is_shown_and_ends_as_it_should(
    visitors: Visitors, house: House, options: dict[str, Any]
) -> None:
    page = visitors.come(reduced_motion="no-preference", **options)
    table = Table.open(page, house)
    watch(page)
    for _ in range(3):
        decide_with_mouse(table, table.turn(0))
    position = table.turn(0)
    purses(page, position)
    settle(page)
    moved = page.evaluate("window.moved")
    assert {what for what, _ in moved} >= {"button", "sewn", "thread"}
    assert max(duration for _, duration in moved) < 600
    for seat, quilt in enumerate(position["players"]):
        for _, cells in quilt["layout"]:
            expect(page.locator(f'[data-spot="sewn-{seat}-{cells[0]}"]')).to_have_count(1)


def test_the_moves_of_the_computer_are_shown_one_by_one(visitors: Visitors, house: House) -> None:
    page = visitors.come(reduced_motion="no-preference")
    table = Table.open(page, house)
    expect(table.quilt).to_be_visible()
    page.evaluate("""() => {
      window.seen = [];
      const log = document.querySelector("[role=log]");
      const note = () => window.seen.push(log.children.length);
      new MutationObserver(note).observe(log, { childList: true });
      const { setTimeout } = window;
      window.setTimeout = (then, after, ...rest) => setTimeout((...given) => {
        if (after === 700) window.seen.push("pause");
        then(...given);
      }, after, ...rest);
    }""")
    for _ in range(4):
        decide_with_mouse(table, table.turn(0))
    table.turn(0)
    expect(page.get_by_role("group", name=say("page-table-circle")).locator("kbd")).to_have_count(3)
    seen = page.evaluate("window.seen")
    moves = table.state()["moves"]
    places = [place for place, told in enumerate(seen) if told != "pause"]
    assert [seen[place] for place in places] == [min(n + 1, 8) for n in range(len(moves))]
    before = {seen[place - 1] for place, (seat, _) in zip(places, moves, strict=True) if seat == 1}
    assert before == {"pause"}
    own = max(number for number, (seat, _) in enumerate(moves) if seat == 0)
    fresh = sum(move != "A" for _, move in moves[own + 1 :])
    expect(page.locator(".fresh")).to_have_count(fresh)


@pytest.mark.parametrize("how", ["device", "settings"])
def test_nothing_moves_where_it_is_not_wished(visitors: Visitors, house: House, how: str) -> None:
    page = visitors.come(reduced_motion="reduce" if how == "device" else "no-preference")
    table = Table.open(page, house)
    page.get_by_role("button", name=say("page-preferences")).click()
    switch = page.get_by_label(say("page-motion"))
    if how == "device":
        expect(switch).to_be_disabled()
    else:
        switch.uncheck()
    page.get_by_role("dialog").get_by_role("button", name=say("page-close")).click()
    watch(page)
    for _ in range(3):
        decide_with_mouse(table, table.turn(0))
    purses(page, table.turn(0))
    assert page.evaluate("window.moved") == []


def test_a_quick_player_is_not_held_up(visitors: Visitors, house: House) -> None:
    page = visitors.come(reduced_motion="no-preference")
    table = Table.open(page, house)
    # Were anything to wait for it, nobody would get far.
    page.evaluate("""() => {
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (frames) { return animate.call(this, frames, 60_000); };
    }""")
    for _ in range(3):
        decide_with_keys(table, table.turn(0))
    position = table.turn(0)
    purses(page, position)
    page.keyboard.press("Shift")
    expect(page.locator(".flights > *")).to_have_count(0)
    # Tokens take their last step, a moment that nobody can wait for.
    flying = "document.getAnimations().filter((each) => !(each instanceof CSSTransition)).length"
    assert page.evaluate(flying) == 0


def test_nothing_flies_when_a_move_is_taken_back(visitors: Visitors, house: House) -> None:
    page = visitors.come(reduced_motion="no-preference")
    table = Table.open(page, house, "screen")
    decide_with_mouse(table, table.turn(0, 1))
    purses(page, table.turn(0, 1))
    settle(page)
    watch(page)
    seq = table.seq
    table.button("page-table-undo").click()
    table.after(seq)
    purses(page, table.turn(0, 1))
    assert page.evaluate("window.moved") == []
