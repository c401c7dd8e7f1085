"""The drawings: well-formed, complete, legible, the same every time."""

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from itertools import combinations, pairwise
from math import dist
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from patchwork.engine.greedy import greedy
from patchwork.render.fabrics import FABRICS, lightness
from patchwork.render.outline import outline
from patchwork.render.svg import DARK, LIGHT, Theme, circle, patch, quilt, table, time_board
from patchwork.rules.game import Game
from patchwork.rules.moves import Buy
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Position
from patchwork.rules.quilt import FULL, SIDE, cells, mask
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import CLASSIC, INCOME_LINES, LAST, REVISED

THEMES = (LIGHT, DARK)
IMAGES = Path(__file__).parents[1] / "docs" / "images"
NUMBER = r"-?\d*\.?\d+"
Box = tuple[float, float, float, float]


def parse(drawing: str) -> ElementTree.Element:
    return ElementTree.fromstring(drawing)


def played(seed: int, moves: int = 200) -> Game:
    """Returns a game of which all or the first moves were played by the yardstick."""
    game = Game(Setup.random(seed))
    while game.position.phase is not Phase.OVER and len(game.moves) < moves:
        game.push(greedy(game.position))
    return game


def random_game(seed: int) -> Game:
    generator = Random(seed)
    game = Game(Setup.random(seed, edition=(CLASSIC, REVISED)[seed % 2], first=seed % 2))
    while game.position.phase is not Phase.OVER:
        game.push(generator.choice(game.position.legal_moves()))
    return game


def at(position: Position, first: int, second: int, turn: int = 0) -> Position:
    """Returns the position with the tokens on other spaces."""
    players = position.players
    moved = replace(players[0], time=first), replace(players[1], time=second)
    return replace(position, players=moved, turn=turn)


def tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def texts(drawing: str) -> list[str]:
    shown = [element for element, _, _, _ in visible(parse(drawing))]
    return [element.text or "" for element in shown if tag(element) == "text"]


def uses(drawing: str, name: str) -> list[tuple[float, float]]:
    """Returns where an icon stands, in the order drawn."""
    return [
        (x, y)
        for element, x, y, _ in visible(parse(drawing))
        if element.get("href", "").endswith(f"-{name}")
    ]


def visible(
    element: ElementTree.Element, x: float = 0, y: float = 0, scale: float = 1
) -> Iterator[tuple[ElementTree.Element, float, float, float]]:
    """Yields what is drawn, with the place of its origin and its scale."""
    if tag(element) == "defs":
        return
    transform = element.get("transform", "")
    if move := re.match(rf"translate\(({NUMBER}) ({NUMBER})\)", transform):
        x, y = x + scale * float(move[1]), y + scale * float(move[2])
    if size := re.search(rf"scale\(({NUMBER})\)", transform):
        scale *= float(size[1])
    yield element, x, y, scale
    for child in element:
        yield from visible(child, x, y, scale)


def patch_boxes(drawing: str) -> list[Box]:
    """Returns left, top, right and bottom of each patch."""
    boxes = []
    for element, x, y, scale in visible(parse(drawing)):
        if element.get("class") == "patch":
            numbers = [float(n) for n in re.findall(NUMBER, element.get("d", ""))]
            xs, ys = numbers[::2], numbers[1::2]
            boxes.append(
                (x + scale * min(xs), y + scale * min(ys), x + scale * max(xs), y + scale * max(ys))
            )
    return boxes


def label_boxes(drawing: str) -> list[Box]:
    """Returns left, top, right and bottom of each price tag."""
    boxes = []
    for element, x, y, scale in visible(parse(drawing)):
        if tag(element) == "rect" and element.get("fill") in (LIGHT.tag, DARK.tag):
            left, top, width, height = (
                float(element.get(name, "")) for name in ("x", "y", "width", "height")
            )
            left, top = x + scale * left, y + scale * top
            boxes.append((left, top, left + scale * width, top + scale * height))
    return boxes


def view(drawing: str) -> tuple[float, float]:
    left, top, width, height = map(float, parse(drawing).get("viewBox", "").split())
    assert (left, top) == (0, 0)
    return width, height


def every_drawing(position: Position, theme: Theme) -> Iterator[str]:
    yield table(position, theme=theme)
    yield time_board(position, theme=theme)
    yield circle(position, theme=theme)
    yield quilt(position.players[0].quilt, theme=theme)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_drawings_of_random_games_are_sound_documents(theme: Theme) -> None:
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


