"""Bots written for the Patchwork of codingame.com, as players.

The site numbers the patches differently and draws some in another orientation (``docs/notation.md``
has the table). Before each of its turns, a bot gets the whole position; it answers with one line.
"""

from collections.abc import Iterator, Sequence
from time import monotonic

from patchwork.programs.errors import NoAnswer, WrongMove
from patchwork.programs.program import SHORT_GRACE, Driver, Program
from patchwork.rules.game import Game
from patchwork.rules.moves import ADVANCE, Advance, Buy, IllegalMove, Leather, Move
from patchwork.rules.patches import PATCHES, turned
from patchwork.rules.position import Phase, Player, Position
from patchwork.rules.quilt import FULL, SIDE, cells, places
from patchwork.rules.timeboard import CLASSIC, INCOME_LINES

# fmt: off
_OURS = (
    "10A", "24A", "19A", "18A", "26A", "28F", "30A", "5A", "20A", "6A", "21A",
    "12A", "16A", "14A", "11A", "29A", "13A", "4A", "2A", "7A", "31B", "32A",
    "25A", "23A", "17A", "22A", "9A", "15A", "27C", "8C", "1B", "3D", "0A",
)
# fmt: on
"""By the site's number of each patch: our id, and our letter of the orientation it draws."""


def _drawn(name: str) -> tuple[str, ...]:
    return turned(PATCHES[int(name[:-1])].rows)["ABCDEFGH".index(name[-1])]


_PATCH = tuple(int(name[:-1]) for name in _OURS)
"""Our id for each of the site's numbers."""
_NUMBER = {patch: number for number, patch in enumerate(_PATCH)}
_VIEWS = tuple(turned(_drawn(name)) for name in _OURS)
"""How the site draws each patch in each orientation; the index is ``4 * flip + rotations``."""


_QUOTED = 60
"""How many characters of a wrong answer an error quotes."""
_FIRST_ANSWER, _LATER_ANSWER = 1.0, 0.1
"""The site's limits in seconds: for the first answer of a game, and for every other one."""


