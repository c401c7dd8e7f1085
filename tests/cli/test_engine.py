"""The commands that need the engine, as processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import patchwork as pw

START = pw.Setup.random(seed=1).start()


def run(*arguments: str, typed: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "patchwork", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PATCHWORK_LANG": "en", "XDG_DATA_HOME": str(folder)},
    )


def test_upi_answers_with_a_legal_move(tmp_path: Path) -> None:
    typed = f"upi\nisready\nposition {START}\ngo nodes 50\n"
    # The end of the input would stop the search before it has begun in earnest.
    done = run("upi", typed=typed + "quit\n", folder=tmp_path)
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0] == f"id name Patchwork {pw.__version__}"
    assert {"upiok", "readyok"} <= set(lines)
    word, move = lines[-1].split()
    assert word == "bestmove"
    assert pw.parse_move(START, move) in START.legal_moves()


def test_analyse_answers_a_line_for_each_request(tmp_path: Path) -> None:
    asked = [{"id": number, "position": str(START), "nodes": 40} for number in (1, 2)]
    done = run(
        "analyse", "--memory", "16", typed="\n".join(map(json.dumps, asked)), folder=tmp_path
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [answer["id"] for answer in answers] == [1, 2]
    assert all(pw.parse_move(START, answer["best"]) for answer in answers)


def test_a_game_against_a_level_is_played_and_resumed(tmp_path: Path) -> None:
    done = run("play", "--opponent", "2", "--seed", "5", typed="A\nquit\n", folder=tmp_path)
    assert done.returncode == 0
    again = run("play", typed="A\nquit\n", folder=tmp_path)
    assert again.returncode == 0
    assert "Resuming" in again.stdout
    (save,) = tmp_path.rglob("*.patchwork")
    record = pw.Record.parse(save.read_text(encoding="utf-8"))
    assert record.players == ("Player 0", "level 2")
    assert record.tags["Level"] == "2"
    seats = [position.turn for position in record.game.positions()]
    assert seats.count(1) >= 2
