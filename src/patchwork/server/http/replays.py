"""Games that are not played at a table: to look through from a record, to try out move by move."""

from patchwork.notation.errors import NotationError
from patchwork.notation.moves import parse_move
from patchwork.notation.record import Record, Termination
from patchwork.rules.game import Game
from patchwork.rules.setup import Setup, SetupError
from patchwork.rules.timeboard import EDITION_BY_NAME
from patchwork.server import wire
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.tables.view import moves_view, position_view


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
        ending=_ending(record.termination, record.winner, game),
        moves=moves_view(game),
        positions=positions,
    )


def reach(line: wire.Line) -> wire.Reached:
    """Returns where a line leads, and what can be played there.

    Raises:
        Refusal: there is no such circle, or a move is none or not allowed.
    """
    edition = EDITION_BY_NAME[line.edition]
    try:
        game = Game(Setup(tuple(line.circle), edition, line.first))
    except SetupError as error:
        raise Refusal(Code.MALFORMED, str(error)) from error
    for number, text in enumerate(line.moves, 1):
        try:
            game.push(parse_move(game.position, text))
        except NotationError as error:
            detail = f"move {number}: {error}"
            raise Refusal(Code.ILLEGAL_MOVE, detail, error.reason) from error
    outcome = game.position.outcome
    return wire.Reached(
        moves=moves_view(game),
        position=position_view(game),
        ending=None if outcome is None else _ending(Termination.PLAYED_OUT, outcome.winner, game),
    )


def _ending(termination: Termination, winner: int | None, game: Game) -> wire.Ending | None:
    if termination is Termination.UNFINISHED:
        return None
    outcome = game.position.outcome
    return wire.Ending(
        reason=termination,
        winner=winner,
        scores=game.position.scores,
        tie_break=outcome is not None and outcome.tie_break,
    )
