"""The numbers of legal move sequences equal those in tables from the independent oracle."""

from pathlib import Path

import pytest

import patchwork as pw
from patchwork.rules.perft import perft

ROWS = [
    line.split("; ")
    for path in sorted(Path(__file__).parent.glob("*.perft"))
    for line in path.read_text(encoding="ascii").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.no_cover
@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0]))
def test_the_numbers_of_sequences_equal_the_table(row: list[str]) -> None:
    _, text, *counts = row
    position = pw.Position.parse(text)
    for depth, count in enumerate(counts, 1):
        found = {
            str(move): perft(position.play(move), depth - 1) for move in position.legal_moves()
        }
        assert sum(found.values()) == int(count), f"length {depth}, by first move: {found}"


def test_the_tables_cover_both_editions_and_the_end_of_the_game() -> None:
    texts = " ".join(text for _, text, *_ in ROWS)
    assert "classic" in texts
    assert "revised" in texts
    assert sum(counts[-1] == "0" for _, _, *counts in ROWS) >= 6


def test_depth_zero_has_one_sequence() -> None:
    assert perft(pw.Setup.random(0).start(), 0) == 1


def test_shallow_depths_are_counted_correctly() -> None:
    start = pw.Setup.random(7).start()
    positions = [start.play(move) for move in start.legal_moves()]
    assert perft(start, 1) == len(positions)
    assert perft(start, 2) == sum(len(position.legal_moves()) for position in positions)
