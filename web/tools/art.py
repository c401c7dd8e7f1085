"""Writes ``src/art.ts``: the library's drawings and the figures of the patches, for the page.

``python web/tools/art.py`` writes it anew; a test tells when it is out of date. Colours that
differ by light and dark are CSS variables, named after the fields of ``Theme``.
"""

import json
from dataclasses import fields
from itertools import chain
from pathlib import Path

from patchwork.render.fabrics import CELL, FABRICS
from patchwork.render.icons import icons
from patchwork.render.markup import reference
from patchwork.render.rug import HEIGHT, SHIFT, SPACES, WIDTH, braid, line_middle, middle
from patchwork.render.sewing import fabrics
from patchwork.render.theme import DARK, LIGHT, Theme
from patchwork.rules.patches import PATCHES
from patchwork.rules.timeboard import INCOME_LINES

SOURCE = Path(__file__).parents[1] / "src"
HEAD = "Written by web/tools/art.py. Do not edit."


def _variables() -> Theme:
    """Returns a theme whose colours the page fills in."""
    colours: dict[str, object] = {}
    for field in fields(Theme):
        value = getattr(LIGHT, field.name)
        colours[field.name] = (
            tuple(f"var(--{_css(field.name)}-{number})" for number in range(len(value)))
            if isinstance(value, tuple)
            else f"var(--{_css(field.name)})"
        )
    return Theme(**(colours | {"name": "page"}))  # type: ignore[arg-type]


def art() -> str:
    """Returns the module."""
    theme = _variables()
    definitions = "".join(
        element.replace('id="?"', f'id="{reference(name, theme)[1:]}"', 1)
        for name, element in chain(fabrics(theme), icons(theme))
    )
    values = {
        "CELL": CELL,
        "DEFINITIONS": definitions,
        "PATCHES": [
            {
                "rows": list(patch.rows),
                "cost": patch.cost,
                "time": patch.time,
                "income": patch.income,
                "seam": fabric.seam,
                "thread": fabric.thread,
            }
            for patch, fabric in zip(PATCHES, FABRICS, strict=True)
        ],
        "INCOME_LINES": list(INCOME_LINES),
        "BOARD": {
            "width": WIDTH,
            "height": HEIGHT,
            "shift": SHIFT,
            "drawing": braid(theme),
            "spaces": [_point(middle(number)) for number in range(SPACES)],
            "lines": [_point(line_middle(number)) for number in range(SPACES)],
        },
    }
    exports = "".join(
        f"export const {name} = {json.dumps(value, ensure_ascii=False)} as const;\n"
        for name, value in values.items()
    )
    return f"// {HEAD}\n\n{exports}"


def colours() -> str:
    """Returns the style sheet of the two themes."""
    return (
        f"/* {HEAD} */\n\n"
        f":root {{\n  color-scheme: light;\n{_rules(LIGHT)}}}\n\n"
        f':root[data-theme="dark"] {{\n  color-scheme: dark;\n{_rules(DARK)}}}\n'
    )


def _rules(theme: Theme) -> str:
    lines = []
    for field in fields(Theme):
        value = getattr(theme, field.name)
        if field.name == "name":
            continue
        if isinstance(value, tuple):
            lines += [f"--{_css(field.name)}-{i}: {each};" for i, each in enumerate(value)]
        else:
            lines.append(f"--{_css(field.name)}: {value};")
    return "".join(f"  {line}\n" for line in lines)


def _css(name: str) -> str:
    return name.replace("_", "-")


def _point(place: tuple[float, float]) -> list[float]:
    return [round(coordinate, 1) for coordinate in place]


FILES = {SOURCE / "art.ts": art, SOURCE / "colours.css": colours}

if __name__ == "__main__":
    for path, write in FILES.items():
        path.write_text(write(), encoding="utf-8")
