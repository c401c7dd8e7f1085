"""``patchwork match`` and ``patchwork ladder`` as a user sees them."""

import io
import json
import os
import signal
import subprocess
import sys
from math import inf
from pathlib import Path
from typing import Any

import pytest

from patchwork.cli import main, progress
from patchwork.cli.progress import Progress
from patchwork.locales import messages
from patchwork.notation.record import Record
from support.waiting import PATIENCE, wait_until

SHORT = ("--pairs", "3", "--seed", "1")
PROGRAMS = Path(__file__).parents[1] / "protocol"
ENDLESS = "99999"
"""More pairs than any machine can play during a test."""


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATCHWORK_LANG", "en")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "_PLAIN", inf)  # a slow machine would report what it is doing


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def timeless(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != "seconds_per_move"}


def test_a_match_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "match", "greedy", "random", *SHORT, "--sprt", "0", "100")
    assert text.startswith("greedy : random\ngames: 6, won: ")
    for word in ("pairs: 3", "Elo [", "mean scores: ", " ms", "test: undecided between 0 and 100"):
        assert word in text


def test_a_match_for_programs_with_log_and_records(capsys: pytest.CaptureFixture[str]) -> None:
    files = ("--log", "log.jsonl", "--records", "games.patchwork")
    result = json.loads(run(capsys, "match", "greedy", "random", *SHORT, "--json", *files))
    assert result["players"] == ["greedy", "random"]
    assert result["games"] == result["wins"] + result["losses"] == 6
    assert sum(result["pairs"].values()) == 3
    assert (result["llr"], result["sprt"], result["forfeits"]) == (None, None, [])
    records = Record.parse_all(Path("games.patchwork").read_text("utf-8"))
    assert [record.players[0] for record in records] == ["greedy", "random"] * 3
    assert [record.tags["Pair"] for record in records] == ["0", "0", "1", "1", "2", "2"]
    # Given again, nothing is played; given with more pairs, the match goes on.
    again = json.loads(run(capsys, "match", "greedy", "random", *SHORT, "--json", *files))
    assert again == result
    longer = (*SHORT[2:], "--pairs", "4", "--json", *files)
    assert json.loads(run(capsys, "match", "greedy", "random", *longer))["games"] == 8
    assert len(Path("log.jsonl").read_text("ascii").splitlines()) == 9


def test_a_test_ends_the_match_early(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("match", "greedy", "random", "--pairs", "1000", "--sprt", "0", "300")
    assert "test: better by 300 Elo rather than by 0" in run(capsys, *arguments)
    result = json.loads(run(capsys, *arguments, "--jobs", "2", "--json"))
    assert result["sprt"] == "accepted"
    assert result["games"] < 100


def test_a_ladder(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("ladder", "random", "greedy", "uct50", "--pairs", "4")
    ratings = json.loads(run(capsys, *arguments, "--anchor", "greedy", "--json"))
    assert {rated["player"] for rated in ratings} == {"random", "greedy", "uct50"}
    assert [rated["elo"] for rated in ratings] == sorted((r["elo"] for r in ratings), reverse=True)
    assert [rated["pairs"] for rated in ratings] == [8, 8, 8]
    anchored = {rated["player"]: rated for rated in ratings}
    assert anchored["greedy"]["elo"] == 0 > anchored["random"]["elo"]
    lines = run(capsys, *arguments, "--neighbours", "1").splitlines()
    assert len(lines) == 3
    assert any(line.startswith("random  +0 Elo [+0, +0]  (pairs: 4)") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("match", "greedy"), "required: B"),
        (("match", "greedy", "grandma"), "“grandma” is not a player; the players are random"),
        (("match", "greedy", "upi:a\nb"), "“upi:a\\nb” is not a player"),
        (("match", "greedy", "random", "--pairs", "0"), "at least 1"),
        (("match", "greedy", "random", "--sprt", "5", "5"), "5 is not below 5"),
        (("match", "greedy", "random", "--sprt", "a", "b"), "“a” is not a difference in Elo"),
        (
            ("match", "greedy", "codingame:x", "--edition", "revised"),
            "knows only the classic edition",
        ),
        (("ladder", "greedy"), "at least two players"),
        (("ladder", "greedy", "greedy"), "each named once"),
        (
            ("ladder", "greedy", "random", "--anchor", "uct1"),
            "uct1 is the anchor, but does not take part",
        ),
    ],
)
def test_wrong_usage(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"patchwork-match": 1}\n', "log is the log of a different match: this log begins with"),
        ("what?\n", "the log log is damaged: line 1 is not a JSON object"),
    ],
)
def test_bad_logs(capsys: pytest.CaptureFixture[str], content: str, message: str) -> None:
    Path("log").write_text(content, "ascii")
    assert main(("match", "greedy", "random", "--log", "log")) == 1
    assert capsys.readouterr().err.startswith(f"patchwork: {message}")
    assert Path("log").read_text("ascii") == content


