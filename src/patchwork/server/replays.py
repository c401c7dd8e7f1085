"""A game to look through: every position of it, from a record."""

from patchwork.notation.errors import NotationError
from patchwork.notation.record import Record, Termination
from patchwork.rules.game import Game
from patchwork.server import wire
from patchwork.server.course import Refusal
from patchwork.server.view import moves_view, position_view
from patchwork.server.wire import Code


def read(text: str) -> Record:
    """Returns the record that somebody sent.

    Raises:
        Refusal: it is none; the refusal tells the line and what is wrong there.
    """
    try:
        return Record.parse(text)
    except NotationError as error:
        raise Refusal(Code.MALFORMED, str(error), error.reason) from error


def replay(record: Record) -> wire.Replay:
    """Returns the main line of a record, position by position."""
    setup, game = record.setup, Game(record.setup)
    positions = [position_view(game, choices=False)]
    for ply in record.line.plies:
        game.push(ply.move)
        positions.append(position_view(game, choices=False))
    return wire.Replay(
        names=record.players,
        edition=setup.edition.name,
        circle=list(setup.circle),
        first=setup.first,
        ending=_ending(record, game),
        moves=moves_view(game),
        positions=positions,
    )


def _ending(record: Record, game: Game) -> wire.Ending | None:
    if record.termination is Termination.UNFINISHED:
        return None
    outcome = game.position.outcome
    return wire.Ending(
        reason=record.termination,
        winner=record.winner,
        scores=game.position.scores,
        tie_break=outcome is not None and outcome.tie_break,
    )
