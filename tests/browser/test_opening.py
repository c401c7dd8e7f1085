"""The page opens: in the reader's language, and within what the content policy allows."""

import re

import pytest
from playwright.sync_api import expect

from browser.visitors import Visitors
from patchwork.locales import LANGUAGES, messages

SCREENS = ["/", "/rules", "/learn", "/replay"]


@pytest.mark.parametrize("path", SCREENS)
def test_every_screen_opens(visitors: Visitors, path: str) -> None:
    page = visitors.come(path)
    expect(page.get_by_role("main")).to_be_visible()
    expect(page).to_have_title(re.compile("Patchwork"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_browser_chooses_the_language(visitors: Visitors, language: str) -> None:
    page = visitors.come(language=language)
    expect(page.locator("html")).to_have_attribute("lang", language)
    words = messages(language)("page-play-now")
    expect(page.get_by_role("button", name=words)).to_be_visible()


def test_another_language_can_be_chosen_and_is_remembered(visitors: Visitors) -> None:
    page = visitors.come(language="fr-FR")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_role("button", name="Русский").click()
    for _ in range(2):
        words = messages("ru")("page-play-now")
        expect(page.get_by_role("button", name=words)).to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "ru")
        page.reload()


def test_a_table_that_is_not_there_says_so(visitors: Visitors) -> None:
    page = visitors.come("/tables/abcdefghjkmn")
    expect(page.get_by_text(messages("en")("page-table-none"))).to_be_visible()
