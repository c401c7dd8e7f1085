"""Any text is either read and written back the same, or refused with ``NotationError``, quickly."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw

pytestmark = pytest.mark.no_cover
EXAMPLES = 3_000  # of each kind for each reader
PATIENCE = 60.0
"""Seconds. The aim is one, but this only has to catch time that grows faster than the text."""


def game_of(seed: int, length: int) -> pw.Game:
    rng, game = Random(seed), pw.Game(pw.Setup.random(seed, first=seed % 2))
    while game.position.outcome is None and len(game.moves) < length:
        game.push(rng.choice(game.position.legal_moves()))
    return game


GAMES = [game_of(seed, length) for seed, length in ((1, 0), (2, 9), (3, 16), (4, 28), (5, 99))]
HEAD = f'[Circle "{",".join(map(str, GAMES[0].setup.circle))}"]\n\n'
ANNOTATED = (
    f'[Player0 "A \\"B\\" \\\\ C"]\n[Date "2026.11.15"]\n{HEAD}'
    "{first} 1. 3Aa1 $1 {a \\} b} 2. 13Ba2 (2. A (2. 25Aa1 $2) 3. A) () 3. 21Af1! ; remark\n*\n"
)
POSITION = GAMES[0].position
LEATHER = pw.Game(GAMES[0].setup)
for _ in range(20):
    LEATHER.push(pw.Advance())

# The readers, each with texts that it accepts and the words of those texts


def read_position(text: str) -> None:
    position = pw.Position.parse(text)
    assert str(position) == " ".join(text.split())
    assert pw.Position.parse(str(position)) == position


def read_move(text: str) -> None:
    accepted = 0
    for position in (POSITION, LEATHER.position):
        try:
            move = pw.parse_move(position, text)
        except pw.NotationError as error:
            refusal = error
        else:
            accepted += 1
            assert move in position.legal_moves()
            assert len(str(move)) <= 8
            assert pw.parse_move(position, str(move)) == move
    if not accepted:
        raise refusal


def read_records(text: str) -> None:
    records = pw.Record.parse_all(text)
    canonical = "".join(record.format() for record in records)
    assert pw.Record.parse_all(canonical) == records
    assert "".join(record.format() for record in pw.Record.parse_all(canonical)) == canonical


READERS: dict[str, tuple[Callable[[str], None], list[str], list[str]]] = {
    "position": (
        read_position,
        [str(position) for game in GAMES for position in game.positions()[::4]],
        [
            *("classic", "revised", "0:turn", "1:turn", "0:leather", "1:over", "b5,i0,t0"),
            *("tile=-", "tile=0", "home=-", "home=1", "circle=1,2,0", "circle=-", "leather=-"),
            *("leather=20,26,32,44,50", "x9", "9", "xx7", "/"),
            *("9/9/9/9/9/9/9/9/9", "b0,i0,t53", "b58,i0,t53", ",", "=", "-", "x", "7"),
        ],
    ),
    "move": (
        read_move,
        [str(move) for move in [*POSITION.legal_moves()[::9], *LEATHER.position.legal_moves()]],
        [*"AaLl3", *"0123456789", *"ABCDEFGHI", *"abcdefghi", "26", "14", "a1", "i9", "32", " "],
    ),
    "record": (
        read_records,
        [ANNOTATED, *(pw.Record.of(game).format() for game in GAMES)],
        [
            *(
                HEAD,
                "A",
                "a",
                "3Aa1",
                "13Ba2",
                "25Aa1",
                "Lc4",
                "1.",
                "2...",
                "7",
                "12",
                "$1",
                "$255",
            ),
            *(
                "!",
                "?",
                "!?",
                "(",
                ")",
                "()",
                "{x}",
                "{\\}}",
                "{",
                "}",
                ";x\n",
                "\n",
                "*",
                "1-0",
                "0-1",
            ),
            *(
                '[Result "*"]',
                '[Date "2026-11-15"]',
                '[Edition "revised"]',
                '[First "1"]',
                "[",
                "]",
            ),
            *(
                '"',
                "\\",
                '[Termination "resigned"]',
                '[Termination "aborted"]',
                '[x "y"]',
                "%",
                ".",
            ),
        ],
    ),
}
MARKS = (
    "0123456789abcdefghiABCDEFGHILx/,:=-.;*!?$%()[]{}\"'\\ \t\r\n\x00\u00e9\u0661\u2028\U0001f9f5"
)


def mutated(rng: Random, text: str) -> str:
    """A text with a few pieces removed, inserted, replaced, doubled or swapped."""
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        start = rng.randint(0, len(text))
        end = min(len(text), start + rng.choice((0, 1, 1, 2, 5, 20)))
        piece, new = text[start:end], "".join(rng.choices(MARKS, k=rng.randint(1, 3)))
        other = rng.randint(0, len(text))
        text = rng.choice(
            (
                text[:start] + text[end:],
                text[:start] + new + text[start:],
                text[:start] + new + text[end:],
                text[:start] + piece + piece + text[end:],
                text[:other] + piece + text[other:],
                text[:start].swapcase() + text[start:],
                text[:other],
            )
        )
    return text


def random_text(rng: Random, texts: list[str], words: list[str]) -> str:
    """Any characters at all, including lone surrogates."""
    return "".join(
        chr(rng.randrange(rng.choice((128, 256, 0x110000)))) for _ in range(rng.randint(0, 60))
    )


def random_bytes(rng: Random, texts: list[str], words: list[str]) -> str:
    return rng.randbytes(rng.randint(0, 200)).decode("latin-1")


def random_words(rng: Random, texts: list[str], words: list[str]) -> str:
    """Words of the grammar in any order, often ten of them and often after a valid beginning."""
    chosen = rng.choices(words, k=rng.choice((1, 2, 3, 4, 10, 10, 30)))
    return rng.choice(("", words[0])) + rng.choice(("", " ")).join(chosen)


def random_mutants(rng: Random, texts: list[str], words: list[str]) -> str:
    return mutated(rng, rng.choice(texts))


KINDS = (random_text, random_bytes, random_words, random_mutants)
assert len(KINDS) * len(READERS) * EXAMPLES >= 10_000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READERS)
def test_only_notation_errors_are_raised(
    kind: Callable[[Random, list[str], list[str]], str], name: str
) -> None:
    read, texts, words = READERS[name]
    rng = Random(f"{kind.__name__} {name}")
    accepted, refusals = 0, list[pw.NotationError]()
    for _ in range(EXAMPLES):
        text = kind(rng, texts, words)
        try:
            read(text)
        except pw.NotationError as error:
            refusals.append(error)
        except Exception as error:
            error.add_note(f"the text was {text!r}")
            raise
        else:
            accepted += 1
    assert refusals
    assert all(str(error).endswith(f"({error.problem})") for error in refusals)
    if kind is random_mutants:
        assert accepted > 0  # so the round trip was really tried


@pytest.mark.parametrize("name", READERS)
def test_valid_texts_are_accepted(name: str) -> None:
    read, texts, _ = READERS[name]
    for text in texts:
        read(text)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(READERS)), st.text(max_size=80))
def test_hypothesis_finds_nothing_either(name: str, text: str) -> None:
    with suppress(pw.NotationError):
        READERS[name][0](text)


# A megabyte of garbage

MEGABYTE = 1_000_000


def repeated(piece: str, before: str = "", size: int = MEGABYTE) -> str:
    return before + piece * (size // len(piece))


GARBAGE = {
    "binary": Random(1).randbytes(MEGABYTE).decode("latin-1"),
    "NUL": repeated("\x00"),
    "unicode": repeated("\U0001f9f5\u0661\u2028"),
    "braces": repeated("{"),
    "closing braces": repeated("}"),
    "brackets": repeated("["),
    "quotes": repeated('"'),
    "round brackets": repeated("("),
    "empty variations": repeated("()"),
    "annotations": repeated("$1 "),
    "digits": repeated("7"),
    "spaces": repeated(" "),
    "lines": repeated("\n"),
    "backslashes": repeated("\\"),
    "letters": repeated("A"),
    "advances": repeated("A "),
    "x": repeated("x"),
    "quilts": repeated("9/"),
    "commas": repeated(","),
    "tags": "\n".join(f'[T{number} "x"]' for number in range(MEGABYTE // 12)),
    "one tag again": repeated('[T "x"]\n'),
    "open tag": repeated(" ", "["),
    "long name": repeated("A", "["),
    "open value": repeated("x", '[A "'),
    "value of escapes": repeated("\\a", '[A "'),
    "value of backslashes": repeated("\\", '[A "'),
    "circle of commas": repeated(",", '[Circle "') + '"]*',
    "circle of ones": repeated("1,", '[Circle "') + '"]*',
    "circle of digits": repeated("7", '[Circle "') + '"]*',
    "long edition": HEAD + repeated("x", '[Edition "') + '"]*',
    "long scores": HEAD + repeated(" ", '[Scores "') + '"]*',
    "open comment": repeated("{", HEAD),
    "comment of backslashes": repeated("\\", HEAD + "{"),
    "remark": repeated(";", HEAD),
    "nothing": repeated(" ", HEAD),
    "number": repeated("7", HEAD),
    "dots": repeated(".", HEAD + "1"),
    "long move": repeated("3Aa1", HEAD),
    "game of advances": repeated("A ", HEAD),
    "variations in variations": repeated("A(", HEAD),
    "brackets in a game": repeated("(", HEAD + "A"),
    "illegal moves": repeated("0Aa1 ", HEAD),
    "position of quilts": "classic 0:turn " + repeated("9/"),
    "position of digits": str(POSITION).replace("b5", "b" + "5" * MEGABYTE),
    "position of x": str(POSITION).replace("9/9/9", "x" * MEGABYTE),
    "position of a long circle": repeated(",1", str(POSITION)),
    "position of many patches": str(POSITION) + "".join(f",{n % 1000}" for n in range(250_000)),
    "position of long leather": str(POSITION).replace("=20", "=" + "20," * 300_000 + "20"),
}
FLOODS = {
    # All of this is valid, so it is read and kept until it is too much.
    "empty variations": repeated("()", HEAD + "A"),
    "variations": repeated("(A)", HEAD + "A"),
    "annotations": repeated(" $1", HEAD + "A"),
    "glyphs": repeated("!", HEAD + "A"),
    "comments": repeated("{}", HEAD + "A"),
    "remarks": repeated(";\n", HEAD + "A"),
    "numbers": repeated("1.", HEAD),
}


def refused_in_time(read: Callable[[str], object], text: str) -> str:
    """Returns the error; only the processor time of this process counts."""
    start = process_time()
    with pytest.raises(pw.NotationError) as caught:
        read(text)
    assert process_time() - start < PATIENCE
    return str(caught.value)


@pytest.mark.parametrize("text", GARBAGE.values(), ids=GARBAGE.keys())
def test_a_megabyte_of_garbage_is_refused_in_time(text: str) -> None:
    assert len(text) >= MEGABYTE * 0.9
    for read in (pw.Record.parse, pw.Position.parse, lambda text: pw.parse_move(POSITION, text)):
        assert refused_in_time(read, text)


@pytest.mark.parametrize("text", FLOODS.values(), ids=FLOODS.keys())
def test_a_flood_of_valid_words_is_refused_in_time(text: str) -> None:
    assert "a record has at most 100000 words" in refused_in_time(pw.Record.parse, text)
