"""A game: a setup and the moves played from it, with undo."""

from patchwork.rules.moves import Buy, Leather, Move
from patchwork.rules.position import Position
from patchwork.rules.setup import Setup

Layout = tuple[tuple[int | None, int], ...]
"""The patches on a quilt in the order placed: the id, or None for leather, and the cells."""


class Game:
    """A setup and the moves played so far; the only mutable object in the library.

    Two games are equal if their setups and moves are. Since moves change a game, it has no hash.
    """

    __slots__ = ("_moves", "_positions", "_setup")

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._moves: list[Move] = []
        self._positions = [setup.start()]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self._setup, self._moves) == (other._setup, other._moves)

    def __repr__(self) -> str:
        return f"<Game from {self._setup!r}, moves played: {len(self._moves)}>"

    @property
    def setup(self) -> Setup:
        """The setup that the game began with."""
        return self._setup

    @property
    def position(self) -> Position:
        """The position after the last move."""
        return self._positions[-1]

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played so far."""
        return tuple(self._moves)

    def positions(self) -> tuple[Position, ...]:
        """Returns every position of the game, including the start."""
        return tuple(self._positions)

    def push(self, move: Move) -> None:
        """Plays a move.

        Raises:
            IllegalMove: the move is not allowed; the game is unchanged.
        """
        self._positions.append(self.position.play(move))
        self._moves.append(move)

    def pop(self) -> Move:
        """Takes the last move back and returns it.

        Raises:
            IndexError: no move has been played.
        """
        move = self._moves.pop()
        self._positions.pop()
        return move

    def layout(self, seat: int) -> Layout:
        """Returns the patches on a seat's quilt.

        A ``Position`` only knows which spaces are covered, so drawings that show fabrics need this.

        Raises:
            ValueError: ``seat`` is not a seat.
        """
        if seat not in (0, 1):
            raise ValueError(f"seat is {seat!r}; the seats are 0 and 1")
        placed: list[tuple[int | None, int]] = []
        for position, move in zip(self._positions, self._moves, strict=False):
            if position.turn != seat:
                continue
            match move:
                case Buy(patch, cells):
                    placed.append((patch, cells))
                case Leather(cell):
                    placed.append((None, 1 << cell))
        return tuple(placed)

    def _repr_svg_(self) -> str:
        from patchwork.render.svg import table

        return table(self.position, (self.layout(0), self.layout(1)))
