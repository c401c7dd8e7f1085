"""Trying patches on one's own quilt at any time, and keeping them there as ideas."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from browser.support.screens import play_until
from browser.support.server import LiveServer
from browser.support.table import TablePage, offline, two_players
from browser.support.users import PHONE, Users
from patchwork.locales import messages
from patchwork.rules.position import Phase

say = messages("en")
PHONE_OPTIONS: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
DEAR, CHEAP, SHORT, NEXT, FAR = 19, 30, 6, 4, 9
"""Patches of the circle of seed 3: the three on offer, the fourth and the eighth."""


def circle_of(table: TablePage) -> Locator:
    return table.page.get_by_role("group", name=table.say("page-table-circle"))


def patch(table: TablePage, number: int) -> Locator:
    """The button of a patch of the circle."""
    return circle_of(table).get_by_role("button", name=re.compile(rf"Patch {number}:"))


def spaces(table: TablePage, what: str) -> set[int]:
    """Returns the spaces of the user's quilt whose labels contain a text."""
    labels: list[str] = table.quilt.get_by_role("gridcell").evaluate_all(
        "cells => cells.map(cell => cell.ariaLabel)"
    )
    return {space for space, label in enumerate(labels) if what in label}


def thoughts(table: TablePage, number: int) -> set[int]:
    return spaces(table, f"{say('page-idea-tag')}: patch {number}")


def move_as(table: TablePage, move: str) -> None:
    """Makes a move as the user of a page, without the page."""
    seq = table.seq
    answer = table.page.request.post(
        f"/api/tables/{table.id}/actions",
        data={"t": "move", "id": f"m{seq}", "seq": seq, "move": move},
    )
    assert answer.ok, answer.text()


def keep(table: TablePage, number: int) -> set[int]:
    """Tries a patch and keeps it; returns the spaces that it takes in the user's mind."""
    patch(table, number).click()
    expect(table.button("page-table-cancel")).to_be_visible()
    table.page.keyboard.press("k")
    expect(table.button("page-table-cancel")).to_have_count(0)
    found = thoughts(table, number)
    assert found
    return found


def test_patches_are_tried_when_too_dear_and_when_far_on(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server, "screen")
    seq, keyboard = table.seq, table.page.keyboard
    status = table.page.get_by_role("status")
    for number, words in (
        (DEAR, (say("page-idea-short", buttons=5), say("page-idea-now"))),
        (FAR, (say("page-idea-short", buttons=1), say("page-idea-later", purchases=2))),
        (NEXT, (say("page-idea-next"),)),
        (32, (f"{say('page-idea-if')} 30 or 6",)),
    ):
        patch(table, number).click()
        spoken = status.filter(has_text=say("page-idea-tag"))
        for text in words:
            expect(spoken).to_contain_text(text)
        expect(table.button("page-idea-keep")).to_be_enabled()
        table.space(0).click()
        table.space(40).click()
        assert spaces(table, "fits here")
        for key in ("r", "f", "ArrowLeft"):
            keyboard.press(key)
        assert spaces(table, "fits here")
    expect(table.button("page-table-sew")).to_have_count(0)
    keyboard.press("Escape")
    assert not spaces(table, "fits here")
    assert table.seq == seq


def test_several_ideas_are_kept_side_by_side_and_put_away_with_one_key(
    users: Users, server: LiveServer
) -> None:
    table = TablePage.open(users.new_page(), server, "screen")
    seq = table.seq
    kept = [keep(table, number) for number in (DEAR, FAR, NEXT)]
    assert len(set.union(*kept)) == sum(map(len, kept)), "they lie side by side"
    listed = table.page.get_by_role("list", name=say("page-idea-count", count=3))
    expect(listed.get_by_role("button")).to_have_count(3)
    listed.get_by_role("button", name=f"Patch {FAR}:").click()
    expect(table.button("page-idea-keep")).to_be_visible()
    assert spaces(table, "fits here") == kept[1], "it is lifted where it lay"
    table.page.keyboard.press("Escape")
    assert [thoughts(table, number) for number in (DEAR, FAR, NEXT)] == [kept[0], set(), kept[2]]
    table.page.keyboard.press("Backspace")
    expect(listed).to_have_count(0)
    assert not spaces(table, say("page-idea-tag"))
    assert table.seq == seq


def test_two_ideas_are_in_sight_beside_each_other_on_a_phone(
    users: Users, server: LiveServer
) -> None:
    table = TablePage.open(users.new_page(**PHONE_OPTIONS), server, "screen")
    for number in (DEAR, NEXT):
        keep(table, number)
    ideas = table.page.get_by_role("list", name=say("page-idea-count", count=2))
    for idea in ideas.get_by_role("button").all():
        expect(idea).to_be_in_viewport(ratio=0.99)
    expect(table.button("page-table-advance")).to_be_in_viewport(ratio=0.99)


