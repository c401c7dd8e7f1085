"""The 33 patches (C2): shape, price in buttons, price in time, income."""

from dataclasses import dataclass, field

from patchwork.rules.quilt import places


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch; take one from ``PATCHES`` instead of creating it."""

    id: int
    rows: tuple[str, ...]
    """The shape as drawn in the table: strings of ``#`` and ``.``."""
    cost: int
    """Price in buttons."""
    time: int
    """Price in time."""
    income: int
    """Buttons it brings at every income line crossed from then on."""
    size: int
    """Number of spaces it covers."""
    orientations: tuple[tuple[str, ...], ...] = field(repr=False)
    """The distinct shapes it can show, in the order of ``turned``; the first is ``rows``."""
    placements: tuple[int, ...] = field(repr=False)
    """Every mask it can cover on an empty quilt, by orientation and then row by row."""


def turned(rows: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Returns the eight views of a drawing, with repetitions if it is symmetric.

    First come the drawing and its turns clockwise by 90, 180 and 270 degrees, then its mirror image
    (left and right swapped) and the same turns of that.
    """
    views = []
    for view in (rows, tuple(row[::-1] for row in rows)):
        for _ in range(4):
            views.append(view)
            view = tuple("".join(column) for column in zip(*view[::-1], strict=True))
    return tuple(views)


def _patch(patch_id: int, drawing: str, cost: int, time: int, income: int) -> Patch:
    rows = tuple(drawing.split("/"))
    orientations = tuple(dict.fromkeys(turned(rows)))
    return Patch(
        id=patch_id,
        rows=rows,
        cost=cost,
        time=time,
        income=income,
        size=drawing.count("#"),
        orientations=orientations,
        placements=tuple(place for shape in orientations for place in places(shape).values()),
    )


PATCHES = (
    # id, shape, buttons, time, income
    _patch(0, "##", 2, 1, 0),
    _patch(1, "##/#.", 1, 3, 0),
    _patch(2, "###", 2, 2, 0),
    _patch(3, "##/#.", 3, 1, 0),
    _patch(4, "###/.#.", 2, 2, 0),
    _patch(5, "##./.##", 3, 2, 1),
    _patch(6, "####", 3, 3, 1),
    _patch(7, "###/#..", 4, 2, 1),
    _patch(8, "###/#..", 4, 6, 2),
    _patch(9, "##/##", 6, 5, 2),
    _patch(10, "##./.##", 7, 6, 3),
    _patch(11, "###/#.#", 1, 2, 0),
    _patch(12, "###/##.", 2, 2, 0),
    _patch(13, "###./..##", 2, 3, 1),
    _patch(14, "####/.#..", 3, 4, 1),
    _patch(15, ".#./###/.#.", 5, 4, 2),
    _patch(16, "###/.#./.#.", 5, 5, 2),
    _patch(17, "#####", 7, 1, 1),
    _patch(18, "####/#...", 10, 3, 2),
    _patch(19, "##./.##/..#", 10, 4, 3),
    _patch(20, ".#../####/.#..", 0, 3, 1),
    _patch(21, "#.../####/...#", 1, 2, 0),
    _patch(22, "####/#..#", 1, 5, 1),
    _patch(23, ".#../####/..#.", 2, 1, 0),
    _patch(24, "##./.##/##.", 3, 6, 2),
    _patch(25, "###./.###", 4, 2, 0),
    _patch(26, "#.../####/#...", 7, 2, 2),
    _patch(27, "####/.##.", 7, 4, 2),
    _patch(28, "##./###/..#", 8, 6, 3),
    _patch(29, "####/##..", 10, 5, 3),
    _patch(30, "..#../#####/..#..", 1, 4, 1),
    _patch(31, "###/.#./###", 2, 3, 0),
    _patch(32, ".##./####/.##.", 5, 3, 1),
)
"""All patches; the id of a patch is its index."""

SMALLEST = 0
"""Id of the 1 x 2 patch, the last in the circle at the start (S4)."""
