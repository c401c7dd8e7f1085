"""The players of the arena: baselines, the engine, and other programs.

A short text describes a player::

    random                  plays random legal moves
    greedy                  buys by a simple rule
    uct1000                 plain UCT search with that many random playouts
    level:8                 the engine at a level
    playout:8               the frozen engine without a network, which never changes
    network:my.onnx         the engine with the network in a file
    upi:patchwork upi       a program that speaks UPI, by its command
    codingame:./bot         a bot written for CodinGame, by its command

``level``, ``playout``, ``network`` and ``upi`` accept a limit per move, in seconds
(``level:8@0.5s``) or nodes (``level:8@2000n``). With ``@1n``, a network plays by its policy alone.
A file or a command may be enclosed in double quotes.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Protocol

from patchwork.engine.analysis import Limit
from patchwork.engine.baselines.greedy import greedy
from patchwork.engine.levels import LEVELS
from patchwork.rules.game import Game
from patchwork.rules.moves import Move
from patchwork.rules.setup import SEEDS, Setup

if TYPE_CHECKING:
    from patchwork.engine import Engine

ALLOWED = (
    f"random, greedy, uct1000 (or another number), level:1 to level:{len(LEVELS)}, playout:8,"
    " network:FILE, upi:COMMAND and codingame:COMMAND; those from level to upi may have a limit"
    " such as @1s or @2000n"
)

_DESCRIPTION = re.compile(
    rf"""(?P<baseline>random|greedy)
    |uct(?P<iterations>[1-9][0-9]{{0,6}})
    |(?:level:(?P<level>[1-{len(LEVELS)}])|(?P<playout>playout:8)|network:(?P<network>.*?\S.*?)
        |upi:(?P<upi>.*?\S.*?))(?:@(?P<limit>
        (?P<seconds>[0-9]{{1,6}}(?:\.[0-9]{{1,6}})?)s|(?P<nodes>[1-9][0-9]{{0,11}})n))?
    |codingame:(?P<codingame>.*\S.*)""",
    re.VERBOSE,
)
_SECOND = Limit(time=1.0)
"""The limit of programs, networks and the frozen engine if their description has none."""


class Player(Protocol):
    """A player of one game after another."""

    name: str

    def new_game(self, seed: int) -> None:
        """Forgets the last game; the seed determines the random choices in the next one."""

    def choose(self, game: Game) -> Move:
        """Returns a move for the seat to decide in an unfinished game."""

    def close(self) -> None:
        """Ends whatever the player has running."""


@dataclass(frozen=True, slots=True)
class Description:
    """The description of a player, which may be created in another process."""

    text: str
    limit: Limit | None = None

    @classmethod
    def parse(cls, text: str) -> "Description":
        """Returns the description in a text.

        Raises:
            ValueError: the text describes no player.
        """
        found = _DESCRIPTION.fullmatch(text)
        if found is None or not text.isprintable():
            raise ValueError(f"{text!r} is not a player; players are {ALLOWED}")
        limit = None
        if found["seconds"]:
            limit = Limit(time=float(found["seconds"]))
        elif found["nodes"]:
            limit = Limit(nodes=int(found["nodes"]))
        return cls(text, limit)

    @property
    def classic_only(self) -> bool:
        """Whether the player only knows the classic edition."""
        return self.text.startswith("codingame:")

    def player(self) -> Player:
        """Creates the player; whatever must be compiled or started is ready then.

        Raises:
            ImportError: something it needs is not installed.
            ProtocolError: its program cannot be started or does not speak as expected.
        """
        found = _DESCRIPTION.fullmatch(self.text)
        assert found is not None
        if found["iterations"]:
            return _Uct(self.text, int(found["iterations"]))
        if found["level"]:
            return _Level(self.text, int(found["level"]), self.limit)
        if found["playout"]:
            return _Playout(self.text, self.limit or _SECOND)
        if found["network"]:
            path = Path(_unquoted(found["network"]))
            return _Network(self.text, path, self.limit or _SECOND)
        if found["upi"]:
            return _Upi(self.text, _unquoted(found["upi"]), self.limit or _SECOND)
        if found["codingame"]:
            return _CodinGame(self.text, _unquoted(found["codingame"]))
        return _Random(self.text) if self.text == "random" else _Greedy(self.text)


class _Random:
    """Plays random legal moves, all of them equally likely."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._random = Random(0)

    def new_game(self, seed: int) -> None:
        self._random = Random(seed)

    def choose(self, game: Game) -> Move:
        moves = game.position.legal_moves()
        # Of all methods of Random, only this one is guaranteed to give the same numbers for ever.
        return moves[int(self._random.random() * len(moves))]

    def close(self) -> None:
        pass


