"""SVG markup: numbers, elements, references, and the document round them.

Drawing functions return markup as text. Fabrics and icons are shared: drawings refer to them by
name, and ``document`` defines only the names that occur. Every id contains the theme's name, so
drawings in different themes can stand on one page.
"""

from collections.abc import Iterable
from xml.sax.saxutils import escape

from patchwork.render.theme import Theme

FONT = "ui-rounded, 'Nunito', 'Segoe UI', 'Noto Sans', system-ui, sans-serif"
MINUS = "\N{MINUS SIGN}"


def short(number: float) -> str:
    """Returns a coordinate with one decimal at most, without trailing zeros."""
    written = f"{number:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def reference(name: str, theme: Theme) -> str:
    """Returns the fragment that refers to a shared definition, for ``href`` or ``url()``."""
    return f"#patchwork-{theme.name}-{name}"


def use(name: str, theme: Theme, x: float, y: float, scale: float = 1) -> str:
    """Returns a shared icon, centred on a point."""
    return f'<use href="{reference(name, theme)}" {placed(x, y, scale)}/>'


def placed(x: float, y: float, scale: float = 1) -> str:
    """Returns a transform attribute that moves the origin and scales."""
    enlarged = f" scale({scale:.3g})" if scale != 1 else ""
    return f'transform="translate({short(x)} {short(y)}){enlarged}"'


def group(x: float, y: float, scale: float, *parts: str) -> str:
    """Returns parts moved and scaled together."""
    return f"<g {placed(x, y, scale)}>{''.join(parts)}</g>"


def rectangle(x: float, y: float, width: float, height: float, radius: float, style: str) -> str:
    """Returns a rectangle with rounded corners; ``style`` holds its other attributes."""
    return (
        f'<rect x="{short(x)}" y="{short(y)}" width="{short(width)}" height="{short(height)}"'
        f' rx="{short(radius)}" {style}/>'
    )


def text(
    x: float, y: float, words: object, size: float, fill: str, *, anchor: str = "middle"
) -> str:
    """Returns a line of text, vertically centred on ``y``."""
    return (
        f'<text x="{short(x)}" y="{short(y + 0.36 * size)}" font-size="{short(size)}"'
        f' fill="{fill}" text-anchor="{anchor}">{escape(str(words))}</text>'
    )


def document(
    width: float,
    height: float,
    body: str,
    definitions: Iterable[tuple[str, str]],
    theme: Theme,
    label: str,
) -> str:
    """Returns a complete drawing.

    Args:
        width: the width of the drawing, whose left edge is 0.
        height: the height of the drawing, whose upper edge is 0.
        body: the markup.
        definitions: names and elements with the attribute ``id="?"``; those that ``body`` refers
            to are included.
        theme: the theme, whose name is part of the ids.
        label: describes the drawing to people who cannot see it.
    """
    used = []
    for name, element in definitions:
        address = reference(name, theme)
        if f"{address})" in body or f'{address}"' in body:
            used.append(element.replace('id="?"', f'id="{address[1:]}"', 1))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {short(width)} {short(height)}"'
        f' role="img" aria-label="{label}" font-family="{FONT}" font-weight="700">'
        f"<defs>{''.join(used)}</defs>{body}</svg>\n"
    )
