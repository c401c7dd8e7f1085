"""Our engine as a program that speaks UPI over a pair of streams, as ``docs/upi.md`` specifies.

The thread that reads commands obeys at once and never searches: a search runs in a thread of its
own, so that ``stop`` and ``quit`` are read while it runs. Only ``quit`` and the end of the input
end the process; an invalid command is answered with ``info string error``.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING, BinaryIO

from patchwork.engine.analysis import LEAST_MEMORY, MEMORY, Analysis, Limit
from patchwork.engine.levels import LEVELS
from patchwork.notation.moves import parse_move
from patchwork.notation.position import parse_position
from patchwork.programs.lines import LONGEST, LineWriter, read_lines
from patchwork.protocol.info import format_infos
from patchwork.rules.position import Position
from patchwork.rules.setup import SEEDS

if TYPE_CHECKING:
    from patchwork.engine import Engine
    from patchwork.engine.evaluators.evaluator import Evaluator

_FOREVER = Limit(time=1e9)
_DIGITS = 16
"""The most digits that a number may have."""
_MOST_THREADS = 256
"""More than the cores of any machine that we know."""
_MOST_MEMORY = 1 << 20
"""Megabytes: a terabyte."""
_LONGEST_ERROR = 400
"""The most characters of an error."""
_QUOTED = 40
"""How many characters of a wrong word an error quotes."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option whose value is a number."""

    name: str
    default: int
    least: int
    most: int

    def __str__(self) -> str:
        return (
            f"option name {self.name} type spin"
            f" default {self.default} min {self.least} max {self.most}"
        )


_LEVEL = "Level"
OPTIONS = (
    Option(_LEVEL, len(LEVELS), 1, len(LEVELS)),
    Option("Threads", 1, 1, _MOST_THREADS),
    Option("Hash", MEMORY, LEAST_MEMORY, _MOST_MEMORY),
    Option("Seed", 0, 0, SEEDS - 1),
)
_NETWORK = "Network"
_SHIPPED, _NONE = "shipped", "none"
"""Values in place of a network file: the network that comes with the engine, and none."""


def serve(
    source: BinaryIO,
    sink: BinaryIO,
    *,
    name: str = "Patchwork",
    evaluator: "Evaluator | None" = None,
) -> None:
    """Answers commands until ``quit`` or the end of the input; leaves no thread behind.

    Args:
        source: where the commands come from.
        sink: where the answers go.
        name: the name that the engine gives itself.
        evaluator: evaluates positions in place of those of the levels; there is then no option for
            a level, nor for a network.

    Raises:
        OSError: the answers can no longer be written.
    """
    session = _Session(LineWriter(sink), name, evaluator)
    try:
        for line in read_lines(source):
            if line is None:
                session.report_error(f"a line is longer than {LONGEST} bytes")
            elif not session.obey(line):
                break
    finally:
        session.finish()


