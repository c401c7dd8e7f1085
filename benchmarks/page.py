"""Measures the page: the size of its files, and how soon it can be used.

    python benchmarks/page.py [--json] [--rounds N]

It opens the page that ``make page`` has built in Chromium, from a server that it starts itself. A
visit is that of a new visitor with an empty cache, and lasts until the button to play can be
pressed. A reload happens in the middle of a game, and lasts until the whole table is there and a
patch can be selected. Each time is the median of its rounds. It takes about half a minute.
"""

import argparse
import gzip
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
from patchwork.locales import messages
from patchwork.server.http.pages import STATIC

say = messages("en")


def compressed_kb(suffix: str) -> float:
    """Returns the total size of all files of a kind, each compressed."""
    files = [path for path in STATIC.rglob(f"*{suffix}") if path.is_file()]
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in files) / 1000


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
        table = TablePage.open(Users(browser, server.address).new_page(), server)
        reloads = [reload_ms(table) for _ in range(options.rounds)]
    figures = {
        "script_kb": round(compressed_kb(".js"), 1),
        "style_kb": round(compressed_kb(".css"), 1),
        "visit_ms": round(statistics.median(visits)),
        "reload_ms": round(statistics.median(reloads)),
    }
    if options.json:
        print(json.dumps(figures))
    else:
        print(f"script, compressed  {figures['script_kb']:>7} KB (at most 150)")
        print(f"styles, compressed  {figures['style_kb']:>7} KB")
        print(f"first visit         {figures['visit_ms']:>7} ms (at most 1,000)")
        print(f"reload in a game    {figures['reload_ms']:>7} ms (at most 2,000)")


if __name__ == "__main__":
    main()
