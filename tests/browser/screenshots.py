"""``make screenshots``: pictures of all screens, wide and on a phone, light and dark."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from browser.house import House  # noqa: E402
from browser.program import ARGUMENTS, NOT_FOUND, chromium  # noqa: E402
from browser.screens import screens  # noqa: E402
from browser.visitors import PHONE, WIDE, Visitors  # noqa: E402

TARGET = ROOT / "build" / "screenshots"
SIZES = {"wide": WIDE, "phone": PHONE}


def main() -> int:
    """Takes the pictures."""
    program = chromium()
    if program is None:
        sys.stderr.write(f"{NOT_FOUND}\n")
        return 1
    with (
        tempfile.TemporaryDirectory() as folder,
        House(Path(folder)) as house,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        for size, viewport in SIZES.items():
            for theme in ("light", "dark"):
                page = Visitors(browser, house.address).come(viewport=viewport, color_scheme=theme)
                for name in screens(page):
                    page.screenshot(
                        path=TARGET / f"{name}-{size}-{theme}.png", animations="disabled"
                    )
        browser.close()
    sys.stdout.write(f"{len(list(TARGET.glob('*.png')))} pictures in {TARGET}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
