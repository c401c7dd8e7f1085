"""The turn alert of a hidden page: its title, its icon and, where allowed, a notification."""

import pytest
from playwright.sync_api import Page, expect

from browser.support.server import LiveServer
from browser.support.table import TablePage, join_table, play_with_mouse
from browser.support.users import Users
from patchwork.locales import messages
from support.waiting import wait_until

say = messages("en")

MANUAL_TIMER = """
{
  const TAB_REPLY_TIMEOUT = 300, FAKE_TIMER = -1;
  const { setTimeout, clearTimeout } = window;
  window.alerts = 0;
  window.timedOut = null;
  window.setTimeout = (then, after, ...rest) => {
    if (after !== TAB_REPLY_TIMEOUT) return setTimeout(then, after, ...rest);
    window.alerts += 1;
    window.timedOut = then;
    return FAKE_TIMER;
  };
  window.clearTimeout = (timer) => {
    if (timer === FAKE_TIMER) window.timedOut = null;
    else clearTimeout(timer);
  };
}
"""
"""Lets the test decide when a hidden page has waited long enough for replies from other tabs."""


def fake_visibility(permission: str, answer: str = "") -> str:
    """Returns a script that lets a test hide a page and records its notifications.

    The headless shell has no notifications. `permission` is the state at first, `answer` what the
    user chooses when the page asks.
    """
    return f"""
        window.away = false;
        Object.defineProperty(document, "hidden", {{ get: () => window.away }});
        window.notifications = [];
        window.Notification = class {{
            static permission = "{permission}";
            static async requestPermission() {{
                return (this.permission = "{answer}");
            }}
            constructor(title, {{ tag }}) {{
                this.record = {{ title, tag, open: true }};
                window.notifications.push(this.record);
            }}
            close() {{
                this.record.open = false;
            }}
        }};
        {MANUAL_TIMER}
    """


def hide(page: Page, away: bool = True) -> None:
    """Hides a page, or shows it again."""
    page.evaluate(
        "away => { window.away = away; document.dispatchEvent(new Event('visibilitychange')); }",
        away,
    )


def wait_for(page: Page, condition: str) -> None:
    """Waits for a condition; the content security policy forbids ``page.wait_for_function``."""
    wait_until(lambda: bool(page.evaluate(condition)))


def let_time_out(page: Page) -> None:
    """Waits until a hidden page waits for other tabs, and ends that wait."""
    wait_for(page, "window.timedOut !== null")
    page.evaluate("() => { const then = window.timedOut; window.timedOut = null; then(); }")


def title_and_icon(page: Page) -> tuple[str, str | None]:
    """Returns the title and the icon of a page."""
    return page.title(), page.locator("link[rel=icon]").get_attribute("href")


@pytest.mark.parametrize("allowed", [True, False])
def test_a_hidden_page_alerts_the_player(users: Users, server: LiveServer, allowed: bool) -> None:
    page = users.new_page()
    page.context.add_init_script(fake_visibility("default", "granted" if allowed else "denied"))
    table = TablePage.open(page, server)
    expect(table.quilt).to_be_visible()
    table.button("page-table-menu").click()
    switch = page.get_by_role("checkbox", name=say("page-table-notify"))
    expect(switch).not_to_be_checked()
    switch.click()
    forbidden = page.get_by_text(say("page-table-notify-forbidden"))
    expect(forbidden).to_have_count(0 if allowed else 1)
    page.keyboard.press("Escape")
    assert title_and_icon(page) == ("Patchwork", "/icon.svg")
    hide(page)
    expect(page).to_have_title(f"● {say('page-table-called')}")
    assert title_and_icon(page)[1] == "/icon-called.svg"
    assert server.get("/icon-called.svg").status_code == 200
    let_time_out(page)
    notification = {
        "title": say("page-table-called"),
        "tag": f"patchwork {table.id}",
        "open": True,
    }
    assert page.evaluate("window.notifications") == ([notification] if allowed else [])
    hide(page, away=False)
    expect(page).to_have_title("Patchwork")
    assert title_and_icon(page)[1] == "/icon.svg"
    still_open = page.evaluate("window.notifications.map(({ open }) => open)")
    assert still_open == ([False] if allowed else [])


def test_two_tabs_alert_once_and_only_if_both_are_hidden(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    page.context.add_init_script(
        fake_visibility("granted") + "localStorage.setItem('notify', 'on');"
    )
    table = TablePage.open(page, server)
    other = page.context.new_page()
    other.goto(page.url)
    expect(TablePage(other, server).quilt).to_be_visible()
    # One tab is visible: the other one stays silent, now and on the next turn.
    hide(other)
    wait_for(other, "window.alerts === 1 && window.timedOut === null")
    play_with_mouse(table, table.wait_for_turn(0))
    wait_for(other, "window.alerts === 2 && window.timedOut === null")
    assert other.evaluate("window.notifications") == []
    # Neither is visible: both notify, with one tag, which the system shows once.
    hide(page)
    let_time_out(page)
    action = {"t": "move", "id": "m", "seq": table.seq, "move": "A"}
    assert page.request.post(f"/api/tables/{table.id}/actions", data=action).ok
    let_time_out(page)
    let_time_out(other)
    assert page.evaluate("window.notifications.map(({ open }) => open)") == [False, True]
    assert other.evaluate("window.notifications.map(({ open }) => open)") == [True]
    tags = [each.evaluate("window.notifications.at(-1).tag") for each in (page, other)]
    assert tags[0] == tags[1]
    hide(page, away=False)
    wait_for(other, "!window.notifications[0].open")


def test_a_host_is_called_when_the_friend_comes(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    page.context.add_init_script(fake_visibility("default", "granted"))
    ann = TablePage.open(page, server, "friend", seat=0, first=1, name="Ann")
    page.get_by_role("checkbox", name=say("page-table-notify-arrival")).click()
    expect(page.get_by_role("checkbox")).to_be_checked()
    hide(page)
    bob = users.new_page(f"/tables/{ann.id}")
    join_table(bob, "Bob")
    called = say("page-table-arrived", name="Bob")
    expect(page).to_have_title(f"● {called}")
    let_time_out(page)
    assert page.evaluate("window.notifications.map(({ title }) => title)") == [called]
    hide(page, away=False)
    expect(page).to_have_title("Patchwork")
    assert not page.evaluate("window.notifications[0].open")


def test_a_guest_is_called_when_the_host_comes_back(users: Users, server: LiveServer) -> None:
    host = users.new_page()
    ann = TablePage.open(host, server, "friend", seat=0, first=0, name="Ann")
    host.goto("/rules")
    page = users.new_page()
    page.context.add_init_script(fake_visibility("denied"))
    page.goto(f"/tables/{ann.id}")
    join_table(page, "Bob")
    host_panel = page.get_by_role("region", name="Ann")
    expect(host_panel.get_by_text(say("page-table-away"), exact=True)).to_be_visible()
    page.evaluate("() => { const { now } = Date; Date.now = () => now() + 11_000; }")
    hide(page)
    host.goto(f"/tables/{ann.id}")
    expect(page).to_have_title(f"● {say('page-table-back', name='Ann')}")
    hide(page, away=False)
    expect(page).to_have_title("Patchwork")


def test_loading_the_page_does_not_ask_for_permission(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    page.context.add_init_script(
        "window.asked = 0; Notification.requestPermission = async () => { window.asked++; }"
    )
    table = TablePage.open(page, server)
    expect(table.quilt).to_be_visible()
    assert page.evaluate("window.asked") == 0
