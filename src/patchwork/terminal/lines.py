"""The plain line mode: a whole game by typed commands, for people and for the program ``greedy``.

Every move is on disk before it is confirmed on the screen.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from patchwork.locales import Messages
from patchwork.notation.errors import NotationError
from patchwork.notation.moves import format_move, parse_move
from patchwork.notation.record import Record
from patchwork.render import ascii as drawing
from patchwork.rules.game import Game
from patchwork.rules.moves import Buy, Move, Reason
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import Phase, Position
from patchwork.rules.quilt import CELLS
from patchwork.terminal import saves
from patchwork.terminal.complaints import complaint
from patchwork.terminal.effects import effects

Player = Callable[[Position], Move]


class LineGame:
    """A game at the terminal, begun or resumed from a record."""

    def __init__(
        self,
        record: Record,
        path: Path,
        programs: Mapping[int, Player],
        say: Messages,
        narrow: bool = False,
    ) -> None:
        self.record = record
        self.path = path
        """Where the record is kept."""
        self.programs = programs
        """The seats that a program plays; people play the others."""
        self.say = say
        self.narrow = narrow
        """Draw tables for a narrow terminal."""
        self.game = record.game
        self.names = record.players

    def run(self) -> bool:
        """Plays until the game is over, and then returns True, or until the user leaves."""
        print(self.say("play-saved-in", path=str(self.path)))
        print(self.say("play-help-hint"))
        shown = None
        while (position := self.game.position).phase is not Phase.OVER:
            program = self.programs.get(position.turn)
            if program is not None:
                if not self._play(program(position)):
                    return False
                continue
            if position is not shown:
                self._show()
                shown = position
            command = self._ask()
            if command.strip().lower() in ("quit", "exit", "q"):
                print(self.say("play-left"))
                return False
            self._obey(command)
        self._show()
        print("\n".join(scoring(self.say, self.names, self.game.position)))
        return True

    def _ask(self) -> str:
        position = self.game.position
        prompt = self.say("play-prompt", name=self.names[position.turn], phase=position.phase.value)
        try:
            return input(f"\n{prompt} ")
        except (EOFError, KeyboardInterrupt):
            print()
            return "quit"

    def _obey(self, command: str) -> None:
        match command.lower().split():
            case []:
                pass
            case ["help" | "?"]:
                print(self.say("play-help"))
            case ["show"]:
                self._show()
            case ["undo"]:
                self._undo()
            case ["moves"]:
                self._list_moves()
            case ["moves", patch]:
                self._list_places(patch)
            case ["try", text]:
                self._try(text)
            case [text]:
                move = self._read(text)
                if move is not None:
                    self._play(move)
            case _:
                print(self.say("play-unknown", command=command.strip()))

    def _read(self, text: str) -> Move | None:
        """Returns the move of a text, or tells what is wrong with it."""
        try:
            return parse_move(self.game.position, text)
        except NotationError as error:
            print(complaint(self.say, error))
            return None

    def _play(self, move: Move) -> bool:
        """Plays a move, saves it, then confirms it; a move that cannot be saved is taken back."""
        before = self.game.position
        self.game.push(move)
        try:
            self._save()
        except OSError as error:
            self.game.pop()
            print(self.say("play-not-saved", path=str(self.path), detail=str(error)))
            return False
        print(f"\n{len(self.game.moves)}. {move}")
        print("\n".join(effects(self.say, self.names, before, move)))
        return True

    def _save(self) -> None:
        record = saves.continued(self.record, self.game)
        saves.write(self.path, record)
        self.record = record

    def _show(self) -> None:
        position, game = self.game.position, self.game
        print()
        if self.narrow:
            print(drawing.compact(position, self.names))
        else:
            print(drawing.table(position, (game.layout(0), game.layout(1)), self.names))

    def _undo(self) -> None:
        """Takes moves back to the last decision of a person, over the replies of programs."""
        deciders = [position.turn for position in self.game.positions()[:-1]]
        if all(seat in self.programs for seat in deciders):
            print(self.say("play-nothing-to-undo"))
            return
        undone = [self.game.pop()]
        while self.game.position.turn in self.programs:
            undone.append(self.game.pop())
        try:
            self._save()
        except OSError as error:
            for move in reversed(undone):
                self.game.push(move)
            print(self.say("play-not-saved", path=str(self.path), detail=str(error)))
            return
        print(self.say("play-undone", count=len(undone)))

    def _list_moves(self) -> None:
        position = self.game.position
        moves = position.legal_moves()
        if position.phase is Phase.LEATHER:
            print(" ".join(map(format_move, moves)))
            return
        print(f"{moves[0]}   {self.say('play-advance')}")
        for patch in position.offer:
            places = sum(isinstance(move, Buy) and move.patch == patch for move in moves)
            if PATCHES[patch].cost > position.players[position.turn].buttons:
                print(f"{patch:2}  {self.say(f'reason-{Reason.CANNOT_AFFORD}')}")
            else:
                print(f"{patch:2}  {self.say('play-places-count', count=places)}")

    def _list_places(self, patch: str) -> None:
        """Draws a patch in its orientations and where each fits, even if it cannot be had yet."""
        if not patch.isascii() or not patch.isdigit() or int(patch) >= len(PATCHES):
            print(self.say("play-no-such-patch", found=patch, last=len(PATCHES) - 1))
            return
        position = self.game.position
        print(drawing.places(int(patch), position.players[position.turn].quilt))
        if int(patch) not in position.offer:
            print(self.say(f"reason-{Reason.NOT_ON_OFFER}"))
        elif PATCHES[int(patch)].cost > position.players[position.turn].buttons:
            print(self.say(f"reason-{Reason.CANNOT_AFFORD}"))

    def _try(self, text: str) -> None:
        move = self._read(text)
        if move is None:
            return
        before = self.game.position
        after, seat = before.play(move), before.turn
        tried = Game(self.game.setup)
        for played in (*self.game.moves, move):
            tried.push(played)
        print(drawing.quilt(after.players[seat].quilt, tried.layout(seat)))
        print("\n".join(effects(self.say, self.names, before, move)))
        change = after.scores[seat] - before.scores[seat]
        print(self.say("play-try-score", change=f"{change:+}", score=after.scores[seat]))
        if after.phase is not Phase.OVER:
            print(self.say("play-try-next", name=self.names[after.turn]))


def scoring(say: Messages, names: tuple[str, str], position: Position) -> Iterator[str]:
    """Yields the end scoring of a finished game, line by line, as the rulebook counts it."""
    outcome = position.outcome
    assert outcome is not None
    yield ""
    for seat, player in enumerate(position.players):
        yield say(
            "play-score",
            name=names[seat],
            buttons=player.buttons,
            tile=7 if position.tile == seat else 0,
            empty=CELLS - player.quilt.bit_count(),
            minus=2 * (CELLS - player.quilt.bit_count()),
            score=outcome.scores[seat],
        )
    if outcome.tie_break:
        yield say("play-tie-break", name=names[outcome.winner])
    yield say("play-wins", name=names[outcome.winner])
