"""A whole game by typed commands, between people and programs.

Every move is on disk before it is confirmed on the screen.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from patchwork.locales import Messages
from patchwork.notation.errors import NotationError, Problem
from patchwork.notation.moves import format_move, parse_move
from patchwork.notation.record import Record
from patchwork.render import ascii as drawing
from patchwork.rules.game import Game
from patchwork.rules.moves import ADVANCE, Buy, Move, Reason
from patchwork.rules.patches import PATCHES
from patchwork.rules.position import EMPTY_SPACE_COST, TILE_POINTS, Phase, Position
from patchwork.rules.quilt import CELLS
from patchwork.terminal import saves
from patchwork.terminal.effects import effects
from patchwork.terminal.error_messages import error_message
from patchwork.terminal.screen import columns, harmless, print_text, table

Player = Callable[[Position], Move]

_LIKE_A_MOVE = re.compile(r"[0-9]+[a-z]|l[a-z]?[0-9]", re.IGNORECASE)
"""The beginning of a word that was probably meant to be a move."""


class LineGame:
    """A game at the terminal, new or resumed."""

    def __init__(
        self,
        record: Record,
        path: Path,
        content: bytes,
        programs: Mapping[int, Player],
        say: Messages,
    ) -> None:
        self.record = record
        self.path = path
        """The file of the record."""
        self.content = content
        """What the file should hold."""
        self.programs = programs
        """The seats that programs play; people play the others."""
        self.say = say
        self.compact = False
        """Whether to draw small tables even where large ones would fit."""
        self.command = "patchwork play"
        """The command that resumes the game later."""
        self.game = record.game
        self.names = record.players

    def run(self) -> bool:
        """Plays until the game is over or the user leaves; returns whether the game is over."""
        print_text(self.say("play-saved-in", path=str(self.path)))
        print_text(self.say("play-help-hint"))
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
                print_text(self.say("play-left", command=self.command))
                return False
            self._obey(command)
        self._show()
        print_text("\n".join(scoring(self.say, self.names, self.game.position)))
        print_text(
            self.say("play-replay-hint", command=f"patchwork replay {shlex.quote(str(self.path))}")
        )
        return True

    def _ask(self) -> str:
        position = self.game.position
        prompt = self.say("play-prompt", name=self.names[position.turn], phase=position.phase.value)
        print()
        try:
            return input(f"{harmless(prompt)} ")
        except (EOFError, KeyboardInterrupt, OSError):
            print()
            return "quit"

    def _obey(self, command: str) -> None:
        match command.lower().split():
            case []:
                pass
            case ["help" | "h" | "?"]:
                print_text(self.say("play-help"))
            case ["show"]:
                self._show()
            case ["undo"]:
                self._undo()
            case ["moves"]:
                self._list_moves()
            case ["moves", patch]:
                self._list_places(patch)
            case ["try"]:
                print_text(self.say("play-try-what"))
            case ["try", text]:
                self._try(text)
            case [text]:
                move = self._read(text)
                if move is not None:
                    self._play(move)
            case _:
                print_text(self.say("play-unknown", command=command.strip()))

    def _read(self, text: str) -> Move | None:
        """Returns the move in a text, or prints what is wrong with it."""
        try:
            return parse_move(self.game.position, text)
        except NotationError as error:
            if error.problem is Problem.NOT_A_MOVE and not _LIKE_A_MOVE.match(text):
                print_text(self.say("play-unknown", command=text))
            elif error.reason is Reason.NOT_IN_THIS_PHASE:
                self._refuse_in_this_phase()
            else:
                print_text(error_message(self.say, error))
            return None

    def _refuse_in_this_phase(self) -> None:
        position = self.game.position
        if position.phase is Phase.LEATHER:
            print_text(self.say("play-leather-first", move=str(position.legal_moves()[0])))
        else:
            print_text(self.say(f"reason-{Reason.NOT_IN_THIS_PHASE}"))

    def _play(self, move: Move) -> bool:
        """Plays and saves a move, then confirms it; a move that cannot be saved is taken back."""
        before = self.game.position
        self.game.push(move)
        if not self._saved():
            self.game.pop()
            return False
        print(f"\n{len(self.game.moves)}. {move}")
        print_text("\n".join(effects(self.say, self.names, before, move)))
        return True

    def _saved(self) -> bool:
        """Writes the game to its file, or prints why that failed; returns whether it worked."""
        record = saves.continued(self.record, self.game)
        try:
            self.content = saves.write(self.path, record, replacing=self.content)
        except saves.ChangedElsewhere:
            print_text(self.say("play-changed-elsewhere", path=str(self.path)))
            return False
        except OSError as error:
            detail = error.strerror or ""
            print_text(self.say("play-not-saved", path=str(self.path), detail=detail))
            return False
        self.record = record
        return True

    def _show(self) -> None:
        position, game = self.game.position, self.game
        print()
        print(table(position, (game.layout(0), game.layout(1)), self.names, self.compact))

    def _undo(self) -> None:
        """Takes back the last move of a person, and the moves of programs after it."""
        deciders = [position.turn for position in self.game.positions()[:-1]]
        if all(seat in self.programs for seat in deciders):
            print_text(self.say("play-nothing-to-undo"))
            return
        undone = [self.game.pop()]
        while self.game.position.turn in self.programs:
            undone.append(self.game.pop())
        if self._saved():
            print_text(self.say("play-undone", count=len(undone)))
        else:
            for move in reversed(undone):
                self.game.push(move)

    def _list_moves(self) -> None:
        position = self.game.position
        moves = position.legal_moves()
        if position.phase is Phase.LEATHER:
            print_text(" ".join(map(format_move, moves)))
            return
        seat = position.turn
        spaces = position.play(ADVANCE).players[seat].time - position.players[seat].time
        print_text(f"{ADVANCE}   {self.say('play-advance', spaces=spaces)}")
        for patch in position.offer:
            places = sum(isinstance(move, Buy) and move.patch == patch for move in moves)
            refusal = self._refusal(patch)
            print_text(f"{patch:2}  {refusal or self.say('play-places-count', count=places)}")

    def _list_places(self, patch: str) -> None:
        """Draws the orientations of a patch on offer, and where each of them fits."""
        if not re.fullmatch("[0-9]{1,2}", patch) or int(patch) >= len(PATCHES):
            print_text(self.say("play-no-such-patch", found=patch, last=len(PATCHES) - 1))
            return
        position = self.game.position
        refusal = self._refusal(int(patch))
        if position.phase is Phase.LEATHER:
            self._refuse_in_this_phase()
        elif refusal is not None:
            print_text(refusal)
        else:
            print(drawing.places(int(patch), position.players[position.turn].quilt, columns()))

    def _refusal(self, patch: int) -> str | None:
        """Returns why the seat to decide cannot buy a patch, regardless of where it fits."""
        position = self.game.position
        if patch not in position.offer:
            return self.say(f"reason-{Reason.NOT_ON_OFFER}")
        if PATCHES[patch].cost > position.players[position.turn].buttons:
            return self.say(f"reason-{Reason.CANNOT_AFFORD}")
        return None

    def _try(self, text: str) -> None:
        move = self._read(text)
        if move is None:
            return
        before = self.game.position
        after, seat = before.play(move), before.turn
        if self.compact or columns() < drawing.NARROWEST:
            print(drawing.small_quilt(after.players[seat].quilt))
        else:
            tried = Game(self.game.setup)
            for played in (*self.game.moves, move):
                tried.push(played)
            print(drawing.quilt(after.players[seat].quilt, tried.layout(seat)))
        print_text("\n".join(effects(self.say, self.names, before, move)))
        change = after.scores[seat] - before.scores[seat]
        print_text(self.say("play-try-score", change=f"{change:+}", score=after.scores[seat]))
        if after.phase is not Phase.OVER:
            print_text(self.say("play-try-next", name=self.names[after.turn]))


def scoring(say: Messages, names: tuple[str, str], position: Position) -> Iterator[str]:
    """Yields the final scoring of a finished game, line by line, as in the rulebook."""
    outcome = position.outcome
    assert outcome is not None
    yield ""
    for seat, player in enumerate(position.players):
        empty = CELLS - player.quilt.bit_count()
        yield say(
            "play-score",
            name=names[seat],
            buttons=player.buttons,
            tile=TILE_POINTS if position.tile == seat else 0,
            empty=empty,
            minus=EMPTY_SPACE_COST * empty,
            score=outcome.scores[seat],
        )
    if outcome.tie_break:
        yield say("play-tie-break", name=names[outcome.winner])
    yield say("play-wins", name=names[outcome.winner])
