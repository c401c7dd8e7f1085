"""A clock runs out, or a player leaves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.support.server import LiveServer
from browser.support.table import TablePage, play_with_mouse
from browser.support.users import PHONE, Users
from patchwork.locales import messages
from support.waiting import wait_until

say = messages("en")


@pytest.fixture(scope="module")
def ahead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that says by how many seconds the server's clock is ahead."""
    file = tmp_path_factory.mktemp("clock") / "ahead"
    file.write_text("0")
    return file


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, ahead: Path) -> Iterator[LiveServer]:
    """A server that lets a win be claimed soon after the opponent has left."""
    folder = tmp_path_factory.mktemp("server")
    with LiveServer(folder, PATCHWORK_GONE_LOST="0.2", PATCHWORK_TEST_AHEAD=str(ahead)) as server:
        yield server


def ann_and_bob(users: Users, server: LiveServer, **terms: Any) -> tuple[TablePage, TablePage]:
    """Opens a table as Ann, who begins, and joins it as Bob."""
    ann = TablePage.open(users.new_page(), server, opponent="friend", seat=0, first=0, **terms)
    page = users.new_page(f"/tables/{ann.id}")
    page.get_by_role("button", name=say("page-table-join")).click()
    bob = TablePage(page, server)
    for table in (ann, bob):
        expect(table.page.get_by_role("grid")).to_have_count(2)
    return ann, bob


def both_move(ann: TablePage, bob: TablePage) -> None:
    """Lets both play their first move, after which the game can be lost."""
    play_with_mouse(ann, ann.wait_for_turn(0))
    play_with_mouse(bob, bob.wait_for_turn(1))


@pytest.mark.long
def test_a_clock_runs_out(users: Users, server: LiveServer) -> None:
    ann, bob = ann_and_bob(users, server, clock={"minutes": 0.25})
    both_move(ann, bob)
    # Nobody does anything more.
    late = ann.state()["position"]["turn"]
    names = [say("page-table-player", number=number) for number in (1, 2)]
    for seat, table in enumerate((ann, bob)):
        winner, reason = ("other", "time-you") if seat == late else ("you", "time")
        title = table.page.get_by_role("heading", level=1)
        expect(title).to_contain_text(say("page-table-wins", whose=winner, name=names[1 - late]))
        expect(title).to_contain_text(say("page-table-ended", reason=reason, name=names[late]))


def test_a_game_is_cancelled_if_the_first_move_does_not_come(
    users: Users, server: LiveServer, ahead: Path
) -> None:
    ann, bob = ann_and_bob(users, server, clock={"minutes": 5})
    pattern = f"{say('page-table-first-move')} 1:"
    name = say("page-table-player", number=1)
    expect(ann.page.get_by_text(say("page-table-first-move-you"))).to_be_visible()
    expect(bob.page.get_by_text(say("page-table-first-move-other", name=name))).to_be_visible()
    for table in (ann, bob):
        expect(table.page.get_by_role("timer").filter(has_text=pattern)).to_have_count(1)
        expect(table.page.get_by_text("5:00", exact=True)).to_have_count(1)
    play_with_mouse(ann, ann.wait_for_turn(0))
    expect(bob.page.get_by_text(say("page-table-first-move-you"))).to_be_visible()
    ahead.write_text("121")
    answer = ann.page.request.post(
        f"/api/tables/{ann.id}/actions", data={"t": "flag", "id": "late", "seq": ann.seq}
    )
    assert answer.ok, answer.text()
    for table in (ann, bob):
        title = table.page.get_by_role("heading", level=1)
        expect(title).to_have_text(say("page-table-ended", reason="aborted"))


def test_the_notice_of_the_first_move_covers_nothing_on_a_phone(
    users: Users, server: LiveServer
) -> None:
    for table in ann_and_bob(users, server, clock={"minutes": 5}):
        table.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        expect(table.page.locator(".notices p")).to_have_count(1)
        bottom = "element => element.getBoundingClientRect().bottom"
        top = "element => element.getBoundingClientRect().top"
        quilt, actions = (table.page.locator(part).first for part in (".large .square", ".actions"))
        wait_until(lambda: quilt.evaluate(bottom) <= actions.evaluate(top))  # noqa: B023


def test_the_label_of_the_first_move_leaves_the_page_as_wide_as_a_phone(
    users: Users, server: LiveServer
) -> None:
    for table in ann_and_bob(users, server, clock={"minutes": 5}):
        table.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        expect(table.page.locator(".notices p")).to_have_count(1)
        width = table.page.evaluate("document.scrollingElement.scrollWidth")
        assert width <= PHONE["width"]


def test_low_time_is_announced(users: Users, server: LiveServer) -> None:
    ann, bob = ann_and_bob(users, server, clock={"minutes": 180})
    expect(bob.page.get_by_role("timer")).to_have_count(2)
    both_move(ann, bob)
    late = ann.wait_for_turn(0, 1)["turn"]
    name = say("page-table-you") if late == 1 else say("page-table-player", number=1)
    low = say("page-table-clock-low", name=name, seconds=20)
    expect(bob.page.get_by_text(low)).to_have_count(0)
    # The page announces it as soon as its own clock is low, until the server corrects the clock.
    bob.page.evaluate("""() => {
      window.announced = [];
      new MutationObserver((records) => window.announced.push(
        ...records.map(({ target }) => target.textContent.trim())
      )).observe(document.body, { subtree: true, childList: true, characterData: true });
      const { now } = Date;
      Date.now = () => now() + 179.9 * 60_000;
    }""")
    wait_until(lambda: low in bob.page.evaluate("window.announced"))


def test_a_win_is_claimed_after_the_opponent_left(users: Users, server: LiveServer) -> None:
    ann, bob = ann_and_bob(users, server)
    both_move(ann, bob)
    bob.page.close()
    expect(ann.page.get_by_text(say("page-table-away"), exact=True)).to_be_visible()
    ann.button("page-table-claim").click()
    title = ann.page.get_by_role("heading", level=1)
    name = say("page-table-player", number=2)
    expect(title).to_contain_text(say("page-table-ended", reason="left", name=name))


def test_a_game_that_somebody_left_before_moving_is_cancelled(
    users: Users, server: LiveServer
) -> None:
    ann, bob = ann_and_bob(users, server)
    bob.page.close()
    expect(ann.page.get_by_text(say("page-table-gone-early"))).to_be_visible()
    ann.button("page-table-abort").click()
    title = ann.page.get_by_role("heading", level=1)
    expect(title).to_have_text(say("page-table-ended", reason="aborted"))


def test_a_win_cannot_be_claimed_once_the_opponent_is_back(
    users: Users, server: LiveServer
) -> None:
    ann, bob = ann_and_bob(users, server)
    both_move(ann, bob)
    bob.page.goto("/rules")
    expect(ann.button("page-table-claim")).to_be_visible()
    bob.page.goto(f"/tables/{bob.id}")
    expect(ann.button("page-table-claim")).to_have_count(0)
