"""Games as sequences of positions, to go through or to try moves in."""

from patchwork.notation.record import Record, Termination
from patchwork.rules.game import Game
from patchwork.server import wire
from patchwork.server.presenter.positions import moves_view, position_view


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


def reached(game: Game) -> wire.Reached:
    """Returns where the moves of a game lead, and what can be played there."""
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
