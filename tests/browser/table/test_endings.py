"""How a game ends for those who are there: in whose words, and what can follow."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.support.server import LiveServer
from browser.support.table import TablePage
from browser.support.users import PHONE, Users
from patchwork.locales import messages

say = messages("en")


def two_players(
    users: Users, server: LiveServer, **terms: Any
) -> tuple[TablePage, TablePage, TablePage]:
    """Returns the pages of a nameless host, of a nameless friend who has joined, of a watcher."""
    host = TablePage.open(users.new_page(), server, "friend", first=0, **terms)
    friend = TablePage(users.new_page(f"/tables/{host.id}"), server)
    friend.page.get_by_role("button", name=say("page-table-join")).click()
    watcher = TablePage(users.new_page(f"/tables/{host.id}"), server)
    for table in (host, friend, watcher):
        expect(table.page.get_by_role("grid")).to_have_count(2)
    return host, friend, watcher


def act(table: TablePage, action: str, **more: Any) -> None:
    """Does something at a table for the user of a page."""
    seq = table.seq
    data = {"t": action, "id": f"{action}{seq}", "seq": seq, **more}
    answer = table.page.request.post(f"/api/tables/{table.id}/actions", data=data)
    assert answer.ok, answer.text()


def advance(table: TablePage) -> None:
    act(table, "move", move="A")


def test_a_resignation_is_told_from_everyones_point_of_view(
    users: Users, server: LiveServer
) -> None:
    host, friend, watcher = two_players(users, server)
    advance(host)
    advance(friend)
    act(host, "resign")
    one = say("page-table-player", number=1)
    for table, reason in ((host, "resigned-you"), (friend, "resigned"), (watcher, "resigned")):
        title = table.page.get_by_role("heading", level=1)
        words = say("page-table-ended", reason=reason, name=one)
        expect(title).to_contain_text(words)
        # The one who resigned may have more points.
        expect(title).to_contain_text(say("page-table-unfinished"))


def test_a_nameless_player_has_one_name_everywhere(users: Users, server: LiveServer) -> None:
    host, friend, watcher = two_players(users, server)
    one, two = (say("page-table-player", number=number) for number in (1, 2))
    expect(host.page.get_by_role("region", name=two)).to_be_visible()
    expect(friend.page.get_by_role("region", name=one)).to_be_visible()
    for name in (one, two):
        expect(watcher.page.get_by_role("region", name=name)).to_be_visible()
    home = host.page.context.new_page()
    home.goto("/")
    expect(home.get_by_role("link", name=say("page-against", name=two))).to_be_visible()
    advance(host)
    replay = host.page.context.new_page()
    replay.goto(f"/replay/{host.id}")
    expect(replay.get_by_role("heading", name=two)).to_be_visible()


def test_the_picture_names_the_players_for_others(users: Users, tmp_path: Path) -> None:
    page = users.new_page()
    terms = {"opponent": "computer", "level": 1, "first": 0}
    table = page.request.post("/api/tables", data=terms).json()
    action = {"t": "resign", "id": "r", "seq": table["status"]["seq"]}
    assert page.request.post(f"/api/tables/{table['table']['id']}/actions", data=action).ok
    page.goto(f"/tables/{table['table']['id']}")
    with page.expect_download() as download:
        page.get_by_role("button", name=say("page-table-picture", format="SVG")).click()
    download.value.save_as(tmp_path / "picture.svg")
    picture = (tmp_path / "picture.svg").read_text("utf-8")
    assert say("page-table-player", number=1) in picture
    assert say("page-table-wins", whose="computer") in picture, "the text alternative"
    assert not re.search(rf"\b{say('page-table-you')}\b", picture)


def test_watchers_come_along_to_a_rematch(users: Users, server: LiveServer) -> None:
    host, friend, watcher = two_players(users, server)
    advance(host)
    advance(friend)
    act(host, "resign")
    host.button("page-table-rematch").click()
    friend.button("page-table-rematch-accept").click()
    expect(host.page).not_to_have_url(re.compile(host.id))
    for table in (friend, watcher):
        expect(table.page).to_have_url(host.page.url)
        expect(table.page.get_by_role("grid")).to_have_count(2)


def test_after_a_cancelled_game_another_can_be_opened(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server, first=0)
    act(table, "abort")
    table.button("page-table-new-game").click()
    expect(table.page).not_to_have_url(re.compile(table.id))
    expect(table.page.get_by_role("grid")).to_have_count(2)


def test_after_a_cancelled_invitation_another_can_be_sent(users: Users, server: LiveServer) -> None:
    """It has the same terms as the first."""
    clock = {"days": 3}
    page = users.new_page()
    table = TablePage.open(page, server, "friend", name="Ann", clock=clock, edition="revised")
    table.button("page-table-abort").click()
    table.button("page-table-new-game").click()
    expect(page).not_to_have_url(re.compile(table.id))
    expect(page.get_by_text(say("page-table-waiting"))).to_be_visible()
    state = TablePage(page, server).state()
    assert state["table"]["edition"] == "revised"
    assert state["table"]["clock"]["days"] == 3
    assert state["status"]["seats"][0]["name"] == "Ann"


@pytest.mark.parametrize("language", ["ru", "de", "es"])
def test_no_word_of_the_result_is_broken_on_a_phone(users: Users, language: str) -> None:
    page = users.new_page(language=language, viewport=PHONE)
    terms = {"opponent": "computer", "level": 1, "first": 0}
    table = page.request.post("/api/tables", data=terms).json()
    action = {"t": "resign", "id": "r", "seq": table["status"]["seq"]}
    assert page.request.post(f"/api/tables/{table['table']['id']}/actions", data=action).ok
    page.goto(f"/tables/{table['table']['id']}")
    expect(page.get_by_role("row").first).to_be_visible()
    assert broken_words(page) == []


def broken_words(page: Page) -> list[str]:
    """Returns the words of the result that begin on one line and end on another."""
    found: list[str] = page.evaluate("""() => {
      const broken = [];
      const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const node = texts.currentNode;
        for (const { 0: word, index } of node.data.matchAll(/[^\\s-]+/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (tops.size > 1) broken.push(word);
        }
      }
      return broken;
    }""")
    return found


def test_the_moves_in_the_menu_lead_to_the_replay(users: Users, server: LiveServer) -> None:
    table = TablePage.open(users.new_page(), server, "screen")
    for _ in range(3):
        advance(table)
    table.page.get_by_role("button", name=say("page-table-menu"), exact=True).click()
    moves = table.page.get_by_role("list", name=say("page-table-moves")).get_by_role("link")
    expect(moves).to_have_count(3)
    with table.page.expect_popup() as popup:
        moves.nth(1).click()  # the latest is the first
    expect(popup.value).to_have_url(re.compile(rf"/replay/{table.id}\?move=2$"))
    expect(popup.value.get_by_role("slider")).to_be_visible()


@pytest.mark.parametrize("phone", [False, True])
def test_keys_are_offered_only_where_there_may_be_some(
    users: Users, server: LiveServer, phone: bool
) -> None:
    options: dict[str, Any] = {}
    if phone:
        options = {"viewport": PHONE, "is_mobile": True, "has_touch": True}
    table = TablePage.open(users.new_page(**options), server)
    table.page.get_by_role("button", name=say("page-table-menu"), exact=True).click()
    dialog = table.page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name=say("page-table-words"))).to_be_visible()
    expect(dialog.get_by_role("button", name=say("page-table-keys"))).to_have_count(
        0 if phone else 1
    )


def test_two_games_can_have_the_same_patches(users: Users, server: LiveServer) -> None:
    """The order is copied from the menu of one game into the options of another."""
    page = users.new_page()
    first = TablePage.open(page, server, seed=5)
    page.get_by_role("button", name=say("page-table-menu"), exact=True).click()
    page.get_by_text(say("page-table-order"), exact=True).click()
    order = page.get_by_role("textbox", name=say("page-table-order")).input_value()
    circle = first.state()["table"]["circle"]
    for typed, same in ((order, True), ("5", True), (f'[Circle "{order}"]', True), ("6", False)):
        page.goto("/")
        page.get_by_text(say("page-options"), exact=True).click()
        page.get_by_label(say("page-order")).first.fill(typed)
        page.get_by_role("button", name=say("page-play-now")).click()
        expect(page.get_by_role("grid")).to_have_count(2)
        again = TablePage(page, server).state()["table"]["circle"]
        assert (again == circle) is same


@pytest.mark.parametrize("typed", ["blue", "1 2 3", "9" * 20])
def test_a_wrong_order_is_refused_in_words(users: Users, typed: str) -> None:
    page = users.new_page()
    page.get_by_text(say("page-options"), exact=True).click()
    page.get_by_label(say("page-order")).first.fill(typed)
    page.get_by_role("button", name=say("page-play-now")).click()
    alert = page.get_by_role("alert").filter(has_text=say("page-trouble-bad-circle"))
    expect(alert).to_be_visible()
    assert "422" in users.errors.pop(), "the browser logs the refusal"
    # It can be mended on the spot.
    page.get_by_label(say("page-order")).first.fill("")
    page.get_by_role("button", name=say("page-play-now")).click()
    expect(page.get_by_role("grid")).to_have_count(2)


def test_a_connection_that_is_cut_is_noticed_at_once(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    TablePage.open(page, server, "screen")
    # Messages are swallowed without an error, as by a network that has gone.
    page.evaluate("WebSocket.prototype.send = () => undefined")
    page.evaluate("dispatchEvent(new Event('offline'))")
    expect(page.get_by_text(say("page-table-lost")).first).to_be_visible()


def test_a_server_that_does_not_answer_is_noticed_soon(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    TablePage.open(page, server, "screen")
    expect(page.get_by_role("grid")).to_have_count(2)
    page.evaluate("WebSocket.prototype.send = () => undefined")
    expect(page.get_by_text(say("page-table-slow")).first).to_be_visible()
