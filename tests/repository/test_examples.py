"""The example programs run and do what they promise."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import patchwork as pw
from patchwork.protocol import Client
from support.little_network import write_network
from support.svg import parse
from support.waiting import PATIENCE

EXAMPLES = Path(__file__).parents[2] / "examples"


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


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(tmp_path_factory.mktemp("network") / "little.onnx")


def label(drawing: Path) -> str:
    return parse(drawing.read_text(encoding="utf-8")).get("aria-label") or ""


def test_expectations_are_printed_before_every_move(tmp_path: Path, network: Path) -> None:
    path, drawing = tmp_path / "game.patchwork", tmp_path / "course.svg"
    path.write_text(run("first_game.py", 3), encoding="utf-8")
    moves = pw.Record.parse(path.read_text(encoding="utf-8")).game.moves
    lines = run("expectations.py", path, "--network", network, "--svg", drawing).splitlines()
    assert [line.split()[-1] for line in lines] == [str(move) for move in moves]
    for line in lines:
        first, second = (int(word.rstrip("%")) for word in line.split()[:2])
        assert 99 <= first + second <= 101
    assert label(drawing).count("%") == len(moves)


def test_filling_map_draws_the_quilt_of_the_seat_to_move(tmp_path: Path, network: Path) -> None:
    drawing = tmp_path / "filling.svg"
    told = run("filling_map.py", drawing, "--network", network, "--seed", 4)
    expected = told.split()[-2]
    assert f"{expected} of 81 spaces" in label(drawing)


def test_patch_values_are_those_of_the_offer(tmp_path: Path, network: Path) -> None:
    drawing = tmp_path / "values.svg"
    advance, *patches = run("patch_values.py", "--network", network, "--svg", drawing).splitlines()
    assert advance.startswith("advance")
    start = pw.Setup.random(seed=1).start()
    bought = {move.patch for move in start.legal_moves() if isinstance(move, pw.Buy)}
    assert {int(line.split()[1]) for line in patches} == bought
    assert all(f"patch {patch} " in label(drawing) for patch in bought)


@pytest.mark.parametrize("search", [[], ["--nodes", "50"]], ids=["network", "search"])
def test_best_places_are_legal(tmp_path: Path, network: Path, search: list[str]) -> None:
    drawing = tmp_path / "places.svg"
    lines = run("best_places.py", "--network", network, "--svg", drawing, *search).splitlines()
    legal = [str(move) for move in pw.Setup.random(seed=1).start().legal_moves()]
    places = [line.split()[0] for line in lines if not line.startswith("patch")]
    assert len(places) >= 6
    assert set(places) <= set(legal)
    assert label(drawing).startswith("Best places of a patch; 1:")


def test_own_evaluator_beats_greedy() -> None:
    *games, result = run("own_evaluator.py", "--pairs", 3, "--nodes", 300).splitlines()
    assert len(games) == 6
    wins = sum(int(words[2]) > int(words[4]) for words in map(str.split, games))
    assert result == f"won {wins} of 6 games against greedy"
    assert wins > 3


def test_own_evaluator_plays_in_matches() -> None:
    bot = shlex.join([sys.executable, str(EXAMPLES / "own_evaluator.py"), "--upi"])
    with Client(bot, timeout=PATIENCE) as client:
        assert client.name == "Point counter"
        assert set(client.options) == {"Threads", "Hash", "Seed"}
    command = [sys.executable, "-m", "patchwork", "match", f"upi:{bot}@20n", "random"]
    done = subprocess.run([*command, "--pairs", "1", "--json"], capture_output=True, check=True)
    result = json.loads(done.stdout)
    assert (result["games"], result["forfeits"]) == (2, [])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("first_game.py", ["x"]),
        ("what_if.py", []),
        ("what_if.py", ["a", "b"]),
        ("expectations.py", []),
        ("filling_map.py", []),
        ("patch_values.py", ["--position", "x"]),
        ("best_places.py", ["--nodes", "x"]),
        ("own_evaluator.py", ["--pairs", "x"]),
    ],
)
def test_wrong_usage_prints_no_traceback(name: str, arguments: list[str]) -> None:
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"usage: {name} ")
    assert "Traceback" not in done.stderr


def test_every_example_is_run() -> None:
    """``bot.py`` is run by ``tests/server/tables/test_computer.py``."""
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "best_places.py",
        "bot.py",
        "expectations.py",
        "filling_map.py",
        "first_game.py",
        "own_evaluator.py",
        "patch_values.py",
        "what_if.py",
    }
