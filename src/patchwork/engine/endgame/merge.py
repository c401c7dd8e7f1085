"""Merges what the solver has proven into what a search has found."""

from collections.abc import Container
from dataclasses import replace

from patchwork.engine.analysis import Analysis, Line, final_scores
from patchwork.engine.endgame.solver import Solution
from patchwork.rules.moves import Move
from patchwork.rules.position import Phase, Position


def with_proofs(found: Analysis, won: Move | None, lost: Container[Move], lines: int) -> Analysis:
    """Returns what a search found, corrected where moves are proven to win or to lose.

    Proven wins come first, proven losses last.
    """
    first, middle, last = [], [], []
    for line in found.lines:
        if line.moves[0] == won:
            first.append(replace(line, win=1.0, margin=max(0.0, line.margin)))
        elif line.moves[0] in lost:
            last.append(replace(line, win=0.0, margin=min(0.0, line.margin)))
        else:
            middle.append(line)
    if won is not None and not first:
        first.append(Line((won,), 1.0, max(0.0, found.margin), 0))
    merged = (*first, *middle, *last)[:lines]
    best, scores = merged[0], found.scores
    if scores is not None:
        scores = final_scores(sum(scores), best.margin if found.seat == 0 else -best.margin)
    return replace(
        found, best=best.moves[0], win=best.win, margin=best.margin, lines=merged, scores=scores
    )


def solved(
    position: Position, solution: Solution, visits: int, others: tuple[Line, ...] = ()
) -> Analysis:
    """Returns a solution as an analysis; the other lines are estimates."""
    seat = position.turn
    end = position
    for move in solution.moves:
        end = end.play(move)
    win = 1.0 if solution.winner == seat else 0.0
    margin = float(solution.points if seat == 0 else -solution.points)
    return Analysis(
        best=solution.moves[0],
        win=win,
        margin=margin,
        seat=seat,
        lines=(Line(solution.moves, win, margin, visits), *others),
        visits=visits,
        exact=True,
        scores=(float(end.scores[0]), float(end.scores[1])) if end.phase is Phase.OVER else None,
    )
