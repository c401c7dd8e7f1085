"""Positions as messages: what is allowed in each, and what it would lead to.

Whether a move is allowed and what it does, the rules say, by playing it. Only the places where a
patch fits come from precomputed tables, because there are many; tests compare them with the legal
moves of the rules.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from patchwork.rules.game import Game
from patchwork.rules.moves import ADVANCE, Leather, Move, Reason, purchases
from patchwork.rules.patches import PATCHES, Patch, turned
from patchwork.rules.position import Phase, Position
from patchwork.rules.quilt import CELLS, FULL, cells, has_square, places
from patchwork.rules.timeboard import income_lines
from patchwork.server import wire

_LETTERS = "ABCDEFGH"
"""Of orientations, in the notation."""
_SQUARE = 7 * 7
"""Spaces of the square that wins the special tile."""


@dataclass(frozen=True, slots=True)
class _Orientation:
    letter: str
    rows: list[str]
    places: tuple[tuple[int, int], ...]
    """Where it fits on an empty quilt: the top-left corner of its box, and the spaces it covers."""


def _orientations(patch: Patch) -> tuple[_Orientation, ...]:
    first: dict[tuple[str, ...], str] = {}
    for letter, rows in zip(_LETTERS, turned(patch.rows), strict=True):
        first.setdefault(rows, letter)
    return tuple(
        _Orientation(letter, list(rows), tuple(places(rows).items()))
        for rows, letter in first.items()
    )


_ORIENTATIONS = tuple(map(_orientations, PATCHES))


def position_view(game: Game, *, choices: bool = True) -> wire.PositionView:
    """Returns the current position of a game with everything a client needs to play from it.

    Args:
        game: the game so far.
        choices: whether to include what may be played; False if nobody may, say, after resigning.
    """
    position = game.position
    deciding = choices and position.phase is Phase.TURN
    placing = choices and position.phase is Phase.LEATHER
    return wire.PositionView(
        turn=position.turn,
        phase=position.phase,
        players=(_player(game, 0), _player(game, 1)),
        circle=list(position.circle),
        leather=list(position.leather),
        tile=position.tile,
        first_home=position.first_home,
        text=str(position),
        advance=_effect(position, ADVANCE) if deciding else None,
        offers=[_offer(position, patch) for patch in position.offer] if deciding else [],
        leather_choice=_leather_choice(position) if placing else None,
    )


def moves_view(game: Game) -> list[tuple[int, str]]:
    """Returns the moves of a game, each with the seat that played it."""
    return [
        (position.turn, str(move))
        for position, move in zip(game.positions(), game.moves, strict=False)
    ]


def _player(game: Game, seat: int) -> wire.PlayerView:
    player = game.position.players[seat]
    return wire.PlayerView(
        buttons=player.buttons,
        income=player.income,
        time=player.time,
        score=game.position.scores[seat],
        layout=[(patch, list(cells(covered))) for patch, covered in game.layout(seat)],
    )


def _effect(position: Position, move: Move) -> wire.Effect:
    seat = position.turn
    before, after = position.players[seat], position.play(move)
    player = after.players[seat]
    return wire.Effect(
        space=player.time,
        income=player.income * income_lines(before.time, player.time),
        buttons=player.buttons,
        leather=after.phase is Phase.LEATHER,
        next=None if after.phase is Phase.OVER else after.turn,
        score=replace(after, tile=position.tile).scores[seat],
    )


def _offer(position: Position, patch: int) -> wire.Offer:
    player = position.players[position.turn]
    if PATCHES[patch].cost > player.buttons:
        return _unavailable(patch, Reason.CANNOT_AFFORD)
    fitting = orientations(patch, player.quilt, tile_free=position.tile is None)
    if not fitting:
        return _unavailable(patch, Reason.OVERLAPS)
    effect = _effect(position, purchases(patch, player.quilt)[0])  # the same wherever it lies
    return wire.Offer(patch=patch, refused=None, effect=effect, orientations=fitting)


def orientations(patch: int, quilt: int, *, tile_free: bool) -> list[wire.Orientation]:
    """Returns the ways in which a patch fits on a quilt, with its places.

    Args:
        patch: its id.
        quilt: the filled spaces, as a mask.
        tile_free: whether the special tile can still be won.
    """
    return [
        wire.Orientation(
            letter=orientation.letter,
            rows=orientation.rows,
            places=_spaces(corner for corner, _ in free),
            tile=_winning(quilt, free) if tile_free else None,
        )
        for orientation in _ORIENTATIONS[patch]
        if (free := [place for place in orientation.places if not place[1] & quilt])
    ]


def _unavailable(patch: int, reason: Reason) -> wire.Offer:
    return wire.Offer(patch=patch, refused=reason, effect=None, orientations=[])


def _leather_choice(position: Position) -> wire.LeatherChoice:
    quilt = position.players[position.turn].quilt
    free = [(cell, 1 << cell) for cell in cells(FULL & ~quilt)]
    return wire.LeatherChoice(
        places=_spaces(cell for cell, _ in free),
        tile=_winning(quilt, free) if position.tile is None else None,
        next=position.play(Leather(free[0][0])).turn,
    )


def _winning(quilt: int, places: list[tuple[int, int]]) -> str | None:
    """Returns those of the places that complete a square of 7 x 7; None if none does."""
    filled = (quilt | places[0][1]).bit_count()  # the same for all places
    if filled < _SQUARE:
        return None
    winning = [corner for corner, mask in places if has_square(quilt | mask)]
    return _spaces(winning) if winning else None


def _spaces(chosen: Iterable[int]) -> str:
    marks = ["0"] * CELLS
    for cell in chosen:
        marks[cell] = "1"
    return "".join(marks)
