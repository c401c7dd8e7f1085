"""``make screenshots``: every screen, wide and on a phone, in the light and the dark theme."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[0] = str(ROOT / "tests")  # instead of this folder, which has a package `support`, too

from browser.support.screens import screens  # noqa: E402
from browser.support.session import server_and_browser  # noqa: E402
from browser.support.users import PHONE, WIDE, Users  # noqa: E402

TARGET = ROOT / "build" / "screenshots"
SIZES = {"wide": WIDE, "phone": PHONE}


def main() -> None:
    """Takes the screenshots."""
    with server_and_browser() as (browser, server):
        for size, viewport in SIZES.items():
            for theme in ("light", "dark"):
                page = Users(browser, server.address).new_page(
                    viewport=viewport, color_scheme=theme
                )
                for name in screens(page):
                    page.screenshot(
                        path=TARGET / f"{name}-{size}-{theme}.png", animations="disabled"
                    )
    sys.stdout.write(f"{len(list(TARGET.glob('*.png')))} screenshots in {TARGET}\n")


if __name__ == "__main__":
    main()
