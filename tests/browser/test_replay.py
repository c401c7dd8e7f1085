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


def test_the_end_tells_who_won_and_leads_back_to_the_game(visitors: Visitors) -> None:
    page = visitors.come()
    game = finished(page)
    winner = page.request.get(f"/api/tables/{game}").json()["status"]["ending"]["winner"]
    wins = page.get_by_text(say("page-table-wins", whose="other", name=("Ann", "Bob")[winner]))
    page.goto(f"/replay/{game}")
    expect(page.get_by_role("grid")).to_have_count(2)
    expect(wins).to_have_count(0)
    page.get_by_role("button", name=say("page-replay-last")).click()
    expect(wins).to_be_visible()
    for quilt in page.get_by_role("grid").all():
        box = quilt.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 720, "a quilt is cut off"
    page.get_by_role("link", name=say("page-replay-to-game")).click()
    expect(page).to_have_url(re.compile(f"/tables/{game}$"))


def test_the_reader_is_called_the_same_as_in_the_game(visitors: Visitors) -> None:
    page = visitors.come()
    terms = {"opponent": "computer", "level": 1, "first": 0}
    table = page.request.post("/api/tables", data=terms).json()
    action = {"t": "resign", "id": "r", "seq": table["status"]["seq"]}
    assert page.request.post(f"/api/tables/{table['table']['id']}/actions", data=action).ok
    page.goto(f"/replay/{table['table']['id']}")
    expect(page.get_by_role("heading", name=say("page-table-you"), exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name=say("page-table-computer", level=1))).to_be_visible()
    expect(page.get_by_text(say("page-table-ended", reason="resigned"))).to_be_visible()


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


def test_a_broken_record_is_refused_with_the_reason(visitors: Visitors) -> None:
    page = visitors.come()
    record = page.request.get(f"/api/tables/{finished(page)}/record").text()
    broken = {
        record[: len(record) // 2] + " 0Aa1 0Aa1": "line",
        '[Circle "1 2 3"]\n\nA *': "line 1",
    }
    page.goto("/replay")
    box = page.get_by_label(say("page-replay-text"))
    for text, reason in broken.items():
        box.fill(text)
        page.get_by_role("button", name=say("page-replay-open")).click()
        expect(page.get_by_role("alert")).to_contain_text(reason)
        expect(page.get_by_role("alert")).not_to_contain_text(re.compile(r"\([a-z-]+\)$"))
        expect(page.get_by_role("grid")).to_have_count(0)
        expect(box).to_have_value(text)
    assert visitors.troubles, "the browser notes the refusals"
    visitors.troubles.clear()
    box.fill(record)
    page.get_by_role("button", name=say("page-replay-open")).click()
    expect(page.get_by_role("grid")).to_have_count(2)


def test_what_is_no_record_at_all_is_called_so(visitors: Visitors, tmp_path: Path) -> None:
    for content in (bytes(range(256)), b"Dear Bob,\n\nshall we play again?", b"{ not a game", b""):
        page = visitors.come("/replay")
        file = tmp_path / "letter.txt"
        file.write_bytes(content)
        page.get_by_label(say("page-replay-file")).set_input_files(file)
        expect(page.get_by_role("alert")).to_have_text(say("page-replay-no-record"))
