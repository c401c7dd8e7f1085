"""Time runs out, a player leaves; and a patch is turned by two fingers."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.house import House
from browser.playing import Table, decide_with_mouse
from browser.visitors import Visitors
from patchwork.locales import messages
from support.waiting import wait_until

say = messages("en")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server that does not wait long for players who are gone."""
    with House(tmp_path_factory.mktemp("house"), PATCHWORK_GONE_LOST="0.2") as house:
        yield house


def sit_down(visitors: Visitors, house: House, **terms: Any) -> tuple[Table, Table]:
    """Ann, who begins, and Bob, at a table with a link."""
    ann = Table.open(visitors.come(), house, opponent="friend", seat=0, first=0, **terms)
    page = visitors.come(f"/tables/{ann.id}")
    page.get_by_role("button", name=say("page-table-join")).click()
    bob = Table(page, house)
    for table in (ann, bob):
        expect(table.page.get_by_role("grid")).to_have_count(2)
    return ann, bob


@pytest.mark.long
def test_a_clock_runs_out(visitors: Visitors, house: House) -> None:
    ann, bob = sit_down(visitors, house, clock={"minutes": 0.25})
    # Nobody does anything.
    name = say("page-table-guest")
    for table, whose in ((ann, "other"), (bob, "you")):
        title = table.page.get_by_role("heading", level=1)
        expect(title).to_contain_text(say("page-table-wins", whose=whose, name=name))
        expect(title).to_contain_text(say("page-table-ended", reason="time"))


def test_little_time_is_told(visitors: Visitors, house: House) -> None:
    _, bob = sit_down(visitors, house, clock={"minutes": 180})
    expect(bob.page.get_by_role("timer")).to_have_count(2)
    low = say("page-table-clock-low", name=say("page-table-guest"), seconds=20)
    expect(bob.page.get_by_text(low)).to_have_count(0)
    # It is told as soon as the page's clock says so, and until the server contradicts.
    bob.page.evaluate("""() => {
      window.told = [];
      new MutationObserver((records) => window.told.push(
        ...records.map(({ target }) => target.textContent.trim())
      )).observe(document.body, { subtree: true, childList: true, characterData: true });
      const { now } = Date;
      Date.now = () => now() + 179.9 * 60_000;
    }""")
    wait_until(lambda: low in bob.page.evaluate("window.told"))


def test_the_win_is_claimed_from_who_left(visitors: Visitors, house: House) -> None:
    ann, bob = sit_down(visitors, house)
    decide_with_mouse(ann, ann.turn(0))
    bob.page.close()
    expect(ann.page.get_by_text(say("page-table-away"), exact=True)).to_be_visible()
    ann.button("page-table-claim").click()
    title = ann.page.get_by_role("heading", level=1)
    expect(title).to_contain_text(say("page-table-ended", reason="left"))


def test_who_comes_back_can_no_longer_be_claimed_from(visitors: Visitors, house: House) -> None:
    ann, bob = sit_down(visitors, house)
    bob.page.goto("/rules")
    expect(ann.button("page-table-claim")).to_be_visible()
    bob.page.goto(f"/tables/{bob.id}")
    expect(ann.button("page-table-claim")).to_have_count(0)


def test_two_fingers_turn_a_patch(visitors: Visitors, house: House) -> None:
    page = visitors.come(has_touch=True)
    table = Table.open(page, house, opponent="screen")
    assert table.take_something(table.turn(0))
    table.space(40).tap()
    held = page.get_by_role("status").filter(has_text="wide")
    before = held.inner_text()
    box = table.quilt.bounding_box()
    assert box is not None
    one = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "id": 0}
    two = {"x": one["x"] + 90, "y": one["y"] - 60, "id": 1}
    fingers = page.context.new_cdp_session(page)
    for kind, points in (
        ("touchStart", [one]),
        ("touchStart", [one, two]),
        ("touchMove", [one, {**two, "x": two["x"] + 30, "y": two["y"] + 80}]),
        ("touchEnd", [one]),
        ("touchEnd", []),
    ):
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(held).not_to_have_text(before)
    table.button("page-table-turn").click()
    table.button("page-table-turn").click()
    table.button("page-table-turn").click()
    expect(held).to_have_text(before)
