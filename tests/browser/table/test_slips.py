"""Presses that were not meant: held keys, double-clicks, swipes, and other keyboard layouts."""

import pytest
from playwright.sync_api import Locator, Page, expect

import patchwork as pw
from browser.support.screens import play_until
from browser.support.server import LiveServer
from browser.support.table import TablePage, join_table
from browser.support.users import PHONE, Users
from patchwork.locales import messages

say = messages("en")


@pytest.fixture
def table(users: Users, server: LiveServer) -> TablePage:
    """A game for two on one screen, in which every move is confirmed."""
    table = TablePage.open(users.new_page(), server, "screen")
    expect(table.button("page-table-advance")).to_be_visible()
    return table


def centre(part: Locator) -> tuple[float, float]:
    box = part.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def nothing_happened(table: TablePage, seq: int) -> bool:
    """Returns whether the server knows no later event once it has answered the page."""
    table.page.evaluate("fetch(location.href)")
    return table.seq == seq


def happens_once(table: TablePage, seq: int) -> bool:
    """Waits for the event that follows, and returns whether there was no other before it."""
    table.wait_for_event_after(seq)
    return table.seq == seq + 1


def test_a_key_that_is_held_down_plays_nothing_more(table: TablePage) -> None:
    seq = table.seq
    for _ in range(5):
        table.page.keyboard.down("a")
    table.page.keyboard.up("a")
    expect(table.button("page-table-cancel")).to_be_visible()
    assert nothing_happened(table, seq)
    table.page.keyboard.press("a")
    assert happens_once(table, seq)


def test_a_double_click_confirms_nothing(table: TablePage) -> None:
    seq = table.seq
    x, y = centre(table.button("page-table-advance"))
    table.page.mouse.dblclick(x, y)
    expect(table.button("page-table-cancel")).to_be_visible()
    assert nothing_happened(table, seq)
    table.button("page-table-advance").click()
    assert happens_once(table, seq)


def test_a_double_click_ends_no_game(table: TablePage) -> None:
    seq = table.seq
    table.button("page-table-menu").click()
    final = table.page.locator(".final button")
    x, y = centre(final)
    table.page.mouse.dblclick(x, y)
    expect(final).to_have_text(say("page-table-sure"))
    assert nothing_happened(table, seq)


def test_leather_is_sewn_on_only_where_it_was_put(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    state = play_until(page, lambda game: game.position.phase is pw.Phase.LEATHER)
    page.goto(f"/tables/{state['table']['id']}")
    table = TablePage(page, server)
    expect(table.button("page-table-sew")).to_be_disabled()
    seq = table.seq
    page.keyboard.press("Enter")
    assert nothing_happened(table, seq)
    page.keyboard.press("ArrowLeft")
    expect(table.button("page-table-sew")).to_be_enabled()
    page.keyboard.press("Enter")
    assert happens_once(table, seq)


def swipe(page: Page, x: float, y: float, down: float) -> None:
    """Draws a finger over the screen."""
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: dict[str, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", {"x": x, "y": y})
    for part in (0.25, 0.5, 0.75, 1):
        touch("touchMove", {"x": x, "y": y + part * down})
    touch("touchEnd")


def test_a_swipe_beside_the_patch_plays_nothing(users: Users, server: LiveServer) -> None:
    page = users.new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    page.evaluate("localStorage.setItem('confirm', 'off')")
    state = play_until(page, lambda game: game.position.phase is pw.Phase.LEATHER)
    page.goto(f"/tables/{state['table']['id']}")
    table = TablePage(page, server)
    expect(page.get_by_text(say("page-table-place-leather")).first).to_be_visible()
    seq = table.seq
    box = table.quilt.bounding_box()
    assert box is not None
    swipe(page, box["x"] + 20, box["y"] + box["height"] - 20, -120)
    assert nothing_happened(table, seq)


@pytest.mark.parametrize(("key", "code"), [("ф", "KeyA"), ("+", "Digit1")])
def test_keys_are_found_by_their_place_on_other_layouts(
    table: TablePage, key: str, code: str
) -> None:
    expect(table.page.locator(".card.ready").first).to_be_visible()
    table.page.evaluate(
        "init => document.body.dispatchEvent(new KeyboardEvent('keydown', init))",
        {"key": key, "code": code, "bubbles": True},
    )
    expect(table.button("page-table-cancel")).to_be_visible()


def test_an_invitation_says_what_will_be_played(users: Users, server: LiveServer) -> None:
    clock = {"minutes": 5, "increment": 5}
    ann = TablePage.open(users.new_page(), server, "friend", name="Ann", first=1, clock=clock)
    bob = users.new_page(f"/tables/{ann.id}")
    for title, text in {
        "page-clock": say("page-clock-minutes", minutes=5, increment=5),
        "page-first": say("page-table-you"),
        "page-edition": say("page-edition-classic"),
    }.items():
        line = bob.locator("dl div").filter(has_text=say(title))
        expect(line).to_contain_text(text)
    join_table(bob, "Bob")
    expect(bob.get_by_role("grid")).to_have_count(2)
