"""The commands as a user sees them: output, messages, exit status."""

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import patchwork as pw
from golden.playthrough import FOLDER, record_in
from patchwork.cli import TOPICS, main
from patchwork.cli.arguments import Parser
from patchwork.cli.command import Command
from patchwork.locales import LANGUAGES, messages
from patchwork.notation.record import Line, Ply, Record, Termination
from support.commands import Cli


def commands() -> list[str]:
    """Returns the names of all commands; those of a group follow its own name."""
    found: list[str] = []

    def note(name: str, _: Command) -> Parser:
        found.extend(group for group in name.split()[:-1] if group not in found)
        found.append(name)
        return Parser(messages("en"), name, "cli-description")

    for topic in TOPICS:
        topic.add_commands(note)
    return found


COMMANDS = commands()


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """English, in an empty folder, with a data folder of its own."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATCHWORK_LANG", "en")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def record() -> Record:
    return record_in(FOLDER / "tie-broken.txt")


@pytest.fixture
def file(record: Record, tmp_path: Path) -> str:
    path = tmp_path / "game.patchwork"
    path.write_text(record.format(), encoding="utf-8")
    return path.name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_with_examples_in_every_language(cli: Cli, language: str, command: str) -> None:
    text = cli.stopped(0, "--lang", language, *command.split(), "--help")
    assert f"patchwork {command}".strip() in text
    assert text.count("patchwork ") >= 2, "no example"
    assert "usage:" not in text or language == "en"


def test_the_language_comes_from_the_environment(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATCHWORK_LANG", "de")
    german = cli.refused("show", "nowhere")
    english = cli.refused("show", "nowhere", "--lang", "en")
    assert german != english


def test_version(cli: Cli) -> None:
    assert cli.output("--version") == f"patchwork {pw.__version__}\n"


def test_a_similar_command_is_suggested(cli: Cli) -> None:
    assert "no command “ply”; did you mean “play”?" in cli.stopped(2, "ply", "--seed", "7")
    assert "the commands are play, show," in cli.stopped(2, "embroider")


@pytest.mark.parametrize(
    "arguments",
    [
        ("sew",),
        ("show",),
        ("perft", "deep"),
        ("new", "--edition", "2030"),
        ("--lang", "xx", "new"),
        ("show", "game.patchwork", "--svg", "--json"),
        ("show", "game.patchwork", "--compact", "--json"),
        ("show", "game.patchwork", "--dark"),
        ("show", str(pw.Setup.random(5).start()), "--move", "0"),
        ("show", str(pw.Setup.random(5).start()), "--game", "1"),
        ("show", "game.patchwork", "--move", "-1"),
        ("show", "game.patchwork", "--game", "0"),
        ("replay", "game.patchwork", "--compact", "--json"),
        ("perft", "1", str(pw.Setup.random(5).start()), "--seed", "0"),
        ("perft", "0"),
        ("perft", "-3"),
        ("new", "--seed", "1_0"),
        ("new", "--seed", " 7 "),
        ("new", "--seed", "\u0667"),
        ("new", "--seed", "9" * 5000),
        ("play", "--opponent", "human", "--seat", "0"),
        ("play", "--names", "a\nb", "c"),
        ("play", "--names", "a", "\udcff"),
    ],
)
def test_wrong_usage_ends_with_status_2_and_a_hint(
    cli: Cli, file: str, arguments: tuple[str, ...]
) -> None:
    assert "--help" in cli.stopped(2, *arguments)


class TestShow:
    def test_the_end_of_a_record_in_fabrics(self, cli: Cli, file: str) -> None:
        assert "26 26 26" in cli.output("show", file)

    def test_an_earlier_position(self, cli: Cli, file: str, record: Record) -> None:
        shown = json.loads(cli.output("show", file, "--move", "12", "--json"))
        position = record.game.positions()[12]
        assert shown["position"] == str(position)
        assert shown["scores"] == list(position.scores)
        assert sum(1 << cell for cell in shown["players"][0]["filled"]) == position.players[0].quilt

    def test_the_text_of_a_position(self, cli: Cli) -> None:
        text = str(pw.Setup.random(5).start())
        assert "0: b5 i0 t0 = -157" in cli.output("show", text, "--compact")

    def test_a_file_with_a_position(self, cli: Cli) -> None:
        Path("position.txt").write_text(f"{pw.Setup.random(5).start()}\n", encoding="ascii")
        assert "0: b5 i0 t0 = -157" in cli.output("show", "position.txt")

    def test_standard_input(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch, record: Record
    ) -> None:
        stdin = io.TextIOWrapper(io.BytesIO(record.format().encode()))
        monkeypatch.setattr("sys.stdin", stdin)
        assert json.loads(cli.output("show", "-", "--json"))["tie_break"] is True

    def test_pictures(self, cli: Cli, file: str) -> None:
        light = cli.output("show", file, "--svg")
        dark = cli.output("show", file, "--svg", "--dark")
        assert light.startswith("<svg")
        assert dark.startswith("<svg")
        assert light != dark

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("nowhere",), "there is no file “nowhere”, and it is not a position either:"),
            (("game.patchwork", "--move", "44"), "there is no move 44; choose from 0 to 43"),
            (
                ("game.patchwork", "--game", "2"),
                "there is no game 2 in game.patchwork; games in it: 1",
            ),
            ((".",), "cannot open .: Is a directory"),
        ],
    )
    def test_arguments_that_cannot_be_shown(
        self,
        cli: Cli,
        file: str,
        arguments: tuple[str, ...],
        message: str,
    ) -> None:
        assert cli.refused("show", *arguments).startswith(message)

    def test_the_names_of_the_players(self, cli: Cli, record: Record) -> None:
        named = replace(record, players=("Ann", "Bøb"))
        Path("named.patchwork").write_text(named.format(), encoding="utf-8")
        assert " 0 Ann: b29" in cli.output("show", "named.patchwork")
        picture = cli.output("show", "named.patchwork", "--svg")
        assert "Ann" in picture
        assert "B&#248;b" in picture, "right in whatever encoding"

    def test_a_narrow_terminal_gets_a_small_table(
        self, cli: Cli, file: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "60")
        assert cli.output("show", file) != cli.output("show", file, "--compact"), "a pipe"
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        assert cli.output("show", file) == cli.output("show", file, "--compact")
        monkeypatch.setenv("COLUMNS", "80")
        assert max(map(len, cli.output("show", file).splitlines())) in range(60, 81)

    def test_an_impossible_position(self, cli: Cli) -> None:
        text = str(pw.Setup.random(5).start()).replace("b5", "b6", 1)
        assert "No game can reach this position" in cli.refused("show", text)
        Path("position.txt").write_text(text, encoding="ascii")
        assert cli.refused("show", "position.txt").startswith("position.txt: No game can")


class TestReplay:
    def test_move_by_move(self, cli: Cli, file: str) -> None:
        text = cli.output("replay", file)
        assert "\n20. Lg9\n? places a special patch at g9.\n" in text
        assert text.count("\n\n>") + text.count("   >") >= 40, "a table after each move"
        assert text.endswith(
            "?: 29 (buttons) + 0 (special tile) - 14 (empty spaces: 7) = 15\n"
            "?: 16 (buttons) + 7 (special tile) - 8 (empty spaces: 4) = 15\n"
            "The scores are tied; ? reached the last space first.\n"
            "? wins!\n"
        )

    def test_one_object_a_move(self, cli: Cli, file: str, record: Record) -> None:
        lines = cli.output("replay", file, "--json").splitlines()
        steps = [json.loads(line) for line in lines]
        assert [step["move"] for step in steps] == [str(move) for move in record.game.moves]
        assert [step["position"] for step in steps] == [str(p) for p in record.game.positions()[1:]]
        assert [step["number"] for step in steps] == list(range(1, 44))
        assert steps[0]["seat"] == 0
        assert steps[1]["seat"] == 1
        assert (steps[-1]["winner"], steps[-1]["tie_break"], steps[-2]["winner"]) == (0, True, None)

    def test_comments_on_moves(self, cli: Cli) -> None:
        plies = (Ply(pw.Advance(), (1, 13), "bold \x1b[31m"), Ply(pw.Advance()))
        commented = Record(pw.Setup.random(1), Line(plies, "A short one."))
        Path("said.patchwork").write_text(commented.format(), encoding="utf-8")
        text = cli.output("replay", "said.patchwork")
        assert text.startswith("A short one.\n\n1. A ! $13\n? advances")
        assert "receives 1 button.\nbold \ufffd[31m\n" in text
        first, second = map(
            json.loads, cli.output("replay", "said.patchwork", "--json").splitlines()
        )
        assert (first["comment_before"], first["comment"]) == ("A short one.", "bold \x1b[31m")
        assert first["nags"] == [1, 13]
        assert (second["comment_before"], second["comment"], second["nags"]) == ("", "", [])

    def test_a_game_without_moves_shows_its_start(self, cli: Cli) -> None:
        Path("start.patchwork").write_text(Record(pw.Setup.random(1)).format(), encoding="utf-8")
        assert ">0 ?: b5 i0 t0 = -157" in cli.output("replay", "start.patchwork")

    def test_compact(self, cli: Cli, file: str) -> None:
        lines = cli.output("replay", file, "--compact").splitlines()
        assert " 0 ?: b29 i15 t53 = 15" in lines

    @pytest.mark.parametrize(
        ("termination", "winner", "ending"),
        [
            (Termination.RESIGNED, 1, "The game ended here by resignation."),
            (Termination.TIME, 0, "The game ended here because time ran out."),
            (Termination.LEFT, 0, "The game ended here because a player left."),
            (Termination.ABORTED, None, "The game was cancelled here."),
            (Termination.UNFINISHED, None, "The game is unfinished."),
        ],
    )
    def test_games_that_stop_before_the_end(
        self,
        cli: Cli,
        termination: Termination,
        winner: int | None,
        ending: str,
    ) -> None:
        record = Record(
            pw.Setup.random(1), Line((Ply(pw.Advance()),)), termination=termination, winner=winner
        )
        Path("short.patchwork").write_text(record.format(), encoding="utf-8")
        assert cli.output("replay", "short.patchwork").endswith(f"\n\n{ending}\n")

    def test_a_terminal_waits_for_enter(
        self, cli: Cli, file: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = iter(["", "", "q"])
        monkeypatch.setattr("builtins.input", lambda _: next(answers))
        monkeypatch.setattr("sys.stdin", io.StringIO())
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        text = cli.output("replay", file)
        assert "\n3. 22Da3\n" in text
        assert "\n4. " not in text

    def test_the_end_of_the_input_ends_it_too(
        self, cli: Cli, file: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO())
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        assert "\n2. " not in cli.output("replay", file)


class TestCheck:
    def test_valid_files(self, cli: Cli, file: str) -> None:
        text = Path(file).read_text(encoding="utf-8")
        Path("two.patchwork").write_text(text + "\n" + text, encoding="utf-8")
        assert cli.output("check", file, "two.patchwork") == (
            "game.patchwork: 1 game, all in order\ntwo.patchwork: 2 games, all in order\n"
        )

    def spoil(self, file: str, old: str, new: str) -> None:
        path = Path(file)
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (
                " 20. Lg9",
                " 20. La8",
                "13:78: move 20 La8: This space is already covered.",
            ),
            (" 20. Lg9", " 20. Lz9", "13:78: move 20 Lz9: This is not a move. Moves"),
            (
                "15,15",
                "15,16",
                "8:1: The record contradicts itself (according to the moves, Scores",
            ),
            ("1,29,8", "1,1,8", "5:1: A tag is invalid (circle holds patch 1 twice)."),
            (
                ",10,0",
                ",0,10",
                "5:1: A tag is invalid (circle ends with patch 10; the",
            ),
            ("1,29", "33,29", "5:1: A tag is invalid (circle holds 33; patch ids are"),
            ("1,29", "-1,29", "5:1: A tag is invalid (Circle has the patch ids"),
            (
                "39. 18Fg2 40. Lg6 41. 16Db2 42. 3Bh1 43. 2Bi3 1-0",
                "39. 18F",
                "16:5: move 39 18F: This is not a move.",
            ),
            (" 43. 2Bi3 1-0\n", "", "16:37: The record stops without a result;"),
            (
                "revised",
                "future",
                "4:1: A tag is invalid (Edition is classic or revised",
            ),
        ],
    )
    def test_invalid_files_are_reported_with_place_and_reason(
        self, cli: Cli, file: str, old: str, new: str, message: str
    ) -> None:
        self.spoil(file, old, new)
        output, complaint = cli.run("check", file, status=1)
        assert output == ""
        assert complaint.startswith(f"game.patchwork:{message}")
        assert complaint.count("\n") == 1

    def test_the_invalid_one_of_several_games_is_named(self, cli: Cli, file: str) -> None:
        good = Path(file).read_text(encoding="utf-8")
        bad = good.replace(" 20. Lg9", " {not * 1-0} 20. La8")
        Path("games.patchwork").write_text(f"{good}\n; 0-1\n{bad}\n{good}", encoding="utf-8")
        _, complaint = cli.run("check", "games.patchwork", status=1)
        assert ": game 2: move 20 La8: This space is already covered.\n" in complaint
        output, _ = cli.run("check", "games.patchwork", "--json", status=1)
        assert json.loads(output)["game"] == 2

    def test_the_other_files_are_still_checked(self, cli: Cli, file: str) -> None:
        Path("bad.patchwork").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
        Path("empty.patchwork").touch()
        files = ("bad.patchwork", "none.patchwork", "empty.patchwork", file)
        output, complaints = cli.run("check", *files, status=1)
        assert complaints.splitlines() == [
            "bad.patchwork is not a text file: byte 0 is not UTF-8",
            "cannot open none.patchwork: No such file or directory",
            "empty.patchwork: There is no game in this file.",
        ]
        assert output == "game.patchwork: 1 game, all in order\n"

    def test_json(self, cli: Cli, file: str) -> None:
        Path("good.patchwork").write_bytes(Path(file).read_bytes())
        self.spoil(file, " 20. Lg9", " 20. La8")
        output, _ = cli.run("check", "good.patchwork", file, "none", "--json", status=1)
        good, bad, none = map(json.loads, output.splitlines())
        assert good == {"file": "good.patchwork", "games": 1, "ok": True, "message": None}
        assert (bad["ok"], bad["line"], bad["column"], bad["number"]) == (False, 13, 78, 20)
        assert (bad["problem"], bad["reason"]) == ("illegal-move", "cell-taken")
        assert (none["ok"], none["games"]) == (False, 0)


class TestNew:
    def test_a_record_without_moves(self, cli: Cli) -> None:
        record = Record.parse(cli.output("new", "--seed", "7", "--first", "1"))
        assert record.setup == pw.Setup.random(7, first=1)
        assert record.tags == {"Seed": "7"}

    def test_json(self, cli: Cli) -> None:
        made = json.loads(cli.output("new", "--seed", "7", "--edition", "revised", "--json"))
        assert made["seed"] == 7
        assert made["position"] == str(pw.Setup.random(7, edition=pw.REVISED).start())

    def test_a_random_seed_is_reported(self, cli: Cli) -> None:
        first, second = (json.loads(cli.output("new", "--json")) for _ in range(2))
        assert first["seed"] != second["seed"]
        assert tuple(first["circle"]) == pw.Setup.random(first["seed"]).circle

    @pytest.mark.parametrize("seed", ["-1", "9007199254740992"])
    def test_a_seed_out_of_range(self, cli: Cli, seed: str) -> None:
        assert (
            f"{seed} is not a seed; seeds are whole numbers from 0 to 9007199254740991"
            in cli.stopped(2, "new", "--seed", seed)
        )


class TestPerft:
    def test_a_breakdown_by_first_move_and_the_sum(self, cli: Cli) -> None:
        *lines, total = cli.output("perft", "1").splitlines()
        assert lines[0] == "A: 1"
        assert len(lines) == int(total) == 833

    def test_json_from_a_position(self, cli: Cli, record: Record) -> None:
        position = record.game.positions()[-5]
        counted = json.loads(cli.output("perft", "3", str(position), "--json"))
        assert counted["total"] == sum(counted["moves"].values()) == 222
        assert set(counted["moves"]) == {str(move) for move in position.legal_moves()}

    def test_bad_input(self, cli: Cli) -> None:
        assert cli.refused("perft", "1", "nonsense").startswith(
            "This is not a position (a position has 10 words"
        )


def test_an_interrupt_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: pw.Position, __: int) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("patchwork.rules.perft.perft", interrupt)
    assert main(["perft", "2"]) == 130


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break differently there")
def test_a_reader_that_leaves_is_not_an_error() -> None:
    command = [sys.executable, "-m", "patchwork.cli", "perft", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ}
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
