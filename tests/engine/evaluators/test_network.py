"""The network that comes with the package, and engines whose network cannot be used."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import patchwork as pw
from engine.search.search_support import parse
from patchwork.engine import Engine, Limit, engine
from patchwork.engine.evaluators.evaluator import CANDIDATES
from patchwork.engine.evaluators.network import (
    FORMAT,
    GUMBEL_MOVES,
    INNER_CANDIDATES,
    SHIPPED,
    NetworkError,
    NetworkEvaluator,
)
from patchwork.engine.kernel.state import from_position, to_move
from support.evaluations import evaluated, evaluated_as_root
from support.positions import MIDDLE, START


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the network, which no test has loaded before."""
    path = tmp_path / "copy.onnx"
    path.write_bytes(SHIPPED.read_bytes())
    return path


def fault(path: Path, caplog: pytest.LogCaptureFixture) -> str:
    """Checks that an engine plays without that network and says so once; returns why."""
    engine._warn_once.cache_clear()
    plain = Engine(6, network=None, memory=8).analyse(parse(MIDDLE))
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            player = Engine(6, network=path, memory=8)
            assert player.analyse(parse(MIDDLE)) == plain
    assert player.fault is not None
    (record,) = caplog.records
    assert record.getMessage() == f"The engine cannot use all it has learned: {player.fault}."
    with pytest.raises(NetworkError):
        NetworkEvaluator(path)
    return player.fault


def test_a_network_that_is_not_there(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "nowhere.onnx"
    assert fault(path, caplog) == f"there is no network {path}"


@pytest.mark.parametrize("length", [0, 1, 1_000, 800_000])
def test_a_network_cut_short(copy: Path, length: int, caplog: pytest.LogCaptureFixture) -> None:
    copy.write_bytes(copy.read_bytes()[:length])
    assert fault(copy, caplog).startswith(f"the network {copy} is damaged")


def test_a_file_that_is_no_network(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "text.onnx"
    path.write_text("hello " * 1_000)
    assert fault(path, caplog).startswith(f"the network {path} is damaged")


def test_a_network_of_a_format_to_come(copy: Path, caplog: pytest.LogCaptureFixture) -> None:
    content = copy.read_bytes()
    said = f'"format": {FORMAT}'.encode()
    assert content.count(said) == 1
    copy.write_bytes(content.replace(said, b'"format": 9'))
    assert fault(copy, caplog) == f"the network {copy} is of format 9; this engine reads {FORMAT}"


def test_a_network_without_a_card(copy: Path, caplog: pytest.LogCaptureFixture) -> None:
    copy.write_bytes(copy.read_bytes().replace(b"\x09patchwork\x12", b"\x09something\x12"))
    assert fault(copy, caplog).startswith(f"the network {copy} is of format None")


def test_without_onnx_runtime(
    copy: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert fault(copy, caplog) == "ONNX Runtime is not installed"


def test_the_command_line_reports_it_on_stderr_and_continues() -> None:
    code = (
        "import sys; sys.modules['onnxruntime'] = None;"
        "from patchwork.cli import main; sys.exit(main(['analyse']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps({"id": 1, "position": MIDDLE, "nodes": 10}) + "\n",
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    message = "The engine cannot use all it has learned: ONNX Runtime is not installed."
    assert message in done.stderr.splitlines()
    assert json.loads(done.stdout)["best"]


def test_the_card_says_what_the_network_is() -> None:
    card = NetworkEvaluator().card
    assert card["format"] == FORMAT
    assert isinstance(card["name"], str)
    assert {"channels", "blocks", "parameters", "minutes", "games", "config"} <= set(card)
    assert json.loads(SHIPPED.with_suffix(".json").read_text(encoding="utf-8")) == card
    assert SHIPPED.stat().st_size < 5_000_000


def test_engines_use_the_network_by_default() -> None:
    found = Engine(7, memory=8).analyse(parse(START), Limit(nodes=100), lines=3)
    network = Engine(evaluator=NetworkEvaluator(), memory=8).analyse(
        parse(START), Limit(nodes=100), lines=3
    )
    plain = Engine(7, network=None, memory=8).analyse(parse(START), Limit(nodes=100), lines=3)
    assert found == network != plain


@pytest.mark.parametrize("seed", range(3))
def test_moves_are_legal_and_likeliest_first_fewer_after_the_root(seed: int) -> None:
    position = pw.Setup.random(seed).start()
    state, circle = from_position(position)
    legal = position.legal_moves()
    at_root = evaluated_as_root(NetworkEvaluator(), state, circle)
    later = evaluated(NetworkEvaluator(), np.stack([state, state]), circle)
    assert at_root.counts.tolist() == [min(CANDIDATES, len(legal))]
    assert later.counts.tolist() == [min(INNER_CANDIDATES, len(legal))] * 2
    for out, number in ((at_root, 0), (later, 0), (later, 1)):
        count = int(out.counts[number])
        moves = [to_move(code) for code in out.moves[number, :count].tolist()]
        assert set(moves) <= set(legal)
        assert len(set(moves)) == count
        priors = out.priors[number, :count]
        assert priors.sum() == pytest.approx(1)
        assert (np.diff(priors) <= 0).all()


def test_values_are_those_of_seat_0_whoever_is_to_move() -> None:
    """A position and the same one with the seats swapped have the same value."""
    position = pw.Setup.random(4).start()
    mirror = pw.Position.parse(str(position).replace("0:turn", "1:turn"))
    one, other = (
        Engine(evaluator=NetworkEvaluator(), memory=8).analyse(each, Limit(nodes=1))
        for each in (position, mirror)
    )
    assert (one.seat, other.seat) == (0, 1)
    assert other.win == pytest.approx(one.win)
    assert other.margin == pytest.approx(one.margin)
    assert one.scores is not None
    assert other.scores is not None
    assert other.scores == pytest.approx(one.scores[::-1])


def test_noise_keeps_to_the_likeliest_moves_and_all_have_a_chance() -> None:
    state, circle = from_position(parse(START))
    likeliest = evaluated_as_root(NetworkEvaluator(), state, circle)
    few = set(likeliest.moves[0, :GUMBEL_MOVES].tolist())
    firsts = set()
    for seed in range(200):
        out = evaluated_as_root(NetworkEvaluator(seed=seed, gumbel_scale=10.0), state, circle)
        assert set(out.moves[0, : out.counts[0]].tolist()) == few
        firsts.add(int(out.moves[0, 0]))
    assert firsts == few


def test_noise_of_scale_1_chooses_as_often_as_the_network_says() -> None:
    state, circle = from_position(parse(MIDDLE))
    sure = evaluated_as_root(NetworkEvaluator(), state, circle)
    shares = sure.priors[0, :GUMBEL_MOVES] / sure.priors[0, :GUMBEL_MOVES].sum()
    chosen = []
    for seed in range(1_000):
        out = evaluated_as_root(NetworkEvaluator(seed=seed, gumbel_scale=1.0), state, circle)
        chosen.append(int(out.moves[0, 0]))
    for code, share in zip(sure.moves[0, :3].tolist(), shares[:3].tolist(), strict=True):
        assert chosen.count(code) / 1_000 == pytest.approx(share, abs=0.05)


def test_a_file_that_was_replaced_is_read_again(copy: Path) -> None:
    assert NetworkEvaluator(copy).card["name"] != "renamed"
    name = NetworkEvaluator(copy).card["name"].encode()
    copy.write_bytes(copy.read_bytes().replace(name, b"x" * len(name)))
    assert NetworkEvaluator(copy).card["name"] == "x" * len(name)
