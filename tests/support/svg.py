"""Helpers for the tests of drawings: games to draw, and functions that read a drawing."""

import re
from collections.abc import Iterator
from random import Random
from xml.etree import ElementTree

from patchwork.engine.baselines.greedy import greedy
from patchwork.render.cloth.fabrics import lightness
from patchwork.render.svg import DARK, LIGHT
from patchwork.rules.game import Game
from patchwork.rules.position import Phase
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import CLASSIC, REVISED

THEMES = (LIGHT, DARK)
NUMBER = r"-?\d*\.?\d+"
Box = tuple[float, float, float, float]


def parse(drawing: str) -> ElementTree.Element:
    return ElementTree.fromstring(drawing)


def played(seed: int, moves: int = 200) -> Game:
    """Returns a game played by ``greedy``, to its end or for some moves."""
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


def tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def texts(drawing: str) -> list[str]:
    shown = [element for element, _, _, _ in visible(parse(drawing))]
    return [element.text or "" for element in shown if tag(element) == "text"]


def uses(drawing: str, name: str) -> list[tuple[float, float]]:
    """Returns the places of an icon, in the order drawn."""
    return [
        (x, y)
        for element, x, y, _ in visible(parse(drawing))
        if element.get("href", "").endswith(f"-{name}")
    ]


def visible(
    element: ElementTree.Element, x: float = 0, y: float = 0, scale: float = 1
) -> Iterator[tuple[ElementTree.Element, float, float, float]]:
    """Yields each drawn element with its origin and its scale."""
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


def view(drawing: str) -> tuple[float, float]:
    left, top, width, height = map(float, parse(drawing).get("viewBox", "").split())
    assert (left, top) == (0, 0)
    return width, height


def contrast(one: str, other: str) -> float:
    """Returns the contrast ratio of WCAG 2."""
    low, high = sorted((lightness(one), lightness(other)))
    return (high + 0.05) / (low + 0.05)