def test_files_that_cannot_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    Path("there").write_text("precious", "ascii")
    assert main(("match", "greedy", "random", "--records", "there")) == 1
    assert "there exists and will not be overwritten" in capsys.readouterr().err
    assert main(("match", "greedy", "random", "--log", "no/where")) == 1
    assert "cannot open no/where" in capsys.readouterr().err


def test_a_missing_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("match", "greedy", "codingame:./nowhere")) == 1
    assert "cannot start codingame:./nowhere: " in capsys.readouterr().err


def test_forfeits_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    bot = f"upi:{sys.executable} {PROGRAMS}/fake_engine.py crash"
    text = run(capsys, "match", "greedy", bot, "--pairs", "1")
    assert "pairs: 1, won 2-0: 1" in text
    assert "forfeited game 1 of pair 1 (crashed: " in text
    assert "mean scores" not in text
    result = json.loads(run(capsys, "match", "greedy", bot, "--pairs", "1", "--json"))
    assert result["elo"] is None
    assert [(f["player"], f["fault"]) for f in result["forfeits"]] == [(bot, "crashed")] * 2


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_a_growing_bar_in_a_terminal_and_plain_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr("patchwork.cli.progress.monotonic", lambda: clock[0])
    monkeypatch.setattr("patchwork.cli.progress._PLAIN", 60.0)
    terminal, pipe = Terminal(), io.StringIO()
    with Progress(terminal, 8, messages("en")) as live, Progress(pipe, 8, messages("en")) as plain:
        for done in (2, 4):
            for progress in (live, plain):
                progress.update(done, lambda: "+5 Elo")
            clock[0] += 61
    assert "\r[#####...............] games: 2 of 8  +5 Elo\x1b[K" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert pipe.getvalue() == "games: 4 of 8  +5 Elo\n"


def begin(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "patchwork", "match", "greedy", "random", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_match_killed_at_any_moment_ends_like_any_other(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    arguments = ("--jobs", "2", "--log", str(log), "--json")
    for more in (2, 13, 25):
        wanted = lines_in(log) + more
        with begin("--pairs", ENDLESS, *arguments) as process:
            wait_until(lambda wanted=wanted: lines_in(log) >= wanted)  # type: ignore[misc]
            process.kill()
    pairs = lines_in(log) // 2 + 20
    match = ("match", "greedy", "random", "--pairs", str(pairs))
    resumed = json.loads(run(capsys, *match, *arguments))
    entries = [json.loads(line) for line in log.read_text("ascii").splitlines()[1:]]
    keys = [(entry["pair"], entry["game"]) for entry in entries]
    assert sorted(keys) == [(pair, game) for pair in range(pairs) for game in (0, 1)]
    whole = json.loads(run(capsys, *match, "--json"))
    assert timeless(resumed) == timeless(whole)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_an_interruption_keeps_what_is_finished(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with begin("--pairs", ENDLESS, "--jobs", "2", "--log", str(log), "--records", "all") as process:
        wait_until(lambda: lines_in(log) >= 20)
        os.killpg(process.pid, signal.SIGINT)
        output, message = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert output.startswith("greedy : random\ngames: ")
    assert message.startswith("patchwork: interrupted; games finished: ")
    assert "Traceback" not in message
    logged = log.read_bytes().count(b"\n") - 1
    recorded = len(Record.parse_all(Path("all").read_text("utf-8")))
    assert logged >= 19
    assert recorded in (logged, logged - 1), "the last one may have been logged just then"
