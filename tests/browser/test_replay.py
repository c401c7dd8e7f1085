"""Games move by move: of the server, and of records that people bring."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from browser.screens import played
from browser.visitors import Visitors
from patchwork.locales import messages

say = messages("en")


def finished(page: Page) -> str:
    """Returns the id of a finished game."""
    state = played(page, lambda game: game.position.outcome is not None)
    game: str = state["table"]["id"]
    return game


def test_a_finished_game_is_walked_through(visitors: Visitors) -> None:
    page = visitors.come()
    page.goto(f"/replay/{finished(page)}")
    quilts = page.get_by_role("grid")
    expect(quilts).to_have_count(2)
    slider = page.get_by_role("slider")
    last = slider.get_attribute("max")
    assert last is not None
    expect(page.get_by_text(say("page-replay-start"), exact=True)).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("1")
    page.get_by_role("button", name=say("page-replay-last")).click()
    expect(slider).to_have_value(last)
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_value(str(int(last) - 1))
    page.get_by_role("button", name=say("page-replay-play"), exact=True).click()
    expect(slider).to_have_value(last)
    expect(quilts.first).to_have_accessible_name(re.compile("Ann"))
    page.get_by_role("button", name=say("page-replay-swap")).click()
    expect(quilts.first).to_have_accessible_name(re.compile("Bob"))


def test_a_record_is_brought_as_a_file_or_as_text(visitors: Visitors, tmp_path: Path) -> None:
    page = visitors.come()
    record = page.request.get(f"/api/tables/{finished(page)}/record").text()
    file = tmp_path / "game.patchwork"
    file.write_text(record, encoding="utf-8")
    page.goto("/replay")
    page.get_by_label(say("page-replay-file")).set_input_files(file)
    expect(page.get_by_role("grid")).to_have_count(2)
    page.goto("/replay")
    page.get_by_label(say("page-replay-text")).fill(record)
    page.get_by_role("button", name=say("page-replay-open")).click()
    expect(page.get_by_role("grid")).to_have_count(2)


def refused(visitors: Visitors, page: Page, reason: str) -> None:
    """Looks for the reason why a record is refused, which the browser notes, too."""
    expect(page.get_by_role("alert")).to_contain_text(reason)
    expect(page.get_by_role("grid")).to_have_count(0)
    assert visitors.troubles, "the browser notes the refusal"
    visitors.troubles.clear()


def test_a_broken_record_is_refused_with_the_reason(visitors: Visitors) -> None:
    page = visitors.come()
    record = page.request.get(f"/api/tables/{finished(page)}/record").text()
    broken = {
        "1. 99Zz9 *": "line 1",
        record[: len(record) // 2] + " 0Aa1 0Aa1": "line",
        "{ not a game": "line 1",
    }
    page.goto("/replay")
    box = page.get_by_label(say("page-replay-text"))
    for text, reason in broken.items():
        box.fill(text)
        page.get_by_role("button", name=say("page-replay-open")).click()
        refused(visitors, page, reason)
        expect(box).to_have_value(text)
    box.fill(record)
    page.get_by_role("button", name=say("page-replay-open")).click()
    expect(page.get_by_role("grid")).to_have_count(2)


def test_a_file_that_is_no_record_is_refused_with_the_reason(
    visitors: Visitors, tmp_path: Path
) -> None:
    page = visitors.come("/replay")
    file = tmp_path / "picture.png"
    file.write_bytes(bytes(range(256)))
    page.get_by_label(say("page-replay-file")).set_input_files(file)
    refused(visitors, page, say("page-replay-broken", detail=""))
