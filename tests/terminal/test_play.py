"""Games in the terminal: typed commands, saving and resuming, and errors."""

import io
import os
import sys
from pathlib import Path

import pytest

import patchwork as pw
from golden.playthrough import FOLDER, record_in
from patchwork.cli import main
from patchwork.engine.baselines.greedy import greedy
from patchwork.locales import messages
from patchwork.notation.record import Record, Termination
from patchwork.terminal import saves, start


class Terminal:
    """Types lines into ``patchwork play``, and returns its output."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder / "patchwork" / "games"
        self._monkeypatch, self._capsys = monkeypatch, capsys
        monkeypatch.setenv("XDG_DATA_HOME", str(folder))
        monkeypatch.setenv("PATCHWORK_LANG", "en")
        monkeypatch.setenv("COLUMNS", "120")

    def play(self, *lines: str, options: str = "", status: int = 0) -> str:
        self._monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert main(["play", *options.split()]) == status
        captured = self._capsys.readouterr()
        return captured.err if status else captured.out

    def record(self) -> Record:
        (path,) = self.folder.glob("*.patchwork")
        return saves.read(path)


@pytest.fixture
def terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Terminal:
    return Terminal(tmp_path, monkeypatch, capsys)


def test_a_whole_game_of_two_people(terminal: Terminal) -> None:
    golden = record_in(FOLDER / "tie-broken.txt")
    Path(terminal.folder).mkdir(parents=True)
    path = terminal.folder / "given.patchwork"
    saves.write(path, Record(golden.setup, players=("Ann", "Bob")))
    screen = terminal.play(*(str(move) for move in golden.game.moves))
    assert screen.endswith(
        "Ann: 29 (buttons) + 0 (special tile) - 14 (empty spaces: 7) = 15\n"
        "Bob: 16 (buttons) + 7 (special tile) - 8 (empty spaces: 4) = 15\n"
        "The scores are tied; Ann reached the last space first.\n"
        "Ann wins!\n"
        f"“patchwork replay {path}” replays the game.\n"
    )
    assert terminal.record().line == golden.line
    assert terminal.record().termination is Termination.PLAYED_OUT


@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_game_against_the_computer(terminal: Terminal, seat: int) -> None:
    position, own = pw.Setup.random(7).start(), []
    while position.outcome is None:
        move = greedy(position)
        if position.turn == seat:
            own.append(str(move))
        position = position.play(move)
    screen = terminal.play(*own, options=f"--seed 7 --seat {seat}")
    winner = f"Player {seat}" if position.outcome.winner == seat else "greedy"
    assert f"\n{winner} wins!\n“patchwork replay " in screen
    record = terminal.record()
    assert record.game.position == position
    assert record.tags[f"Player{seat}Type"] == "human"
    assert record.tags[f"Player{1 - seat}Type"] == "program"


def test_leaving_and_resuming(terminal: Terminal) -> None:
    first = terminal.play("1Aa1", options="--seed 5")
    assert "Player 0 buys patch 1 (buttons paid: 1, spaces moved: 3)." in first
    assert first.endswith("The game is saved. “patchwork play” resumes it.\n")
    left = terminal.record()
    second = terminal.play("quit")
    assert second.startswith("Resuming your unfinished game.\n")
    assert terminal.record() == left
    terminal.play(options="--new")
    assert len(list(terminal.folder.glob("*.patchwork"))) == 2


def test_the_latest_game_is_resumed(terminal: Terminal) -> None:
    terminal.play("A", options="--seed 1 --opponent human")
    terminal.play("A", "A", options="--seed 2 --opponent human --new")
    terminal.play("A")
    lengths = [len(saves.read(path).line.plies) for path in terminal.folder.iterdir()]
    assert sorted(lengths) == [1, 3]


def test_unreadable_files_are_left_alone(terminal: Terminal) -> None:
    terminal.folder.mkdir(parents=True)
    (terminal.folder / "a.patchwork").write_bytes(b"\xff\xfe")
    (terminal.folder / "b.patchwork").write_text("{ unclosed", encoding="utf-8")
    terminal.play("A", options="--opponent human")
    assert len(list(terminal.folder.iterdir())) == 3


def test_a_damaged_game_is_skipped_with_a_warning(
    terminal: Terminal, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.play("A", options="--opponent human")
    damaged = terminal.folder / "zzz.patchwork"
    damaged.write_text("{ unclosed", encoding="utf-8")
    os.utime(damaged, (2**31, 2**31))
    monkeypatch.setattr("sys.stdin", io.StringIO("A\n"))
    assert main(["play"]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith(f"patchwork: skipped {damaged}")
    assert captured.out.startswith("Resuming your unfinished game.\n")


@pytest.mark.parametrize(
    "option",
    [
        "--seed 7",
        "--seed 0",
        "--opponent human",
        "--seat 0",
        "--names Ann Bob",
        "--first 0",
        "--new",
    ],
)
def test_options_that_describe_a_game_start_a_new_one(terminal: Terminal, option: str) -> None:
    terminal.play(options="--seed 5")
    (first,) = terminal.folder.iterdir()
    before = first.read_bytes()
    assert not terminal.play(options=option).startswith("Going on")
    assert len(list(terminal.folder.iterdir())) == 2
    assert first.read_bytes() == before
    refusal = terminal.play(options=f"--file {first} {option}", status=1)
    assert f"will not be overwritten; leave out {option.split()[0]} to resume its game" in refusal


def test_a_second_process_on_a_file_loses_nothing(terminal: Terminal) -> None:
    terminal.play("A", options="--seed 5 --opponent human")
    (path,) = terminal.folder.iterdir()
    first, second = (start.resume(path, messages("en")) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first._play(pw.Advance())
    assert not second._play(pw.Advance())
    assert not second._play(pw.Advance())
    assert first._play(pw.Advance())
    assert len(terminal.record().line.plies) == 3
    assert len(second.game.moves) == 1


def test_a_deleted_file_is_written_again(terminal: Terminal) -> None:
    terminal.play("A", options="--seed 5 --opponent human")
    (path,) = terminal.folder.iterdir()
    game = start.resume(path, messages("en"))
    assert game is not None
    path.unlink()
    assert game._play(pw.Advance())
    assert len(terminal.record().line.plies) == 2


def test_a_game_is_saved_in_the_chosen_file(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "ours.patchwork"
    terminal.play("A", options=f"--file {path} --opponent human --names Ann Bob")
    left = terminal.play("A", options=f"--file {path}")
    assert left.endswith(f"“patchwork play --file {path}” resumes it.\n")
    record = saves.read(path)
    assert record.players == ("Ann", "Bob")
    assert len(record.line.plies) == 2
    assert not terminal.folder.exists()
    refusal = terminal.play(options=f"--file {path} --new", status=1)
    assert "will not be overwritten" in refusal
    assert saves.read(path) == record


def test_finished_and_damaged_files_are_refused(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "done.patchwork"
    saves.write(path, record_in(FOLDER / "only-advances.txt"))
    before = path.read_bytes()
    assert "is finished" in terminal.play(options=f"--file {path}", status=1)
    assert path.read_bytes() == before
    path.write_bytes(before.replace(b"1. A", b"1. Lc4", 1))
    assert ":12:4: move 1: Not now" in terminal.play(options=f"--file {path}", status=1)
    path.write_bytes(b"\xff")
    assert "byte 0 is not UTF-8" in terminal.play(options=f"--file {path}", status=1)
    assert "cannot open" in terminal.play(options=f"--file {tmp_path}", status=1)


def test_comments_on_moves_are_kept_when_a_game_is_resumed(
    terminal: Terminal, tmp_path: Path
) -> None:
    path = tmp_path / "annotated.patchwork"
    start = Record(pw.Setup.random(5)).format().replace('[Scores "-157,-157"]', "").rstrip("*\n")
    path.write_text(f"{start}\n{{hello}} 1. A $1 {{good}} (1. 1Aa1) 2. A ! *\n", encoding="utf-8")
    terminal.play("A", options=f"--file {path}")
    assert path.read_text(encoding="utf-8").endswith(
        "\n{hello} 1. A $1 {good} (1. 1Aa1) 2. A $1 3. A *\n"
    )
    terminal.play("undo", "undo", "1Aa1", options=f"--file {path}")
    assert path.read_text(encoding="utf-8").endswith(
        "\n{hello} 1. A $1 {good} (1. 1Aa1) 2. 1Aa1 *\n"
    )


def test_undo_takes_back_the_replies_of_the_computer_too(terminal: Terminal) -> None:
    screen = terminal.play("1Aa1", "undo", "undo", options="--seed 5")
    assert "3 moves taken back." in screen  # one of the player's, two replies
    assert "There is nothing to take back." in screen
    assert terminal.record().line.plies == ()


def test_undo_before_the_players_first_move_is_refused(terminal: Terminal) -> None:
    screen = terminal.play("undo", options="--seed 5 --seat 1")
    assert "There is nothing to take back." in screen
    assert len(terminal.record().line.plies) >= 1


def test_a_preview_changes_nothing(terminal: Terminal) -> None:
    screen = terminal.play("try 1Aa1", "try A", "try 9Aa1", options="--seed 5")
    assert "1   1  1  .  .  .  .  .  .  .\n2   1  .  .  ." in screen
    assert "Score: -152 (+5)\nNext to move: greedy\n" in screen
    assert "Player 0 advances 1 space and receives 1 button.\nScore: -156 (+1)" in screen
    assert "Not enough buttons for this patch." in screen
    assert terminal.record().line.plies == ()


def test_a_preview_reports_leather_tile_income_and_the_end(terminal: Terminal) -> None:
    golden = record_in(FOLDER / "tie-broken.txt")
    terminal.folder.mkdir(parents=True)
    saves.write(terminal.folder / "given.patchwork", Record(golden.setup))
    lines = [line for move in golden.game.moves for line in (f"try {move}", str(move))]
    screen = terminal.play(*lines)
    for sentence in (
        "? takes a special patch.",
        "? places a special patch at g9.",
        "? receives the special tile (7\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}7).",  # noqa: RUF001
        "Income: 9 buttons.",
        "? is the first to reach the last space.",
    ):
        assert screen.count(sentence) >= 2, sentence
    assert "?, place your special patch:" in screen


def test_leather_without_a_free_space_is_reported_as_discarded() -> None:
    from dataclasses import replace

    from patchwork.rules.quilt import FULL
    from patchwork.terminal.effects import effects

    position = replace(
        pw.Setup.random(1).start(),
        players=(pw.Player(FULL, 5, 0, 19), pw.Player(0, 5, 0, 19)),
        tile=0,
    )
    assert effects(messages("en"), ("Ann", "Bob"), position, pw.Advance()) == [
        "Ann advances 1 space and receives 1 button.",
        "Ann takes a special patch, but has no space left for it.",
    ]


def test_the_moves_command_lists_legal_moves(terminal: Terminal) -> None:
    screen = terminal.play("moves", "moves 31", "moves 9", "moves 8", "moves x", options="--seed 5")
    assert "A   advance 1 space and receive 1 button\n 1  fits in 256 places\n" in screen
    assert " 9  Not enough buttons for this patch.\n" in screen
    assert "  ###           #.#\n" in screen
    assert screen.count("Not enough buttons for this patch.") == 2
    assert "your turn: Not enough buttons" in screen, (
        "the placements of an unaffordable patch are not drawn"
    )
    assert "your turn: This patch is not on offer" in screen
    assert "There is no patch “x”; patches are numbered 0 to 32." in screen


def test_the_moves_command_lists_free_spaces_for_leather(terminal: Terminal) -> None:
    golden = record_in(FOLDER / "tie-broken.txt")
    terminal.folder.mkdir(parents=True)
    saves.write(terminal.folder / "given.patchwork", Record(golden.setup))
    before = [str(move) for move in golden.game.moves[:19]]
    screen = terminal.play(*before, "moves", "A", "17Aa1", "moves 17", "La8", "La9x")
    free = [str(move) for move in golden.game.positions()[19].legal_moves()]
    assert " ".join(free) in screen
    assert screen.count(f"Place your special patch first, for example with {free[0]}.") == 3
    assert "This space is already covered." in screen
    assert len(terminal.record().line.plies) == 19


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("help", "Commands:\n"),
        ("?", "Commands:\n"),
        ("sew a quilt", "“sew a quilt” is neither a move nor a command."),
        ("h", "Commands:\n"),
        ("hlep", "“hlep” is neither a move nor a command. Type “help”."),
        ("\x00\x07", "“\ufffd\ufffd” is neither a move nor a command."),
        ("33Aa1", "Moves look like A, Lc4 or 17Bc4: patches 0 to 32, orientations A to H,"),
        ("20Ia1", "orientations A to H, columns a to i, rows 1 to 9."),
        ("20Az1", "columns a to i, rows 1 to 9."),
        ("Lz4", "columns a to i, rows 1 to 9."),
        ("try", "Say which move to try, for example “try 17Bc4”."),
        ("8Aa1", "This patch is not on offer; only the next three in the circle are."),
        ("1Ai9", "That would lie off the quilt board."),
        ("Lc4", "Not now:"),
        ("show", "0 Player 0: b5 i0 t0 = -157"),
    ],
)
def test_commands_and_mistakes_are_answered(terminal: Terminal, typed: str, answer: str) -> None:
    screen = terminal.play(typed, "", options="--seed 5")
    assert answer in screen
    assert terminal.record().line.plies == ()


def test_a_move_that_cannot_be_saved_is_not_played(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    terminal.play("A", options="--seed 5 --opponent human")
    before = terminal.record()
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", fail)
        screen = terminal.play("A", "undo", "show")
    assert screen.count("The move was not played, because") == 2
    assert "cannot be written: No space left on device\n" in screen
    assert screen.count("0 Player 0: b6 i0 t1") >= 2
    assert terminal.record() == before
    assert [path.suffix for path in terminal.folder.iterdir()] == [".patchwork"]


def test_a_new_game_that_cannot_be_saved_names_the_file_the_user_knows(
    terminal: Terminal, tmp_path: Path
) -> None:
    (tmp_path / "occupied").touch()
    path = tmp_path / "occupied" / "game.patchwork"
    refusal = terminal.play(options=f"--file {path}", status=1)
    assert refusal == f"patchwork: cannot open {path}: Not a directory\n"


def test_a_reply_that_cannot_be_saved_ends_the_session(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.play(options="--seed 5 --opponent human")
    (path,) = terminal.folder.iterdir()
    text = path.read_text(encoding="utf-8").replace('Player0Type "human', 'Player0Type "program')
    path.write_text(text, encoding="utf-8")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    assert terminal.play("A").endswith("No space left on device\n")
    assert path.read_text(encoding="utf-8") == text


def test_a_narrow_terminal_gets_small_tables(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    wide = terminal.play(options="--seed 5")
    monkeypatch.setenv("COLUMNS", "50")
    narrow = terminal.play("try 1Aa1", "moves 1", "help", "fnord")
    assert "  abcdefghi      abcdefghi" in narrow
    assert "  a  b  c  d  e" not in narrow
    assert "“fnord” is neither a move nor a command. Type\n“help”.\n" in narrow
    assert "  abcdefghi      abcdefghi" not in wide
    for screen, width in ((wide, 80), (narrow, 50)):
        lines = screen.replace("your turn: ", "your turn:\n").splitlines()
        assert all(len(line) <= width for line in lines if str(terminal.folder) not in line)


def test_the_terminal_width_is_measured_at_each_drawing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    widths = iter(["100", "50"])

    def ask(_: str) -> str:
        monkeypatch.setenv("COLUMNS", next(widths, "50"))
        return next(commands)

    commands = iter(["show", "show", "quit"])
    monkeypatch.setattr("builtins.input", ask)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    screen = terminal.play(options="--seed 5")
    assert screen.count("  a  b  c  d  e") == 4
    assert screen.count("  abcdefghi      abcdefghi") == 1


def test_an_interrupt_leaves_the_game_saved(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    assert terminal.play(options="--seed 5").endswith("resumes it.\n")


def test_file_names_never_clash(tmp_path: Path) -> None:
    from datetime import datetime

    moment = datetime(2026, 11, 15, 4, 5, 6)
    first = saves.new_path(tmp_path, moment)
    assert first.name == "2026-11-15-040506.patchwork"
    first.touch()
    assert saves.new_path(tmp_path, moment).name == "2026-11-15-040506-1.patchwork"


def test_games_are_in_the_users_data_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert saves.games_folder({}) == tmp_path / ".local" / "share" / "patchwork" / "games"
    assert saves.games_folder({"XDG_DATA_HOME": "/data"}) == Path("/data/patchwork/games")
    relative = saves.games_folder({"XDG_DATA_HOME": "data"})
    assert relative == tmp_path / ".local" / "share" / "patchwork" / "games"


@pytest.mark.skipif(sys.platform == "win32", reason="there is always a home folder there")
def test_an_empty_home_variable_counts_as_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HOME", raising=False)
    assert saves.games_folder({"HOME": ""}) == saves.games_folder({})
