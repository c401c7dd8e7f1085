"""A client copes with every kind of program and leaves nothing of it behind."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

import patchwork as pw
from patchwork.engine import Limit, Line
from patchwork.programs import program
from patchwork.protocol import Client, NoAnswer, NotRunning, ProtocolError, WrongMove
from patchwork.protocol import client as client_module
from support.processes import nothing_is_left
from support.waiting import PATIENCE

START = pw.Setup.random(seed=1).start()
OPENING = pw.parse_move(START, "3Aa1")
ENGINE = [sys.executable, "-m", "patchwork", "upi"]


def fake(fault: str) -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("fake_engine.py")), fault]


@pytest.fixture(autouse=True)
def _nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No thread, no open file and no child process, dead or alive, remains."""
    monkeypatch.setattr(program, "_GRACE", 60.0)  # on a busy machine who is killed may die late
    with nothing_is_left():
        yield


def test_a_correct_program() -> None:
    with Client(fake("good"), {"level": "2"}, timeout=PATIENCE) as client:
        assert client.name == "Fake it"
        assert client.options == {"Level": "type spin default 1 min 1 max 2"}
        client.new_game()
        assert client.choose(START, Limit(time=1)) == OPENING
        analysis = client.analyse(START, Limit(nodes=70), lines=2)
    assert analysis.best == OPENING
    assert (analysis.win, analysis.margin, analysis.seat) == (0.75, -3.5, 0)
    assert (analysis.visits, analysis.exact) == (70, True)
    reply = pw.parse_move(START.play(OPENING), "13Ba2")
    assert analysis.lines == (
        Line((OPENING, reply), 0.75, -3.5, 40),
        Line((pw.Advance(),), 0.25, -9.0, 9),
    )
    client.close()


def test_a_command_in_one_string() -> None:
    command = " ".join(f"'{word}'" for word in fake("good"))
    with Client(command, timeout=PATIENCE) as client:
        assert client.choose(START) == OPENING


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (None, "go"),
        (Limit(time=0.25), "go movetime 250"),
        (Limit(nodes=9), "go nodes 9"),
        (Limit(time=2, nodes=9), "go movetime 2000 nodes 9"),
        (Limit(time=float("inf")), "go infinite"),
        (Limit(time=float("inf"), nodes=9), "go nodes 9"),
    ],
)
def test_how_a_limit_is_sent(limit: Limit | None, words: str) -> None:
    with (
        Client(fake("complain"), timeout=PATIENCE) as client,
        pytest.raises(ProtocolError, match=f"I do not feel like it.*: {words} lines 3$"),
    ):
        client.analyse(START, limit, lines=3)


@pytest.mark.parametrize(("seed", "told"), [(0, 10), (9, 19), (10, 10), (2**53 - 1, 11)])
def test_a_seed_is_mapped_into_the_range_of_the_option(seed: int, told: int) -> None:
    with Client(fake("seeded"), timeout=PATIENCE) as client:
        client.new_game(seed)
        with pytest.raises(ProtocolError, match=f"with: setoption name seed value {told} "):
            client.choose(START)


def test_a_program_without_a_seed_option_gets_no_seed() -> None:
    with Client(fake("good"), timeout=PATIENCE) as client:
        client.new_game(3)
        assert client.choose(START) == OPENING


@pytest.mark.parametrize("command", ["", "no-such-program-anywhere", "'", ["/"], []])
def test_a_program_that_cannot_be_started(command: str | list[str]) -> None:
    with pytest.raises(NotRunning, match="cannot be started"):
        Client(command, timeout=PATIENCE)


class Hasty(Client):
    """Has a short timeout once the program has introduced itself."""

    def _introduce(self) -> None:
        super()._introduce()
        self._timeout = 0.5


@pytest.mark.parametrize(
    ("fault", "timeout", "kind", "message"),
    [
        ("crash-at-start", 60, NotRunning, "ended unexpectedly with status 1; .*no needle"),
        ("mute", 0.5, NoAnswer, "did not answer with upiok in time"),
        ("never-ready", 60, NoAnswer, "did not answer with readyok in time"),
    ],
)
def test_a_bad_start(fault: str, timeout: float, kind: type[ProtocolError], message: str) -> None:
    with pytest.raises(kind, match=message):
        Hasty(fake(fault), timeout=timeout)


def test_an_unknown_option() -> None:
    with pytest.raises(ProtocolError, match="it has no option 'Lever'"):
        Client(fake("good"), {"Lever": "1"}, timeout=PATIENCE)


class Slow:
    """A program that writes lines after given seconds, which pass only while it is waited for."""

    name = "Slow"

    def __init__(self, lines: list[tuple[float, str]]) -> None:
        self._lines = lines
        self.now = 0.0

    def send(self, line: str) -> None:
        pass

    def receive(self, seconds: float) -> str | None:
        if self._lines and self._lines[0][0] <= self.now + seconds:
            at, line = self._lines.pop(0)
            self.now = max(self.now, at)
            return line
        self.now += seconds
        return None

    def failure(self, what: str, kind: type[ProtocolError]) -> ProtocolError:
        return kind(what)

    def close(self, farewell: str) -> None:
        pass


