"""Plays one game between two players; one that fails loses it."""

from collections.abc import Callable, Sequence
from time import perf_counter

from patchwork.arena.players import Player
from patchwork.arena.schedule import Fault, PlayedGame, Task
from patchwork.programs.errors import NoAnswer, NotRunning, ProtocolError, WrongMove
from patchwork.rules.game import Game
from patchwork.rules.moves import IllegalMove

_LONGEST_REASON = 500
"""Characters of an error that a game keeps."""


def play(task: Task, players: Sequence[Player], report: Callable[[PlayedGame], None]) -> PlayedGame:
    """Returns a game between two players; one that fails loses it.

    Before each decision, ``report`` gets the game as it will have ended if the player never moves.
    """
    game = Game(task.setup)
    decisions, seconds = [0, 0], [0.0, 0.0]

    def over(winner: int, fault: Fault | None = None, detail: str = "") -> PlayedGame:
        first, second = (game.position.scores[task.player_at(player)] for player in (0, 1))
        return PlayedGame(
            task,
            winner,
            (first, second),
            tuple(map(str, game.moves)),
            (decisions[0], decisions[1]),
            (round(seconds[0], 6), round(seconds[1], 6)),
            fault,
            detail,
        )

    for number, player in enumerate(players):
        report(over(1 - number, Fault.NO_ANSWER))
        try:
            player.new_game(task.player_seed(number))
        except Exception as error:
            return over(1 - number, _fault(error), reason(error))
    while game.position.outcome is None:
        number = task.player_at(game.position.turn)
        report(over(1 - number, Fault.NO_ANSWER))
        started = perf_counter()
        try:
            move = players[number].choose(game)
            seconds[number] += perf_counter() - started
            decisions[number] += 1
            game.push(move)
        except Exception as error:
            return over(1 - number, _fault(error), reason(error))
    return over(task.player_at(game.position.outcome.winner))


def reason(error: Exception) -> str:
    """Returns an error as one line of text that any file can hold."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text.encode("utf-8", "replace").decode("utf-8")[:_LONGEST_REASON]


def _fault(error: Exception) -> Fault:
    match error:
        case IllegalMove() | WrongMove():
            return Fault.ILLEGAL_MOVE
        case NoAnswer():
            return Fault.NO_ANSWER
        case NotRunning():
            return Fault.CRASHED
        case ProtocolError():
            return Fault.PROTOCOL_ERROR
        case _:
            return Fault.CRASHED
