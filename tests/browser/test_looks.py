"""How the table looks: both sides of the time board, the colours of both editions, all in sight."""

from functools import partial

import pytest
from playwright.sync_api import Page, expect

import patchwork as pw
from browser.house import House
from browser.playing import Table
from browser.screens import played
from browser.visitors import Visitors
from patchwork.locales import messages

say = messages("en")


def settings(page: Page) -> None:
    """Opens the settings."""
    page.get_by_role("button", name=say("page-preferences")).click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_side_of_the_time_board_is_chosen_and_remembered(
    visitors: Visitors, house: House
) -> None:
    page = visitors.come()
    Table.open(page, house)
    board = page.get_by_role("img", name="Time board")
    rug = board.inner_html()
    settings(page)
    page.get_by_role("radio", name=say("page-look-blocks")).check()
    blocks = board.inner_html()
    assert blocks != rug
    page.reload()
    expect(board).to_be_visible()
    assert board.inner_html() == blocks


@pytest.mark.parametrize(
    ("edition", "own", "other"), [("classic", "lime", "blue"), ("revised", "blue", "lime")]
)
def test_frames_have_the_colours_of_the_edition_unless_others_are_wished(
    visitors: Visitors, house: House, edition: str, own: str, other: str
) -> None:
    page = visitors.come()
    Table.open(page, house, edition=edition)
    frame = page.locator(".binding").first
    expect(frame).to_be_visible()
    assert _fill(page) == _colour(page, own)
    settings(page)
    wished = "revised" if edition == "classic" else "classic"
    page.get_by_label(say("page-tokens")).select_option(wished)
    assert _fill(page) == _colour(page, other)


def _fill(page: Page) -> str:
    """Returns the colour of the near quilt's frame."""
    fill: str = page.locator(".binding").first.evaluate("frame => getComputedStyle(frame).fill")
    return fill


def _colour(page: Page, name: str) -> str:
    """Returns a colour of the theme as styles compute it."""
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


def test_everything_stays_in_sight_as_a_game_goes_on(visitors: Visitors) -> None:
    page = visitors.come(language="ru")  # the longest words
    for moves in (4, 16):
        state = played(page, partial(_after, moves))
        page.goto(f"/tables/{state['table']['id']}")
        expect(page.get_by_role("grid").first).to_be_visible()
        hidden = page.evaluate("""() =>
          ["html", "main > .circle"].map((each) => document.querySelector(each))
            .map((part) => part.scrollHeight - part.clientHeight)""")
        assert hidden == [0, 0], f"after {moves} moves"
