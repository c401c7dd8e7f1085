"""Games as sequences of positions, to go through or to try moves in."""

from patchwork.notation.record import Line, Ply, Record, Termination
from patchwork.rules.game import Game
from patchwork.rules.position import Position
from patchwork.server import wire
from patchwork.server.presenter.positions import moves_view, position_view


def replay(record: Record) -> wire.Replay:
    """Returns a record: its main line position by position, and what it says about the moves."""
    setup, game = record.setup, Game(record.setup)
    positions = [position_view(game, choices=False)]
    for ply in record.line.plies:
        game.push(ply.move)
        positions.append(position_view(game, choices=False))
    line = _branch(record.line, setup.start())
    return wire.Replay(
        names=record.players,
        edition=setup.edition.name,
        circle=list(setup.circle),
        first=setup.first,
        ending=_ending(record.termination, record.winner, game),
        comment=line.comment,
        moves=line.moves,
        notes=line.notes,
        positions=positions,
    )


def reached(game: Game, since: int | None = None) -> wire.Reached:
    """Returns where the moves of a game lead, and what can be played there.

    Args:
        game: the game.
        since: after how many moves the positions begin that are wanted; None if none are.
    """
    outcome = game.position.outcome
    return wire.Reached(
        moves=moves_view(game),
        position=position_view(game),
        ending=None if outcome is None else _ending(Termination.PLAYED_OUT, outcome.winner, game),
        positions=[] if since is None else _positions(game, since),
    )


def _positions(game: Game, since: int) -> list[wire.PositionView]:
    again, positions = Game(game.setup), []
    for number, move in enumerate((None, *game.moves)):
        if move is not None:
            again.push(move)
        if number >= since:
            positions.append(position_view(again, choices=False))
    return positions


def _branch(line: Line, position: Position) -> wire.Branch:
    moves, notes = [], []
    for number, ply in enumerate(line.plies, 1):
        moves.append((position.turn, str(ply.move)))
        if ply.nags or ply.comment or ply.variations:
            notes.append(_note(number, ply, position))
        position = position.play(ply.move)
    return wire.Branch(comment=line.comment, moves=moves, notes=notes)


def _note(number: int, ply: Ply, position: Position) -> wire.Note:
    return wire.Note(
        move=number,
        annotations=list(ply.nags),
        comment=ply.comment,
        variations=[_branch(variation, position) for variation in ply.variations],
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
