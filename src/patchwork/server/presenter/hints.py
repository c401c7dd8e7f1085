"""Hints as messages: what a player could do, what it is worth, and one fact that speaks for it."""

from collections.abc import Iterator
from dataclasses import replace

from patchwork.engine.analysis import Analysis, Line
from patchwork.rules.moves import Buy, Leather, Move
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Position
from patchwork.rules.quilt import CELLS, SIDE
from patchwork.rules.timeboard import LAST, income_lines
from patchwork.server import wire
from patchwork.server.presenter.replies import thought

_MOST = 3
"""Candidates of a hint: more would be no help."""
_TILE_POINTS = 7


def hint(request: str, seq: int, position: Position, analysis: Analysis) -> wire.Hint:
    """Returns the answer to a request for a hint.

    Args:
        request: its id.
        seq: the last event at that time.
        position: in which the player decides.
        analysis: of that position, with all lines.
    """
    lines = _different(analysis)
    facts = [tuple(_facts(position, line.moves[0])) for line in lines]
    shared = set.intersection(*({why.code for why in each} for each in facts))
    return wire.Hint(
        id=request,
        seq=seq,
        thought=thought(replace(analysis, lines=analysis.lines[:_MOST])),
        candidates=[
            wire.Candidate(
                move=str(line.moves[0]),
                win=line.win,
                margin=line.margin,
                why=next((why for why in each if why.code not in shared), next(iter(each), None)),
            )
            for line, each in zip(lines, facts, strict=True)
        ],
    )


def _different(analysis: Analysis) -> list[Line]:
    """Returns the best line for each of the best few things to do, the best one first.

    Placements of the same patch are the same thing to do. Moves that the search has not tried are
    left out, since it does not know what they are worth. Nothing is worth more than a proven best.
    """
    best = Line((analysis.best,), analysis.win, analysis.margin, analysis.visits)
    found = {_action(analysis.best): best}
    for line in analysis.lines:
        if line.visits and len(found) < _MOST:
            found.setdefault(_action(line.moves[0]), line)
    others = list(found.values())[1:]
    if analysis.exact:
        others = [
            replace(line, win=min(line.win, best.win), margin=min(line.margin, best.margin))
            for line in others
        ]
    return [best, *sorted(others, key=lambda line: (-line.win, -line.margin))]


def _action(move: Move) -> object:
    return move.patch if isinstance(move, Buy) else move


def _facts(position: Position, move: Move) -> Iterator[wire.Why]:
    """Yields what can be counted in favour of a move, the most important first."""
    seat, after = position.turn, position.play(move)
    before, player = position.players[seat], after.players[seat]
    if position.tile is None and after.tile == seat:
        yield wire.Why(code="tile", figure=_TILE_POINTS)
    if isinstance(move, Leather):
        if _is_hole(before.quilt, move.cell):
            yield wire.Why(code="hole", figure=1)
        return
    if after.phase is Phase.LEATHER:
        yield wire.Why(code="leather", figure=1)
    if isinstance(move, Buy):
        if after.phase is Phase.TURN and after.turn == seat:
            yield wire.Why(code="again", figure=1)
        patch = PATCHES[move.patch]
        earned = patch.income * income_lines(before.time, LAST) - patch.cost
        if earned > 0:
            yield wire.Why(code="income", figure=earned)
    if paid := player.income * income_lines(before.time, player.time):
        yield wire.Why(code="line", figure=paid)


def _is_hole(quilt: int, cell: int) -> bool:
    """Returns whether all neighbours of a space are filled, so that no patch could fill it."""
    row, column = divmod(cell, SIDE)
    neighbours = (
        other
        for other in range(CELLS)
        if abs(row - other // SIDE) + abs(column - other % SIDE) == 1
    )
    return all(quilt >> other & 1 for other in neighbours)
