"""The worker program: thinks for the server, in a process of its own.

``python -m patchwork.server.engines.thinker`` gets the engine ready, says so, and then answers a
line of JSON (``Question``) with a line of JSON (``Thought``, or ``Unable``), one after another. It
ends at the end of its input, even in the middle of a thought: a server that is killed leaves
nothing behind that goes on computing. ``STOP`` ends a thought that nobody wants any more, which is
answered like others.
"""

import os
import signal
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Final

from patchwork.engine.analysis import Analysis, Limit
from patchwork.rules.position import Position
from patchwork.server.wire import Message, Thought, Variation

if TYPE_CHECKING:
    from patchwork.engine import Engine

READY: Final = b'{"ready":true}\n'
"""What a worker writes first."""
STOP: Final = b"stop\n"
"""What makes a worker answer with what it has found so far; between two questions, nothing."""
_MEMORY = 64
"""Megabytes of the tree: seconds of thought fit in, and there is a worker for each core."""
_NICENESS = 10
"""The server itself comes first."""


class Question(Message):
    """A position to think about."""

    position: str
    level: int | None
    limit: Limit | None
    lines: int
    seed: int


class Unable(Message):
    """There is no answer to a question, however often it is asked."""

    error: str


class Thinker:
    """The engine at work, and another thread that hears what the server writes meanwhile."""

    def __init__(self) -> None:
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._heard = self._begun = self._unwanted = 0
        """How many questions came, were begun, and are of no interest any more."""
        self._engine: Engine | None = None

    def hear(self, line: bytes) -> None:
        """Takes a line from the server."""
        if line != STOP:
            self._heard += 1
            self._lines.put(line)
            return
        self._unwanted = self._heard
        engine = self._engine
        if engine is not None:
            engine.stop()

    def next(self) -> Question:
        """Returns the next question, as soon as there is one."""
        return Question.model_validate_json(self._lines.get())

    def answer(self, question: Question) -> Thought | Unable:
        """Returns what the engine thinks; the same for the same question unless time limits it."""
        from patchwork.engine import Engine

        self._begun += 1

        def check(_: Analysis) -> None:  # for what was stopped before the engine had begun
            if self._unwanted == self._begun:
                engine.stop()

        try:
            engine = Engine(question.level, seed=question.seed, threads=1, memory=_MEMORY)
            position = Position.parse(question.position)
            self._engine = engine
            return _thought(
                engine.analyse(position, question.limit, lines=question.lines, progress=check)
            )
        except ValueError as error:
            return Unable(error=str(error))
        finally:
            self._engine = None


def _thought(analysis: Analysis) -> Thought:
    return Thought(
        seat=analysis.seat,
        move=str(analysis.best),
        win=analysis.win,
        margin=analysis.margin,
        exact=analysis.exact,
        lines=[
            Variation(moves=[str(move) for move in line.moves], win=line.win, margin=line.margin)
            for line in analysis.lines
        ],
    )


def _listen(thinker: Thinker) -> None:
    """Passes on what the server writes, and ends the process when there will be no more."""
    try:
        # Unbuffered, since a buffer's lock, held while waiting, would disturb the process's end.
        with open(0, "rb", buffering=0, closefd=False) as source:
            for line in source:
                thinker.hear(line)
    finally:
        os._exit(0)


def main() -> None:
    """Answers questions until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the server
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    answers = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    thinker = Thinker()
    Thread(target=_listen, args=(thinker,), daemon=True).start()
    from patchwork.engine.warmup import prepare

    prepare()
    line = READY
    while True:
        try:
            os.write(answers, line)
        except BrokenPipeError:
            os._exit(0)
        line = thinker.answer(thinker.next()).model_dump_json().encode() + b"\n"


if __name__ == "__main__":
    main()
