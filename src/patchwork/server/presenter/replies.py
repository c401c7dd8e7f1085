"""Refusals and what the engine thinks, as messages."""

import logging

from patchwork.engine.analysis import Analysis
from patchwork.server import wire
from patchwork.server.engines.pool import Progress
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.store import Unavailable

_log = logging.getLogger(__name__)


def refused(refusal: Refusal, action: str | None = None) -> wire.Refused:
    """Returns why a request was refused.

    Args:
        refusal: the reason.
        action: the id that the client gave to the request, if it can be read.
    """
    return wire.Refused(id=action, code=refusal.code, detail=refusal.detail, reason=refusal.reason)


def unavailable(error: Unavailable) -> Refusal:
    """Returns what clients learn about a database that does not answer; the log says more."""
    _log.warning("the database does not answer: %s", error)
    return Refusal(Code.UNAVAILABLE, "the database does not answer")


def thought(analysis: Analysis) -> wire.Thought:
    """Returns what the engine thinks of a position."""
    return wire.Thought(
        seat=analysis.seat,
        move=str(analysis.best),
        win=analysis.win,
        margin=analysis.margin,
        exact=analysis.exact,
        lines=[
            wire.Variation(
                moves=[str(move) for move in line.moves], win=line.win, margin=line.margin
            )
            for line in analysis.lines
        ],
    )


def thinking(progress: Progress) -> wire.Thinking:
    """Returns how far the computer is with its move."""
    return wire.Thinking(waiting=progress.waiting, part=progress.share)
