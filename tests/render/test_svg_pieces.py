"""The pieces of the drawings: fabrics, outlines, patches, quilts, the time board, the circle."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from math import dist
from random import Random

import pytest

from patchwork.render.cloth.fabrics import FABRICS
from patchwork.render.cloth.outline import outline
from patchwork.render.svg import (
    BLOCKS,
    DARK,
    LIGHT,
    RUG,
    Look,
    circle,
    patch,
    quilt,
    table,
    time_board,
)
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Position
from patchwork.rules.quilt import FULL, SIDE, cells, mask
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITIONS, INCOME_LINES, LAST, Edition
from support.svg import (
    NUMBER,
    THEMES,
    Box,
    contrast,
    parse,
    patch_boxes,
    played,
    random_game,
    tag,
    texts,
    uses,
    view,
    visible,
)


def at(position: Position, first: int, second: int, turn: int = 0) -> Position:
    """Returns the position with the tokens on other spaces."""
    players = position.players
    moved = replace(players[0], time=first), replace(players[1], time=second)
    return replace(position, players=moved, turn=turn)


def label_boxes(drawing: str) -> list[Box]:
    """Returns left, top, right and bottom of each label."""
    boxes = []
    for element, x, y, scale in visible(parse(drawing)):
        if tag(element) == "rect" and element.get("fill") in (LIGHT.tag, DARK.tag):
            left, top, width, height = (
                float(element.get(name, "")) for name in ("x", "y", "width", "height")
            )
            left, top = x + scale * left, y + scale * top
            boxes.append((left, top, left + scale * width, top + scale * height))
    return boxes


# Fabrics


def test_each_patch_has_a_fabric_of_its_own_even_without_colour() -> None:
    assert len(FABRICS) == len(PATCHES)
    shapes = [re.sub(r"#[0-9a-f]{6}", "", fabric.pattern()) for fabric in FABRICS]
    assert len(set(shapes)) == len(FABRICS)
    # Not even the same drawing at another size or angle.
    assert len({re.sub(NUMBER, "", shape) for shape in shapes}) >= len(FABRICS) - 4


def test_fabrics_show_their_print_in_grey() -> None:
    for number, fabric in enumerate(FABRICS):
        assert contrast(fabric.ground, fabric.ink) > 1.7, number


def test_a_drawing_defines_only_the_fabrics_it_shows() -> None:
    layout = ((7, PATCHES[7].placements[0]), (None, 1 << 80))
    drawing = quilt(PATCHES[7].placements[0] | 1 << 80, layout)
    assert re.findall(r'<pattern id="([^"]*)"', drawing) == ["patchwork-light-fabric7"]


# Outlines


def area(path: str) -> float:
    """Returns the area of a path of straight lines; loops the other way round are holes."""
    total = 0.0
    for loop in path.split("z")[:-1]:
        numbers = [float(n) for n in re.findall(NUMBER, loop)]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        for (x, y), (x2, y2) in pairwise([*points, points[0]]):
            total += (x * y2 - x2 * y) / 2
    return total


def test_outline_encloses_exactly_the_spaces() -> None:
    generator = Random(0)
    for _ in range(200):
        spaces = generator.getrandbits(81) | generator.getrandbits(81)
        assert area(outline(spaces, 10)) == 100 * spaces.bit_count()


def test_outline_of_holes_and_corners() -> None:
    hole = mask(("###", "#.#", "###"))
    assert outline(hole, 1).count("z") == 2
    assert area(outline(hole, 10, inset=1)) == 28 * 28 - 12 * 12
    touching = mask(("#.", ".#"))
    assert outline(touching, 1).count("z") == 2
    assert (
        outline(mask(("##",)), 10, radius=2)
        == "M18 0Q20 0 20 2L20 8Q20 10 18 10L2 10Q0 10 0 8L0 2Q0 0 2 0z"
    )


# Patches and quilts


@pytest.mark.parametrize("number", range(len(PATCHES)))
def test_patch_shows_shape_prices_and_income(number: int) -> None:
    for theme in THEMES:
        drawing = patch(number, theme=theme)
        (box,) = patch_boxes(drawing)
        rows = PATCHES[number].rows
        assert (box[2] - box[0]) / 40 == pytest.approx(len(rows[0]), abs=0.05)
        assert (box[3] - box[1]) / 40 == pytest.approx(len(rows), abs=0.05)
        assert texts(drawing) == [str(PATCHES[number].cost), str(PATCHES[number].time)]
        on_cloth = [
            (x, y) for x, y in uses(drawing, "button") if box[0] < x < box[2] and y < box[3]
        ]
        assert len(on_cloth) == PATCHES[number].income
        assert uses(drawing, "hourglass")


def test_buttons_are_sewn_on_cloth() -> None:
    for game in (played(2), played(4)):
        for seat in (0, 1):
            covered = game.position.players[seat].quilt
            drawing = quilt(covered, game.layout(seat))
            buttons = uses(drawing, "button")
            assert len(buttons) == game.position.players[seat].income
            found = {9 * int((y - 12) // 40) + int((x - 12) // 40) for x, y in buttons}
            assert len(found) == len(buttons)
            assert found <= set(cells(covered))


def test_quilt_draws_each_piece_of_the_layout_where_it_lies() -> None:
    game = played(6)
    for seat in (0, 1):
        layout = game.layout(seat)
        drawing = quilt(game.position.players[seat].quilt, layout)
        boxes = patch_boxes(drawing)
        sewn = [(number, spaces) for number, spaces in layout if number is not None]
        assert len(boxes) == len(sewn) > 5
        for (left, top, right, bottom), (_, spaces) in zip(boxes, sewn, strict=True):
            rows = {cell // SIDE for cell in cells(spaces)}
            columns = {cell % SIDE for cell in cells(spaces)}
            edges = min(columns), min(rows), max(columns) + 1, max(rows) + 1
            assert (left, top, right, bottom) == pytest.approx([12 + 40 * e for e in edges], abs=1)
        assert len(uses(drawing, "leather")) == len(layout) - len(sewn)
        assert 'class="cloth"' not in drawing


def test_quilt_without_layout_is_plain_cloth() -> None:
    covered = played(6).position.players[0].quilt
    drawing = quilt(covered)
    assert drawing.count('class="cloth"') == 1
    assert not patch_boxes(drawing)
    assert 'class="cloth"' not in quilt(0)
    assert parse(quilt(FULL)) is not None


def test_quilt_shows_what_a_layout_leaves_unexplained_as_plain_cloth() -> None:
    spaces = PATCHES[9].placements[0]
    drawing = quilt(spaces | 1 << 40, ((9, spaces),))
    assert len(patch_boxes(drawing)) == 1
    assert drawing.count('class="cloth"') == 1


# The time board

both_looks = pytest.mark.parametrize("look", [RUG, BLOCKS], ids=lambda look: look.name)


@both_looks
def test_spaces_follow_each_other_and_keep_apart(look: Look) -> None:
    start = Setup.random(0).start()
    middles = []
    for space in range(LAST + 1):
        (spot,) = uses(time_board(at(start, space, (space + 9) % 54), look=look), "token0")
        middles.append(spot)
    steps = [dist(a, b) for a, b in pairwise(middles)]
    assert max(steps) < 60
    assert min(dist(a, b) for a, b in combinations(middles, 2)) > 34
    width, height = view(time_board(start, look=look))
    centre = width / 2, height / 2
    assert dist(middles[LAST], centre) < dist(middles[0], centre)


@both_looks
@pytest.mark.parametrize("line", INCOME_LINES)
def test_income_buttons_lie_between_spaces(line: int, look: Look) -> None:
    board = time_board(at(Setup.random(0).start(), line - 1, line), look=look)
    ((before, after),) = zip(uses(board, "token0"), uses(board, "token1"), strict=True)
    buttons = uses(board, "button")
    assert len(buttons) == len(INCOME_LINES)
    nearest = min(buttons, key=lambda spot: dist(spot, before) + dist(spot, after))
    assert dist(nearest, before) < 40
    assert dist(nearest, after) < 40


@both_looks
@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
def test_leather_lies_at_its_lines_until_taken(edition: Edition, look: Look) -> None:
    start = Setup.random(0, edition=edition).start()
    assert len(uses(time_board(start, look=look), "leather")) == 5
    for line in edition.leather:
        board = time_board(replace(at(start, line - 1, line), leather=(line,)), look=look)
        (piece,) = uses(board, "leather")
        assert dist(piece, uses(board, "token0")[0]) < 40
        assert dist(piece, uses(board, "token1")[0]) < 40


@both_looks
@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("space", [0, 30, LAST])
def test_T2_token_on_top_is_the_one_that_moves_first(turn: int, space: int, look: Look) -> None:
    board = time_board(at(Setup.random(0).start(), space, space, turn), look=look)
    drawn = re.findall(r'href="#patchwork-light-classic-token(\d)"', board)
    assert drawn == [str(1 - turn), str(turn)]
    lower, upper = uses(board, f"token{1 - turn}")[0], uses(board, f"token{turn}")[0]
    assert 15 < dist(lower, upper) < 30, "the lower token must stay visible"


@both_looks
def test_time_board_is_numbered(look: Look) -> None:
    shown = texts(time_board(Setup.random(0).start(), look=look))
    assert shown == [*(str(number) for number in range(0, 51, 5)), "53"]


def test_no_token_hides_the_first_and_the_last_number_on_the_blocks() -> None:
    for space in (0, LAST):
        assert dist(BLOCKS.spaces[space], BLOCKS.numbers[space]) > 50


# The circle


def overlap(a: Box, b: Box) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1


def circles() -> Iterator[Position]:
    for seed in range(3):
        yield from random_game(seed).positions()[::9]
        yield played(seed).position
    last = played(0).position
    for left in (1, 2, 3, 4, 5):
        yield replace(last, circle=last.circle[:1] + tuple(range(1, left)))


def test_circle_keeps_patches_and_labels_apart_and_on_the_page() -> None:
    for position in circles():
        for drawing in (circle(position), table(position)):
            width, height = view(drawing)
            boxes, labels = patch_boxes(drawing), label_boxes(drawing)
            assert len(boxes) == len(labels) == len(position.circle)
            ((x, y),) = uses(drawing, "neutral")
            boxes.append((x - 14, y - 18, x + 14, y + 18))
            for left, top, right, bottom in boxes + labels:
                assert 3 < left < right < width - 3
                assert 3 < top < bottom < height - 3
            for a, b in combinations(boxes + labels, 2):
                assert not overlap(a, b), position


@both_looks
def test_table_keeps_circle_off_the_time_board(look: Look) -> None:
    for position in circles():
        drawing = table(position, look=look)
        spots = uses(drawing, "token0") + uses(drawing, "button")[-9:] + uses(drawing, "leather")
        for box in patch_boxes(drawing) + label_boxes(drawing):
            for x, y in spots:
                assert not overlap(box, (x - 14, y - 14, x + 14, y + 14))


def test_circle_runs_clockwise_from_the_neutral_token_and_shows_prices() -> None:
    position = Setup.random(11).start()
    drawing = circle(position)
    order = [int(n) for n in re.findall(r'class="patch"[^>]*-fabric(\d+)\)', drawing)]
    assert order == list(position.circle)
    prices = [str(n) for p in position.circle for n in (PATCHES[p].cost, PATCHES[p].time)]
    assert texts(drawing) == prices
    boxes = patch_boxes(drawing)
    middles = [((left + right) / 2, (top + bottom) / 2) for left, top, right, bottom in boxes]
    spool = uses(drawing, "neutral")[0]
    assert spool[0] < middles[0][0] < middles[1][0] < middles[2][0]
    assert dist(spool, middles[-1]) < 120
    # Twice the area inside a walk is positive when it is clockwise, with y pointing down.
    assert sum(x * y2 - x2 * y for (x, y), (x2, y2) in pairwise(middles)) > 0


def test_offer_is_larger_than_the_rest() -> None:
    position = Setup.random(11).start()
    for drawing in (circle(position), table(position)):
        sides = [
            (right - left) / len(PATCHES[number].rows[0])
            for number, (left, _, right, _) in zip(
                position.circle, patch_boxes(drawing), strict=True
            )
        ]
        assert min(sides[:3]) > 1.2 * max(sides[3:])
        assert drawing.count(f'fill="{LIGHT.active}" stroke="{LIGHT.highlight}"') >= 3
