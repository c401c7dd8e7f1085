"""Drawings as documents, the table with its names, the colours, the pictures in the docs."""

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from patchwork.render.cloth.fabrics import lightness
from patchwork.render.svg import BLOCKS, DARK, LIGHT, Theme, circle, patch, quilt, table, time_board
from patchwork.rules.moves import Buy
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Position
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import CLASSIC, EDITIONS, REVISED, Edition
from support.svg import (
    THEMES,
    contrast,
    parse,
    patch_boxes,
    played,
    random_game,
    tag,
    texts,
    uses,
    view,
)

NAMESPACE = "{http://www.w3.org/2000/svg}"
IMAGES = Path(__file__).parents[2] / "docs" / "images"


def every_drawing(position: Position, theme: Theme) -> Iterator[str]:
    yield table(position, theme=theme)
    yield time_board(position, theme=theme)
    yield time_board(position, theme=theme, look=BLOCKS)
    yield circle(position, theme=theme)
    yield quilt(position.players[0].quilt, theme=theme)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_drawings_of_random_games_are_valid_documents(theme: Theme) -> None:
    for seed in range(4):
        game = random_game(seed)
        for position in game.positions()[:: 6 + seed]:
            for drawing in every_drawing(position, theme):
                root = parse(drawing)
                assert tag(root) == "svg"
                ids = [element.get("id") for element in root.iter() if element.get("id")]
                assert len(ids) == len(set(ids))
                used = set(re.findall(r'(?:url\(|href=")#([\w-]+)', drawing))
                assert used == set(ids), "defined and used names differ"
                assert all(f"-{theme.name}-" in name for name in used)


def test_drawings_have_no_scripts_and_no_external_references() -> None:
    game = played(1)
    drawing = table(game.position, (game.layout(0), game.layout(1)))
    assert not re.findall(r"https?:(?!//www\.w3\.org/2000/svg)", drawing)
    assert {tag(element) for element in parse(drawing).iter()} <= {
        *("svg", "defs", "g", "use", "pattern"),
        *("path", "rect", "circle", "polygon", "text"),
    }


def test_drawings_have_labels_for_screen_readers() -> None:
    start = Setup.random(0).start()
    assert [parse(drawing).get("aria-label") for drawing in every_drawing(start, LIGHT)] == [
        "Patchwork table",
        "Patchwork time board",
        "Patchwork time board",
        "Patchwork circle of patches",
        "Patchwork quilt",
    ]
    assert parse(patch(20)).get("aria-label") == "Patchwork patch 20"
    assert parse(patch(20)).get("role") == "img"


def test_same_input_gives_same_bytes() -> None:
    first, second = (played(5, 20) for _ in range(2))
    layouts = first.layout(0), first.layout(1)
    assert table(first.position, layouts) == table(
        second.position, (second.layout(0), second.layout(1))
    )
    assert table(first.position, layouts, theme=DARK) != table(first.position, layouts)


def test_table_stays_small() -> None:
    for game in (played(1, 0), played(1, 16), played(1)):
        assert len(table(game.position, (game.layout(0), game.layout(1))).encode()) < 120_000


def test_numbers_are_short() -> None:
    game = played(1, 16)
    drawings = [table(game.position, (game.layout(0), game.layout(1))), circle(game.position)]
    drawings += [patch(number) for number in range(len(PATCHES))]
    for drawing in drawings:
        assert not re.findall(r"\d\.\d{4,}|\de-", re.sub("#[0-9a-f]{6}", "", drawing))
        assert "-0 " not in drawing


def test_notebooks_show_the_table() -> None:
    game = played(3, 12)
    assert game.position._repr_svg_() == table(game.position)
    assert game._repr_svg_() == table(game.position, (game.layout(0), game.layout(1)))


# The table


def test_table_shows_both_seats() -> None:
    game = played(7, 24)
    position = game.position
    shown = texts(table(position, (game.layout(0), game.layout(1))))
    for seat in (0, 1):
        player = position.players[seat]
        figures = [str(player.buttons), f"+{player.income}"]
        score = str(position.scores[seat]).replace("-", "\N{MINUS SIGN}")
        assert [*figures, score] == shown[3 * seat : 3 * seat + 3]


def test_table_draws_both_layouts() -> None:
    game = played(7, 24)
    drawing = table(game.position, (game.layout(0), game.layout(1)))
    bought = sum(isinstance(move, Buy) for move in game.moves)
    assert len(patch_boxes(drawing)) == bought + len(game.position.circle) == 33


