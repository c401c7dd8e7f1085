"""Replays of games on the server, and of game records that users open."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from browser.support.screens import play_until
from browser.support.users import Users
from patchwork.locales import messages

say = messages("en")


def finished_game(page: Page) -> str:
    """Plays a game to its end, and returns its id."""
    state = play_until(page, lambda game: game.position.outcome is not None)
    game: str = state["table"]["id"]
    return game


def test_a_finished_game_is_replayed_step_by_step(users: Users) -> None:
    page = users.new_page()
    page.goto(f"/replay/{finished_game(page)}")
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


def test_the_last_position_names_the_winner_and_links_to_the_game(users: Users) -> None:
    page = users.new_page()
    game = finished_game(page)
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


def test_players_have_the_same_names_as_in_the_game(users: Users) -> None:
    page = users.new_page()
    terms = {"opponent": "computer", "level": 1, "first": 0}
    table = page.request.post("/api/tables", data=terms).json()
    action = {"t": "resign", "id": "r", "seq": table["status"]["seq"]}
    assert page.request.post(f"/api/tables/{table['table']['id']}/actions", data=action).ok
    page.goto(f"/replay/{table['table']['id']}")
    expect(page.get_by_role("heading", name=say("page-table-you"), exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name=say("page-table-computer", level=1))).to_be_visible()
    expect(page.get_by_text(say("page-table-ended", reason="resigned"))).to_be_visible()


def test_a_record_is_opened_as_a_file_or_as_text(users: Users, tmp_path: Path) -> None:
    page = users.new_page()
    record = page.request.get(f"/api/tables/{finished_game(page)}/record").text()
    file = tmp_path / "game.patchwork"
    file.write_text(record, encoding="utf-8")
    page.goto("/replay")
    page.get_by_label(say("page-replay-file")).set_input_files(file)
    expect(page.get_by_role("grid")).to_have_count(2)
    page.goto("/replay")
    page.get_by_label(say("page-replay-text")).fill(record)
    page.get_by_role("button", name=say("page-replay-open")).click()
    expect(page.get_by_role("grid")).to_have_count(2)


def test_a_broken_record_is_refused_with_the_reason(users: Users) -> None:
    page = users.new_page()
    record = page.request.get(f"/api/tables/{finished_game(page)}/record").text()
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
    assert users.errors, "the browser logs the refusals"
    users.errors.clear()
    box.fill(record)
    page.get_by_role("button", name=say("page-replay-open")).click()
    expect(page.get_by_role("grid")).to_have_count(2)


def test_a_file_that_is_no_record_says_so(users: Users, tmp_path: Path) -> None:
    for content in (bytes(range(256)), b"Dear Bob,\n\nshall we play again?", b"{ not a game", b""):
        page = users.new_page("/replay")
        file = tmp_path / "letter.txt"
        file.write_bytes(content)
        page.get_by_label(say("page-replay-file")).set_input_files(file)
        expect(page.get_by_role("alert")).to_have_text(say("page-replay-no-record"))
