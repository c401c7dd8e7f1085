"""A process that is stopped for longer than a clock runs: a move that came in time counts."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.support.fake_time import asynchronous
from server.support.friends import until
from server.support.live_server import Visitor

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are stopped by signals")

LONG = 3600.0


class Sleeper:
    """The process of a server."""

    def __init__(self, process: subprocess.Popen[str], file: Path) -> None:
        assert process.stdout is not None
        self.address = f"http://127.0.0.1:{int(process.stdout.readline())}"
        self._process = process
        self._file = file

    def stop(self) -> None:
        """Stops it; it does nothing any more when this returns."""
        self._process.send_signal(signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)

    def go_on(self, after: float) -> None:
        """Lets it go on, after a time that need not pass really."""
        self._file.write_text(str(after))
        self._process.send_signal(signal.SIGCONT)


@contextmanager
def sleeper(database: str, folder: Path) -> Iterator[Sleeper]:
    file = folder / "passed"
    file.write_text("0")
    program = Path(__file__).parents[1] / "support" / "suspended_server.py"
    command = [sys.executable, str(program), database, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Sleeper(process, file)
        finally:
            process.kill()


@asynchronous
async def test_a_move_that_came_while_the_process_was_stopped_counts(
    sqlite_database: str, tmp_path: Path
) -> None:
    with sleeper(sqlite_database, tmp_path) as server:
        async with Visitor(server.address) as ann, Visitor(server.address) as bob:
            clock = {"minutes": 20}
            game = (await ann.open("friend", seed=3, clock=clock))["table"]["id"]
            await bob.join(game)
            async with ann.live(game) as first, bob.live(game) as second:
                await first.play("A")
                await until(second, 3)
                server.stop()
                await second.send("move", id="in time", seq=3, move="A")
                server.go_on(after=LONG)
                answer = await second.receive("ack", "refused")
                assert (answer["t"], answer["id"]) == ("ack", "in time")
                await until(first, 4)
                assert first.state["status"]["ending"] is None
                left = first.state["status"]["clocks"]["left"]
                assert min(left) > 0
                # Nobody moves, and nobody loses.
                server.stop()
                server.go_on(after=2 * LONG)
                assert (await first.act("flag"))["code"] == "time-left"
