"""A simple opponent: buys the patch with the best value for its time and keeps its quilt compact.

One of the fixed baselines that stronger players are measured against, so its play never changes.
"""

from patchwork.rules.moves import ADVANCE, Advance, Buy, Leather, Move
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Player, Position
from patchwork.rules.quilt import FULL, SIDE, mask
from patchwork.rules.timeboard import LAST, income_lines

_NOT_LEFT = FULL ^ mask(("#........",) * SIDE)
_NOT_RIGHT = FULL ^ mask(("........#",) * SIDE)


def greedy(position: Position) -> Move:
    """Returns the baseline's move.

    Of the patches that can be bought it takes the one with the best value, if that is above 1, else
    it advances. It places patch or leather where the exposed edge of the quilt becomes shortest.
    Ties go to the patch earlier on offer and to the lowest mask.

    Raises:
        ValueError: the game is over.
    """
    if position.phase is Phase.OVER:
        raise ValueError("the game is over")
    player = position.players[position.turn]
    moves = position.legal_moves()
    if position.phase is Phase.LEATHER:
        return _tightest(player.quilt, moves)
    purchases: dict[int, list[Move]] = {}
    for move in moves:
        if isinstance(move, Buy):
            purchases.setdefault(move.patch, []).append(move)
    best = max(purchases, key=lambda patch: value(patch, player), default=None)
    if best is None or value(best, player) <= 1:
        return ADVANCE
    return _tightest(player.quilt, purchases[best])


def value(patch: int, player: Player) -> float:
    """Returns what a patch gains a player for each unit of time it takes."""
    bought = PATCHES[patch]
    income = bought.income * income_lines(player.time, LAST)
    return (2 * bought.size + income - bought.cost) / bought.time


def exposed_edge(quilt: int) -> int:
    """Returns the number of pairs of a filled space and an empty neighbour on the board."""
    empty = FULL & ~quilt
    return (
        (quilt >> SIDE & empty).bit_count()
        + (quilt << SIDE & empty).bit_count()
        + ((quilt & _NOT_LEFT) >> 1 & empty).bit_count()
        + ((quilt & _NOT_RIGHT) << 1 & empty).bit_count()
    )


def _tightest(quilt: int, moves: list[Move]) -> Move:
    return min(moves, key=lambda move: (exposed_edge(quilt | _cells(move)), _cells(move)))


def _cells(move: Move) -> int:
    match move:
        case Buy(_, cells):
            return cells
        case Leather(cell):
            return 1 << cell
        case Advance():
            return 0
