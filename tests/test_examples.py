"""The example programs run and do what they say."""

import subprocess
import sys
from pathlib import Path

import pytest

import patchwork as pw

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, *arguments: object) -> str:
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_first_game_prints_a_finished_game() -> None:
    record = pw.Record.parse(run("first_game.py", 3))
    assert record.setup == pw.Setup.random(3)
    assert record.game.position.outcome is not None


def test_what_if_adds_up_to_the_scores(tmp_path: Path) -> None:
    path = tmp_path / "game.patchwork"
    path.write_text(run("first_game.py", 3), encoding="utf-8")
    record = pw.Record.parse(path.read_text(encoding="utf-8"))
    lines = run("what_if.py", path).splitlines()
    assert len(lines) == len(record.game.moves)
    for seat, name in enumerate(record.players):
        gains = [int(line.split()[2]) for line in lines if line.startswith(name)]
        assert sum(gains) - 157 == record.game.position.scores[seat]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("first_game.py", ["x"]), ("what_if.py", []), ("what_if.py", ["a", "b"])],
)
def test_wrong_usage_is_told_without_a_traceback(name: str, arguments: list[str]) -> None:
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"usage: {name} ")
    assert "Traceback" not in done.stderr


def test_every_example_is_run() -> None:
    """The bot by ``tests/server/test_bot.py``."""
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "bot.py",
        "first_game.py",
        "what_if.py",
    }
