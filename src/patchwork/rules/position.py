"""A position of the game: whose turn it is, which moves are legal, what they lead to, who has won.

A ``Position`` is a value: it never changes, and ``play`` returns a new one. Nothing here assumes
that players alternate: the one whose token is behind moves (T1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from patchwork.rules.moves import (
    ADVANCE,
    LEATHERS,
    Advance,
    Buy,
    IllegalMove,
    Leather,
    Move,
    Reason,
    purchases,
)
from patchwork.rules.patches import PATCHES
from patchwork.rules.quilt import CELLS, FULL, cells, has_square
from patchwork.rules.timeboard import LAST, Edition, income_lines

TILE_POINTS = 7
"""What the 7 x 7 tile is worth in the end (E2)."""
EMPTY_SPACE_COST = 2
"""The points that every empty space of a quilt costs in the end (E2)."""

_SHAPES = tuple(frozenset(patch.placements) for patch in PATCHES)


def _check_is_integer(name: str, value: object) -> None:
    if not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {value!r}; parse_move reads text")


class Phase(StrEnum):
    """What the seat ``Position.turn`` has to do."""

    TURN = "turn"
    """Advance or buy."""
    LEATHER = "leather"
    """Place the leather patch just taken."""
    OVER = "over"
    """Nothing; ``Position.turn`` is the seat that moved last."""


@dataclass(frozen=True, slots=True)
class Player:
    """One seat's quilt, buttons and time token."""

    quilt: int = 0
    """The filled spaces, as a mask."""
    buttons: int = 5
    income: int = 0
    """Buttons received at each income line: the sum over all patches on the quilt."""
    time: int = 0
    """The space of the time token, 0 to 53."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a finished game (E3)."""

    winner: int
    scores: tuple[int, int]
    tie_break: bool
    """Whether the scores were equal, so that the seat that reached space 53 first won."""


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """The complete state of a game; equal to another if the states are equal."""

    edition: Edition
    turn: int
    """The seat to move; when the game is over, the seat that moved last."""
    phase: Phase
    players: tuple[Player, Player]
    circle: tuple[int, ...]
    """Ids of the patches left, clockwise, starting in front of the neutral token."""
    leather: tuple[int, ...]
    """The lines that still hold a leather patch, in ascending order."""
    tile: int | None = None
    """The seat that took the special 7 x 7 tile."""
    first_home: int | None = None
    """The seat whose token reached space 53 first."""

    @property
    def offer(self) -> tuple[int, ...]:
        """The patches to choose from: the next three in the circle (B1)."""
        return self.circle[:3]

    def legal_moves(self) -> list[Move]:
        """Returns every legal move, in a fixed order.

        In a turn: the advance, then the purchases patch by patch in the order of the offer, each in
        the order of ``Patch.placements``. For a leather patch: the empty spaces in ascending order.
        """
        if self.phase is Phase.OVER:
            return []
        player = self.players[self.turn]
        if self.phase is Phase.LEATHER:
            return [LEATHERS[cell] for cell in cells(FULL & ~player.quilt)]
        moves: list[Move] = [ADVANCE]
        for patch in self.offer:
            if PATCHES[patch].cost <= player.buttons:
                moves += purchases(patch, player.quilt)
        return moves

    def play(self, move: Move) -> Position:
        """Returns the position after a move.

        Raises:
            IllegalMove: the move is not allowed here; its ``reason`` says why.
            TypeError: it is not a move, or its spaces are not an integer.
        """
        if self.phase is Phase.OVER:
            raise IllegalMove(Reason.GAME_OVER, "the game is over")
        if isinstance(move, Leather) != (self.phase is Phase.LEATHER):
            due = "place the leather patch" if self.phase is Phase.LEATHER else "advance or buy"
            raise IllegalMove(Reason.NOT_IN_THIS_PHASE, f"seat {self.turn} has to {due}")
        match move:
            case Advance():
                return self._advance()
            case Buy():
                self._check_purchase(move)
                return self._buy(move)
            case Leather():
                self._check_leather(move)
                return self._place_leather(move)
            case _:
                raise TypeError(f"{move!r} is not a move")

    def _check_purchase(self, move: Buy) -> None:
        player = self.players[self.turn]
        if move.patch not in self.offer:
            offer = ", ".join(map(str, self.offer))
            raise IllegalMove(
                Reason.NOT_ON_OFFER, f"patch {move.patch} is not on offer, only {offer}"
            )
        patch = PATCHES[move.patch]
        if patch.cost > player.buttons:
            raise IllegalMove(
                Reason.CANNOT_AFFORD,
                f"patch {patch.id} costs {patch.cost}, seat {self.turn} has {player.buttons}",
            )
        _check_is_integer("cells", move.cells)
        if not 0 <= move.cells <= FULL:
            raise IllegalMove(Reason.OFF_THE_BOARD, f"cells reach beyond the {CELLS} spaces")
        if move.cells not in _SHAPES[patch.id]:
            raise IllegalMove(
                Reason.NOT_THAT_SHAPE, f"patch {patch.id} cannot cover just those cells"
            )
        if move.cells & player.quilt:
            raise IllegalMove(Reason.OVERLAPS, f"patch {patch.id} would overlap another patch")

    def _check_leather(self, move: Leather) -> None:
        _check_is_integer("cell", move.cell)
        if not 0 <= move.cell < CELLS:
            raise IllegalMove(
                Reason.OFF_THE_BOARD, f"cell {move.cell} is not one of 0 to {CELLS - 1}"
            )
        if self.players[self.turn].quilt >> move.cell & 1:
            raise IllegalMove(Reason.CELL_TAKEN, f"cell {move.cell} is already filled")

    def _advance(self) -> Position:
        player, other = self.players[self.turn], self.players[1 - self.turn]
        space = min(other.time + 1, LAST)  # A1, A3
        paid = replace(player, buttons=player.buttons + space - player.time)  # A2
        return self._move_token(paid, space, self.circle, self.tile)

    def _buy(self, move: Buy) -> Position:
        player, patch = self.players[self.turn], PATCHES[move.patch]
        place = self.circle.index(patch.id)
        circle = self.circle[place + 1 :] + self.circle[:place]  # B2
        sewn = replace(
            player,
            buttons=player.buttons - patch.cost,  # B3
            quilt=player.quilt | move.cells,  # B4
            income=player.income + patch.income,
        )
        space = min(player.time + patch.time, LAST)  # B5
        return self._move_token(sewn, space, circle, self._tile_after(sewn.quilt))

    def _place_leather(self, move: Leather) -> Position:
        player = self.players[self.turn]
        sewn = replace(player, quilt=player.quilt | 1 << move.cell)
        return replace(
            self,
            turn=1 - self.turn,  # F2: whoever takes a leather patch is strictly ahead
            phase=Phase.TURN,
            players=self._players_with(sewn),
            tile=self._tile_after(sewn.quilt),
        )

    def _players_with(self, player: Player) -> tuple[Player, Player]:
        """Returns both players, with that of ``turn`` replaced."""
        return (player, self.players[1]) if self.turn == 0 else (self.players[0], player)

    def _tile_after(self, quilt: int) -> int | None:
        """Returns who owns the special tile when this is the quilt of ``turn`` (X1)."""
        return self.turn if self.tile is None and has_square(quilt) else self.tile

    def _move_token(
        self, player: Player, space: int, circle: tuple[int, ...], tile: int | None
    ) -> Position:
        """Moves the token of ``turn`` to a space and applies the lines that it crosses.

        All income of the move is paid before a leather patch is placed.
        """
        seat, other = self.turn, self.players[1 - self.turn]
        income = player.income * income_lines(player.time, space)  # M1, M4
        moved = replace(player, buttons=player.buttons + income, time=space)
        leather = tuple(line for line in self.leather if line > space)
        if leather != self.leather and moved.quilt != FULL:  # M2, M3
            turn, phase = seat, Phase.LEATHER
        elif space == other.time == LAST:  # E1
            turn, phase = seat, Phase.OVER
        else:
            turn, phase = (seat if space <= other.time else 1 - seat), Phase.TURN  # T1, T2
        return Position(
            edition=self.edition,
            turn=turn,
            phase=phase,
            players=self._players_with(moved),
            circle=circle,
            leather=leather,
            tile=tile,
            first_home=seat if space == LAST and self.first_home is None else self.first_home,
        )

    @property
    def scores(self) -> tuple[int, int]:
        """Both seats' scores as if the game ended now (E2)."""
        return self._score(0), self._score(1)

    def _score(self, seat: int) -> int:
        player = self.players[seat]
        empty = CELLS - player.quilt.bit_count()
        return player.buttons + (TILE_POINTS if self.tile == seat else 0) - EMPTY_SPACE_COST * empty

    @property
    def outcome(self) -> Outcome | None:
        """The result, or None while the game continues."""
        if self.phase is not Phase.OVER:
            return None
        assert self.first_home is not None
        scores = self.scores
        if scores[0] == scores[1]:
            return Outcome(self.first_home, scores, tie_break=True)
        return Outcome(0 if scores[0] > scores[1] else 1, scores, tie_break=False)

    def __str__(self) -> str:
        from patchwork.notation.position import format_position

        return format_position(self)

    @classmethod
    def parse(cls, text: str) -> Position:
        """Returns the position that a text describes, as written by ``str``.

        Raises:
            NotationError: the text is malformed, or no game can reach the position.
        """
        from patchwork.notation.position import parse_position

        return parse_position(text)

    def __repr__(self) -> str:
        return f"Position.parse({str(self)!r})"

    def _repr_svg_(self) -> str:
        from patchwork.render.svg import table

        return table(self)
