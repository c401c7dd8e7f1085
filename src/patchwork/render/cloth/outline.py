"""The boundary of a set of spaces, as a path with rounded corners."""

from patchwork.render.markup import short
from patchwork.rules.quilt import SIDE, cells

_Point = tuple[int, int]
_RIGHT = {(1, 0): (0, 1), (0, 1): (-1, 0), (-1, 0): (0, -1), (0, -1): (1, 0)}
"""The direction after a turn to the right; y points down."""


def box(spaces: int) -> tuple[int, int, int, int]:
    """Returns the bounding box of a mask: first row, first column, number of rows and columns."""
    rows = [cell // SIDE for cell in cells(spaces)]
    columns = [cell % SIDE for cell in cells(spaces)]
    top, left = min(rows), min(columns)
    return top, left, max(rows) - top + 1, max(columns) - left + 1


def corner(spaces: int) -> int:
    """Returns a mask moved into the top-left corner of the board."""
    top, left, _, _ = box(spaces)
    return spaces >> (SIDE * top + left)


def outline(spaces: int, size: float, inset: float = 0, radius: float = 0) -> str:
    """Returns the path data of the boundary of a mask, a closed loop for each outer edge and hole.

    Args:
        spaces: the mask; the top-left corner of the board is at the origin.
        size: the side of a space.
        inset: how far inside the boundary the path runs.
        radius: how far from each corner the rounding begins.
    """
    return "".join(_rounded(loop, size, inset, radius) for loop in _loops(spaces))


def _edges(spaces: int) -> dict[tuple[_Point, _Point], _Point]:
    """Returns the end of every edge by its start and direction, with the mask on its right."""
    covered = {divmod(cell, SIDE) for cell in cells(spaces)}
    edges: dict[tuple[_Point, _Point], _Point] = {}
    for r, c in covered:
        for neighbour, start, way in (
            ((r - 1, c), (c, r), (1, 0)),
            ((r, c + 1), (c + 1, r), (0, 1)),
            ((r + 1, c), (c + 1, r + 1), (-1, 0)),
            ((r, c - 1), (c, r + 1), (0, -1)),
        ):
            if neighbour not in covered:
                edges[start, way] = (start[0] + way[0], start[1] + way[1])
    return edges


def _loops(spaces: int) -> list[list[tuple[_Point, _Point, _Point]]]:
    """Returns the corners of each loop: point, direction before, direction after."""
    edges = _edges(spaces)
    loops = []
    while edges:
        start, way = first = min(edges)
        loop: list[tuple[_Point, _Point, _Point]] = []
        while (start, way) in edges:
            end = edges.pop((start, way))
            right = _RIGHT[way]
            left = (-right[0], -right[1])
            # Right turns first keep spaces apart that only touch at a corner.
            turn = next((new for new in (right, way, left) if (end, new) in edges), first[1])
            if turn != way:
                loop.append((end, way, turn))
            start, way = end, turn
        loops.append(loop)
    return loops


def _rounded(
    loop: list[tuple[_Point, _Point, _Point]], size: float, inset: float, radius: float
) -> str:
    steps: list[str] = []
    for (x, y), (ax, ay), (bx, by) in loop:
        # The inner side of a direction (dx, dy) is its right-hand side (-dy, dx).
        px, py = x * size - inset * (ay + by), y * size + inset * (ax + bx)
        begin = f"{short(px - radius * ax)} {short(py - radius * ay)}"
        end = f"{short(px + radius * bx)} {short(py + radius * by)}"
        bend = f"Q{short(px)} {short(py)} {end}" if radius else ""
        steps.append(f"{'L' if steps else 'M'}{begin}{bend}")
    return "".join(steps) + "z"
