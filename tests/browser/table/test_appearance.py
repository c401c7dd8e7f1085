"""The look of the table: both time boards, the colours of both editions, and nothing cut off."""

from functools import partial

import pytest
from playwright.sync_api import Page, expect

import patchwork as pw
from browser.support.screens import play_until
from browser.support.server import LiveServer
from browser.support.table import TablePage
from browser.support.users import Users
from patchwork.locales import messages

say = messages("en")


def open_settings(page: Page) -> None:
    """Opens the settings."""
    page.get_by_role("button", name=say("page-preferences")).click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_the_choice_of_time_board_is_remembered(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    TablePage.open(page, server)
    board = page.get_by_role("img", name="Time board")
    rug = board.inner_html()
    open_settings(page)
    page.get_by_role("radio", name=say("page-look-blocks")).check()
    blocks = board.inner_html()
    assert blocks != rug
    page.reload()
    expect(board).to_be_visible()
    assert board.inner_html() == blocks


@pytest.mark.parametrize(
    ("edition", "own", "other"), [("classic", "lime", "blue"), ("revised", "blue", "lime")]
)
def test_frames_have_the_colours_of_the_edition_unless_others_are_chosen(
    users: Users, server: LiveServer, edition: str, own: str, other: str
) -> None:
    page = users.new_page()
    TablePage.open(page, server, edition=edition)
    frame = page.locator(".quilt rect").first
    expect(frame).to_be_visible()
    assert _fill(page) == _colour(page, own)
    open_settings(page)
    chosen = "revised" if edition == "classic" else "classic"
    page.get_by_label(say("page-tokens")).select_option(chosen)
    assert _fill(page) == _colour(page, other)


def _fill(page: Page) -> str:
    """Returns the colour of the frame of the user's own quilt."""
    fill: str = page.locator(".quilt rect").first.evaluate("frame => getComputedStyle(frame).fill")
    return fill


def _colour(page: Page, name: str) -> str:
    """Returns the computed value of a colour of the theme."""
    colour: str = page.evaluate(
        """name => {
          const probe = document.body.appendChild(document.createElement("i"));
          probe.style.color = `var(--${name})`;
          const { color } = getComputedStyle(probe);
          probe.remove();
          return color;
        }""",
        name,
    )
    return colour


def _after(moves: int, game: pw.Game) -> bool:
    return len(game.moves) >= moves


def test_nothing_overflows_as_a_game_goes_on(users: Users) -> None:
    page = users.new_page(language="ru")  # the longest words
    for moves in (4, 16):
        state = play_until(page, partial(_after, moves))
        page.goto(f"/tables/{state['table']['id']}")
        expect(page.get_by_role("grid").first).to_be_visible()
        hidden = page.evaluate("""() =>
          ["html", "main > .circle"].map((each) => document.querySelector(each))
            .map((part) => part.scrollHeight - part.clientHeight)""")
        assert hidden == [0, 0], f"after {moves} moves"
