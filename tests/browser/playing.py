"""Playing at a table in a browser, as people do: with the mouse, a finger or the keyboard alone.

The server is asked whose turn it is and what has happened; what is done, is done on the page.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Locator, Page, expect

from browser.house import House
from browser.visitors import Visitors
from patchwork.locales import messages
from support.waiting import wait_until

CENTRE = 40
"""The space in the middle of a quilt."""


class Table:
    """Somebody's view of a table, and what is known about it by the server."""

    def __init__(self, page: Page, house: House, language: str = "en") -> None:
        self.page = page
        self.say = messages(language)
        self._house = house
        self.id = page.url.rpartition("/")[2]

    @classmethod
    def open(cls, page: Page, house: House, opponent: str = "computer", **terms: Any) -> "Table":
        """Opens a table for the player whose browser it is, and goes there."""
        terms = {"opponent": opponent, "level": 1, "seed": 3, **terms}
        answer = page.request.post("/api/tables", data=terms)
        assert answer.ok, answer.text()
        page.goto(f"/tables/{answer.json()['table']['id']}")
        return cls(page, house)

    def state(self) -> Any:
        """What the server tells about the table."""
        return self._house.ask(f"/api/tables/{self.id}").json()

    @property
    def seq(self) -> int:
        """The number of the last event."""
        seq: int = self.state()["status"]["seq"]
        return seq

    def after(self, seq: int) -> None:
        """Waits until something has happened after an event."""
        wait_until(lambda: self.seq > seq)

    def turn(self, *seats: int) -> Any:
        """Waits until one of the seats decides, and returns the position, or None at the end."""
        position = None

        def decides() -> bool:
            nonlocal position
            state = self.state()
            position = state["position"] if state["status"]["ending"] is None else None
            return state["status"]["ending"] is not None or (
                position is not None and position["turn"] in seats
            )

        wait_until(decides)
        return position

    def button(self, key: str) -> Locator:
        """A button with the text of a message, whatever else is said on it."""
        return self.page.get_by_role("button", name=self.say(key)).first

    @property
    def quilt(self) -> Locator:
        """The own quilt, which is the first one."""
        return self.page.get_by_role("grid").first

    def space(self, number: int) -> Locator:
        """A space of the own quilt."""
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

    def take_something(
        self, position: Any, press: Callable[[Locator], None] = Locator.click
    ) -> bool:
        """Takes the first patch that can be taken in the hand, if there is one."""
        place = takeable(position)
        if place is None:
            return False
        circle = self.page.get_by_role("group", name=self.say("page-table-circle"))
        offer = circle.get_by_role("button").nth(place)
        expect(offer).to_be_enabled()
        press(offer)
        return True


def signed(text: str) -> str:
    """Returns a text with its numbers as the page writes them: below zero with a true minus."""
    return re.sub(r"(?<!\S)-(?=\d)", "\N{MINUS SIGN}", text)


def takeable(position: Any) -> int | None:
    """Returns the place in the offer, from 0, of the first patch that can be taken."""
    return next(
        (place for place, offer in enumerate(position["offers"]) if not offer["refused"]), None
    )


def decide_with_mouse(table: Table, position: Any) -> None:
    """Makes a decision by clicks: takes the first patch that can be taken, or advances."""
    seq = table.seq
    if position["phase"] == "leather":
        expect(table.page.get_by_text(table.say("page-table-place-leather")).first).to_be_visible()
        table.space(position["leather_choice"]["places"].index("1")).click()
    elif table.take_something(position):
        table.space(CENTRE).click()
        table.button("page-table-sew").click()
    else:
        table.button("page-table-advance").click()
        table.button("page-table-advance").click()
    table.after(seq)


def decide_with_taps(table: Table, position: Any) -> None:
    """The same with one finger, which also turns a patch over before it is sewn on."""
    seq = table.seq
    if position["phase"] == "leather":
        expect(table.page.get_by_text(table.say("page-table-place-leather")).first).to_be_visible()
        table.space(position["leather_choice"]["places"].index("1")).tap()
    elif table.take_something(position, Locator.tap):
        table.space(CENTRE).tap()
        if not table.button("page-table-sew").is_enabled():
            table.button("page-table-flip").tap()
        table.button("page-table-sew").tap()
    else:
        table.button("page-table-advance").tap()
        table.button("page-table-advance").tap()
    table.after(seq)


def decide_with_keys(table: Table, position: Any) -> None:
    """The same with the keys that the page lists under ``?``, some of them to no avail."""
    seq, keyboard, place = table.seq, table.page.keyboard, takeable(position)
    if position["phase"] == "leather":
        expect(table.page.get_by_text(table.say("page-table-place-leather")).first).to_be_visible()
        keyboard.press("ArrowLeft")
    elif place is not None:
        # Until the page knows the position, keys mean what they meant before.
        circle = table.page.get_by_role("group", name=table.say("page-table-circle"))
        expect(circle.get_by_role("button").nth(place)).to_be_enabled()
        for key in (str(place + 1), "r", "f", "Escape", str(place + 1), "ArrowLeft", "ArrowUp"):
            keyboard.press(key)
    else:
        expect(table.button("page-table-advance")).to_be_enabled()
        keyboard.press("a")
    keyboard.press("Enter")
    table.after(seq)


def sit_down(page: Page, name: str) -> None:
    """Accepts an invitation."""
    page.get_by_label(messages("en")("page-table-your-name")).fill(name)
    join = page.get_by_role("button", name=messages("en")("page-table-join"))
    join.click()
    expect(join).to_have_count(0)


def friends(visitors: Visitors, house: House, **terms: Any) -> tuple[Table, Table]:
    """Ann's table, and Bob's view of it, who sat down at it."""
    ann = Table.open(visitors.come(), house, "friend", name="Ann", **terms)
    bob = visitors.come(f"/tables/{ann.id}")
    sit_down(bob, "Bob")
    return ann, Table(bob, house)


def agree(*tables: Table) -> None:
    """Waits until all browsers show what the server tells."""
    wait_until(lambda: all(table.shows(table.state()["position"]) for table in tables))


@contextmanager
def without_connection(page: Page) -> Iterator[None]:
    """Takes the network away from somebody's browser."""
    page.context.set_offline(True)
    yield
    page.context.set_offline(False)