class _Session:
    """The state of a dialogue: what has been set so far, and the search that is running."""

    def __init__(
        self, write: Callable[[str], None], name: str, evaluator: "Evaluator | None"
    ) -> None:
        self._write = write
        self._name = name
        self._evaluator = evaluator
        self._options = [one for one in OPTIONS if evaluator is None or one.name != _LEVEL]
        self._values = {option.name: option.default for option in self._options}
        self._network = _SHIPPED
        self._prepared = False
        self._engine: Engine | None = None
        self._position: Position | None = None
        self._search: _Search | None = None
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "upi": self._introduce,
            "setoption": self._set_option,
            "isready": self._prepare,
            "newgame": self._begin,
            "position": self._set_position,
            "go": self._go,
            "stop": lambda _: self.stop(),
        }

    def obey(self, line: str) -> bool:
        """Obeys a line; returns False if it was ``quit``.

        As in UCI, words before the first command are ignored.
        """
        words = line.split()
        known = (n for n, word in enumerate(words) if word in self._commands or word == "quit")
        start = next(known, None)
        if start is None:
            return True
        if words[start] == "quit":
            return False
        try:
            self._commands[words[start]](words[start + 1 :])
        except Exception as error:  # if writing failed, so will this
            self.report_error(str(error) or type(error).__name__)
        return True

    def report_error(self, what: str) -> None:
        """Writes an error."""
        self._write(_error_line(what))

    def stop(self) -> None:
        """Ends the current search, if there is one, and has its answer written."""
        if self._search is not None:
            self._search.stop()
            self._search = None

    def finish(self) -> None:
        """Ends the search and the engine, whose threads end with it."""
        self.stop()
        self._engine = None

    def _introduce(self, _: list[str]) -> None:
        self._write(f"id name {self._name}")
        self._write("id author the Patchwork project")
        for option in self._options:
            self._write(str(option))
        if self._evaluator is None:
            self._write(f"option name {_NETWORK} type string default {_SHIPPED}")
        self._write("upiok")

    def _set_option(self, words: list[str]) -> None:
        if len(words) < 4 or (words[0], words[2]) != ("name", "value"):
            raise ValueError("set an option with: setoption name NAME value VALUE")
        if self._evaluator is None and words[1].lower() == _NETWORK.lower():
            self._network = " ".join(words[3:])
            self._engine = None
            return
        found = [option for option in self._options if option.name.lower() == words[1].lower()]
        if not found:
            raise ValueError(f"there is no option {words[1][:_QUOTED]!r}")
        (option,) = found
        value = _number(option.name, " ".join(words[3:]))
        if not option.least <= value <= option.most:
            raise ValueError(f"{option.name} must be {option.least} to {option.most}, not {value}")
        self._values[option.name] = value
        self._engine = None

    def _prepare(self, _: list[str]) -> None:
        if not self._prepared and not self._is_thinking():
            self._write("info string preparing, which may take half a minute the first time")
            from patchwork.engine.warmup import prepare

            prepare()  # while the engine is being compiled, a stop would have to wait
            self._prepared = True
        self._write("readyok")

    def _begin(self, _: list[str]) -> None:
        self._engine = None

    def _set_position(self, words: list[str]) -> None:
        self._position = None  # if the new one is invalid, there is none rather than the old one
        end = words.index("moves") if "moves" in words else len(words)
        position = parse_position(" ".join(words[:end]))
        for text in words[end + 1 :]:
            position = position.play(parse_move(position, text))
        self._position = position

    def _go(self, words: list[str]) -> None:
        if self._is_thinking():
            raise ValueError("a search is already running; stop it first")
        if self._position is None:
            raise ValueError("no position has been set")
        numbers = {}
        rest = iter(words)
        for word in rest:
            if word in ("movetime", "nodes", "lines"):
                numbers[word] = _number(word, next(rest, ""))
        infinite = "infinite" in words
        limit = _FOREVER if infinite else _limit(numbers.get("movetime"), numbers.get("nodes"))
        self.stop()
        if self._engine is None:
            self._engine = self._new_engine()
        self._search = _Search(self._engine, self._write, until_stopped=infinite)
        self._search.start(self._position, limit, numbers.get("lines", 1))

    def _is_thinking(self) -> bool:
        return self._search is not None and not self._search.answered.is_set()

    def _new_engine(self) -> "Engine":
        from patchwork.engine import Engine  # takes a moment, which `upi` need not wait for
        from patchwork.engine.evaluators.network import SHIPPED

        networks = {_SHIPPED: SHIPPED, _NONE: None}
        engine = Engine(
            self._values.get(_LEVEL),
            evaluator=self._evaluator,
            network=networks.get(self._network, Path(self._network)),
            seed=self._values["Seed"],
            threads=self._values["Threads"],
            memory=self._values["Hash"],
        )
        if engine.fault is not None:
            self._write(
                f"info string not everything could be loaded: {' '.join(engine.fault.split())}"
            )
        return engine


class _Search:
    """One search in a thread of its own, from ``go`` to ``bestmove``."""

    def __init__(
        self, engine: "Engine", write: Callable[[str], None], *, until_stopped: bool
    ) -> None:
        self.answered = Event()
        """Set just before the answer is written: its reader may send the next command at once."""
        self._engine = engine
        self._write = write
        self._until_stopped = until_stopped
        self._stopped = Event()
        self._thread: Thread | None = None

    def start(self, position: Position, limit: Limit | None, lines: int) -> None:
        """Starts the search."""
        self._started = perf_counter()
        self._thread = Thread(target=self._run, args=(position, limit, lines), name="upi-search")
        self._thread.start()

    def stop(self) -> None:
        """Ends the search; returns when the answer has been written."""
        self._stopped.set()
        # The engine ignores a stop that comes before it has begun, so this repeats it.
        while self._thread is not None and self._thread.is_alive():
            self._engine.stop()
            self._thread.join(0.005)

    def _run(self, position: Position, limit: Limit | None, lines: int) -> None:
        try:
            analysis = self._engine.analyse(position, limit, lines=lines, progress=self._tell)
            self._tell(analysis)
            if self._until_stopped:
                self._stopped.wait()
            answer = f"bestmove {analysis.best}"
        except Exception as error:  # of any kind: the process goes on
            answer = _error_line(str(error) or type(error).__name__)
        self.answered.set()
        with suppress(OSError, ValueError):  # the reader is gone
            self._write(answer)

    def _tell(self, analysis: Analysis) -> None:
        for info in format_infos(analysis, perf_counter() - self._started):
            self._write(info)


def _error_line(what: str) -> str:
    return f"info string error {' '.join(what.split())[:_LONGEST_ERROR]}"


def _limit(milliseconds: int | None, nodes: int | None) -> Limit | None:
    if milliseconds is None and nodes is None:
        return None
    return Limit(None if milliseconds is None else milliseconds / 1000, nodes)


def _number(name: str, word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= _DIGITS):
        raise ValueError(f"{name} must be a whole number from 0 on, not {word[:_QUOTED]!r}")
    return int(word)