class _Greedy:
    """Plays like ``patchwork.engine.baselines.greedy``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def new_game(self, seed: int) -> None:
        pass

    def choose(self, game: Game) -> Move:
        return greedy(game.position)

    def close(self) -> None:
        pass


class _Uct:
    """Plays like ``patchwork.engine.baselines.uct``."""

    def __init__(self, name: str, iterations: int) -> None:
        from patchwork.engine.baselines.uct import uct

        self.name = name
        self._iterations = iterations
        self._uct = uct
        self._random = Random(0)
        uct(Setup.random(0).start(), 0, 1)  # compiles it

    def new_game(self, seed: int) -> None:
        self._random = Random(seed)

    def choose(self, game: Game) -> Move:
        seed = int(self._random.random() * SEEDS)
        return self._uct(game.position, seed, self._iterations)

    def close(self) -> None:
        pass


class _EnginePlayer:
    """Plays the engine's best move; subclasses create the engine."""

    def __init__(self, name: str, limit: Limit | None) -> None:
        self.name = name
        self._limit = limit
        from patchwork.engine.warmup import prepare

        prepare()
        self._engine = self._new_engine(0)

    def _new_engine(self, seed: int) -> "Engine":
        raise NotImplementedError

    def new_game(self, seed: int) -> None:
        self._engine = self._new_engine(seed)

    def choose(self, game: Game) -> Move:
        return self._engine.analyse(game.position, self._limit).best

    def close(self) -> None:
        self._engine.stop()


class _Level(_EnginePlayer):
    """The engine at a level."""

    def __init__(self, name: str, level: int, limit: Limit | None) -> None:
        self._level = level
        super().__init__(name, limit)

    def _new_engine(self, seed: int) -> "Engine":
        from patchwork.engine import Engine

        return Engine(level=self._level, seed=seed, threads=1)


class _Playout(_EnginePlayer):
    """The frozen engine of ``patchwork.engine.baselines.playout``."""

    def _new_engine(self, seed: int) -> "Engine":
        from patchwork.engine.baselines.playout import playout_engine

        return playout_engine(seed)


class _Network(_EnginePlayer):
    """The engine with a network."""

    def __init__(self, name: str, path: Path, limit: Limit) -> None:
        from patchwork.engine.evaluators.network import NetworkEvaluator

        self._evaluator = NetworkEvaluator(path)
        super().__init__(name, limit)

    def _new_engine(self, seed: int) -> "Engine":
        from patchwork.engine import Engine

        return Engine(evaluator=self._evaluator, seed=seed)


class _Upi:
    """A program that speaks UPI."""

    def __init__(self, name: str, command: str, limit: Limit) -> None:
        from patchwork.protocol.client import Client

        self.name = name
        self._limit = limit
        self._client = Client(command)

    def new_game(self, seed: int) -> None:
        self._client.new_game(seed)

    def choose(self, game: Game) -> Move:
        return self._client.choose(game.position, self._limit)

    def close(self) -> None:
        self._client.close()


class _CodinGame:
    """A bot written for CodinGame."""

    def __init__(self, name: str, command: str) -> None:
        from patchwork.protocol.codingame import Bot

        self.name = name
        self._bot = Bot(command)

    def new_game(self, seed: int) -> None:
        self._bot.new_game()

    def choose(self, game: Game) -> Move:
        return self._bot.choose(game.position, game)

    def close(self) -> None:
        self._bot.close()


def _unquoted(command: str) -> str:
    quoted = len(command) > 2 and command[0] == command[-1] == '"'
    return command[1:-1] if quoted else command
