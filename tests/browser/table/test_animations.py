"""Animations end in the right place, never make the player wait, and can be switched off."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.support.inspection import record_animations
from browser.support.server import LiveServer
from browser.support.table import TablePage, play_with_keys, play_with_mouse
from browser.support.users import PHONE, Users
from patchwork.locales import messages

say = messages("en")


def check_buttons(page: Page, position: Any) -> None:
    """Checks that the page shows how many buttons each player has."""
    for player in position["players"]:
        label = say("page-table-buttons", buttons=player["buttons"])
        expect(page.get_by_role("img", name=label, exact=True).first).to_be_visible()


def wait_for_animations(page: Page) -> None:
    """Waits until no animation is running."""
    page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")
    expect(page.locator(".flights > *")).to_have_count(0)


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE}], ids=["wide", "phone"])
def test_moves_are_animated_and_end_in_the_right_place(
    users: Users, server: LiveServer, options: dict[str, Any]
) -> None:
    page = users.new_page(reduced_motion="no-preference", **options)
    table = TablePage.open(page, server)
    record_animations(page)
    for _ in range(3):
        play_with_mouse(table, table.wait_for_turn(0))
    position = table.wait_for_turn(0)
    check_buttons(page, position)
    wait_for_animations(page)
    animations = page.evaluate("window.animations")
    assert {what for what, _ in animations} >= {"button", "sewn", "thread"}
    assert max(duration for _, duration in animations) < 600
    for seat, quilt in enumerate(position["players"]):
        for _, cells in quilt["layout"]:
            expect(page.locator(f'[data-spot="sewn-{seat}-{cells[0]}"]')).to_have_count(1)


def test_the_moves_of_the_computer_are_shown_one_by_one(users: Users, server: LiveServer) -> None:
    page = users.new_page(reduced_motion="no-preference")
    table = TablePage.open(page, server)
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
        play_with_mouse(table, table.wait_for_turn(0))
    table.wait_for_turn(0)
    expect(page.get_by_role("group", name=say("page-table-circle")).locator("kbd")).to_have_count(3)
    seen = page.evaluate("window.seen")
    moves = table.state()["moves"]
    places = [place for place, entry in enumerate(seen) if entry != "pause"]
    assert [seen[place] for place in places] == [min(n + 1, 8) for n in range(len(moves))]
    before = {seen[place - 1] for place, (seat, _) in zip(places, moves, strict=True) if seat == 1}
    assert before == {"pause"}
    own = max(number for number, (seat, _) in enumerate(moves) if seat == 0)
    fresh = sum(move != "A" for _, move in moves[own + 1 :])
    expect(page.locator(".new")).to_have_count(fresh)


@pytest.mark.parametrize("how", ["device", "settings"])
def test_nothing_is_animated_where_motion_is_off(
    users: Users, server: LiveServer, how: str
) -> None:
    page = users.new_page(reduced_motion="reduce" if how == "device" else "no-preference")
    table = TablePage.open(page, server)
    page.get_by_role("button", name=say("page-preferences")).click()
    switch = page.get_by_label(say("page-motion"))
    if how == "device":
        expect(switch).to_be_disabled()
    else:
        switch.uncheck()
    page.get_by_role("dialog").get_by_role("button", name=say("page-close")).click()
    record_animations(page)
    for _ in range(3):
        play_with_mouse(table, table.wait_for_turn(0))
    check_buttons(page, table.wait_for_turn(0))
    assert page.evaluate("window.animations") == []


def test_animations_do_not_delay_a_quick_player(users: Users, server: LiveServer) -> None:
    page = users.new_page(reduced_motion="no-preference")
    table = TablePage.open(page, server)
    # Every animation lasts a minute: if the game waited for one, the test would time out.
    page.evaluate("""() => {
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (frames) { return animate.call(this, frames, 60_000); };
    }""")
    for _ in range(3):
        play_with_keys(table, table.wait_for_turn(0))
    position = table.wait_for_turn(0)
    check_buttons(page, position)
    page.keyboard.press("Shift")
    expect(page.locator(".flights > *")).to_have_count(0)
    # CSS transitions are left out: tokens may still be taking their last short step.
    flying = "document.getAnimations().filter((each) => !(each instanceof CSSTransition)).length"
    assert page.evaluate(flying) == 0


def test_taking_back_a_move_is_not_animated(users: Users, server: LiveServer) -> None:
    page = users.new_page(reduced_motion="no-preference")
    table = TablePage.open(page, server, "screen")
    play_with_mouse(table, table.wait_for_turn(0, 1))
    check_buttons(page, table.wait_for_turn(0, 1))
    wait_for_animations(page)
    record_animations(page)
    seq = table.seq
    table.button("page-table-undo").click()
    table.wait_for_event_after(seq)
    check_buttons(page, table.wait_for_turn(0, 1))
    assert page.evaluate("window.animations") == []
