"""Playing at a table in a browser as people do: with the mouse, a finger or only the keyboard.

Whose turn it is and what has happened is read from the server; every action is done on the page.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Locator, Page, expect

from browser.support.server import LiveServer
from browser.support.users import Users
from patchwork.locales import messages
from support.waiting import wait_until

CENTRE = 40
"""The space in the middle of a quilt."""


class TablePage:
    """The page object of a table: one user's page, and the state the server has for it."""

    def __init__(self, page: Page, server: LiveServer, language: str = "en") -> None:
        self.page = page
        self.say = messages(language)
        self._server = server
        self.id = page.url.rpartition("/")[2]

    @classmethod
    def open(
        cls, page: Page, server: LiveServer, opponent: str = "computer", **terms: Any
    ) -> "TablePage":
        """Opens a table for the user of a page, and goes there."""
        terms = {"opponent": opponent, "level": 1, "seed": 3, **terms}
        answer = page.request.post("/api/tables", data=terms)
        assert answer.ok, answer.text()
        page.goto(f"/tables/{answer.json()['table']['id']}")
        return cls(page, server)

    def state(self) -> Any:
        """Returns the state of the table as the server has it."""
        return self._server.get(f"/api/tables/{self.id}").json()

    @property
    def seq(self) -> int:
        """The number of the last event."""
        seq: int = self.state()["status"]["seq"]
        return seq

    def wait_for_event_after(self, seq: int) -> None:
        """Waits until another event follows the one with this number."""
        wait_until(lambda: self.seq > seq)

    def wait_for_turn(self, *seats: int) -> Any:
        """Waits until it is the turn of one of the seats; returns the position, None at the end."""
        position = None

        def is_their_turn() -> bool:
            nonlocal position
            state = self.state()
            position = state["position"] if state["status"]["ending"] is None else None
            return state["status"]["ending"] is not None or (
                position is not None and position["turn"] in seats
            )

        wait_until(is_their_turn)
        return position

    def button(self, key: str) -> Locator:
        """A button whose label contains a message."""
        return self.page.get_by_role("button", name=self.say(key)).first

    @property
    def quilt(self) -> Locator:
        """The user's own quilt, which comes first."""
        return self.page.get_by_role("grid").first

    def space(self, number: int) -> Locator:
        """A space of the user's own quilt."""
        return self.quilt.get_by_role("gridcell").nth(number)

    def shows(self, position: Any) -> bool:
        """Whether the page shows the quilts and the buttons of a position."""
        quilts: list[list[str]] = self.page.get_by_role("grid").evaluate_all(
            """grids => grids.map(grid =>
                [...grid.querySelectorAll("[role=gridcell]")].map(cell => cell.ariaLabel))"""
        )
        free = tuple(self.say(f"page-table-cell-{kind}", cell="") for kind in ("empty", "fits"))
        sewn = sorted(sum(not label.endswith(free) for label in quilt) for quilt in quilts)
        players = position["players"]
        words = [self.say("page-table-buttons", buttons=player["buttons"]) for player in players]
        return sewn == sorted(
            sum(len(spaces) for _, spaces in player["layout"]) for player in players
        ) and all(self.page.get_by_label(each, exact=True).count() for each in words)

    def pick_up_first_patch(
        self, position: Any, press: Callable[[Locator], None] = Locator.click
    ) -> bool:
        """Picks up the first patch that can be bought; returns whether there is one."""
        place = first_buyable(position)
        if place is None:
            return False
        circle = self.page.get_by_role("group", name=self.say("page-table-circle"))
        offer = circle.get_by_role("button").nth(place)
        expect(offer).to_contain_text(self.say("page-table-words-takeable"))
        press(offer)
        return True


def with_minus_signs(text: str) -> str:
    """Returns a text with negative numbers written as on the page, with a minus sign."""
    return re.sub(r"(?<!\S)-(?=\d)", "\N{MINUS SIGN}", text)


def first_buyable(position: Any) -> int | None:
    """Returns the index of the first patch on offer that can be bought, or None."""
    return next(
        (place for place, offer in enumerate(position["offers"]) if not offer["refused"]), None
    )


