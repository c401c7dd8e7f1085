"""Placing a patch with the mouse, the wheel and one or two fingers, and the preview of a move."""

import re
from typing import Any

from playwright.sync_api import Locator, expect

from browser.support.server import LiveServer
from browser.support.table import (
    CENTRE,
    TablePage,
    first_buyable,
    play_with_mouse,
    with_minus_signs,
)
from browser.support.users import PHONE, Users
from patchwork.locales import messages
from support.waiting import wait_until

say = messages("en")
NAMES = ("Ann", "Bob")
HELD = re.compile("fits here")


def first_offer(table: TablePage) -> Locator:
    """The first patch on offer that can be bought."""
    place = first_buyable(table.wait_for_turn(0))
    assert place is not None
    circle = table.page.get_by_role("group", name=say("page-table-circle"))
    offer = circle.get_by_role("button").nth(place)
    expect(offer).to_contain_text(say("page-table-words-takeable"))
    return offer


def held(table: TablePage) -> list[int]:
    """Returns the spaces under the patch being placed, if it fits there."""
    labels: list[str] = table.quilt.get_by_role("gridcell").evaluate_all(
        "cells => cells.map(cell => cell.ariaLabel)"
    )
    return [space for space, label in enumerate(labels) if HELD.search(label)]


def shape(spaces: list[int]) -> set[tuple[int, int]]:
    """Returns spaces moved into the top-left corner."""
    row, column = min(space // 9 for space in spaces), min(space % 9 for space in spaces)
    return {(space // 9 - row, space % 9 - column) for space in spaces}


def middle(locator: Locator) -> tuple[float, float]:
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def preview(effect: Any, seat: int, before: Any) -> list[str]:
    """Returns what the page says about the effect of a move before it is played."""
    spaces = effect["space"] - before["time"]
    words = [
        say("page-table-lands", space=effect["space"], spaces=spaces),
        with_minus_signs(say("page-table-points", before=before["score"], after=effect["score"])),
    ]
    if effect["income"]:
        words.append(say("page-table-gets-income", buttons=effect["income"]))
    if effect["leather"]:
        return [*words, say("page-table-gets-leather"), say("page-table-then-leather")]
    if effect["next"] == seat:
        return [*words, say("page-table-then-again")]
    return [*words, say("page-table-then", name=NAMES[effect["next"]])]


def test_the_preview_of_a_move_comes_true(users: Users, server: LiveServer) -> None:
    """Both players share the screen, so that nothing happens between a move and its effect."""
    ann, bob = NAMES
    table = TablePage.open(users.new_page(), server, "screen", name=ann, other_name=bob)
    checked = 0
    for number in range(16):
        position, seq = table.wait_for_turn(0, 1), table.seq
        if position["phase"] == "leather":
            play_with_mouse(table, position)
            continue
        expect(table.button("page-table-advance")).to_be_visible()
        if number % 2 and table.pick_up_first_patch(position):
            effect = position["offers"][first_buyable(position)]["effect"]
            confirm = table.button("page-table-sew")
        else:
            effect, confirm = position["advance"], table.button("page-table-advance")
            confirm.click()
        seat = position["turn"]
        for words in preview(effect, seat, position["players"][seat]):
            text = table.page.get_by_text(words, exact=True)
            # Wide screens and phones show it in different places, so it is in the document twice.
            expect(text.locator("visible=true")).to_be_visible()
            checked += 1
        confirm.click()
        table.wait_for_event_after(seq)
        after = table.state()["position"]
        for name, key in {"time": "space", "buttons": "buttons", "score": "score"}.items():
            assert after["players"][seat][name] == effect[key]
        assert after["turn"] == effect["next"]
    assert checked > 3 * 14, "the previews showed neither income nor leather"


def test_a_patch_is_dragged_turned_by_the_wheel_and_put_back(
    users: Users, server: LiveServer
) -> None:
    table = TablePage.open(users.new_page(), server)
    mouse, seq = table.page.mouse, table.seq
    mouse.move(*middle(first_offer(table)))
    mouse.down()
    mouse.move(*middle(table.space(60)), steps=5)
    there = held(table)
    assert 60 in there
    mouse.up()
    assert held(table) == there, "it lies where it was dropped"
    mouse.wheel(0, 100)
    wait_until(lambda: held(table) != there)  # wheel events reach the page a little later
    assert len(held(table)) == len(there)
    table.page.keyboard.press("Escape")
    expect(table.button("page-table-sew")).to_have_count(0)
    assert held(table) == []
    assert table.seq == seq


def test_a_second_finger_makes_a_quarter_turn(users: Users, server: LiveServer) -> None:
    page = users.new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    table = TablePage.open(page, server)
    first_offer(table).tap()
    table.space(CENTRE).tap()
    shapes = []
    for _ in range(4):
        shapes.append(shape(held(table)))
        table.button("page-table-turn").tap()
    assert shape(held(table)) == shapes[0] != shapes[1] != shapes[2]
    first = middle(table.space(held(table)[0]))
    fingers = page.context.new_cdp_session(page)
    for kind, points in {
        "touchStart": [first],
        "touchMove": [first, middle(table.space(80))],
        "touchEnd": [],
    }.items():
        touches = [{"x": x, "y": y, "id": place} for place, (x, y) in enumerate(points)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
    assert shape(held(table)) == shapes[1]


def test_two_quick_taps_buy_nothing(users: Users, server: LiveServer) -> None:
    page = users.new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    table = TablePage.open(page, server)
    seq = table.seq
    first_offer(table).tap()
    shapes = [shape(held(table))]
    for _ in range(2):
        space = middle(table.space(held(table)[0]))
        for _ in range(2):
            page.touchscreen.tap(*space)
        shapes.append(shape(held(table)))
    expect(table.button("page-table-sew")).to_be_enabled()
    assert table.seq == seq
    assert shapes[0] == shapes[2], "four taps are a full turn"


def test_a_click_on_the_patch_turns_it_and_does_not_move_it(
    users: Users, server: LiveServer
) -> None:
    table = TablePage.open(users.new_page(), server)
    mouse, seq = table.page.mouse, table.seq
    first_offer(table).click()
    lay = held(table)
    box = table.space(lay[0]).bounding_box()
    assert box is not None
    corner = box["x"] + 3, box["y"] + 3
    mouse.click(*corner)
    assert held(table) == lay, "the first click puts it down where it was seen"
    shapes = []
    for _ in range(4):
        shapes.append(shape(held(table)))
        mouse.click(*middle(table.space(held(table)[0])))
    assert shape(held(table)) == shapes[0] != shapes[1]
    mouse.dblclick(*middle(table.space(0)))
    assert table.seq == seq
    expect(table.button("page-table-sew")).to_be_visible()


def test_two_fingers_turn_a_patch(users: Users, server: LiveServer) -> None:
    page = users.new_page(has_touch=True)
    table = TablePage.open(page, server, opponent="screen")
    assert table.pick_up_first_patch(table.wait_for_turn(0))
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
