"""Overlays are valid documents, show their data, and never rely on colour alone."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

import patchwork as pw
from patchwork.render.overlays import (
    Place,
    Worth,
    course,
    filling,
    placements,
    prospects,
    values,
)
from patchwork.render.overlays.filling_map import SHADES, ink_on, shade
from patchwork.render.svg import DARK, LIGHT, Theme, circle, quilt
from patchwork.rules.quilt import cells
from support.svg import (
    THEMES,
    Box,
    contrast,
    parse,
    patch_boxes,
    played,
    tag,
    texts,
    uses,
    view,
    visible,
)

themes = pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
CHANCES = [cell / 80 for cell in range(81)]
GAME = played(7, 20)
POSITION = GAME.position
QUILT = POSITION.players[0].quilt


def places(count: int) -> list[Place]:
    """Returns places of the smallest patch that fit."""
    free = [spaces for spaces in pw.PATCHES[0].placements if not spaces & QUILT]
    return [Place(spaces, 0.6 - 0.01 * rank, 3 - rank) for rank, spaces in enumerate(free[:count])]


def worths(position: pw.Position) -> dict[int, Worth]:
    return {
        patch: Worth(0.4 + number / 10, number - 1.5) for number, patch in enumerate(position.offer)
    }


def every_overlay(theme: Theme) -> Iterator[str]:
    yield filling(QUILT, CHANCES, theme=theme)
    yield filling(QUILT, CHANCES, GAME.layout(0), theme=theme)
    yield placements(QUILT, places(3), GAME.layout(0), theme=theme)
    yield values(POSITION, worths(POSITION), Worth(0.5, 1.0), theme=theme)
    for edition in (pw.CLASSIC, pw.REVISED):
        yield prospects((0.3, 0.7), (-4.0, 20.5), edition=edition, theme=theme)
        yield course((0.5, 0.6, 1.0), edition=edition, theme=theme)


@themes
def test_overlays_are_valid_documents(theme: Theme) -> None:
    for drawing in every_overlay(theme):
        root = parse(drawing)
        assert tag(root) == "svg"
        assert root.get("role") == "img"
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        used = set(re.findall(r'(?:url\(|href=")#([\w-]+)', drawing))
        assert used == set(ids), "defined and used names differ"
        assert len(ids) == len(set(ids))
        assert not re.findall(r"\d\.\d{4,}|\de-", re.sub("#[0-9a-f]{6}", "", drawing))
        assert {tag(element) for element in root.iter()} <= {
            *("svg", "defs", "g", "use", "pattern"),
            *("path", "rect", "circle", "polygon", "text"),
        }


# Filling


def chance_boxes(drawing: str) -> dict[int, str]:
    """Returns the shade of each space that has one."""
    found = {}
    for element, x, y, _ in visible(parse(drawing)):
        if element.get("class") == "chance":
            cell = 9 * int((y - 28) // 40) + int((x - 28) // 40)
            assert cell not in found
            found[cell] = element.get("fill", "")
    return found


@themes
def test_an_empty_quilt_has_81_shades_and_figures(theme: Theme) -> None:
    drawing = filling(0, CHANCES, theme=theme)
    boxes = chance_boxes(drawing)
    assert boxes == {cell: shade(CHANCES[cell], theme) for cell in range(81)}
    assert texts(drawing)[:81] == [f"{100 * chance:.0f}" for chance in CHANCES]


def test_filled_spaces_keep_their_cloth() -> None:
    drawing = filling(QUILT, CHANCES, GAME.layout(0))
    assert set(chance_boxes(drawing)) == set(range(81)) - set(cells(QUILT))
    assert len(patch_boxes(drawing)) == len(patch_boxes(quilt(QUILT, GAME.layout(0)))) > 2


def test_the_label_gives_every_chance_and_the_sum() -> None:
    label = parse(filling(QUILT, CHANCES)).get("aria-label") or ""
    expected = sum(1 if QUILT >> cell & 1 else CHANCES[cell] for cell in range(81))
    assert f"{expected:.1f} of 81 spaces" in label
    assert label.count("filled") == QUILT.bit_count()
    assert len(re.findall(r"\d%", label)) == 81 - QUILT.bit_count()


@themes
def test_shades_differ_in_lightness_and_their_figures_can_be_read(theme: Theme) -> None:
    shades = [shade((step + 0.5) / SHADES, theme) for step in range(SHADES)]
    steps = [contrast(one, shades[0]) for one in shades]
    assert steps == sorted(steps)
    assert all(later > 1.15 * earlier for earlier, later in pairwise(steps))
    for colour in shades:
        assert contrast(ink_on(colour, theme), colour) >= 4.5
    assert shade(0.0, theme) == theme.linen
    assert shade(1.0, theme) == shades[-1]


def test_the_legend_names_every_shade() -> None:
    dash = "\N{EN DASH}"
    ranges = [words.split(dash) for words in texts(filling(0, CHANCES)) if dash in words]
    assert ranges == [["0", "20"], ["20", "40"], ["40", "60"], ["60", "80"], ["80", "100"]]


@pytest.mark.parametrize("chances", [[0.5] * 80, [0.5] * 82, [1.1] * 81, [float("nan")] * 81])
def test_wrong_chances_are_refused(chances: list[float]) -> None:
    with pytest.raises(ValueError, match="81 probabilities"):
        filling(0, chances)


# Places


def test_places_are_outlined_with_rank_and_worth() -> None:
    drawing = placements(QUILT, places(3), GAME.layout(0))
    assert drawing.count('class="place"') == 3
    shown = texts(drawing)
    assert shown == [
        *("3", "2", "1"),
        *("1", "60.0%", "+3.0", "2", "59.0%", "+2.0", "3", "58.0%", "+1.0"),
    ]
    outlines = re.findall(r'class="place"[^>]*', drawing)
    assert len({re.sub(r' d="[^"]*"', "", outline) for outline in outlines}) == 3, "alike"


def test_each_rank_stands_on_its_own_place_and_on_no_other() -> None:
    overlapping = [Place(0b11, 0.5, 0), Place(0b110, 0.4, 0), Place(0b11 << 9, 0.3, 0)]
    drawing = placements(0, overlapping)
    spots = [
        (float(element.get("cx", "")) + x, float(element.get("cy", "")) + y)
        for element, x, y, _ in visible(parse(drawing))
        if tag(element) == "circle"
        and float(element.get("cy", "")) + y < 390
        and element.get("r") == "11.5"
    ][2::-1]
    found = [9 * int((y - 28) // 40) + int((x - 28) // 40) for x, y in spots]
    assert len(set(found)) == 3
    assert found == [0, 2, 9]


def test_the_label_names_the_places() -> None:
    label = parse(placements(0, [Place(0b11 << 9, 0.5, -2.25)])).get("aria-label") or ""
    assert "1: a2 b2, 50.0% to win and \N{MINUS SIGN}2.2 points" in label


def test_no_place_is_drawn_as_a_bare_quilt() -> None:
    assert 'class="place"' not in placements(QUILT, [])


@pytest.mark.parametrize("spaces", [0, QUILT & -QUILT])
def test_places_without_empty_spaces_are_refused(spaces: int) -> None:
    with pytest.raises(ValueError, match="a place must cover one or more empty spaces"):
        placements(QUILT, [Place(spaces, 0.5, 0)])


# Values


def worth_boxes(drawing: str) -> list[Box]:
    boxes = []
    for element, x, y, _ in visible(parse(drawing)):
        if element.get("class") == "worth":
            left, top, width, height = (
                float(element.get(name, "")) for name in ("x", "y", "width", "height")
            )
            boxes.append((x + left, y + top, x + left + width, y + top + height))
    return boxes


def test_each_patch_shows_what_it_gains_over_an_advance() -> None:
    start = pw.Setup.random(3).start()
    drawing = values(start, worths(start), Worth(0.5, 0.5))
    shown = texts(drawing)[-8:]
    assert shown == [
        *("\N{MINUS SIGN}10.0%", "\N{MINUS SIGN}2.0"),
        *("0.0%", "\N{MINUS SIGN}1.0"),
        *("+10.0%", "0.0"),
        *("50.0%", "+0.5"),
    ]
    label = parse(drawing).get("aria-label") or ""
    assert all(f"patch {patch} " in label for patch in start.offer)


@pytest.mark.parametrize(
    ("advance", "frames"), [(0.5, ["1.5", "1.5", "4", "1.5"]), (0.7, ["1.5", "1.5", "1.5", "4"])]
)
def test_only_the_best_of_all_has_a_thick_frame(advance: float, frames: list[str]) -> None:
    start = pw.Setup.random(3).start()
    drawing = values(start, worths(start), Worth(advance, 0.5))
    assert re.findall(r'class="worth"[^>]*stroke-width="([\d.]+)"', drawing) == frames


def test_patches_that_cannot_be_bought_show_nothing() -> None:
    start = pw.Setup.random(3).start()
    drawing = values(start, {start.offer[1]: Worth(0.5, 0.0)}, Worth(0.5, 0.0))
    assert drawing.count('class="worth"') == 2
    assert drawing.startswith(circle(start)[:60])
    assert values(start, {}, Worth(0.5, 0.0)).count('class="worth"') == 1


def test_a_patch_not_on_offer_is_refused() -> None:
    start = pw.Setup.random(3).start()
    with pytest.raises(ValueError, match=f"patch {start.circle[3]} is not on offer"):
        values(start, {start.circle[3]: Worth(0.5, 0.0)}, Worth(0.5, 0.0))


def test_values_cover_no_patch_and_stay_on_the_page() -> None:
    for seed in range(3):
        for moves in range(0, 60, 6):
            position = played(seed, moves).position
            drawing = values(position, worths(position), Worth(0.5, 0.0))
            width, height = view(drawing)
            boxes = worth_boxes(drawing)
            assert len(boxes) == len(position.offer) + 1
            for left, top, right, bottom in boxes:
                assert 0 < left < right < width
                assert 0 < top < bottom < height
                for one, two, three, four in patch_boxes(drawing):
                    apart = right < one or three < left or bottom < two or four < top
                    assert apart, (seed, moves)
            for number, box in enumerate(boxes):
                for other in boxes[number + 1 :]:
                    assert box[2] <= other[0] or box[3] <= other[1]


# Bar and course


@pytest.mark.parametrize("first", [0.0, 0.02, 0.3, 0.5, 0.98, 1.0])
def test_the_bar_shows_both_seats(first: float) -> None:
    drawing = prospects((first, 1 - first), (12.34, -5.06), edition=pw.REVISED)
    assert texts(drawing) == [
        f"{100 * first:.0f}%",
        "12.3",
        f"{100 * (1 - first):.0f}%",
        "\N{MINUS SIGN}5.1",
    ]
    assert len(uses(drawing, "token0")) == len(uses(drawing, "token1")) == 1
    assert (LIGHT.seats(pw.REVISED)[0] in drawing.split("</defs>")[1]) == (first > 0.01)


@pytest.mark.parametrize("win", [(0.5, 0.6), (-0.1, 1.1), (float("nan"), 0.5)])
def test_wrong_probabilities_are_refused(win: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        prospects(win, (0.0, 0.0))


def test_a_course_goes_through_every_probability() -> None:
    drawing = course([0.5, 0.25, 1.0, 0.0], theme=DARK)
    assert "M0 100L213.3 150L426.7 0L640 200" in drawing
    label = parse(drawing).get("aria-label") or ""
    assert label.endswith("50% 25% 100% 0%")


def test_a_course_needs_two_probabilities_from_0_to_1() -> None:
    with pytest.raises(ValueError, match="two probabilities or more"):
        course([0.5])
    with pytest.raises(ValueError, match="sum to 1"):
        course([0.5, 1.5])
