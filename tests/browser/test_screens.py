"""Everybody can use every screen: axe finds nothing, and nothing sticks out on a phone."""

from itertools import cycle
from typing import Any

import pytest

from browser.screens import screens
from browser.visitors import PHONE, Visitors, barriers
from patchwork.locales import LANGUAGES


@pytest.mark.parametrize(
    ("language", "options"),
    [
        ("en", {"color_scheme": "light"}),
        ("en", {"color_scheme": "dark"}),
        *(
            (language, {"viewport": PHONE, "color_scheme": theme})
            for language, theme in zip(LANGUAGES[1:], cycle(("light", "dark")), strict=False)
        ),
    ],
)
def test_no_screen_has_barriers(visitors: Visitors, language: str, options: dict[str, Any]) -> None:
    page = visitors.come(language=language, bypass_csp=True, **options)
    found = []
    for name in screens(page, language):
        found += [f"{name}: {barrier}" for barrier in barriers(page)]
        width: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if width > 0:
            found.append(f"{name}: is {width} px too wide")
    assert not found, "\n".join(found)
