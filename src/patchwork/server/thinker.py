"""The worker program: thinks for the server, in a process of its own.

``python -m patchwork.server.thinker`` gets the engine ready, says so, and then answers a line of
JSON (``Question``) with a line of JSON (``Thought``, or ``Unable``), one after another. It ends at
the end of its input, even in the middle of a thought: a server that is killed leaves nothing behind
that goes on computing.
"""

import os
import signal
from queue import SimpleQueue
from threading import Thread
from typing import Final

from patchwork.engine.analysis import Analysis, Limit
from patchwork.rules.position import Position
from patchwork.server.wire import Message, Thought, Variation

READY: Final = b'{"ready":true}\n'
"""What a worker writes first."""
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


def answer(question: Question) -> Thought | Unable:
    """Returns what the engine thinks; the same for the same question, if time is not its limit."""
    from patchwork.engine import Engine

    try:
        engine = Engine(question.level, seed=question.seed, threads=1, memory=_MEMORY)
        position = Position.parse(question.position)
        return _thought(engine.analyse(position, question.limit, lines=question.lines))
    except ValueError as error:
        return Unable(error=str(error))


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


def _listen(lines: SimpleQueue[bytes]) -> None:
    """Passes on what the server writes, and ends the process when there will be no more."""
    try:
        # Unbuffered, since a buffer's lock, held while waiting, would disturb the process's end.
        with open(0, "rb", buffering=0, closefd=False) as source:
            for line in source:
                lines.put(line)
    finally:
        os._exit(0)


def main() -> None:
    """Answers questions until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the server
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    answers = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    lines: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(lines,), daemon=True).start()
    from patchwork.engine.warming import prepare

    prepare()
    line = READY
    while True:
        try:
            os.write(answers, line)
        except BrokenPipeError:
            os._exit(0)
        question = Question.model_validate_json(lines.get())
        line = answer(question).model_dump_json().encode() + b"\n"


if __name__ == "__main__":
    main()
