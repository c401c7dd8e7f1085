"""Drives any program that speaks UPI, and copes with whatever it does."""

import math
import re
from collections.abc import Mapping, Sequence
from time import monotonic
from types import MappingProxyType

from patchwork.engine.analysis import Analysis, Limit
from patchwork.notation.errors import NotationError
from patchwork.notation.moves import parse_move
from patchwork.programs.errors import NoAnswer, WrongMove
from patchwork.programs.program import Driver, Program
from patchwork.protocol.info import line_number, parse_info
from patchwork.rules.moves import Move
from patchwork.rules.position import Phase, Position

_TIMEOUT = 60.0
"""Seconds for any answer, unless the caller gives others; to start takes many on a busy machine."""
_PREPARATION_TIMEOUT = 600.0
"""Seconds until ``readyok`` for a program that reports by ``info string`` that it is at work."""
_DEADLINE_CHECK = 0.2
"""Seconds after which a wait checks whether ``stop`` has moved its deadline."""
_RANGE = re.compile(r"\bmin (?P<least>\d+) max (?P<most>\d+)\b")
"""The range in the description of a numeric option."""


class Client(Driver):
    """An engine in a process of its own.

    Any ``ProtocolError`` ends the process, and every later call raises one, too.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        options: Mapping[str, str] = MappingProxyType({}),
        timeout: float = _TIMEOUT,
    ) -> None:
        """Starts a program and waits until it is ready.

        Args:
            command: the program and its arguments; a string is split as a shell would split it.
            options: values to set, by name.
            timeout: seconds that any answer may take, beyond the time given to think.

        Raises:
            ProtocolError: it cannot be started, does not speak UPI or lacks an option.
        """
        self._timeout = timeout
        self._deadline = 0.0
        self._program = Program(command)
        self.name = self._program.name
        """The name that the program gives itself."""
        self.options: Mapping[str, str] = {}
        """The description of each option that can be set, by name."""
        try:
            self._introduce()
            self._set(options)
        except BaseException:
            self.close()
            raise

    def new_game(self, seed: int | None = None) -> None:
        """Announces that the next position belongs to another game.

        Args:
            seed: determines the program's random choices in that game, if it has an option for
                that; a seed beyond the range of the option is mapped into it.

        Raises:
            ProtocolError: it does not answer.
        """
        if seed is not None:
            self._set_seed(seed)
        self._program.send("newgame")
        self._wait_until_ready()

    def choose(self, position: Position, limit: Limit | None = None) -> Move:
        """Returns the move that the program plays.

        Args:
            position: the position, in which the game must not be over.
            limit: how long to think; if not given, the program decides. It must answer within
                ``timeout`` after the time of the limit; with a limit of nodes alone, within
                ``timeout``.

        Raises:
            ProtocolError: it gives no legal move in time.
            ValueError: the game is over.
        """
        best, _ = self._go(position, limit, 1)
        return best

    def analyse(
        self, position: Position, limit: Limit | None = None, *, lines: int = 1
    ) -> Analysis:
        """Returns what the program thinks of a position, within a limit as in ``choose``.

        A limit of infinite time lasts until ``stop``.

        Raises:
            ProtocolError: it gives no legal move in time, or no evaluation of that move.
            ValueError: the game is over.
        """
        best, texts = self._go(position, limit, lines)
        try:
            infos = [parse_info(text, position) for text in texts]
        except ValueError as error:
            raise self._program.failure(f"it wrote a wrong info line: {error}") from error
        first = next((info for info in infos if info.line.moves[0] == best), None)
        if first is None:
            raise self._program.failure(f"it does not say what its move {best} is worth")
        return Analysis(
            best=best,
            win=first.line.win,
            margin=first.line.margin,
            seat=position.turn,
            lines=tuple(info.line for info in infos),
            visits=first.nodes,
            exact=first.exact,
        )

    def stop(self) -> None:
        """Ends a search that another thread waits for; that thread gets what was found so far.

        Raises:
            ProtocolError: the program has ended.
        """
        self._deadline = min(self._deadline, monotonic() + self._timeout)
        self._program.send("stop")

    def close(self) -> None:
        """Ends the program, by force if need be. It is safe to call this again."""
        self._program.close("quit")

    def _introduce(self) -> None:
        self._program.send("upi")
        self._allow(self._timeout)
        options = {}
        while (words := self._next("upiok").split())[:1] != ["upiok"]:
            match words:
                case ["id", "name", *name] if name:
                    self.name = " ".join(name)
                case ["option", "name", name, *description]:
                    options[name] = " ".join(description)
        self.options = MappingProxyType(options)

    def _set(self, options: Mapping[str, str]) -> None:
        for name, value in options.items():
            if name.lower() not in map(str.lower, self.options):
                raise self._program.failure(f"it has no option {name!r}")
            self._program.send(f"setoption name {name} value {' '.join(str(value).split())}")
        self._wait_until_ready()

    def _set_seed(self, seed: int) -> None:
        for name, description in self.options.items():
            numbers = _RANGE.search(description)
            if name.lower() == "seed" and numbers is not None:
                least, most = int(numbers["least"]), int(numbers["most"])
                within = least + seed % max(1, most - least + 1)  # the range may be empty
                self._program.send(f"setoption name {name} value {within}")

    def _wait_until_ready(self) -> None:
        self._program.send("isready")
        asked = monotonic()
        self._allow(self._timeout)
        while (line := self._next("readyok")) != "readyok":
            if line.startswith("info string"):
                self._deadline = max(self._deadline, asked + _PREPARATION_TIMEOUT)

    def _go(self, position: Position, limit: Limit | None, lines: int) -> tuple[Move, list[str]]:
        """Returns the best move and the latest ``info`` about each line of play."""
        if position.phase is Phase.OVER:
            raise ValueError("the game is over: there is no move to find")
        self._program.send(f"position {position}")
        self._allow((limit.time if limit and limit.time is not None else 0.0) + self._timeout)
        self._program.send(f"go{_limit(limit)}{f' lines {lines}' if lines != 1 else ''}")
        texts: list[str] = []
        while not (line := self._next("bestmove")).startswith("bestmove"):
            number = line_number(line) if line.startswith("info ") else None
            if number == 1:
                texts.clear()
            if number is not None and number == len(texts) + 1:
                texts.append(line)
        try:
            return parse_move(position, " ".join(line.split()[1:2])), texts
        except NotationError as error:
            raise self._program.failure(
                f"it answered with a wrong move: {error}", WrongMove
            ) from error

    def _allow(self, seconds: float) -> None:
        self._deadline = monotonic() + seconds

    def _next(self, awaited: str) -> str:
        """Returns the next line; an error names the answer that was awaited."""
        while (left := self._deadline - monotonic()) > 0:
            line = self._program.receive(min(left, _DEADLINE_CHECK))
            if line is None:
                continue
            if line.startswith("info string error"):
                raise self._program.failure(line.removeprefix("info string error").strip())
            return line
        raise self._program.failure(f"it did not answer with {awaited} in time", NoAnswer)


def _limit(limit: Limit | None) -> str:
    """Returns a limit as the arguments of ``go``."""
    if limit is None:
        return ""
    time = None if limit.time is None or math.isinf(limit.time) else limit.time
    if time is None and limit.nodes is None:
        return " infinite"
    return ("" if time is None else f" movetime {time * 1000:.0f}") + (
        "" if limit.nodes is None else f" nodes {limit.nodes}"
    )
