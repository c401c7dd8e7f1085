"""The engine as a program: every command, every error, and no thread left behind."""

import io
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw
from patchwork.engine import warmup
from patchwork.engine.evaluators.network import SHIPPED
from patchwork.engine.patterns.file import SUFFIX
from patchwork.protocol import upi
from patchwork.protocol.upi import OPTIONS, serve
from protocol.talk import talk
from support.positions import MIDDLE, OVER, START
from support.waiting import PATIENCE, wait_until

ERROR = "info string error "


def answers(text: bytes) -> list[str]:
    """All answers to an input that ends."""
    sink = io.BytesIO()
    serve(io.BytesIO(text), sink)
    return sink.getvalue().decode("ascii").splitlines()


def is_legal(position: str, answer: str) -> bool:
    word, move = answer.split()
    return word == "bestmove" and bool(pw.parse_move(pw.Position.parse(position), move))


def test_introduction() -> None:
    assert answers(b"upi\n") == [
        "id name Patchwork",
        "id author the Patchwork project",
        "option name Level type spin default 8 min 1 max 8",
        "option name Threads type spin default 1 min 1 max 256",
        "option name Hash type spin default 56 min 8 max 1048576",
        "option name Seed type spin default 0 min 0 max 9007199254740991",
        "option name Network type string default shipped",
        "upiok",
    ]


def test_it_has_the_name_that_it_was_given() -> None:
    sink = io.BytesIO()
    serve(io.BytesIO(b"upi\n"), sink, name="Patchwork 2.1")
    assert sink.getvalue().startswith(b"id name Patchwork 2.1\n")


def test_it_reports_that_it_is_preparing_and_then_that_it_is_ready() -> None:
    first, *rest = answers(b"isready\nisready\nquit\nisready\n")
    assert first.startswith("info string preparing")
    assert rest == ["readyok", "readyok"]


def test_a_search() -> None:
    with talk(f"position {START} moves 3Aa1 13Ba2", "go nodes 50") as engine:
        *_, info, best = engine.until("bestmove")
    words = info.split()
    assert " ".join(words[1:18:2]) == "time nodes line visits seat win margin exact pv"
    move = best.split()[1]
    assert words[18] == move
    position = pw.Position.parse(START)
    for text in ("3Aa1", "13Ba2"):
        position = position.play(pw.parse_move(position, text))
    pw.parse_move(position, move)
    assert words[words.index("seat") + 1] == str(position.turn)


def test_the_level_s_own_limit() -> None:
    with talk("setoption name level value 1", f"position {MIDDLE}", "go") as engine:
        assert is_legal(MIDDLE, engine.until("bestmove")[-1])


@pytest.mark.parametrize("words", ["movetime 50", "nodes 0", "movetime 0", "sing nodes 5 loudly"])
def test_limits(words: str) -> None:
    with talk(f"position {MIDDLE}", f"go {words}") as engine:
        assert is_legal(MIDDLE, engine.until("bestmove")[-1])


def test_several_lines() -> None:
    with talk(f"position {MIDDLE}", "go nodes 200 lines 3") as engine:
        infos = engine.until("bestmove")[-4:-1]
    assert [info.split()[6] for info in infos] == ["1", "2", "3"]
    assert len({info.split()[18] for info in infos}) == 3


def test_the_same_seed_gives_the_same_answer() -> None:
    def search(seed: int) -> str:
        level = "setoption name Level value 2"  # at level 8, nothing is left to chance
        with talk(level, f"setoption name Seed value {seed}", f"position {MIDDLE}") as engine:
            engine.say("go nodes 300")
            info, best = engine.until("bestmove")[-2:]
            return info.partition(" nodes ")[2] + best

    assert search(7) == search(7) != search(8)


def test_a_network_can_be_chosen_or_switched_off(tmp_path: Path) -> None:
    def search(network: str) -> str:
        with talk(f"setoption name network value {network}", f"position {MIDDLE}") as engine:
            engine.say("go nodes 100")
            *_, info, best = engine.until("bestmove")
            return info.partition(" nodes ")[2] + best

    copy = tmp_path / "a copy.onnx"
    for suffix in (".onnx", SUFFIX):
        copy.with_suffix(suffix).write_bytes(SHIPPED.with_suffix(suffix).read_bytes())
    assert search(str(copy)) == search("shipped") != search("none")


