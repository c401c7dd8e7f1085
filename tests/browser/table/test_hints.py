"""Hints in a game against the computer: where to look, which moves, and where."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

import patchwork as pw
from browser.support.server import LiveServer
from browser.support.table import TablePage, with_minus_signs
from browser.support.users import PHONE, Users
from patchwork.engine.baselines.greedy import greedy
from patchwork.locales import messages

say = messages("en")


def hints_in(page: Page) -> list[Any]:
    """Records the hints that a page receives from now on."""
    found: list[Any] = []

    def note(text: str | bytes) -> None:
        message = json.loads(text)
        if message["t"] == "hint":
            found.append(message)

    page.on("websocket", lambda socket: socket.on("framereceived", note))
    return found


CANDIDATES = [
    {"move": "14Aa1", "win": 0.61, "margin": 4.2, "why": {"code": "income", "figure": 6}},
    {"move": "A", "win": 0.999, "margin": -2.0, "why": None},
    {"move": "3Bd4", "win": 0.0, "margin": 0.3, "why": {"code": "again", "figure": 1}},
]
"""What a hint may say at the start of seed 1; how much the engine finds out depends on its time."""


def give_candidates(page: Page) -> None:
    """Has all hints name the candidates above."""

    def connect(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        server.on_message(lambda text: route.send(replaced(str(text))))

    def replaced(text: str) -> str:
        message = json.loads(text)
        return json.dumps(message | {"candidates": CANDIDATES}) if message["t"] == "hint" else text

    page.route_web_socket(re.compile("/live"), connect)


def panel(table: TablePage) -> Locator:
    """The hint, if there is one."""
    return table.page.get_by_role("region", name=say("page-table-hint"))


def candidates(table: TablePage) -> Locator:
    """The candidates in the hint."""
    return panel(table).get_by_role("listitem").get_by_role("button")


def figures(candidate: Any) -> str:
    """The words in which a candidate's worth is shown."""
    win, margin = round(candidate["win"] * 100), round(abs(candidate["margin"]))
    win = min(99, max(1, win)) if 0 < candidate["win"] < 1 else win
    sign = "" if margin == 0 else "+" if candidate["margin"] > 0 else "-"
    return with_minus_signs(say("page-table-hint-figures", win=win, points=f"{sign}{margin}"))


def prepared(table: TablePage) -> Locator:
    """The button that plays the prepared move."""
    return table.page.get_by_role(
        "button", name=re.compile(f"^({say('page-table-sew')}|{say('page-table-advance')})$")
    )


def opened(users: Users, server: LiveServer, **options: Any) -> TablePage:
    """Opens a game against the computer, in which all hints name the candidates above."""
    page = users.new_page(**options)
    give_candidates(page)
    table = TablePage.open(page, server, first=0, seed=1)
    expect(table.button("page-table-advance")).to_be_enabled()
    return table


def test_a_hint_is_gone_through_with_one_key(users: Users, server: LiveServer) -> None:
    table = opened(users, server)
    page, keyboard, seq = table.page, table.page.keyboard, table.seq
    announced = page.locator("header > [role=status].visually-hidden")
    keyboard.press("h")
    look = (
        f"{say('page-table-hint-look', kind='buy')} {say('page-table-hint-watch', code='income')}"
    )
    expect(panel(table)).to_contain_text(look)
    expect(announced).to_have_text(look)
    expect(candidates(table)).to_have_count(0)
    keyboard.press("h")
    expect(candidates(table)).to_have_count(3)
    for shown, candidate in zip(candidates(table).all(), CANDIDATES, strict=True):
        expect(shown).to_contain_text(figures(candidate))
        expect(announced).to_contain_text(figures(candidate))
        why: Any = candidate["why"]
        if why:
            expect(shown).to_contain_text(say("page-table-hint-why", **why))
            expect(announced).to_contain_text(say("page-table-hint-why", **why))
    expect(candidates(table).first).to_contain_text(say("page-table-hint-best"))
    expect(candidates(table).last).not_to_contain_text(say("page-table-hint-best"))
    expect(prepared(table)).to_have_count(0)
    keyboard.press("h")
    expect(panel(table)).to_contain_text(say("page-table-hint-prepared"))
    expect(announced).to_contain_text(say("page-table-hint-prepared"))
    expect(candidates(table).first).to_have_attribute("aria-pressed", "true")
    expect(prepared(table)).to_be_enabled()
    keyboard.press("h")
    expect(panel(table)).to_contain_text(say("page-table-hint-prepared"))
    assert table.seq == seq, "nothing is played"
    keyboard.press("Enter")
    table.wait_for_event_after(seq)
    expect(panel(table)).to_have_count(0)
    expect(announced).to_have_text("")
    assert table.state()["moves"][0] == [0, "14Aa1"]


