"""Lines are read safely whatever a stream holds, and written whole."""

import io
import threading

import pytest

from patchwork.programs.lines import LineWriter, read_lines

LONGEST = 10


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"one\ntwo\n", ["one\n", "two\n"]),
        (b"one\r\n\n", ["one\r\n", "\n"]),
        (b"one\ntwo", ["one\n", "two"]),
        (b"\xff\n", ["\N{REPLACEMENT CHARACTER}\n"]),
        (b"123456789\n12\n", ["123456789\n", "12\n"]),
        (b"1234567890\n12\n", [None, "12\n"]),
        (b"x" * 1000 + b"\n12\n", [None, "12\n"]),
        (b"x" * 1000, [None]),
    ],
)
def test_lines_of_a_stream(content: bytes, lines: list[str | None]) -> None:
    assert list(read_lines(io.BytesIO(content), LONGEST)) == lines


@pytest.mark.parametrize("content", [b"one\ntwo", b"one\n"])
def test_half_a_line_at_the_end_can_be_ignored(content: bytes) -> None:
    assert list(read_lines(io.BytesIO(content), LONGEST, unfinished=False)) == ["one\n"]


def test_lines_from_several_threads_stay_whole() -> None:
    sink = io.BytesIO()
    write = LineWriter(sink)

    def write_many(letter: str) -> None:
        for _ in range(200):
            write(100 * letter)

    threads = [threading.Thread(target=write_many, args=(letter,)) for letter in "abc\xe9"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = sink.getvalue().decode("ascii").splitlines()
    assert sorted(set(written)) == sorted(100 * letter for letter in ("a", "b", "c", r"\xe9"))
    assert len(written) == 800
