"""Writes ``src/generated/art.ts``: the drawings of the library and the figures of the patches.

``make generated`` runs it; a test fails if the file is out of date. Colours that differ between the
light and the dark theme are CSS variables, named after the fields of ``Theme``.
"""

import json
from dataclasses import fields
from itertools import chain
from pathlib import Path

from patchwork.render.cloth.fabrics import CELL, FABRICS
from patchwork.render.cloth.patches import fabrics
from patchwork.render.icons import icons, token_pair
from patchwork.render.markup import reference
from patchwork.render.svg import BLOCKS, DARK, LIGHT, RUG, Theme
from patchwork.render.timeboard.look import HEIGHT, WIDTH
from patchwork.rules.patches import PATCHES
from patchwork.rules.timeboard import EDITIONS, INCOME_LINES

SEATS = "var(--seats-0)", "var(--seats-1)"
"""The colours of the seats, which the page chooses by the edition."""
GENERATED = Path(__file__).parents[1] / "src" / "generated"
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
    tokens = zip(("token0", "token1"), token_pair(SEATS, theme.seat_inks), strict=True)
    definitions = "".join(
        element.replace('id="?"', f'id="{reference(name, theme)[1:]}"', 1)
        for name, element in chain(fabrics(theme), icons(theme), tokens)
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
        "BOARD": {"width": WIDTH, "height": HEIGHT},
        "LOOKS": {
            look.name: {
                "drawing": look.ground(theme),
                "spaces": [_point(place) for place in look.spaces],
                "lines": [_point(place) for place in look.lines],
                "numbers": [[number, *_point(place)] for number, place in look.numbers.items()],
                "figures": look.figures,
                "tile": _point(look.tile),
            }
            for look in (RUG, BLOCKS)
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
        + "".join(
            f'\n:root[data-tokens="{edition.name}"] {{\n'
            f"  --seats-0: {first};\n  --seats-1: {second};\n}}\n"
            for edition in EDITIONS
            for first, second in (_variables().seats(edition),)
        )
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


FILES = {GENERATED / "art.ts": art, GENERATED / "colours.css": colours}

if __name__ == "__main__":
    for path, write in FILES.items():
        path.write_text(write(), encoding="utf-8")
