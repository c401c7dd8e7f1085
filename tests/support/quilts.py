"""Quilts drawn in ASCII, and positions for tests.

A drawing has a line for each row, from the top; rows left out at the bottom are empty. One drawing
can hold more than one piece, each with a mark of its own::

    board = '''
        ##.......
        #oo......
    '''
    quilt(board)          # the spaces marked #
    quilt(board, "o")     # the spaces marked o
    quilt(board, "#o")    # all of them
"""

import patchwork as pw

CIRCLE = (*range(1, 33), 0)
LONGEST = 2 * 53 + 5
"""An upper limit: every move moves a token forward or places one of five leather patches."""
FULL = "\n".join(["#########"] * 9)


def quilt(drawing: str, marks: str = "#") -> int:
    """Returns the mask of the spaces of a drawing that have one of the marks."""
    rows = drawing.split()
    if len(rows) > 9 or any(len(row) != 9 for row in rows):
        raise ValueError(f"not a drawing of a quilt: {drawing}")
    return sum(
        1 << (9 * r + c)
        for r, row in enumerate(rows)
        for c, mark in enumerate(row)
        if mark in marks
    )


def draw(mask: int) -> str:
    """Returns the drawing of a mask, so that failed comparisons are readable."""
    rows = ("".join(".#"[mask >> (9 * r + c) & 1] for c in range(9)) for r in range(9))
    return "\n".join(rows) + ("" if 0 <= mask < 1 << 81 else f"\nand beyond: {mask:#x}")


def spaces(mask: int) -> tuple[int, ...]:
    """Returns the spaces of a mask in ascending order."""
    return tuple(cell for cell in range(81) if mask >> cell & 1)


def lay(patch: int, row: int = 0, column: int = 0) -> pw.Buy:
    """Returns the purchase of a patch in orientation A with its top-left corner there."""
    drawing = "\n".join(line.ljust(9, ".") for line in pw.PATCHES[patch].rows)
    return pw.Buy(patch, quilt(drawing) << (9 * row + column))


def table(
    me: pw.Player,
    other: pw.Player,
    *,
    seat: int = 0,
    circle: tuple[int, ...] = CIRCLE,
    edition: pw.Edition = pw.CLASSIC,
    phase: pw.Phase = pw.Phase.TURN,
    tile: int | None = None,
) -> pw.Position:
    """Returns a position in which ``seat`` moves; leather and first home match the times."""
    times = (me.time, other.time)
    home = {(True, False): seat, (False, True): 1 - seat, (True, True): 1 - seat}
    return pw.Position(
        edition=edition,
        turn=seat,
        phase=phase,
        players=(me, other) if seat == 0 else (other, me),
        circle=circle,
        leather=tuple(line for line in edition.leather if line > max(times)),
        tile=tile,
        first_home=home.get((me.time == 53, other.time == 53)),
    )


def without_purchases(position: pw.Position) -> list[pw.Position]:
    """Returns the positions to the end if no one buys; leather fills the first empty space."""
    positions = [position]
    while moves := positions[-1].legal_moves():
        assert len(positions) <= LONGEST, "the game does not end"
        positions.append(positions[-1].play(moves[0]))
    return positions