def play_with_mouse(table: TablePage, position: Any) -> None:
    """Plays a move with clicks: buys the first patch that can be bought, or advances."""
    seq = table.seq
    if position["phase"] == "leather":
        expect(table.page.get_by_text(table.say("page-table-place-leather")).first).to_be_visible()
        table.space(position["leather_choice"]["places"].index("1")).click()
        table.button("page-table-sew").click()
    elif table.pick_up_first_patch(position):
        table.space(CENTRE).click()
        table.button("page-table-sew").click()
    else:
        table.button("page-table-advance").click()
        table.button("page-table-advance").click()
    table.wait_for_event_after(seq)


def play_with_taps(table: TablePage, position: Any) -> None:
    """Plays the same move with taps, and flips the patch if it does not fit."""
    seq = table.seq
    elsewhere = table.page.get_by_role("status").first
    elsewhere.tap()  # or a tap where the last one was would be the second one of a double tap
    if position["phase"] == "leather":
        expect(table.page.get_by_text(table.say("page-table-place-leather")).first).to_be_visible()
        table.space(position["leather_choice"]["places"].index("1")).tap()
        table.button("page-table-sew").tap()
    elif table.pick_up_first_patch(position, Locator.tap):
        table.space(CENTRE).tap()
        if not table.button("page-table-sew").is_enabled():
            table.button("page-table-flip").tap()
        table.button("page-table-sew").tap()
    else:
        table.button("page-table-advance").tap()
        elsewhere.tap()
        table.button("page-table-advance").tap()
    table.wait_for_event_after(seq)


def play_with_keys(table: TablePage, position: Any) -> None:
    """Plays the same move with the keys that the page lists under ``?``, some without effect."""
    seq, keyboard, place = table.seq, table.page.keyboard, first_buyable(position)
    if position["phase"] == "leather":
        expect(table.page.get_by_text(table.say("page-table-place-leather")).first).to_be_visible()
        keyboard.press("ArrowLeft")
    elif place is not None:
        # Until the page shows the position, keys still act on the previous one.
        circle = table.page.get_by_role("group", name=table.say("page-table-circle"))
        offer = circle.get_by_role("button").nth(place)
        expect(offer).to_contain_text(table.say("page-table-words-takeable"))
        for key in (str(place + 1), "r", "f", "Escape", str(place + 1), "ArrowLeft", "ArrowUp"):
            keyboard.press(key)
    else:
        expect(table.button("page-table-advance")).to_be_enabled()
        keyboard.press("a")
    keyboard.press("Enter")
    table.wait_for_event_after(seq)


def join_table(page: Page, name: str) -> None:
    """Accepts an invitation."""
    page.get_by_label(messages("en")("page-table-your-name")).fill(name)
    join = page.get_by_role("button", name=messages("en")("page-table-join"))
    join.click()
    expect(join).to_have_count(0)


def two_players(users: Users, server: LiveServer, **terms: Any) -> tuple[TablePage, TablePage]:
    """Opens a table as Ann and joins it as Bob; returns both pages."""
    ann = TablePage.open(users.new_page(), server, "friend", name="Ann", **terms)
    bob = users.new_page(f"/tables/{ann.id}")
    join_table(bob, "Bob")
    return ann, TablePage(bob, server)


def wait_until_in_sync(*tables: TablePage) -> None:
    """Waits until all pages show the state the server has."""
    wait_until(lambda: all(table.shows(table.state()["position"]) for table in tables))


@contextmanager
def offline(page: Page) -> Iterator[None]:
    """Disconnects a user's browser from the network, except for open sockets."""
    page.context.set_offline(True)
    yield
    page.context.set_offline(False)


@contextmanager
def unplugged(page: Page) -> Iterator[None]:
    """Disconnects a user's browser from the network, and the table on its page from the server."""
    with offline(page):
        page.evaluate("window.sockets.forEach(socket => socket.close())")
        expect(page.get_by_text(messages("en")("page-table-lost")).first).to_be_visible()
        yield
