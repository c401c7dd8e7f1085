"""The log of a match: no game is lost or played twice, and other files are left alone."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from patchwork.arena.log import Log, LogError, LogProblem
from patchwork.arena.match import play_schedule
from patchwork.arena.play import play
from patchwork.arena.players import Description
from patchwork.arena.schedule import Fault, PlayedGame, Schedule

SCHEDULE = Schedule((("greedy", "random"),), pairs=6, seed=3)


@pytest.fixture(scope="module")
def games() -> list[PlayedGame]:
    return [
        play(task, [Description.parse(name).player() for name in task.players], lambda _: None)
        for task in SCHEDULE.tasks()
    ]


def essence(games: Sequence[PlayedGame]) -> list[PlayedGame]:
    """Games in their order, without the time they took."""
    timeless = [replace(played, seconds=(0.0, 0.0)) for played in games]
    return sorted(timeless, key=lambda played: played.task.key)


def logged(path: Path, schedule: Schedule, games: Sequence[PlayedGame]) -> None:
    log = Log(path, schedule)
    for played in games:
        log.append(played)
    log.close()


def read(path: Path, schedule: Schedule = SCHEDULE) -> list[PlayedGame]:
    log = Log(path, schedule)
    log.close()
    return list(log.played)


def test_what_is_written_is_read(tmp_path: Path, games: list[PlayedGame]) -> None:
    forfeit = replace(games[3], fault=Fault.NO_ANSWER, detail="é ☃")
    everything = [*games[:3], forfeit, *games[4:]]
    logged(tmp_path / "log", SCHEDULE, everything)
    assert read(tmp_path / "log") == everything
    first, second = (tmp_path / "log").read_text("ascii").splitlines()[:2]
    assert json.loads(first) == {
        "patchwork-match": 1,
        "pairings": [["greedy", "random"]],
        "seed": 3,
        "edition": None,
    }
    assert json.loads(second)["players"] == ["greedy", "random"]


def test_only_missing_games_are_played(tmp_path: Path, games: list[PlayedGame]) -> None:
    logged(tmp_path / "log", SCHEDULE, games[:7])
    log = Log(tmp_path / "log", SCHEDULE)
    everything = list(play_schedule(SCHEDULE, 1, log))
    log.close()
    assert everything[:7] == games[:7]
    assert essence(everything) == essence(games)
    assert essence(read(tmp_path / "log")) == essence(games)


def test_a_cut_at_any_byte_loses_at_most_the_last_line(
    tmp_path: Path, games: list[PlayedGame]
) -> None:
    path = tmp_path / "log"
    logged(path, SCHEDULE, games[:2])
    whole = path.read_bytes()
    for length in range(0, len(whole) + 1, 7):
        path.write_bytes(whole[:length])
        kept = read(path)
        assert kept == games[: max(0, whole[:length].count(b"\n") - 1)]
        if length > 100:
            assert path.read_bytes() == whole[: whole[:length].rfind(b"\n") + 1] or not kept


def test_a_match_can_be_extended_or_shortened(tmp_path: Path, games: list[PlayedGame]) -> None:
    logged(tmp_path / "log", SCHEDULE, games)
    assert read(tmp_path / "log", replace(SCHEDULE, pairs=9)) == games
    assert read(tmp_path / "log", replace(SCHEDULE, pairs=2)) == games[:4]


@pytest.mark.parametrize(
    "other",
    [
        replace(SCHEDULE, seed=4),
        replace(SCHEDULE, edition="classic"),
        replace(SCHEDULE, pairings=(("random", "greedy"),)),
    ],
)
def test_the_log_of_another_match_is_refused(
    tmp_path: Path, games: list[PlayedGame], other: Schedule
) -> None:
    path = tmp_path / "log"
    logged(path, SCHEDULE, games)
    before = path.read_bytes()
    with pytest.raises(LogError, match="this log begins with") as error:
        Log(path, other)
    assert error.value.problem is LogProblem.ANOTHER_MATCH
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"shopping list", LogProblem.ANOTHER_MATCH),
        (b"shopping\nlist\n", LogProblem.DAMAGED),
        (b"[]\n", LogProblem.DAMAGED),
        (b"{}\n", LogProblem.ANOTHER_MATCH),
    ],
)
def test_other_files_are_refused_and_left_unchanged(
    tmp_path: Path, content: bytes, problem: LogProblem
) -> None:
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(LogError) as error:
        Log(path, SCHEDULE)
    assert error.value.problem is problem
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "line", ["nonsense", "{}", '{"players": 3}', None], ids=["text", "empty", "bad", "twice"]
)
def test_a_damaged_line_is_named(tmp_path: Path, games: list[PlayedGame], line: str | None) -> None:
    path = tmp_path / "log"
    logged(path, SCHEDULE, games[:2])
    lines = path.read_text("ascii").splitlines()
    path.write_text("\n".join([*lines, line or lines[1], ""]), "ascii")
    with pytest.raises(LogError, match="line 4 is") as error:
        Log(path, SCHEDULE)
    assert error.value.problem is LogProblem.DAMAGED


@pytest.mark.skipif(os.name != "posix", reason="only there files are locked")
def test_two_matches_cannot_share_a_log(tmp_path: Path) -> None:
    log = Log(tmp_path / "log", SCHEDULE)
    with pytest.raises(LogError) as error:
        Log(tmp_path / "log", SCHEDULE)
    assert error.value.problem is LogProblem.IN_USE
    log.close()
    read(tmp_path / "log")