def test_escape_ends_a_hint_at_every_step(users: Users, server: LiveServer) -> None:
    table = opened(users, server)
    for steps in (1, 2, 3):
        for step in range(steps):
            table.page.keyboard.press("h")
            expect(panel(table)).to_be_visible()
            expect(candidates(table)).to_have_count(3 if step else 0)
        table.page.keyboard.press("Escape")
        expect(panel(table)).to_have_count(0)
        expect(prepared(table)).to_have_count(0)


@pytest.mark.parametrize("viewport", [PHONE, {"width": 844, "height": 390}])
def test_a_candidate_is_tapped_and_played(users: Users, server: LiveServer, viewport: Any) -> None:
    table = opened(users, server, viewport=viewport, has_touch=True, is_mobile=True)
    seq = table.seq
    table.button("page-table-hint").tap()
    panel(table).get_by_role("button", name=say("page-table-hint-more", step="which")).tap()
    expect(candidates(table)).to_have_count(3)
    for part in (*candidates(table).all(), panel(table)):
        box = part.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= viewport["width"]
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= viewport["height"]
    for number in (2, 1, 0, 2):
        candidates(table).nth(number).tap()
        pressed = [each.get_attribute("aria-pressed") for each in candidates(table).all()]
        assert pressed == ["true" if each == number else "false" for each in range(3)]
    panel(table).get_by_role("button", name=say("page-close")).tap()
    expect(panel(table)).to_have_count(0)
    prepared(table).tap()
    table.wait_for_event_after(seq)
    assert table.state()["moves"][0] == [0, "3Bd4"]


def test_a_candidate_that_was_changed_is_prepared_again(users: Users, server: LiveServer) -> None:
    table = opened(users, server)
    for step in (1, 2, 3):
        table.page.keyboard.press("h")
        expect(panel(table)).to_be_visible()
        expect(candidates(table)).to_have_count(0 if step == 1 else 3)
    expect(candidates(table).first).to_have_attribute("aria-pressed", "true")
    expect(prepared(table)).to_be_enabled()
    seq = table.seq
    for key in ("ArrowRight", "ArrowDown", "r"):
        table.page.keyboard.press(key)
    candidates(table).first.click()
    table.page.keyboard.press("Enter")
    table.wait_for_event_after(seq)
    assert table.state()["moves"][0] == [0, "14Aa1"]


def test_a_hint_for_leather_names_spaces(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    received = hints_in(page)
    table = TablePage.open(page, server, first=0)
    while (position := table.wait_for_turn(0))["phase"] != "leather":
        move = str(greedy(pw.Position.parse(position["text"])))
        action = {"t": "move", "id": f"m{table.seq}", "seq": table.seq, "move": move}
        path = f"/api/tables/{table.id}/actions"
        assert table.page.request.post(path, data=action).ok
    expect(table.page.get_by_text(say("page-table-place-leather")).first).to_be_visible()
    seq = table.seq
    table.page.keyboard.press("h")
    expect(panel(table)).to_contain_text(say("page-table-hint-look", kind="leather"))
    table.page.keyboard.press("h")
    (hint,) = received
    spaces = [candidate["move"][1:] for candidate in hint["candidates"]]
    assert len(spaces) == 3
    for shown, space in zip(candidates(table).all(), spaces, strict=True):
        expect(shown).to_contain_text(say("page-table-move-leather", cell=space))
    candidates(table).nth(1).click()
    table.page.keyboard.press("Enter")
    table.wait_for_event_after(seq)
    assert [0, f"L{spaces[1]}"] in table.state()["moves"]
