"""Names of forty characters, with and without spaces, at a table."""

import pytest
from playwright.sync_api import expect

from browser.support.inspection import layout_problems
from browser.support.users import PHONE, WIDE, Users
from patchwork.locales import messages

LONG_NAMES = (
    "Wolfeschlegelsteinhausenbergerdorff-Maxi",
    "Мария-Антуанетта Преображенская-Волконс",
)


@pytest.mark.parametrize("name", LONG_NAMES, ids=["one word", "several"])
@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "wide"])
def test_a_long_name_leaves_the_table_in_its_place(
    users: Users, size: dict[str, int], name: str
) -> None:
    """It neither pushes the actions over the quilt nor covers a button."""
    for language in ("de", "ru"):
        words = messages(language)
        host = users.new_page().request
        terms = {"opponent": "friend", "first": 0, "seed": 11, "name": name}
        game = host.post("/api/tables", data=terms).json()["table"]["id"]
        page = users.new_page(f"/tables/{game}", language=language, viewport=size)
        page.get_by_role("button", name=words("page-table-join")).click()
        waiting = page.get_by_text(words("page-table-waits-for", name=name))
        expect(waiting).to_be_visible()
        own = page.get_by_role(
            "grid", name=words("page-table-quilt-of", name=words("page-table-you"))
        )
        quilt, bar = own.bounding_box(), waiting.locator("../..").bounding_box()
        assert quilt is not None
        assert bar is not None
        assert quilt["y"] + quilt["height"] <= bar["y"]
        assert layout_problems(page) == []
