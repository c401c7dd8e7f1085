"""The commands as processes whose streams have narrow encodings, or are full or closed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import patchwork as pw

COMMAND = f"{sys.executable} -m patchwork"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a Unix shell and devices")


def run(line: str, folder: Path, **environment: str) -> tuple[int, bytes, bytes]:
    """Runs a line of shell that calls ``patchwork``; returns status, output and messages."""
    done = subprocess.run(
        ["sh", "-c", f'patchwork() {{ {COMMAND} "$@"; }}; {line}'],
        cwd=folder,
        capture_output=True,
        env={
            **os.environ,
            "PATCHWORK_LANG": "en",
            "PATCHWORK_PORT": "0",  # the usual one may be in use
            "XDG_DATA_HOME": str(folder / "data"),
            **environment,
        },
    )
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Holds the record of a game of one move."""
    game = pw.Game(pw.Setup.random(5))
    game.push(pw.Advance())
    (tmp_path / "game").write_text(pw.Record.of(game).format(), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_characters_that_cannot_be_encoded_are_replaced(
    folder: Path, encoding: str, language: str
) -> None:
    environment = {"PYTHONIOENCODING": encoding, "PATCHWORK_LANG": language}
    for line in ("patchwork --help", "patchwork play --file t </dev/null"):
        status, output, _ = run(line, folder, **environment)
        assert status == 0
        assert output
    status, _, message = run("patchwork show nowhere", folder, **environment)
    assert status == 1
    assert message


def test_bytes_that_cannot_be_decoded_are_not_a_move(folder: Path) -> None:
    status, output, _ = run(
        r"printf '\377\n' | patchwork play --file t", folder, PYTHONIOENCODING="utf-8"
    )
    assert status == 0
    assert b"is neither a move nor a command" in output


@pytest.mark.parametrize(
    "arguments",
    [
        "show game",
        "replay game",
        "check game",
        "new",
        "perft 1",
        "play --file t",
        "--help",
        "",
        "--version",
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_output_is_an_error(folder: Path, arguments: str, unbuffered: str) -> None:
    status, _, message = run(
        f"patchwork {arguments} >/dev/full </dev/null", folder, PYTHONUNBUFFERED=unbuffered
    )
    assert status == 1
    assert message == b"patchwork: cannot write the output: No space left on device\n"


def test_a_closed_output_is_an_error(folder: Path) -> None:
    status, _, message = run("patchwork new >&-", folder)
    assert (status, message) == (
        1,
        b"patchwork: standard output is closed, so nothing can be written\n",
    )


@pytest.mark.parametrize("arguments", ["check -", "show -", "replay -", "play --file t"])
def test_a_closed_input_is_an_error(folder: Path, arguments: str) -> None:
    status, _, message = run(f"patchwork {arguments} <&-", folder)
    assert status == 1
    assert message.endswith(b"standard input is closed, so there is nothing to read\n")


def test_streams_that_are_not_needed_may_be_closed(folder: Path) -> None:
    assert run("patchwork replay game <&-", folder)[0] == 0
    assert run("patchwork show nowhere 2>&-", folder) == (1, b"", b"")


@pytest.mark.parametrize(
    "arguments", ["check /dev/zero", "check - </dev/zero", "play --file /dev/zero"]
)
def test_endless_input_is_refused(folder: Path, arguments: str) -> None:
    status, _, message = run(f"patchwork {arguments}", folder)
    assert status == 1
    assert message.endswith(b": File too large\n")


def test_two_processes_on_one_file(folder: Path) -> None:
    """A process that would overwrite the other's moves is refused; a killed one leaves no lock."""
    command = [*COMMAND.split(), "play", "--file", "game"]

    def begin() -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PATCHWORK_LANG": "en", "PYTHONIOENCODING": "utf-8"},
        )

    def wait_for(process: subprocess.Popen[str], beginning: str) -> None:
        assert process.stdout is not None
        while not process.stdout.readline().startswith(beginning):
            assert process.poll() is None

    with begin() as first, begin() as second:
        for process in (first, second):
            wait_for(process, "Type a move")
        assert first.stdin is not None
        first.stdin.write("A\n")
        first.stdin.flush()
        wait_for(first, "2. A")
        output, _ = second.communicate("A\n")
        assert "has been changed elsewhere" in output
        first.kill()
    with begin() as third:
        assert "\n3. A\n" in third.communicate("A\n")[0]
    record = pw.Record.parse((folder / "game").read_text(encoding="utf-8"))
    assert len(record.line.plies) == 3
