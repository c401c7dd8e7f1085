"""A server process is suspended for longer than a clock lasts: no player loses on time."""

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


class SuspendableServer:
    """A server process that can be suspended."""

    def __init__(self, process: subprocess.Popen[str], file: Path) -> None:
        assert process.stdout is not None
        self.address = f"http://127.0.0.1:{int(process.stdout.readline())}"
        self._process = process
        self._file = file

    def suspend(self) -> None:
        """Suspends the process, and waits until it is suspended."""
        self._process.send_signal(signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)

    def resume(self, after: float) -> None:
        """Resumes the process, whose clock then shows that ``after`` seconds have passed."""
        self._file.write_text(str(after))
        self._process.send_signal(signal.SIGCONT)


@contextmanager
def suspendable_server(database: str, folder: Path) -> Iterator[SuspendableServer]:
    file = folder / "passed"
    file.write_text("0")
    program = Path(__file__).parents[1] / "support" / "suspended_server.py"
    command = [sys.executable, str(program), database, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield SuspendableServer(process, file)
        finally:
            process.kill()


@asynchronous
async def test_a_move_sent_while_the_process_was_suspended_counts(
    sqlite_database: str, tmp_path: Path
) -> None:
    with suspendable_server(sqlite_database, tmp_path) as server:
        async with Visitor(server.address) as ann, Visitor(server.address) as bob:
            clock = {"minutes": 20}
            game = (await ann.open("friend", seed=3, clock=clock))["table"]["id"]
            await bob.join(game)
            async with ann.live(game) as first, bob.live(game) as second:
                await first.play("A")
                await until(second, 3)
                server.suspend()
                await second.send("move", id="in time", seq=3, move="A")
                server.resume(after=LONG)
                answer = await second.receive("ack", "refused")
                assert (answer["t"], answer["id"]) == ("ack", "in time")
                await until(first, 4)
                assert first.state["status"]["ending"] is None
                left = first.state["status"]["clocks"]["left"]
                assert min(left) > 0
                # Without a move, neither player loses.
                server.suspend()
                server.resume(after=2 * LONG)
                assert (await first.act("flag"))["code"] == "time-left"