def test_an_idea_is_taken_where_it_lies_but_only_on_purpose(
    users: Users, server: LiveServer
) -> None:
    ann, bob = two_players(users, server, seat=0, first=1)
    lies = keep(ann, CHEAP)
    move_as(bob, "A")
    expect(patch(ann, CHEAP)).to_contain_text(say("page-table-words-takeable"))
    seq = ann.seq
    for key in ("Enter", "k", "r", "ArrowUp"):
        ann.page.keyboard.press(key)
    assert thoughts(ann, CHEAP) == lies
    patch(ann, CHEAP).click()
    expect(ann.button("page-table-sew")).to_be_visible()
    assert spaces(ann, "fits here") == lies
    assert ann.seq == seq
    ann.button("page-table-sew").click()
    ann.wait_for_event_after(seq)
    layout = ann.state()["position"]["players"][0]["layout"]
    assert [(number, set(cells)) for number, cells in layout] == [(CHEAP, lies)]
    expect(ann.page.get_by_role("list", name=say("page-idea-count", count=1))).to_have_count(0)


def test_ideas_that_come_to_nothing_go_visibly_and_the_others_stay(
    users: Users, server: LiveServer
) -> None:
    ann, bob = two_players(users, server, seat=0, first=1)
    keep(ann, CHEAP)
    stays = keep(ann, NEXT)
    move_as(bob, f"{CHEAP}Aa1")
    dropped = say("page-idea-dropped", why="taken", patch=CHEAP)
    expect(ann.page.get_by_text(dropped).locator("visible=true").first).to_be_visible()
    expect(ann.page.get_by_role("status").filter(has_text=dropped)).to_have_count(1)
    assert not thoughts(ann, CHEAP)
    assert thoughts(ann, NEXT) == stays
    move_as(ann, f"{SHORT}A{name_of(min(stays))}")
    dropped = say("page-idea-dropped", why="covered", patch=NEXT)
    expect(ann.page.get_by_role("status").filter(has_text=dropped)).to_have_count(1)
    assert not thoughts(ann, NEXT)


def name_of(space: int) -> str:
    return f"{'abcdefghi'[min(space % 9, 5)]}{space // 9 + 1}"


def test_ideas_survive_a_lost_connection(users: Users, server: LiveServer) -> None:
    ann, bob = two_players(users, server, seat=0, first=1)
    lies = keep(ann, NEXT)
    with offline(ann.page):
        expect(ann.page.get_by_text(say("page-table-lost")).first).to_be_visible()
        patch(ann, FAR).click()
        trouble = ann.page.get_by_text(say("page-trouble-offline")).locator("visible=true")
        expect(trouble.first).to_be_visible()
        move_as(bob, "A")
    expect(ann.button("page-table-advance")).to_be_visible()
    assert thoughts(ann, NEXT) == lies
    users.errors.clear()  # the browser logs the lost connection


def test_an_idea_is_dragged_to_the_quilt(users: Users, server: LiveServer) -> None:
    ann, _ = two_players(users, server, seat=0, first=1)
    mouse = ann.page.mouse
    for locator, act in ((patch(ann, DEAR), mouse.down), (ann.space(60), mouse.up)):
        box = locator.bounding_box()
        assert box is not None
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
        if act == mouse.up:
            expect(ann.button("page-table-cancel")).to_be_visible()
        act()
    expect(ann.button("page-idea-keep")).to_be_visible()
    assert 60 in spaces(ann, "fits here")


@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_ideas_fit_on_a_phone(users: Users, server: LiveServer, language: str) -> None:
    page = users.new_page(language=language, **PHONE_OPTIONS)
    table = TablePage.open(page, server, "screen")
    table.say = messages(language)
    bar = table.button("page-table-advance").locator("xpath=..")
    heights = [height(bar)]
    buttons = circle_of(table).get_by_role("button")
    for place in (0, 4, 8):
        buttons.nth(place).tap()
        expect(table.button("page-table-cancel")).to_be_visible()
        bar = table.button("page-table-cancel").locator("xpath=..")
        heights.append(height(bar))
        for button in bar.get_by_role("button").all():
            box = button.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 44
        table.button("page-idea-keep").tap()
    expect(table.button("page-table-advance")).to_be_visible()
    heights.append(height(table.button("page-table-advance").locator("xpath=..")))
    assert max(heights) - min(heights) <= 8, heights
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def height(locator: Locator) -> float:
    box: Any = locator.bounding_box()
    return float(box["height"])


def test_a_patch_is_tried_while_leather_is_to_be_placed(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    game = play_until(page, lambda game: game.position.phase is Phase.LEATHER)
    page.goto(f"/tables/{game['table']['id']}")
    table = TablePage(page, server)
    expect(page.get_by_text(say("page-table-place-leather")).first).to_be_visible()
    circle_of(table).get_by_role("button").nth(3).click()
    expect(table.button("page-idea-keep")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text(say("page-table-place-leather")).first).to_be_visible()
    seq = table.seq
    for key in ("ArrowLeft", "Enter"):
        page.keyboard.press(key)
    table.wait_for_event_after(seq)


def test_spectators_do_not_plan(users: Users, server: LiveServer) -> None:
    ann, _ = two_players(users, server, seat=0, first=1)
    eve = TablePage(users.new_page(f"/tables/{ann.id}"), server)
    expect(eve.page.get_by_text(say("page-table-watching")).first).to_be_visible()
    eve.page.keyboard.press("1")
    expect(patch(eve, CHEAP)).to_have_attribute("aria-disabled", "true")
    expect(eve.button("page-idea-keep")).to_have_count(0)
