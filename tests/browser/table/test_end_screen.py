"""The end of a game: the scoring, and what can be saved or shared."""

import re
from base64 import b64encode
from pathlib import Path
from xml.etree import ElementTree

from playwright.sync_api import Page, expect

import patchwork as pw
from browser.support.screens import play_until
from browser.support.server import LiveServer
from browser.support.table import TablePage, with_minus_signs
from browser.support.users import Users
from patchwork.engine.baselines.greedy import greedy
from patchwork.locales import messages

say = messages("en")


def open_finished_game(page: Page) -> str:
    """Opens a finished game, and returns its id."""
    state = play_until(page, lambda game: game.position.outcome is not None)
    game: str = state["table"]["id"]
    page.goto(f"/tables/{game}")
    expect(page.get_by_role("grid")).to_have_count(2)
    return game


def test_the_scoring_is_shown_step_by_step(users: Users, server: LiveServer) -> None:
    page = users.new_page(reduced_motion="no-preference")
    state = play_until(page, lambda game: _one_move_left(game))
    page.goto(f"/tables/{state['table']['id']}")
    table = TablePage(page, server)
    expect(table.quilt).to_be_visible()
    position = pw.Position.parse(table.state()["position"]["text"])
    # Timers run ten times slower, so that the first steps are seen even on a busy machine.
    page.evaluate("""() => {
      const { setTimeout } = window;
      window.setTimeout = (run, wait) => setTimeout(run, 10 * wait);
    }""")
    page.request.post(
        f"/api/tables/{table.id}/actions",
        data={"t": "move", "id": "last", "seq": table.seq, "move": str(greedy(position))},
    )
    skip = page.get_by_role("button", name=say("page-table-skip"))
    expect(skip).to_be_visible()
    empty = page.get_by_role("row", name=say("page-table-step-empty"))
    expect(empty).to_have_css("opacity", "0")
    page.keyboard.press("Shift")
    expect(skip).to_have_count(0)
    expect(empty).to_have_css("opacity", "1")
    total = page.get_by_role("row", name=say("page-table-step-total"))
    for score in table.state()["status"]["ending"]["scores"]:
        expect(total).to_contain_text(with_minus_signs(str(score)))
    # Back from the table, or after a reload, all steps are shown at once.
    table.button("page-table-look").click()
    table.button("page-table-to-scores").click()
    expect(empty).to_have_css("opacity", "1")
    page.reload()
    expect(empty).to_have_css("opacity", "1")


def _one_move_left(game: pw.Game) -> bool:
    return game.position.play(greedy(game.position)).outcome is not None


def test_the_end_screen_fits_on_a_laptop(users: Users) -> None:
    page = users.new_page()
    open_finished_game(page)
    beyond: int = page.evaluate("document.documentElement.scrollHeight - innerHeight")
    assert beyond <= 0


def test_the_picture_is_saved_as_svg_and_as_png(users: Users, tmp_path: Path) -> None:
    page = users.new_page()
    game = open_finished_game(page)
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=say("page-table-picture", format=kind)).click()
        assert download.value.suggested_filename == f"patchwork-{game}.{kind.lower()}"
        download.value.save_as(tmp_path / f"picture.{kind.lower()}")
    svg = (tmp_path / "picture.svg").read_text("utf-8")
    ElementTree.fromstring(svg)  # well-formed
    assert "var(" not in svg
    assert {"Ann", "Bob"} <= set(re.findall(r">(\w+)</text>", svg))
    ids = set(re.findall(r'id="([^"]+)"', svg))
    assert set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg))
    for one, other in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg):
        assert (one or other) in ids
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    # There are many colours only if the fabrics of the patches are drawn.
    page.goto("/rules")  # any page will do, for its canvas
    data = (tmp_path / "picture.png").read_bytes()
    colours: int = page.evaluate(
        """async text => {
          const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
          const bitmap = await createImageBitmap(new Blob([bytes]));
          const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
          canvas.drawImage(bitmap, 0, 0);
          const dots = canvas.getImageData(100, 280, 700, 700).data;
          const seen = new Set();
          for (let i = 0; i < dots.length; i += 4) {
            seen.add((dots[i] >> 5) * 64 + (dots[i + 1] >> 5) * 8 + (dots[i + 2] >> 5));
          }
          return seen.size;
        }""",
        b64encode(data).decode(),  # passing a list of millions of numbers would take long
    )
    assert colours > 40


def test_the_record_is_downloaded_and_the_link_copied(users: Users, server: LiveServer) -> None:
    page = users.new_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    game = open_finished_game(page)
    with page.expect_download() as download:
        page.get_by_role("link", name=say("page-table-record")).click()
    assert download.value.suggested_filename == f"{game}.patchwork"
    record = Path(download.value.path()).read_text("utf-8")
    assert record == server.get(f"/api/tables/{game}/record").text
    page.get_by_role("button", name=say("page-table-copy")).click()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.get_by_role("link", name=say("page-table-replay")).click()
    expect(page.get_by_role("slider")).to_be_visible()


def test_the_link_is_shared_where_the_device_supports_it(users: Users) -> None:
    page = users.new_page()
    page.context.add_init_script("navigator.share = async data => { window.shared = data; };")
    open_finished_game(page)
    page.get_by_role("button", name=say("page-table-share"), exact=True).click()
    assert page.evaluate("window.shared") == {"title": "Patchwork", "url": page.url}
