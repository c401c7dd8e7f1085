"""Who looks elsewhere is called: by the title, the icon and, where allowed, a notification."""

import pytest
from playwright.sync_api import Page, expect

from browser.house import House
from browser.playing import Table, decide_with_mouse
from browser.visitors import Visitors
from patchwork.locales import messages
from support.waiting import wait_until

say = messages("en")

BY_HAND = """
{
  const PATIENCE = 300, OURS = -1;
  const { setTimeout, clearTimeout } = window;
  window.calls = 0;
  window.patient = null;
  window.setTimeout = (then, after, ...rest) => {
    if (after !== PATIENCE) return setTimeout(then, after, ...rest);
    window.calls += 1;
    window.patient = then;
    return OURS;
  };
  window.clearTimeout = (timer) => {
    if (timer === OURS) window.patient = null;
    else clearTimeout(timer);
  };
}
"""
"""Lets a hidden page wait until the test says that other tabs had enough time to speak up."""


def spying(permission: str, answer: str = "") -> str:
    """Lets a page be hidden at will, and notes its notifications, which the headless shell lacks.

    They are permitted as said, and when the page asks, as answered.
    """
    return f"""
        window.away = false;
        Object.defineProperty(document, "hidden", {{ get: () => window.away }});
        window.told = [];
        window.Notification = class {{
            static permission = "{permission}";
            static async requestPermission() {{
                return (this.permission = "{answer}");
            }}
            constructor(title, {{ tag }}) {{
                this.told = {{ title, tag, open: true }};
                window.told.push(this.told);
            }}
            close() {{
                this.told.open = false;
            }}
        }};
        {BY_HAND}
    """


def look_away(page: Page, away: bool = True) -> None:
    page.evaluate(
        "away => { window.away = away; document.dispatchEvent(new Event('visibilitychange')); }",
        away,
    )


def wait_for(page: Page, condition: str) -> None:
    """Waits until a condition of the script holds; the content policy forbids Playwright's way."""
    wait_until(lambda: bool(page.evaluate(condition)))


def have_waited(page: Page) -> None:
    """Lets a hidden page have waited for other tabs, as soon as it does."""
    wait_for(page, "window.patient !== null")
    page.evaluate("() => { const then = window.patient; window.patient = null; then(); }")


def called(page: Page) -> tuple[str, str | None]:
    """The title and the icon of a page."""
    return page.title(), page.locator("link[rel=icon]").get_attribute("href")


@pytest.mark.parametrize("allowed", [True, False])
def test_who_looks_elsewhere_is_called(visitors: Visitors, house: House, allowed: bool) -> None:
    page = visitors.come()
    page.context.add_init_script(spying("default", "granted" if allowed else "denied"))
    table = Table.open(page, house)
    expect(table.quilt).to_be_visible()
    table.button("page-table-menu").click()
    switch = page.get_by_role("checkbox", name=say("page-table-notify"))
    expect(switch).not_to_be_checked()
    switch.click()
    forbidden = page.get_by_text(say("page-table-notify-forbidden"))
    expect(forbidden).to_have_count(0 if allowed else 1)
    page.keyboard.press("Escape")
    assert called(page) == ("Patchwork", "/icon.svg")
    look_away(page)
    expect(page).to_have_title(f"● {say('page-table-called')}")
    assert called(page)[1] == "/icon-called.svg"
    assert house.ask("/icon-called.svg").status_code == 200
    have_waited(page)
    notification = {
        "title": say("page-table-called"),
        "tag": f"patchwork {table.id}",
        "open": True,
    }
    assert page.evaluate("window.told") == ([notification] if allowed else [])
    look_away(page, away=False)
    expect(page).to_have_title("Patchwork")
    assert called(page)[1] == "/icon.svg"
    assert page.evaluate("window.told.map(({ open }) => open)") == ([False] if allowed else [])


def test_two_tabs_call_once_and_not_whom_one_of_them_has(visitors: Visitors, house: House) -> None:
    page = visitors.come()
    page.context.add_init_script(spying("granted") + "localStorage.setItem('notify', 'on');")
    table = Table.open(page, house)
    other = page.context.new_page()
    other.goto(page.url)
    expect(Table(other, house).quilt).to_be_visible()
    # The player looks at one of them: the other one stays silent, now and at the next turn.
    look_away(other)
    wait_for(other, "window.calls === 1 && window.patient === null")
    decide_with_mouse(table, table.turn(0))
    wait_for(other, "window.calls === 2 && window.patient === null")
    assert other.evaluate("window.told") == []
    # The player looks at neither: both call, and the system shows one tag once.
    look_away(page)
    have_waited(page)
    action = {"t": "move", "id": "m", "seq": table.seq, "move": "A"}
    assert page.request.post(f"/api/tables/{table.id}/actions", data=action).ok
    have_waited(page)
    have_waited(other)
    assert page.evaluate("window.told.map(({ open }) => open)") == [False, True]
    assert other.evaluate("window.told.map(({ open }) => open)") == [True]
    assert page.evaluate("window.told[1].tag") == other.evaluate("window.told[0].tag")
    look_away(page, away=False)
    wait_for(other, "!window.told[0].open")


def test_nobody_is_asked_to_allow_notifications_by_loading(
    visitors: Visitors, house: House
) -> None:
    page = visitors.come()
    page.context.add_init_script(
        "window.asked = 0; Notification.requestPermission = async () => { window.asked++; }"
    )
    table = Table.open(page, house)
    expect(table.quilt).to_be_visible()
    assert page.evaluate("window.asked") == 0
