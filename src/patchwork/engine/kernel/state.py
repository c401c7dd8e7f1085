"""A position as a row of 64-bit numbers, its *state*, and a move as one number, its *code*.

A state is an ``int64`` array of ``WORDS`` numbers; the names below are the indices into it. The
patches are in an array of their own, the *circle* of the game, which never changes: the state says
which places of the circle still hold a patch and where the neutral token stands.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from patchwork.engine.kernel.pieces import (
    LANES,
    LEATHER_PIECE,
    PIECES,
    PLACES,
    WIDTH,
    framed,
    unframed,
)
from patchwork.rules.moves import ADVANCE, LEATHERS, Buy, Move
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Player, Position
from patchwork.rules.quilt import SIDE, places
from patchwork.rules.timeboard import Edition

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]
Floats = NDArray[np.float32]
Randoms = NDArray[np.uint64]
"""The state of a random generator: one number, not 0."""

SEAT = 5
"""Numbers for each seat, seat 0 first:"""
LOW, HIGH, BUTTONS, INCOME, TIME = range(SEAT)
TURN, PHASE, LEATHER, TILE_OWNER, FIRST_HOME, CIRCLE_LEFT, TOKEN = range(2 * SEAT, 2 * SEAT + 7)
"""Then: the seat to move; the phase; the lines that still hold leather, as bits; the seat that owns
the special tile and the one that was first home, or -1; the places of the circle that still hold a
patch, as bits; the place in front of the neutral token."""
WORDS = 2 * SEAT + 7

IN_TURN, PLACING, OVER = range(3)
"""The phases."""
_PHASES = (Phase.TURN, Phase.LEATHER, Phase.OVER)

CIRCLE = len(PATCHES)
"""Places of the circle."""

PASS = 0
"""The code of an advance. A purchase or leather of piece ``p`` in orientation ``o`` at place ``a``
is ``1 + (p * LANES + o) * PLACES + a``."""
CODES = 1 + PIECES * LANES * PLACES
MAX_GAME_LENGTH = 128
"""More moves than any game has: two tokens walk 53 spaces each, a space or more at a time, and 5
leather patches are placed between."""


def from_position(position: Position) -> tuple[Numbers, Numbers]:
    """Returns the state of a position, and its circle."""
    state = np.zeros(WORDS, np.int64)
    for seat, player in enumerate(position.players):
        words = (*framed(player.quilt), player.buttons, player.income, player.time)
        state[SEAT * seat : SEAT * seat + SEAT] = words
    state[TURN] = position.turn
    state[PHASE] = _PHASES.index(position.phase)
    state[LEATHER] = sum(1 << line for line in position.leather)
    state[TILE_OWNER] = -1 if position.tile is None else position.tile
    state[FIRST_HOME] = -1 if position.first_home is None else position.first_home
    state[CIRCLE_LEFT] = (1 << len(position.circle)) - 1
    circle = np.zeros(CIRCLE, np.int64)
    circle[: len(position.circle)] = position.circle
    return state, circle


def to_position(state: Numbers, circle: Numbers, edition: Edition) -> Position:
    """Returns the position of a state."""
    values: list[int] = state.tolist()
    token, left = values[TOKEN], values[CIRCLE_LEFT]
    return Position(
        edition=edition,
        turn=values[TURN],
        phase=_PHASES[values[PHASE]],
        players=(_player(values[:SEAT]), _player(values[SEAT : 2 * SEAT])),
        circle=tuple(
            int(circle[place % CIRCLE])
            for place in range(token, token + CIRCLE)
            if left >> place % CIRCLE & 1
        ),
        leather=tuple(line for line in edition.leather if values[LEATHER] >> line & 1),
        tile=None if values[TILE_OWNER] < 0 else values[TILE_OWNER],
        first_home=None if values[FIRST_HOME] < 0 else values[FIRST_HOME],
    )


def _player(values: Sequence[int]) -> Player:
    low, high, buttons, income, time = values
    return Player(unframed(low, high), buttons, income, time)


def _moves() -> dict[int, Move]:
    moves: dict[int, Move] = {PASS: ADVANCE}
    shapes = [patch.orientations for patch in PATCHES] + [(("#",),)]
    for piece, orientations in enumerate(shapes):
        for lane, rows in enumerate(orientations):
            for corner, cells in places(rows).items():
                place = WIDTH * (corner // SIDE) + corner % SIDE
                code = 1 + (piece * LANES + lane) * PLACES + place
                moves[code] = LEATHERS[corner] if piece == LEATHER_PIECE else Buy(piece, cells)
    return moves


_MOVES = _moves()
_CODES = {move: code for code, move in _MOVES.items()}


def to_move(code: int) -> Move:
    """Returns the move of a code."""
    return _MOVES[code]


def from_move(move: Move) -> int:
    """Returns the code of a move.

    Raises:
        KeyError: there is no such place for that patch.
    """
    return _CODES[move]
