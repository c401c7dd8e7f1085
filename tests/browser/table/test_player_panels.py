"""The figures of the players, beside each other in little room."""

import pytest
from playwright.sync_api import expect

from browser.support.inspection import layout_problems
from browser.support.server import LiveServer
from browser.support.table import TablePage
from browser.support.users import Users
from patchwork.locales import messages

SIZES = ((360, 740), (390, 844), (640, 360), (740, 360), (844, 390))

_FILL = """([buttons, income, score]) => {
  for (const panel of document.querySelectorAll(".player")) {
    panel.querySelector(".count b").textContent = buttons;
    panel.querySelector(".income b").textContent = income;
    panel.querySelector(".score > span").textContent = score;
  }
}"""

_TOO_CLOSE = """() => [...document.querySelectorAll(".player")].flatMap(panel => {
  const box = selector => {
    const range = document.createRange();
    range.selectNodeContents(panel.querySelector(selector));
    return range.getBoundingClientRect();
  };
  const income = box(".income b");
  const score = box(".score > span");
  return score.left < income.right + 3 || score.right > panel.getBoundingClientRect().right
    ? [`${panel.textContent}: ${score.left - income.right} px`] : [];
})"""


@pytest.mark.parametrize("language", ["en", "de", "es", "cs", "pl", "ru"])
@pytest.mark.parametrize("figures", [(17, 11, -63), (28, 12, -142), (104, 26, -11)])
def test_large_figures_keep_apart(
    users: Users, server: LiveServer, language: str, figures: tuple[int, int, int]
) -> None:
    say = messages(language)
    buttons, income, points = figures
    score = say("page-table-score", points=points)
    page = users.new_page(language=language)
    table = TablePage.open(page, server)
    expect(table.quilt).to_be_visible()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(_FILL, [str(buttons), f"+{income}", score])
        assert page.evaluate(_TOO_CLOSE) == [], (width, height)
        assert layout_problems(page) == []
