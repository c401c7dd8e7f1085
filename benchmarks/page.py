"""Measures the page: what a visitor's browser receives, and how soon it can be used.

    python benchmarks/page.py [--json] [--rounds N]

It opens the page that ``make page`` has built in Chromium, from a server that it starts itself. The
sizes are what a new visitor receives in all for the first screen and for a table, in the language
with the longest messages: with Brotli, which browsers accept, and with gzip. A visit is that of a
new visitor with an empty cache, and lasts until the button to play can be pressed. A reload happens
in the middle of a game, and lasts until the whole table is there and a patch can be selected. Each
time is the median of its rounds. It takes about half a minute.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser.support.server import LiveServer
from browser.support.session import server_and_browser
from browser.support.table import TablePage
from browser.support.users import Users
from browser.support.weight import HOME_LIMIT, TABLE_LIMIT, received_bytes
from patchwork.locales import messages

say = messages("en")
HEAVIEST = "ru"
"""The language with the longest messages."""


def received_kb(users: Users, path: str, shown: str) -> dict[str, float]:
    """Returns what a new visitor receives for a screen, by the encoding of the answers."""
    return {
        encoding: received_bytes(users, path, shown, encoding, HEAVIEST) / 1000
        for encoding in ("br", "gzip")
    }


def visit_ms(browser: Browser, server: LiveServer) -> float:
    """Returns how long a new visitor waits for the first screen."""
    users = Users(browser, server.address)
    page = users.new_page("/healthz")
    start = time.perf_counter()
    page.goto("/", wait_until="commit")
    page.get_by_role("button", name=say("page-play-now")).click(trial=True)
    taken = time.perf_counter() - start
    users.close()
    return 1000 * taken


def reload_ms(table: TablePage) -> float:
    """Returns how long a player waits for the table after a reload."""
    start = time.perf_counter()
    table.page.reload(wait_until="commit")
    table.page.locator("[aria-pressed][aria-disabled=false]").first.click(trial=True)
    assert table.page.get_by_role("grid").count() == 2
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    """Measures and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=7, help="how often to measure each time")
    options = parser.parse_args()
    with server_and_browser() as (browser, server):
        visits = [visit_ms(browser, server) for _ in range(options.rounds)]
        users = Users(browser, server.address)
        table = TablePage.open(users.new_page(), server)
        reloads = [reload_ms(table) for _ in range(options.rounds)]
        home = received_kb(users, "/", ".play")
        play = received_kb(users, f"/tables/{table.id}", "[role=grid]")
    visit, reload = round(statistics.median(visits)), round(statistics.median(reloads))
    if options.json:
        print(
            json.dumps({"home_kb": home, "table_kb": play, "visit_ms": visit, "reload_ms": reload})
        )
        return
    for name, sizes, limit in (("first screen", home, HOME_LIMIT), ("table", play, TABLE_LIMIT)):
        sizes_text = ", ".join(f"{size:.1f} KB with {encoding}" for encoding, size in sizes.items())
        print(f"{name:<16}  {sizes_text} (at most {limit / 1000:.0f})")
    print(f"first visit       {visit:>6,} ms (at most 1,000)")
    print(f"reload in a game  {reload:>6,} ms (at most 2,000)")


if __name__ == "__main__":
    main()
