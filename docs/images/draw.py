"""Redraws the pictures in this folder; run it after a change to ``patchwork.render``."""

from pathlib import Path

from patchwork.engine.greedy import greedy
from patchwork.render.svg import DARK, LIGHT, quilt, table
from patchwork.rules.game import Game
from patchwork.rules.setup import Setup

SEED, SEAT = 2732, 1
"""In this game, this seat fills all spaces except one."""
MIDDLE = 27
"""The table is drawn after this many moves."""


def pictures() -> dict[str, str]:
    """Returns the text of each picture by file name."""
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