def test_drawings_refer_to_nothing_outside_and_run_nothing() -> None:
    game = played(1)
    drawing = table(game.position, (game.layout(0), game.layout(1)))
    assert not re.findall(r"https?:(?!//www\.w3\.org/2000/svg)", drawing)
    assert {tag(element) for element in parse(drawing).iter()} <= {
        *("svg", "defs", "g", "use", "pattern"),
        *("path", "rect", "circle", "polygon", "text"),
    }


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


# Fabrics


def test_each_patch_has_a_fabric_of_its_own_even_without_colour() -> None:
    assert len(FABRICS) == len(PATCHES)
    shapes = [re.sub(r"#[0-9a-f]{6}", "", fabric.pattern()) for fabric in FABRICS]
    assert len(set(shapes)) == len(FABRICS)
    # Not even the same drawing in another size or at another angle.
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


def test_spaces_follow_each_other_and_keep_apart() -> None:
    start = Setup.random(0).start()
    middles = []
    for space in range(LAST + 1):
        (spot,) = uses(time_board(at(start, space, (space + 9) % 54)), "token0")
        middles.append(spot)
    steps = [dist(a, b) for a, b in pairwise(middles)]
    assert max(steps) < 60
    assert min(dist(a, b) for a, b in combinations(middles, 2)) > 34
    width, height = view(time_board(start))
    centre = width / 2, height / 2
    assert dist(middles[LAST], centre) < dist(middles[0], centre)


@pytest.mark.parametrize("line", INCOME_LINES)
def test_income_buttons_lie_between_spaces(line: int) -> None:
    board = time_board(at(Setup.random(0).start(), line - 1, line))
    ((before, after),) = zip(uses(board, "token0"), uses(board, "token1"), strict=True)
    buttons = uses(board, "button")
    assert len(buttons) == len(INCOME_LINES)
    nearest = min(buttons, key=lambda spot: dist(spot, before) + dist(spot, after))
    assert dist(nearest, before) < 40
    assert dist(nearest, after) < 40


@pytest.mark.parametrize("edition", [CLASSIC, REVISED], ids=lambda edition: edition.name)
def test_leather_lies_at_its_lines_until_taken(edition: object) -> None:
    chosen = CLASSIC if edition is CLASSIC else REVISED
    start = Setup.random(0, edition=chosen).start()
    assert len(uses(time_board(start), "leather")) == 5
    for line in chosen.leather:
        board = time_board(replace(at(start, line - 1, line), leather=(line,)))
        (piece,) = uses(board, "leather")
        assert dist(piece, uses(board, "token0")[0]) < 40
        assert dist(piece, uses(board, "token1")[0]) < 40


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("space", [0, 30, LAST])
def test_T2_token_on_top_is_the_one_that_moves_first(turn: int, space: int) -> None:
    board = time_board(at(Setup.random(0).start(), space, space, turn))
    drawn = re.findall(r'href="#patchwork-light-token(\d)"', board)
    assert drawn == [str(1 - turn), str(turn)]
    lower, upper = uses(board, f"token{1 - turn}")[0], uses(board, f"token{turn}")[0]
    assert 15 < dist(lower, upper) < 30, "the lower token must stay visible"


def test_time_board_is_numbered() -> None:
    shown = texts(time_board(Setup.random(0).start()))
    assert shown == [*(str(number) for number in range(0, 51, 5)), "53"]


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


def test_table_keeps_circle_off_the_time_board() -> None:
    for position in circles():
        drawing = table(position)
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


def contrast(one: str, other: str) -> float:
    """Returns the contrast ratio of WCAG 2."""
    low, high = sorted((lightness(one), lightness(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_writing_has_contrast(theme: Theme) -> None:
    pairs = [
        *((theme.ink, ground) for ground in (theme.page, theme.panel, theme.active, theme.home)),
        *((theme.ink, rag) for rag in theme.rug),
        (theme.tag_ink, theme.tag),
        (theme.button_ink, theme.button),
        *zip(theme.seat_inks, theme.seats, strict=True),
    ]
    for one, other in pairs:
        assert contrast(one, other) >= 4.5, (one, other)
    # What is not writing needs 3 to 1.
    assert contrast(theme.highlight, theme.page) >= 3
    assert contrast(theme.highlight, theme.active) >= 3


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_seats_differ_in_lightness(theme: Theme) -> None:
    assert contrast(*theme.seats) > 3
    assert contrast(theme.cloth, theme.linen) > 1.5


def test_lightness_is_that_of_wcag() -> None:
    assert lightness("#ffffff") == pytest.approx(1)
    assert lightness("#000000") == 0
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


# The pictures of the documentation


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