def test_a_missing_network_is_reported_and_not_used() -> None:
    with talk("setoption name Network value /no/such.onnx", f"position {MIDDLE}", "go") as engine:
        *before, best = engine.until("bestmove")
    assert (
        before[0] == "info string not everything could be loaded: there is no network /no/such.onnx"
    )
    assert is_legal(MIDDLE, best)


@pytest.mark.parametrize("position", [START, MIDDLE], ids=["start", "middle"])
def test_an_infinite_search_answers_after_stop(position: str) -> None:
    with talk("isready", f"position {position}", "go infinite") as engine:
        engine.until("info time")
        engine.say("isready")
        assert engine.until("readyok")
        engine.say("stop")
        assert is_legal(position, engine.until("bestmove")[-1])
        engine.say("stop")
        assert engine.silent()


def test_an_infinite_search_waits_even_if_nothing_is_left_to_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waiting = threading.Event()

    class Noted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waiting.set()
            return super().wait(timeout)

    monkeypatch.setattr(upi, "Event", Noted)
    position = next(str(position) for position in played_out() if len(position.legal_moves()) == 1)
    with talk("isready", f"position {position}", "go infinite") as engine:
        engine.until("info time")
        assert waiting.wait(PATIENCE), "it waits for nothing"
        assert engine.silent()
        engine.say("stop")
        assert engine.next() == "bestmove A"


def played_out() -> Iterator[pw.Position]:
    position = pw.Position.parse(START)
    while position.outcome is None:
        yield position
        position = position.play(position.legal_moves()[-1])


@pytest.mark.parametrize("number", range(5))
def test_a_stop_right_after_go_is_not_lost(number: int) -> None:
    with talk("isready", f"position {START}", "go infinite\nstop") as engine:
        assert is_legal(START, engine.until("bestmove")[-1])


def test_after_an_answer_the_next_search_can_start_at_once() -> None:
    with talk(f"position {START}") as engine:
        for _ in range(50):
            engine.say("go nodes 1")
            assert is_legal(START, engine.until("bestmove")[-1])


@pytest.mark.parametrize("end", ["quit\n", ""])
def test_the_end_of_the_input_stops_a_search(end: str) -> None:
    threads = set(threading.enumerate())
    said = answers(f"setoption name Threads value 2\nposition {START}\ngo infinite\n{end}".encode())
    assert is_legal(START, said[-1])
    # The engine's own threads end when it is forgotten.
    wait_until(lambda: threads.issuperset(threading.enumerate()))


def test_a_search_continues_with_its_own_settings() -> None:
    with talk("isready", f"position {MIDDLE}", "go infinite") as engine:
        engine.say("newgame")
        engine.say("setoption name Level value 2")
        engine.say(f"position {START}")
        engine.say("stop")
        assert is_legal(MIDDLE, engine.until("bestmove")[-1])
        engine.say("go nodes 5")
        assert is_legal(START, engine.until("bestmove")[-1])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("go", "no position has been set"),
        ("position", "a position has 10 words separated by spaces, not 0"),
        ("position moves A", "a position has 10 words"),
        (f"position {START.replace('b5', 'b6')}", "(impossible-position)"),
        (f"position {START} moves A 17Bc4", "17Bc4: patch 17 is not on offer"),
        (f"position {START} moves 3Aa1 moves A", "'moves' is not a move"),
        (f"position {START}\nposition {START} A\ngo", "no position has been set"),
        (f"position {OVER}\ngo nodes 5", "the game is over"),
        (f"position {START}\ngo nodes", "nodes must be a whole number from 0 on, not ''"),
        (f"position {START}\ngo nodes -5", "nodes must be a whole number from 0 on, not '-5'"),
        (
            f"position {START}\ngo movetime {'9' * 5000}",
            "movetime must be a whole number from 0 on",
        ),
        (f"position {START}\ngo lines 0 nodes 5", "lines is a number from 1 on, not 0"),
        ("setoption", "set an option with"),
        ("setoption name Level", "set an option with"),
        ("setoption name Colour value 5", "there is no option 'Colour'"),
        ("setoption name Level value 9", "Level must be 1 to 8, not 9"),
        ("setoption name Level value ²", "Level must be a whole number from 0 on, not '\\xb2'"),
        ("setoption name Hash value 1", "Hash must be 8 to 1048576, not 1"),
        (f"go {'x' * 100_000}", "a line is longer than 65536 bytes"),
    ],
)
def test_invalid_commands_are_reported(lines: str, message: str) -> None:
    with talk(*lines.split("\n")) as engine:
        engine.say("stop")
        engine.say("upi")
        said = engine.until("upiok")
        errors = [line for line in said if line.startswith(ERROR)]
        assert message in errors[-1]
        assert not any(line.startswith("bestmove") for line in said)
        engine.say(f"position {START}")
        engine.say("go nodes 5")
        assert is_legal(START, engine.until("bestmove")[-1])


