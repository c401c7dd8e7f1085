"""Replays of games on the server, and of game records that users open."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.support.screens import play_until
from browser.support.study import study
from browser.support.table import offline
from browser.support.users import PHONE, Users
from patchwork.locales import messages
from patchwork.notation.record import Record

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
    expect(page.get_by_text(say("page-table-ended", reason="resigned-you"))).to_be_visible()


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


# Addresses


def shown(page: Page, number: int) -> None:
    """Checks which move is shown."""
    expect(page.get_by_role("slider")).to_have_value(str(number))


def test_an_address_opens_at_a_move_and_follows_the_steps(users: Users) -> None:
    page = users.new_page()
    game = finished_game(page)
    page.goto(f"/replay/{game}")
    length = page.evaluate("history.length")
    last = int(page.get_by_role("slider").get_attribute("max") or "0")
    for asked, number in {"12": 12, "0": 0, "-5": 0, "9999": last, "x": 0, "3.1.4": 3}.items():
        page.goto(f"/replay/{game}?move={asked}")
        shown(page, number)
    page.goto(f"/replay/{game}?move=12")
    shown(page, 12)
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"\?move=13$"))
    page.reload()
    shown(page, 13)
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile(f"/replay/{game}$"))
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(rf"\?move={last}$"))
    # Steps leave no entries in the history; addresses that were opened do.
    before = page.evaluate("history.length")
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(rf"\?move={last - 5}$"))
    assert page.evaluate("history.length") == before > length
    page.evaluate(f"history.pushState(null, '', '/replay/{game}?move=3')")
    page.go_back()
    shown(page, last - 5)
    page.go_forward()
    shown(page, 3)


def test_a_move_in_the_list_is_shown_and_its_link_is_copied(users: Users) -> None:
    page = users.new_page(permissions=["clipboard-read", "clipboard-write"])
    game = finished_game(page)
    page.goto(f"/replay/{game}")
    moves = page.get_by_role("region", name=say("page-table-moves"))
    moves.get_by_role("button").nth(19).click()
    shown(page, 20)
    expect(moves.locator("[aria-current=step]")).to_have_text(re.compile("^20"))
    page.get_by_role("button", name=say("page-replay-copy")).click()
    expect(page.get_by_role("button", name=say("page-table-copied"))).to_be_focused()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith(f"/replay/{game}?move=20")
    friend = users.new_page(link)
    shown(friend, 20)
    # The list keeps the shown move in view.
    friend.keyboard.press("End")
    box, current = (
        each.bounding_box()
        for each in (
            friend.get_by_role("region", name=say("page-table-moves")),
            friend.locator("[aria-current=step]"),
        )
    )
    assert box is not None
    assert current is not None
    assert box["y"] <= current["y"]
    assert current["y"] + current["height"] <= box["y"] + box["height"] + 1


# Studies


def open_record(page: Page, record: Record) -> None:
    """Pastes a record and opens it."""
    page.goto("/replay")
    page.get_by_label(say("page-replay-text")).fill(record.format())
    page.get_by_role("button", name=say("page-replay-open")).click()
    expect(page.get_by_role("grid")).to_have_count(2)


def test_a_record_has_an_address_that_outlives_the_browser(users: Users) -> None:
    page = users.new_page()
    open_record(page, study())
    expect(page).to_have_url(re.compile("/replay/record/[a-z2-7]{26}$"))
    address = page.url
    page.reload()
    expect(page.get_by_role("grid")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(f"{address}?move=1")
    page.context.close()
    friend = users.new_page(f"{address}?move=2")
    shown(friend, 2)
    with friend.expect_download() as download:
        friend.get_by_role("link", name=say("page-table-record")).click()
    assert download.value.path().read_text("utf-8") == study().format()
    open_record(friend, study())
    assert friend.url == address, "the same record has the same address"
    friend.go_back()
    expect(friend.get_by_label(say("page-replay-text"))).to_be_visible()


def test_an_unknown_record_says_so(users: Users) -> None:
    page = users.new_page("/replay/record/abc")
    expect(page.get_by_role("alert")).to_have_text(say("page-replay-unknown"))
    expect(page.get_by_label(say("page-replay-text"))).to_be_visible()
    assert users.errors, "the browser logs the refusal"
    users.errors.clear()


def test_comments_annotations_and_variations_are_walked_with_keys(users: Users) -> None:
    page = users.new_page()
    open_record(page, study())
    keyboard, commentary = page.keyboard, page.locator(".commentary")
    variation = commentary.get_by_text(say("page-replay-variation", number=2))
    expect(commentary).to_contain_text("Three moves.")
    keyboard.press("ArrowRight")
    expect(commentary).to_contain_text("<img src=x onerror=alert(1)>")
    good = say("page-replay-annotation", name="good", number=1)
    other = say("page-replay-annotation", name="other", number=14)
    for words in ("!", good, "$14", other):
        expect(commentary).to_contain_text(words)
    keyboard.press("ArrowDown")
    shown(page, 1)
    keyboard.press("ArrowRight")
    expect(commentary).to_contain_text("Look:")
    expect(variation).to_have_count(0)
    keyboard.press("ArrowDown")
    expect(variation).to_be_visible()
    expect(commentary).to_contain_text("Instead.")
    expect(commentary).to_contain_text("??")
    expect(page).to_have_url(re.compile(r"\?move=2\.2\.2$"))
    keyboard.press("ArrowRight")
    expect(commentary).to_contain_text("Why not?")
    keyboard.press("ArrowDown")
    expect(commentary).to_contain_text("Deeper.")
    expect(page).to_have_url(re.compile(r"\?move=2\.2\.3\.1\.3$"))
    page.reload()
    expect(commentary).to_contain_text("Deeper.")
    keyboard.press("Escape")
    expect(commentary).to_contain_text("Why not?")
    keyboard.press("ArrowUp")
    expect(commentary).to_contain_text("Look:")
    expect(variation).to_have_count(0)
    shown(page, 2)
    keyboard.press("ArrowDown")
    expect(variation).to_be_visible()
    keyboard.press("ArrowLeft")
    expect(variation).to_have_count(0)
    shown(page, 1)


def test_variations_are_entered_and_left_with_taps(users: Users) -> None:
    page = users.new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    open_record(page, study())
    commentary = page.locator(".commentary")
    moves = page.get_by_role("region", name=say("page-table-moves"))
    moves.get_by_role("button", name=re.compile("^2 Bob")).first.tap()
    expect(commentary).to_contain_text("Look:")
    commentary.get_by_role("button", name=say("page-table-move-advance")).tap()
    expect(commentary).to_contain_text("Instead.")
    before = page.get_by_role("grid").first.inner_html()
    moves.get_by_role("group", name=say("page-replay-variation", number=3)).get_by_role(
        "button"
    ).tap()
    expect(commentary).to_contain_text("Deeper.")
    assert page.get_by_role("grid").first.inner_html() != before, "the position is another one"
    leave = commentary.get_by_role("button", name=say("page-replay-leave"))
    leave.tap()
    expect(commentary).to_contain_text("Why not?")
    leave.tap()
    expect(commentary).to_contain_text("Look:")
    expect(leave).to_have_count(0)


def test_a_variation_that_cannot_be_loaded_says_so_and_can_be_tried_again(users: Users) -> None:
    page = users.new_page()
    open_record(page, study())
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    with offline(page):
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("alert")).to_have_text(say("page-trouble-offline"))
        shown(page, 2)
    users.errors.clear()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".commentary")).to_contain_text("Instead.")
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize(
    ("width", "height", "cell"), [(1280, 720, 30), (1920, 1080, 48), (360, 740, 16), (844, 390, 22)]
)
def test_quilts_board_and_controls_are_in_view(
    users: Users, width: int, height: int, cell: int
) -> None:
    page = users.new_page(viewport={"width": width, "height": height})
    open_record(page, study())
    page.keyboard.press("End")
    shown(page, 3)
    board = page.get_by_role("img", name=re.compile("^Time board"))
    controls = page.get_by_role("button", name=say("page-replay-forward"))
    for part in (*page.get_by_role("grid").all(), board, controls):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height, "cut off"
        assert box["x"] + box["width"] <= width
    quilt = page.get_by_role("gridcell").first.bounding_box()
    assert quilt is not None
    assert quilt["width"] >= cell
    assert page.evaluate("document.documentElement.scrollWidth") <= width
