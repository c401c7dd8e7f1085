"""Patches and quilts: fabric cut to shape, stitched along its edge, with its buttons."""

from collections.abc import Iterator

from patchwork.render.cloth.fabrics import CELL, FABRICS
from patchwork.render.cloth.outline import box, corner, outline
from patchwork.render.markup import group, rectangle, reference, use
from patchwork.render.theme import Theme
from patchwork.rules.game import Layout
from patchwork.rules.patches import PATCHES
from patchwork.rules.quilt import SIDE, cells, mask

BORDER = 12
"""Width of the binding round a quilt."""
BOARD = SIDE * CELL + 2 * BORDER
"""Side of a quilt with its binding."""
FRAME = "#9a6a4c"
"""Binding of a quilt drawn without saying whose it is."""


def fabrics(theme: Theme) -> Iterator[tuple[str, str]]:
    """Yields the name and the element of every fabric, and of the plain cloth."""
    for patch, fabric in enumerate(FABRICS):
        yield f"fabric{patch}", fabric.pattern()
    middle = CELL / 2
    yield (
        "cloth",
        f'<pattern id="?" width="{CELL}" height="{CELL}" patternUnits="userSpaceOnUse">'
        f'<path fill="{theme.cloth}" d="M-1-1h{CELL + 2}v{CELL + 2}H-1z"/>'
        f'<path d="M0 0H{CELL}M0 0V{CELL}M0 {CELL}H{CELL}M{CELL} 0V{CELL}"'
        f' stroke="{theme.quilting}"'
        ' stroke-width="1.8" stroke-dasharray="5 3" stroke-dashoffset="2.5"/>'
        f'<path d="M{middle - 3} {middle - 3}l6 6m0-6l-6 6" stroke="{theme.quilting}"'
        ' stroke-width="1.6" stroke-linecap="round"/></pattern>',
    )


def cloth(patch: int, spaces: int, theme: Theme) -> str:
    """Returns a patch that covers a mask, moved so that its top-left corner is at the origin.

    The print stays upright however the patch is turned, so that its fabric is easy to recognise.
    """
    shape = corner(spaces)
    fabric = FABRICS[patch]
    fill = reference(f"fabric{patch}", theme)
    buttons = "".join(
        use("button", theme, (cell % SIDE + 0.5) * CELL, (cell // SIDE + 0.5) * CELL, 1.25)
        for cell in _button_cells(shape, PATCHES[patch].income)
    )
    return (
        f'<path class="patch" d="{outline(shape, CELL, 0.8, 5)}" fill="url({fill})"'
        f' stroke="{fabric.seam}" stroke-width="1.6"/>'
        f'<path d="{outline(shape, CELL, 4, 3)}" fill="none" stroke="{fabric.seam}"'
        ' stroke-width="3.2" stroke-opacity=".55"/>'
        f'<path d="{outline(shape, CELL, 4, 3)}" fill="none" stroke="{fabric.thread}"'
        ' stroke-width="1.5" stroke-dasharray="4.2 3" stroke-linecap="round"/>'
        f"{buttons}"
    )


def _button_cells(shape: int, count: int) -> list[int]:
    """Returns the spaces of a shape that carry its buttons: those with the most neighbours."""

    def neighbours(cell: int) -> int:
        row, column = divmod(cell, SIDE)
        near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return sum(0 <= r < SIDE and 0 <= c < SIDE and shape >> (SIDE * r + c) & 1 for r, c in near)

    return sorted(cells(shape), key=lambda cell: (-neighbours(cell), cell))[:count]


def swatch(patch: int, cell: float, theme: Theme) -> str:
    """Returns a patch as it lies in the circle, centred on the origin, ``cell`` units per space."""
    shape = mask(PATCHES[patch].rows)
    _, _, rows, columns = box(shape)
    return group(-columns * cell / 2, -rows * cell / 2, cell / CELL, cloth(patch, shape, theme))


def board(covered: int, layout: Layout | None, binding: tuple[str, str], theme: Theme) -> str:
    """Returns a quilt with its binding, its top-left corner at the origin.

    Filled spaces that are not in the layout are plain cloth.

    Args:
        covered: the filled spaces, as a mask.
        layout: which patch lies where.
        binding: colours of the cloth and the thread round the edge.
        theme: the colours of the rest.
    """
    side = SIDE * CELL
    grid = "".join(f"M{k * CELL} 0V{side}M0 {k * CELL}H{side}" for k in range(1, SIDE))
    pieces = []
    known = 0
    for patch, spaces in layout or ():
        top, left, _, _ = box(spaces)
        known |= spaces
        if patch is None:
            middle = CELL / 2
            piece = use("leather", theme, middle, middle, 2.05)
        else:
            piece = cloth(patch, spaces, theme)
        pieces.append(group(left * CELL, top * CELL, 1, piece))
    plain = covered & ~known
    if plain:
        pieces.insert(
            0,
            f'<path class="cloth" d="{outline(plain, CELL, 0.8, 5)}" fill-rule="evenodd"'
            f' fill="url({reference("cloth", theme)})" stroke="{theme.quilting}"'
            ' stroke-width="1.6"/>',
        )
    return (
        rectangle(0, 0, BOARD, BOARD, 12, f'fill="{binding[0]}"')
        + rectangle(
            BORDER / 2,
            BORDER / 2,
            BOARD - BORDER,
            BOARD - BORDER,
            8,
            f'fill="none" stroke="{binding[1]}" stroke-width="1.4" stroke-dasharray="6 4"'
            ' stroke-linecap="round"',
        )
        + group(
            BORDER,
            BORDER,
            1,
            rectangle(0, 0, side, side, 3, f'fill="{theme.linen}"'),
            f'<path d="{grid}" stroke="{theme.grid}" stroke-dasharray="4 4"'
            ' stroke-dashoffset="2"/>',
            *pieces,
        )
    )
