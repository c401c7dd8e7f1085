"""``patchwork learn`` as a user sees it."""

import builtins
import io
import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch

from learn.tiny import TINY_FILE, network
from patchwork.cli.progress import StatusLine
from patchwork.learn.checkpoint import read_state, write_network
from patchwork.learn.config import NAMES
from patchwork.locales import LANGUAGES, messages
from support.commands import Cli

TINY = f"""{TINY_FILE}
minutes = 0.02
min_buffer_size = 100
batch_size = 16
match_every = 0.02
match_pairs = 2
match_simulations = 0
"""


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("PATCHWORK_LANG", "en")
    monkeypatch.chdir(tmp_path)
    Path("tiny.toml").write_text(TINY, "utf-8")
    # The command leaves signals and threads as they are, since its process ends with it.
    threads, handlers = torch.get_num_threads(), _handlers()
    yield
    torch.set_num_threads(threads)
    handlers()


def _handlers() -> Callable[[], None]:
    import signal

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    return restore


@pytest.mark.long
def test_run_resume_and_export(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = count()  # at the clock, a few for each move of all games
    monkeypatch.setattr("patchwork.learn.run.perf_counter", lambda: next(looks) / 250)
    output = cli.output("learn", "run", "--config", "tiny.toml", "--out", "runs/a")
    assert "everything is in runs/a" in output
    saved = read_state(Path("runs/a/checkpoint.pt"))
    assert saved["games"] > 0
    assert saved["minutes"] == pytest.approx(0.02)
    # The plan is over, so that a larger one is needed to go on.
    Path("longer.toml").write_text(TINY.replace("minutes = 0.02", "minutes = 60"), "utf-8")
    longer = ("--config", "longer.toml", "--minutes", "0.04", "--out", "runs/b")
    cli.output("learn", "run", "--resume", "runs/a", *longer)
    resumed = read_state(Path("runs/b/checkpoint.pt"))
    assert resumed["minutes"] == pytest.approx(0.06)
    assert resumed["games"] > saved["games"]
    assert read_state(Path("runs/a/checkpoint.pt"))["games"] == saved["games"]
    (source,) = Path("runs/b/networks").glob("player-*.pt")
    output = cli.output("learn", "export", str(source), "--out", "my.onnx")
    assert output.startswith("Wrote my.onnx (parameters: ")
    card = json.loads(Path("my.json").read_text("utf-8"))
    assert card["name"] == source.stem
    assert card["games"] == resumed["games"]
    assert {"minutes", "positions", "version", "commit", "config", "parameters"} <= set(card)
    cli.output("learn", "run", "--resume", str(source), *longer[:-1], "runs/c")
    begun = read_state(Path("runs/c/checkpoint.pt"))
    assert begun["minutes"] == pytest.approx(0.04)
    given, first = read_state(source)["network"], begun["run_elo"]["first"]
    assert all(
        torch.equal(first[name], value.to(first[name].dtype)) for name, value in given.items()
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("games = 0", "wrong.toml: games cannot be “0”; allowed: whole numbers from 1 to 65536"),
        ("td_lambda = 2", "wrong.toml: td_lambda cannot be “2”; allowed: numbers from 0 to 1"),
        ("minutes = 0", "wrong.toml: minutes cannot be “0”; allowed: numbers from 0.01 to 100000"),
        (
            "gmaes = 4",
            "wrong.toml: there is no setting “gmaes”; the settings are batch_size, blocks, ",
        ),
        (
            "simulations = 3",
            "wrong.toml: simulations cannot be “3”; allowed: a list such as [[0, 16], ",
        ),
        ("games", "wrong.toml is not valid TOML: "),
        ("\xff", "wrong.toml is not a text file: byte 0 is not UTF-8"),
    ],
)
def test_a_wrong_configuration(cli: Cli, text: str, message: str) -> None:
    Path("wrong.toml").write_text(text, "latin-1")
    refused = cli.refused("learn", "run", "--config", "wrong.toml", "--out", "run")
    assert refused.startswith(message)
    assert not Path("run").exists()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_names_all_configurations(language: str) -> None:
    told = re.findall(r"\w+", messages(language)("cli-learn-config"))
    assert set(NAMES) <= set(told)


def test_missing_files(cli: Cli) -> None:
    message = cli.refused("learn", "run", "--config", "smoek", "--out", "run")
    assert message == (
        "there is no configuration “smoek”; "
        "choose deep, far, full, smoke, wide or the path of a file"
    )
    assert "cannot open" in cli.refused("learn", "export", "nothing.pt", "--out", "my.onnx")
    Path("empty").mkdir()
    assert cli.refused("learn", "rate", "empty") == "there are no networks in empty"
    assert "cannot open empty/run.json" in cli.refused("learn", "run", "--resume", "empty")
    Path("text.pt").write_text("text", "utf-8")
    message = cli.refused("learn", "export", "text.pt", "--out", "my.onnx")
    assert message.startswith("cannot use text.pt: ")
    arguments = ("--config", "tiny.toml", "--out", "run")
    message = cli.refused("learn", "run", "--resume", "text.pt", *arguments)
    assert message.startswith("cannot use text.pt: ")
    write_network(network(1), Path("other.pt"))  # it has two blocks
    message = cli.refused("learn", "run", "--resume", "other.pt", *arguments)
    assert message.startswith("other.pt does not match the configuration: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("learn",), "required: COMMAND"),
        (("learn", "run"), "--out is required"),
        (("learn", "run", "--out", "a", "--minutes", "0"), "“0” is not a number of minutes"),
        (("learn", "export", "a.pt"), "required: --out"),
    ],
)
def test_wrong_usage(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    assert message in cli.stopped(2, *arguments)


def test_help_of_a_group(cli: Cli) -> None:
    text = cli.stopped(0, "learn", "--help")
    for name in ("run", "rate", "export"):
        assert f"\n    {name} " in text
    assert "usage: patchwork learn run " in cli.stopped(0, "learn", "run", "--help")


def test_without_pytorch_it_reports_what_to_install(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    importing = builtins.__import__

    def importing_without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("patchwork.learn"):
            raise ModuleNotFoundError("No module named 'torch'")
        return importing(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", importing_without)
    for command in (("run", "--out", "a"), ("rate", "a"), ("export", "a", "--out", "b")):
        message = cli.refused("learn", *command)
        assert "No module named 'torch'" in message
        assert "pip install '.[learn]'" in message


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_status_is_one_line_in_a_terminal_and_many_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [0.0]
    monkeypatch.setattr("patchwork.cli.progress.monotonic", lambda: clock[0])
    terminal, pipe = Terminal(), io.StringIO()
    with StatusLine(terminal) as live, StatusLine(pipe) as plain:
        for number in range(3):
            for status in (live, plain):
                status.write(lambda number=number: f"status {number}")  # type: ignore[misc]
            clock[0] += 61
    assert terminal.getvalue() == ("\rstatus 0\x1b[K\rstatus 1\x1b[K\rstatus 2\x1b[K\r\x1b[K")
    assert pipe.getvalue() == "status 1\nstatus 2\n"
