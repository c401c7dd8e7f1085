"""One game after another, in a process of its own.

Before a player thinks, the worker says so: what it sends is the game as that player would lose it.
If nothing more is heard of the worker, this is the result.
"""

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import perf_counter
from typing import NoReturn

from patchwork.arena.players import Description, Player
from patchwork.arena.schedule import Fault, Played, Task
from patchwork.protocol import NoAnswer, NotRunning, ProtocolError, WrongMove
from patchwork.rules.game import Game
from patchwork.rules.moves import IllegalMove


@dataclass(frozen=True, slots=True)
class Thinking:
    """A player has begun to think; ``forfeit`` is the result if it never answers."""

    forfeit: Played


@dataclass(frozen=True, slots=True)
class NotStarted:
    """A player could not be made."""

    player: str
    detail: str


Message = Thinking | Played | NotStarted


def serve(connection: Connection) -> None:
    """Plays the tasks that come over a connection, until it ends."""
    # An interruption from the keyboard reaches all processes; the one that gives tasks decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    names: tuple[str, ...] = ()
    players: list[Player] = []
    try:
        while True:
            task: Task = connection.recv()
            if task.players != names:
                _close(players)
                names = task.players
                for name in names:
                    try:
                        players.append(Description.parse(name).player())
                    except Exception as error:
                        connection.send(NotStarted(name, reason(error)))
                        return
            played = play(task, players, lambda forfeit: connection.send(Thinking(forfeit)))
            if played.fault is not None:  # nobody knows what state the players are in
                names = ()
            connection.send(played)
    except (EOFError, ConnectionError):
        pass  # the process that gave tasks is gone
    finally:
        _close(players)


def play(task: Task, players: Sequence[Player], tell: Callable[[Played], None]) -> Played:
    """Returns a game between two players; one that fails loses it.

    Before each decision, ``tell`` is given the game as it will be over if that player fails.
    """
    game = Game(task.setup)
    decisions, seconds = [0, 0], [0.0, 0.0]

    def over(winner: int, fault: Fault | None = None, detail: str = "") -> Played:
        first, second = (game.position.scores[task.player_at(player)] for player in (0, 1))
        return Played(
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
        tell(over(1 - number, Fault.SILENT))
        try:
            player.new_game(task.player_seed(number))
        except Exception as error:
            return over(1 - number, _fault(error), reason(error))
    while game.position.outcome is None:
        number = task.player_at(game.position.turn)
        tell(over(1 - number, Fault.SILENT))
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
    """Returns an error in words that can be written down anywhere."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text.encode("utf-8", "replace").decode("utf-8")[:500]


def _fault(error: Exception) -> Fault:
    match error:
        case IllegalMove() | WrongMove():
            return Fault.ILLEGAL
        case NoAnswer():
            return Fault.SILENT
        case NotRunning():
            return Fault.CRASHED
        case ProtocolError():
            return Fault.PROTOCOL
        case _:
            return Fault.CRASHED


def _close(players: list[Player]) -> None:
    while players:
        players.pop().close()


def _leave(*_: object) -> NoReturn:
    raise SystemExit(0)
