"""A second implementation of the rules, as simple as possible, to check the library against.

The library works with 81-bit integers and is tuned for speed; its own tests could miss a mistake.
Here, quilts are sets of ``(row, column)``, the circle is a list, and every step is a sentence of
the rulebook with the number of its clause. ``test_oracle.py`` compares the two. This module imports
nothing from ``patchwork`` and repeats even the table of patches, because the comparison cannot
check anything that both share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

Cell: TypeAlias = tuple[int, int]
Cells: TypeAlias = frozenset[Cell]

LAST = 53  # C3: the spaces are numbered 0 to 53
INCOME = (5, 11, 17, 23, 29, 35, 41, 47, 53)  # C4
LEATHER = {"classic": (20, 26, 32, 44, 50), "revised": (26, 32, 38, 44, 50)}  # C4


class Patch(NamedTuple):
    """C2: a shape, its two prices and its income."""

    rows: str
    cost: int
    time: int
    income: int


PATCHES = [
    Patch("##", 2, 1, 0),
    Patch("##/#.", 1, 3, 0),
    Patch("###", 2, 2, 0),
    Patch("##/#.", 3, 1, 0),
    Patch("###/.#.", 2, 2, 0),
    Patch("##./.##", 3, 2, 1),
    Patch("####", 3, 3, 1),
    Patch("###/#..", 4, 2, 1),
    Patch("###/#..", 4, 6, 2),
    Patch("##/##", 6, 5, 2),
    Patch("##./.##", 7, 6, 3),
    Patch("###/#.#", 1, 2, 0),
    Patch("###/##.", 2, 2, 0),
    Patch("###./..##", 2, 3, 1),
    Patch("####/.#..", 3, 4, 1),
    Patch(".#./###/.#.", 5, 4, 2),
    Patch("###/.#./.#.", 5, 5, 2),
    Patch("#####", 7, 1, 1),
    Patch("####/#...", 10, 3, 2),
    Patch("##./.##/..#", 10, 4, 3),
    Patch(".#../####/.#..", 0, 3, 1),
    Patch("#.../####/...#", 1, 2, 0),
    Patch("####/#..#", 1, 5, 1),
    Patch(".#../####/..#.", 2, 1, 0),
    Patch("##./.##/##.", 3, 6, 2),
    Patch("###./.###", 4, 2, 0),
    Patch("#.../####/#...", 7, 2, 2),
    Patch("####/.##.", 7, 4, 2),
    Patch("##./###/..#", 8, 6, 3),
    Patch("####/##..", 10, 5, 3),
    Patch("..#../#####/..#..", 1, 4, 1),
    Patch("###/.#./###", 2, 3, 0),
    Patch(".##./####/.##.", 5, 3, 1),
]


class Advance(NamedTuple):
    """Option A."""


class Buy(NamedTuple):
    """Option B: the patch and the cells that it will cover."""

    patch: int
    cells: Cells


class Leather(NamedTuple):
    """M2: the cell that the leather patch just taken will cover."""

    cell: Cell


Move: TypeAlias = Advance | Buy | Leather


def rectangle(top: int, left: int, height: int, width: int) -> Cells:
    """All the cells of a rectangle."""
    return frozenset((top + row, left + column) for row in range(height) for column in range(width))


BOARD = rectangle(0, 0, 9, 9)  # C1
SQUARES = [rectangle(top, left, 7, 7) for top in range(3) for left in range(3)]  # X1: the 9 places


def placements(rows: str) -> list[Cells]:
    """B4: every way to place a shape entirely on an empty quilt, rotated and flipped in any way."""
    shape = {
        (row, column)
        for row, line in enumerate(rows.split("/"))
        for column, mark in enumerate(line)
        if mark == "#"
    }
    found: dict[Cells, None] = {}  # a set that keeps its order: seeds stay reproducible
    for _ in range(2):
        shape = {(row, -column) for row, column in shape}  # turned over
        for _ in range(4):
            shape = {(column, -row) for row, column in shape}  # rotated by a quarter
            for down in range(-9, 18):
                for right in range(-9, 18):
                    cells = frozenset((row + down, column + right) for row, column in shape)
                    if cells <= BOARD:
                        found[cells] = None
    return list(found)


PURCHASES = [
    [Buy(patch, cells) for cells in placements(PATCHES[patch].rows)]
    for patch in range(len(PATCHES))
]


@dataclass
class Player:
    """The quilt, buttons, income and time token of a player."""

    covered: set[Cell] = field(default_factory=set)
    buttons: int = 5  # S1
    income: int = 0
    time: int = 0  # S2


class State:
    """A game in progress; ``play`` changes it in place."""

    def __init__(self, circle: list[int], leather: tuple[int, ...], first: int) -> None:
        self.players = (Player(), Player())
        self.circle = list(circle)  # S3, S4: begins with the patch in front of the neutral token
        self.leather = list(leather)  # S5: the lines that still hold a leather patch
        self.top = first  # S2: whose token lies on top if both share a space
        self.turn = first
        self.phase: Literal["turn", "leather", "over"] = "turn"
        self.tile: int | None = None  # X1: who owns the special tile
        self.first_home: int | None = None  # E3: who reached space 53 first

    def legal_moves(self) -> list[Move]:
        """Every move that the player in ``turn`` may make."""
        player = self.players[self.turn]
        moves: list[Move] = []
        if self.phase == "leather":
            moves += [Leather(cell) for cell in sorted(BOARD - player.covered)]  # M2
        if self.phase == "turn":
            moves.append(Advance())  # T4
            for patch in self.circle[:3]:  # B1
                if PATCHES[patch].cost <= player.buttons:  # B3
                    for buy in PURCHASES[patch]:
                        if buy.cells.isdisjoint(player.covered):  # B4
                            moves.append(buy)
        return moves

    def play(self, move: Move) -> None:
        """Carry out a move, which must be a legal one."""
        player, other = self.players[self.turn], self.players[1 - self.turn]
        match move:
            case Advance():
                space = min(other.time + 1, LAST)  # A1, A3
                player.buttons += space - player.time  # A2
                self._move_token(space)
            case Buy(patch, cells):
                place = self.circle.index(patch)
                self.circle = self.circle[place + 1 :] + self.circle[:place]  # B2
                player.buttons -= PATCHES[patch].cost  # B3
                self._cover(cells)  # B4
                player.income += PATCHES[patch].income  # M1: the new patch counts at once
                self._move_token(min(player.time + PATCHES[patch].time, LAST))  # B5
            case Leather(cell):
                self._cover(frozenset([cell]))  # M2
                self._next_turn()

    def _cover(self, cells: Cells) -> None:
        covered = self.players[self.turn].covered
        covered |= cells
        if self.tile is None and any(square <= covered for square in SQUARES):  # X1
            self.tile = self.turn

    def _move_token(self, space: int) -> None:
        player = self.players[self.turn]
        crossed = range(player.time + 1, space + 1)  # C4
        player.time = space
        self.top = self.turn  # B5, T2: the last token to arrive lies on top
        if space == LAST and self.first_home is None:  # E3
            self.first_home = self.turn
        must_place = False
        for line in crossed:
            if line in INCOME:
                player.buttons += player.income  # M1, M4
            if line in self.leather:
                self.leather.remove(line)  # M2: only the first token gets it
                must_place = player.covered != BOARD  # M3: with a full quilt it is discarded
        if must_place:
            self.phase = "leather"
        else:
            self._next_turn()

    def _next_turn(self) -> None:
        first_time, second_time = self.players[0].time, self.players[1].time
        if first_time == second_time == LAST:  # E1; ``turn`` stays with the player who moved last
            self.phase = "over"
            return
        self.phase = "turn"
        if first_time == second_time:
            self.turn = self.top  # T2
        else:
            self.turn = 0 if first_time < second_time else 1  # T1

    def score(self, seat: int) -> int:
        """E2, at any time of the game."""
        player = self.players[seat]
        return player.buttons + 7 * (self.tile == seat) - 2 * len(BOARD - player.covered)

    def result(self) -> tuple[int, bool] | None:
        """E3: the winner and whether the tie-break decided; None during the game."""
        if self.phase != "over" or self.first_home is None:
            return None
        mine, yours = self.score(0), self.score(1)
        if mine == yours:
            return self.first_home, True
        return (0 if mine > yours else 1), False