class Bot(Driver):
    """A bot of that site in a process of its own. It knows only the classic edition.

    Any ``ProtocolError`` ends the process; ``new_game`` starts another.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        first: float = _FIRST_ANSWER,
        later: float = _LATER_ANSWER,
    ) -> None:
        """Starts a bot.

        Args:
            command: the program and its arguments; a string is split as a shell would split it.
            first: the seconds for its first answer of a game.
            later: the seconds for every other answer.

        Raises:
            ProtocolError: it cannot be started.
        """
        self._command = command
        self._first = first
        self._later = later
        self._has_begun = False
        self._program = Program(command)

    def new_game(self) -> None:
        """Restarts the bot, as the site does for every game.

        Raises:
            ProtocolError: it cannot be started.
        """
        if self._has_begun:
            self._program.close(grace=SHORT_GRACE)
            self._program = Program(self._command)
            self._has_begun = False

    def choose(self, position: Position, game: Game) -> Move:
        """Returns the move that the bot plays.

        As on the site, an illegal purchase becomes an advance. If a leather patch is due, any
        answer that does not place it puts it on the first free space.

        Args:
            position: the position to decide in.
            game: the game that led to it.

        Raises:
            ProtocolError: the bot has ended, is late or answers neither SKIP nor PLAY.
            ValueError: the edition is not the classic one, the game is over, or ``game`` did not
                lead to ``position``.
        """
        if position.edition != CLASSIC:
            raise ValueError(f"bots of that site cannot play the {position.edition.name} edition")
        if position.phase is Phase.OVER:
            raise ValueError("the game is over: there is no move to find")
        if game.position != position:
            raise ValueError("the position is not that of the game")
        lines = list(_turn(position, _moves_of_other(game)))
        seconds = self._later
        if not self._has_begun:
            self._has_begun = True
            lines = [*_preamble(), *lines]
            seconds = self._first
        deadline = monotonic() + seconds
        self._program.send("\n".join(lines))
        answer = self._program.receive(deadline - monotonic())
        if answer is None:
            raise self._program.failure(
                f"it did not answer within {seconds * 1000:.0f} ms", NoAnswer
            )
        try:
            return read_answer(position, answer)
        except ValueError as error:
            raise self._program.failure(str(error), WrongMove) from error

    def close(self) -> None:
        """Ends the bot, by force if need be. It is safe to call this again."""
        self._program.close(grace=SHORT_GRACE)


def read_answer(position: Position, answer: str) -> Move:
    """Returns the move that the site takes a bot's answer for.

    Raises:
        ValueError: no leather patch is due, and the answer begins with neither SKIP nor PLAY.
    """
    words = answer.split()
    if words[:1] == ["PLAY"]:
        move = _placement(position, words[1:])
        if move is not None:
            return move
    if position.phase is Phase.LEATHER:
        return Leather(next(cells(FULL & ~position.players[position.turn].quilt)))
    if words[:1] not in (["PLAY"], ["SKIP"]):
        raise ValueError(f"it answered {answer[:_QUOTED]!r}, neither SKIP nor PLAY")
    return ADVANCE


def _placement(position: Position, words: list[str]) -> Move | None:
    """Returns the legal move that the words after PLAY describe; None if there is none.

    They are the patch's number, x, y, whether it is flipped, and rotations.
    """
    patch, x, y, flip, rotations = (*map(_number, words[:5]), None, None, None, None, None)[:5]
    if x is None or y is None or not (0 <= x < SIDE and 0 <= y < SIDE):
        return None
    corner = SIDE * y + x
    move: Move
    if patch is not None and 0 <= patch < len(_PATCH):
        view = _VIEWS[patch][4 * (flip == 1) + (rotations or 0) % 4]
        move = Buy(_PATCH[patch], places(view).get(corner, 0))
    elif patch == _leather_due(position):
        move = Leather(corner)
    else:
        return None
    try:
        position.play(move)
    except IllegalMove:
        return None
    return move


def _number(word: str) -> int | None:
    digits = word.removeprefix("-")
    return int(word) if digits.isascii() and digits.isdigit() and len(digits) < 5 else None


def format_answer(move: Move, leather: int) -> str:
    """Returns a move as a bot's answer; ``leather`` is the site's id of a leather patch, or 0."""
    match move:
        case Advance():
            return "SKIP"
        case Leather(cell):
            return f"PLAY {leather} {cell % SIDE} {cell // SIDE} 0 0"
        case Buy(patch, covered):
            number = _NUMBER[patch]
            corner, view = next(
                (corner, view)
                for view, shape in enumerate(_VIEWS[number])
                for corner, place in places(shape).items()
                if place == covered
            )
            return f"PLAY {number} {corner % SIDE} {corner // SIDE} {view // 4} {view % 4}"


def _leather_due(position: Position) -> int:
    """Returns the site's id of the leather patch to place: minus its line; 0 if there is none."""
    if position.phase is not Phase.LEATHER:
        return 0
    # They are taken in the order in which they lie, so the last one missing was just taken.
    return -max(line for line in position.edition.leather if line not in position.leather)


def _moves_of_other(game: Game) -> list[str]:
    """Returns what the opponent has played since the last move of the seat to decide."""
    seat = game.position.turn
    moves: list[str] = []
    for position, move in zip(game.positions(), game.moves, strict=False):
        if position.turn == seat:
            moves.clear()
        else:
            moves.append(format_answer(move, _leather_due(position)))
    return moves


def _preamble() -> Iterator[str]:
    for spaces in (INCOME_LINES, CLASSIC.leather):
        yield str(len(spaces))
        yield " ".join(map(str, spaces))


def _turn(position: Position, moves: list[str]) -> Iterator[str]:
    """Yields what a bot gets before it decides."""
    yield from _table(position.players[position.turn])
    yield from _table(position.players[1 - position.turn])
    yield str(len(position.circle))
    for patch in position.circle:
        number, facts = _NUMBER[patch], PATCHES[patch]
        shape = "|".join(_VIEWS[number][0]).replace("#", "O")
        yield f"{number} {facts.income} {facts.cost} {facts.time} {shape}"
    yield str(_leather_due(position))
    yield str(len(moves))
    yield from moves


def _table(player: Player) -> Iterator[str]:
    yield f"{player.buttons} {player.time} {player.income}"
    for row in range(SIDE):
        spaces = player.quilt >> SIDE * row
        yield "".join("O" if spaces >> column & 1 else "." for column in range(SIDE))
