"""A process killed at any moment loses nothing that was confirmed on the screen."""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from golden.playthrough import FOLDER, record_in
from patchwork.notation.record import Record
from patchwork.terminal import saves

GOLDEN = record_in(FOLDER / "tie-broken.txt")
MOVES = [str(move) for move in GOLDEN.game.moves]


class Session:
    """A `patchwork play` process on one file."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "patchwork.cli", "play", "--lang", "en", "--file", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )

    def type(self, *moves: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{move}\n" for move in moves))
        self.process.stdin.flush()

    def wait_for(self, text: str) -> None:
        assert self.process.stdout is not None
        while not self.process.stdout.readline().startswith(text):
            assert self.process.poll() is None

    def kill(self) -> str:
        """Kills the process and returns the rest of its output."""
        self.process.kill()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        rest = self.process.stdout.read()
        self.process.wait()
        self.process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        return rest


def saved_moves(path: Path) -> list[str]:
    return [str(ply.move) for ply in saves.read(path).line.plies]


def test_a_kill_after_any_move_keeps_the_moves_so_far(tmp_path: Path) -> None:
    path = tmp_path / "game.patchwork"
    saves.write(path, Record(GOLDEN.setup))
    for number, move in enumerate(MOVES[:-1], 1):
        session = Session(path)
        session.type(move)
        session.wait_for(f"{number}. {move}")
        session.kill()
        assert saved_moves(path) == MOVES[:number]


@pytest.mark.parametrize("number", range(15))
def test_a_kill_during_play_keeps_all_confirmed_moves(tmp_path: Path, number: int) -> None:
    """The process is killed after ``number`` confirmed moves, while it plays the next ones."""
    path = tmp_path / "game.patchwork"
    saves.write(path, Record(GOLDEN.setup))
    session = Session(path)
    session.type(*MOVES)
    session.wait_for(f"{number}. {MOVES[number - 1]}" if number else "The game is saved in")
    output = session.kill()
    confirmed = number + len(re.findall(r"^\d+\. \w+$", output, re.MULTILINE))
    survived = saved_moves(path)
    assert survived == MOVES[: len(survived)]
    assert len(survived) >= confirmed
