"""``make screenshots``: pictures of all screens, wide and on a phone, light and dark."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from browser.outing import outing  # noqa: E402
from browser.screens import screens  # noqa: E402
from browser.visitors import PHONE, WIDE, Visitors  # noqa: E402

TARGET = ROOT / "build" / "screenshots"
SIZES = {"wide": WIDE, "phone": PHONE}


def main() -> None:
    """Takes the pictures."""
    with outing() as (browser, house):
        for size, viewport in SIZES.items():
            for theme in ("light", "dark"):
                page = Visitors(browser, house.address).come(viewport=viewport, color_scheme=theme)
                for name in screens(page):
                    page.screenshot(
                        path=TARGET / f"{name}-{size}-{theme}.png", animations="disabled"
                    )
    sys.stdout.write(f"{len(list(TARGET.glob('*.png')))} pictures in {TARGET}\n")


if __name__ == "__main__":
    main()