def test_table_marks_whose_decision_it_is() -> None:
    start = Setup.random(0).start()
    (left,) = uses(table(start), "pointer")
    (right,) = uses(table(replace(start, turn=1)), "pointer")
    assert left[0] < 200 < 400 < right[0]
    leather = table(replace(start, phase=Phase.LEATHER))
    assert not uses(leather, "pointer")
    assert len(uses(leather, "leather")) == 6
    over = played(7).position
    assert over.outcome is not None
    assert not uses(table(over), "pointer")
    (rosette,) = uses(table(over), "winner")
    assert (rosette[0] > 400) == bool(over.outcome.winner)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_offer_is_marked_until_the_game_is_over(theme: Theme) -> None:
    start, over = Setup.random(0).start(), played(7).position
    for draw in (table, circle):
        for position, marked in ((start, 3), (replace(start, phase=Phase.LEATHER), 3), (over, 0)):
            cards = [
                rectangle
                for rectangle in parse(draw(position, theme=theme)).iter(f"{NAMESPACE}rect")
                if rectangle.get("width") == "118"
            ]
            assert len(cards) == 3
            assert [card.get("fill") for card in cards].count(theme.active) == marked
            assert [card.get("stroke") for card in cards].count(theme.highlight) == marked


def test_table_shows_where_the_special_tile_is() -> None:
    start = Setup.random(0).start()
    spots = [uses(table(replace(start, tile=tile)), "tile")[0] for tile in (None, 0, 1)]
    assert spots[0][1] > 800
    assert spots[1][1] == spots[2][1] < 60
    assert spots[1][0] < 400 < spots[2][0]


HOSTILE = '</text><script>alert("1")</script>&amp;\x00\ud800'


def test_names_are_escaped_and_shortened() -> None:
    start = Setup.random(0).start()
    for name in ("Ada & <Grace>", HOSTILE, "ナ" * 40, "a" * 500, "#patchwork-light-fabric99)"):
        drawing = table(start, names=(name, "Émilie"))
        shown = texts(drawing)
        assert "Émilie" in shown
        assert not list(parse(drawing).iter("{http://www.w3.org/2000/svg}script"))
        assert len(drawing) < len(table(start)) + 1500
    assert "Ada & <Grace>" in texts(table(start, names=("Ada & <Grace>", "")))
    assert "a" * 22 + "…" in texts(table(start, names=("", "a" * 23)))
    assert "山田 太郎" in texts(table(start, names=("山田\u3000太郎\n", "")))
    assert "ナ" * 11 + "…" in texts(table(start, names=("", "ナ" * 12)))


def test_without_names_there_is_no_room_for_them() -> None:
    start = Setup.random(0).start()
    assert view(table(start))[1] < view(table(start, names=("a", "")))[1]


# Colours


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_text_has_contrast(theme: Theme) -> None:
    pairs = [
        *((theme.ink, ground) for ground in (theme.page, theme.panel, theme.active, theme.home)),
        *((theme.ink, rag) for rag in theme.rug),
        (theme.tag_ink, theme.tag),
        (theme.button_ink, theme.button),
        *zip(2 * theme.seat_inks, theme.seats(CLASSIC) + theme.seats(REVISED), strict=True),
    ]
    for one, other in pairs:
        assert contrast(one, other) >= 4.5, (one, other)
    # Anything other than text needs 3 to 1.
    assert contrast(theme.highlight, theme.page) >= 3
    assert contrast(theme.highlight, theme.active) >= 3


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_seats_differ_in_lightness(theme: Theme, edition: Edition) -> None:
    assert contrast(*theme.seats(edition)) > 3
    assert contrast(theme.cloth, theme.linen) > 1.5


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_tokens_stand_out_on_every_space(theme: Theme) -> None:
    for space in (*theme.rug, theme.home):
        assert max(contrast(ink, space) for ink in theme.seat_inks) >= 3


def test_tokens_and_frames_have_the_colours_of_their_edition() -> None:
    for edition, others in ((CLASSIC, REVISED), (REVISED, CLASSIC)):
        drawing = table(Setup.random(0, edition=edition).start())
        for colour, other in zip(LIGHT.seats(edition), LIGHT.seats(others), strict=True):
            assert drawing.count(colour) == 2  # the frame and the token
            assert other not in drawing


def test_lightness_is_that_of_wcag() -> None:
    assert lightness("#ffffff") == pytest.approx(1)
    assert lightness("#000000") == 0
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


# The pictures in the documentation


def test_pictures_are_what_the_script_draws() -> None:
    spec = spec_from_file_location("draw", IMAGES / "draw.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    drawn = script.pictures()
    assert set(drawn) == {"quilt.svg", "table-light.svg", "table-dark.svg"}
    for name, text in drawn.items():
        assert (IMAGES / name).read_text(encoding="utf-8") == text, (
            f"run docs/images/draw.py: {name}"
        )