def test_a_second_search_is_refused() -> None:
    with talk(f"position {START}", "go infinite", "go nodes 5") as engine:
        assert engine.until(ERROR)[-1] == f"{ERROR}a search is already running; stop it first"
        engine.say("stop")
        assert is_legal(START, engine.until("bestmove")[-1])


@pytest.mark.parametrize("line", ["", " ", "\0", "ucinewgame", "\x85\u2028", "\ud7ff" * 500])
def test_unknown_commands_are_ignored(line: str) -> None:
    assert answers(line.encode() + b"\n") == []


def test_words_before_a_command_are_ignored() -> None:
    assert answers(b"hello \xff\xfe upi\n")[-1] == "upiok"


WORDS = st.sampled_from(
    [
        *(
            "upi setoption isready newgame position go stop name value moves nodes movetime lines"
            " infinite Level Hash Threads Seed 1 3 -1 9999999999 A 3Aa1 Lc4 \0 \xff " + START
        ).split(" "),
        START,
        OVER,
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(WORDS | st.text(max_size=8), max_size=8).map(" ".join).map(str.encode)
        | st.binary(max_size=60),
        max_size=12,
    )
)
def test_only_quit_ends_it(lines: list[bytes]) -> None:
    text = b"\n".join(line.replace(b"quit", b"") for line in lines)
    assert "upiok" in answers(text + b"\nstop\nupi\n")


def test_an_engine_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from patchwork.engine import Engine

    def fail(*_: object, **__: object) -> None:
        raise OSError("no room for the cache")

    monkeypatch.setattr(Engine, "analyse", fail)
    monkeypatch.setattr(warmup, "prepare", fail)
    *_, prepared, searched = answers(f"isready\nposition {START}\ngo\n".encode())
    assert prepared == searched == f"{ERROR}no room for the cache"


def test_it_ends_when_its_reader_is_gone() -> None:
    class Gone(io.BytesIO):
        def write(self, _: object) -> int:
            raise BrokenPipeError

    threads = set(threading.enumerate())
    with pytest.raises(BrokenPipeError):
        serve(io.BytesIO(f"position {START}\ngo infinite\nupi\n".encode()), Gone())
    assert threads.issuperset(threading.enumerate())


def test_every_option_can_be_set() -> None:
    lines = [
        f"setoption name {option.name} value {number}"
        for option in OPTIONS
        for number in (option.least, option.most, option.default)
    ]
    assert answers("\n".join(lines).encode()) == []


def test_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "patchwork", "upi"],
        input=f"upi\nisready\nposition {START}\ngo infinite\n".encode() + b"\xff" * 200_000,
        capture_output=True,
        timeout=300,
        check=True,
    )
    assert done.stderr == b""
    lines = done.stdout.decode("ascii").splitlines()
    assert "readyok" in lines
    assert f"{ERROR}a line is longer than 65536 bytes" in lines
    assert is_legal(START, lines[-1])