AT_WORK = "info string at work"


@pytest.mark.parametrize(
    ("lines", "ready"),
    [
        ([(4, "upiok"), (8, "readyok")], True),
        ([(4, "upiok"), (10, "readyok")], False),
        ([(4, "upiok"), (8, AT_WORK), (603, "readyok")], True),
        ([(4, "upiok"), (8, AT_WORK), (62, AT_WORK), (605, "readyok")], False),
        ([(4, "upiok"), (10, AT_WORK), (11, "readyok")], False),
    ],
)
def test_a_program_that_reports_being_at_work_gets_more_time(
    monkeypatch: pytest.MonkeyPatch, lines: list[tuple[float, str]], ready: bool
) -> None:
    slow = Slow(list(lines))
    monkeypatch.setattr(client_module, "Program", lambda _: slow)
    monkeypatch.setattr(client_module, "monotonic", lambda: slow.now)
    with nullcontext() if ready else pytest.raises(NoAnswer, match="with readyok in time"):
        Client("slow", timeout=5)


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        ("crash", NotRunning, "ended unexpectedly with status 3; .*first words | out of wool"),
        ("silent", NoAnswer, "did not answer with bestmove in time"),
        ("hang", NoAnswer, "did not answer with bestmove in time"),
        ("orphan", NoAnswer, "did not answer with bestmove in time"),
        ("flood", NoAnswer, "did not answer with bestmove in time"),
        ("illegal", WrongMove, "wrong move: 26Aa1: patch 26 costs 7, seat 0 has 5"),
        ("no-move", WrongMove, "wrong move: '' is not a move"),
        ("complain", ProtocolError, "I do not feel like it"),
        ("no-info", ProtocolError, "does not say what its move 3Aa1 is worth"),
        ("other-move", ProtocolError, "does not say what its move 3Aa1 is worth"),
        ("half-an-info", ProtocolError, "wrong info line: nodes is missing"),
        ("illegal-line", ProtocolError, "wrong info line: 3Aa1: patch 3 is not on offer"),
        ("no-line", ProtocolError, "does not say what its move 3Aa1 is worth"),
        ("other-seat", ProtocolError, "wrong info line: seat 1 does not decide"),
        ("no-number", ProtocolError, "wrong info line: a figure is out of range"),
    ],
)
def test_a_bad_answer(fault: str, kind: type[ProtocolError], message: str) -> None:
    client = Client(fake(fault), timeout=PATIENCE)
    if kind is NoAnswer:
        client._timeout = 0.5
    with pytest.raises(ProtocolError, match=message) as caught:
        client.analyse(START, Limit(time=0.1))
    assert type(caught.value) is kind
    with pytest.raises(NotRunning, match="it has been closed"):
        client.choose(START)
    with pytest.raises(NotRunning, match="it has been closed"):
        client.stop()
    client.close()


def test_nonsense_before_the_answer_is_ignored() -> None:
    with Client(fake("binary"), timeout=PATIENCE) as client:
        assert client.choose(START) == OPENING


def test_a_program_that_refuses_to_end() -> None:
    client = Client(fake("hang"), timeout=PATIENCE)
    client._program.send("go")  # from now on, it listens to nothing
    client._program.close("quit", grace=0.1)
    assert client._program._process.returncode == -signal.SIGKILL


def test_an_interruption_while_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Client, "_introduce", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Client(fake("good"), timeout=PATIENCE)


def test_a_finished_game_is_refused_before_anything_is_sent() -> None:
    position = START
    while position.outcome is None:
        position = position.play(position.legal_moves()[0])
    with Client(fake("good"), timeout=PATIENCE) as client:
        with pytest.raises(ValueError, match="the game is over"):
            client.choose(position)
        assert client.choose(START) == OPENING


def test_the_engine_itself() -> None:
    options = {"Level": "8", "Seed": "5", "Threads": "2", "Hash": "16"}
    with Client(ENGINE, options, timeout=300) as client:
        assert client.name == f"Patchwork {pw.__version__}"
        client.new_game()
        assert client.choose(START, Limit(nodes=20)) in START.legal_moves()
        analysis = client.analyse(START, Limit(nodes=200), lines=3)
        assert len(analysis.lines) == 3
        assert analysis.best == analysis.lines[0].moves[0]
        assert analysis.visits >= 200
        with pytest.raises(ProtocolError, match="lines is a number from 1 on, not 0"):
            client.analyse(START, Limit(nodes=10), lines=0)


def test_stopping_the_engine_from_another_thread() -> None:
    over = threading.Event()

    def stop() -> None:
        while not over.wait(0.3):
            client.stop()  # one that comes before the search has begun is forgotten

    with Client(ENGINE, {"Level": "1"}, timeout=300) as client:
        stopping = threading.Thread(target=stop)
        stopping.start()
        analysis = client.analyse(START, Limit(time=float("inf")))
        over.set()
        stopping.join()
        assert analysis.best in START.legal_moves()
