"""Draws the pictures in this folder anew; run it after a change to ``patchwork.render``."""

from pathlib import Path

from patchwork.engine.greedy import greedy
from patchwork.render.svg import DARK, LIGHT, quilt, table
from patchwork.rules.game import Game
from patchwork.rules.setup import Setup

SEED, SEAT = 2732, 1
"""A game in which this seat fills all spaces but one."""
MIDDLE = 27
"""Moves played when the table is drawn."""


def pictures() -> dict[str, str]:
    """Returns the text of every picture by its file name."""
    drawn = {}
    game = Game(Setup.random(SEED))
    while game.position.outcome is None:
        if len(game.moves) == MIDDLE:
            layouts = game.layout(0), game.layout(1)
            for theme in (LIGHT, DARK):
                drawn[f"table-{theme.name}.svg"] = table(game.position, layouts, theme=theme)
        game.push(greedy(game.position))
    drawn["quilt.svg"] = quilt(game.position.players[SEAT].quilt, game.layout(SEAT))
    return drawn


if __name__ == "__main__":
    for name, text in pictures().items():
        Path(__file__).with_name(name).write_text(text, encoding="utf-8", newline="\n")
