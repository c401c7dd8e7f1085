"""Taking a patch: what is foretold comes true, and every way to take one leads to the same."""

import re
from typing import Any

from playwright.sync_api import Locator, expect

from browser.house import House
from browser.playing import CENTRE, Table, decide_with_mouse, signed, takeable
from browser.visitors import PHONE, Visitors
from patchwork.locales import messages
from support.waiting import wait_until

say = messages("en")
NAMES = ("Ann", "Bob")
HELD = re.compile("fits here")


def first_offer(table: Table) -> Locator:
    """The first patch on offer that can be taken."""
    place = takeable(table.turn(0))
    assert place is not None
    circle = table.page.get_by_role("group", name=say("page-table-circle"))
    offer = circle.get_by_role("button").nth(place)
    expect(offer).to_be_enabled()
    return offer


def held(table: Table) -> list[int]:
    """The spaces under the patch in the hand, where it fits."""
    labels: list[str] = table.quilt.get_by_role("gridcell").evaluate_all(
        "cells => cells.map(cell => cell.ariaLabel)"
    )
    return [space for space, label in enumerate(labels) if HELD.search(label)]


def shape(spaces: list[int]) -> set[tuple[int, int]]:
    """Some spaces, moved into the corner."""
    row, column = min(space // 9 for space in spaces), min(space % 9 for space in spaces)
    return {(space // 9 - row, space % 9 - column) for space in spaces}


def middle(locator: Locator) -> tuple[float, float]:
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def foretold(effect: Any, seat: int, before: Any) -> list[str]:
    """What the page says about an effect before it happens."""
    spaces = effect["space"] - before["time"]
    words = [
        say("page-table-lands", space=effect["space"], spaces=spaces),
        signed(say("page-table-points", before=before["score"], after=effect["score"])),
    ]
    if effect["income"]:
        words.append(say("page-table-gets-income", buttons=effect["income"]))
    if effect["leather"]:
        return [*words, say("page-table-gets-leather"), say("page-table-then-leather")]
    if effect["next"] == seat:
        return [*words, say("page-table-then-again")]
    return [*words, say("page-table-then", name=NAMES[effect["next"]])]


def test_what_is_foretold_comes_true(visitors: Visitors, house: House) -> None:
    """Two before one screen, so that nothing happens between a decision and its effect."""
    ann, bob = NAMES
    table = Table.open(visitors.come(), house, "screen", name=ann, other_name=bob)
    told = 0
    for number in range(16):
        position, seq = table.turn(0, 1), table.seq
        if position["phase"] == "leather":
            decide_with_mouse(table, position)
            continue
        expect(table.button("page-table-advance")).to_be_visible()
        if number % 2 and table.take_something(position):
            effect = position["offers"][takeable(position)]["effect"]
            confirm = table.button("page-table-sew")
        else:
            effect, confirm = position["advance"], table.button("page-table-advance")
            confirm.click()
        seat = position["turn"]
        for words in foretold(effect, seat, position["players"][seat]):
            text = table.page.get_by_text(words, exact=True)
            # What wide screens and phones say in different places is there twice.
            expect(text.locator("visible=true")).to_be_visible()
            told += 1
        confirm.click()
        table.after(seq)
        after = table.state()["position"]
        for name, key in {"time": "space", "buttons": "buttons", "score": "score"}.items():
            assert after["players"][seat][name] == effect[key]
        assert after["turn"] == effect["next"]
    assert told > 3 * 14, "neither income nor leather was foretold"


def test_a_patch_is_dragged_turned_by_the_wheel_and_put_back(
    visitors: Visitors, house: House
) -> None:
    table = Table.open(visitors.come(), house)
    mouse, seq = table.page.mouse, table.seq
    mouse.move(*middle(first_offer(table)))
    mouse.down()
    mouse.move(*middle(table.space(60)), steps=5)
    there = held(table)
    assert 60 in there
    mouse.up()
    assert held(table) == there, "it lies where it was dropped"
    mouse.wheel(0, 100)
    wait_until(lambda: held(table) != there)  # wheels are told to the page a little later
    assert len(held(table)) == len(there)
    table.page.keyboard.press("Escape")
    expect(table.button("page-table-sew")).to_have_count(0)
    assert held(table) == []
    assert table.seq == seq


def test_a_second_finger_turns_by_a_quarter(visitors: Visitors, house: House) -> None:
    page = visitors.come(viewport=PHONE, has_touch=True, is_mobile=True)
    table = Table.open(page, house)
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


def test_two_quick_taps_buy_nothing(visitors: Visitors, house: House) -> None:
    page = visitors.come(viewport=PHONE, has_touch=True, is_mobile=True)
    table = Table.open(page, house)
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
    assert shapes[0] == shapes[2], "four taps turn it once around"


def test_a_click_on_the_patch_turns_it_and_does_not_move_it(
    visitors: Visitors, house: House
) -> None:
    table = Table.open(visitors.come(), house)
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
