"""The canonical text of game records, and that reading returns the same record."""

import re
from datetime import date
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw
from patchwork.notation.record import TAGS, WIDTH, Line, Ply, Termination
from support.records import (
    ANNOTATED,
    CIRCLE,
    SETUP,
    SPECIFICATION,
    annotated,
    movetext_of,
    played,
    record_of,
)

# Canonical text


def test_an_annotated_record_is_written_like_this() -> None:
    assert annotated().format() == ANNOTATED


def test_an_annotated_record_is_read() -> None:
    assert pw.Record.parse(ANNOTATED) == annotated()


def test_the_records_in_the_specification_are_canonical() -> None:
    fences = re.findall(
        r"^```\n(\[.*?)^```", SPECIFICATION.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(fences) == 1
    assert pw.Record.parse(fences[0]).format() == fences[0]


def test_an_empty_record() -> None:
    record = pw.Record(SETUP)
    assert record.format() == (
        '[Player0 "?"]\n[Player1 "?"]\n[Date "????.??.??"]\n[Edition "classic"]\n'
        f'[Circle "{CIRCLE}"]\n[First "0"]\n[Result "*"]\n[Scores "-157,-157"]\n'
        '[Termination "unfinished"]\n\n*\n'
    )
    assert pw.Record.parse(record.format()) == record


def test_every_tag_of_the_roster_is_written_in_order() -> None:
    record = pw.Record(
        pw.Setup.random(5, pw.REVISED, first=1), tags={"a": "", "Z": "\u00fc", "B_2": "\t"}
    )
    names = re.findall(r"^\[(\w+) ", record.format(), re.MULTILINE)
    assert names == [*TAGS, "B_2", "Z", "a"]
    assert '[Edition "revised"]\n' in record.format()
    assert '[First "1"]\n' in record.format()
    assert pw.Record.parse(record.format()) == record


def test_the_text_is_written_in_utf_8() -> None:
    record = pw.Record(SETUP, players=("\u0416\u6f22", "\U0001f9f5"))
    assert pw.Record.parse(record.format().encode().decode()) == record


@pytest.mark.parametrize(
    ("comment", "written"),
    [
        ("plain", "{plain}"),
        ("a } b", "{a \\} b}"),
        ("a { b", "{a { b}"),
        ("back\\slash", "{back\\\\slash}"),
        ("\\", "{\\\\}"),
        ("\\}", "{\\\\\\}}"),
        ('say "yes"', '{say "yes"}'),
        ("\\n", "{\\\\n}"),
        ("two\nlines", "{two\nlines}"),
        ("; no remark", "{; no remark}"),
        ("(1. A) $1 1-0", "{(1. A) $1 1-0}"),
        (" ", "{ }"),
        ("\u0436\u6f22\U0001f9f5", "{\u0436\u6f22\U0001f9f5}"),
    ],
)
def test_comments_are_escaped(comment: str, written: str) -> None:
    for line, text in (
        (Line((), comment), f"{written} *\n"),
        (Line((Ply(pw.Advance(), comment=comment),)), f"1. A {written} *\n"),
    ):
        record = pw.Record(SETUP, line)
        assert movetext_of(record) == text
        assert pw.Record.parse(record.format()) == record


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("", ""),
        ('"', '\\"'),
        ("\\", "\\\\"),
        ('\\"', '\\\\\\"'),
        ("\\n", "\\\\n"),
        ("}]", "}]"),
        ("a\tb", "a\tb"),
        ("\u00fc", "\u00fc"),
    ],
)
def test_tags_are_escaped(value: str, written: str) -> None:
    record = pw.Record(SETUP, players=(value, "?"), tags={"Event": value})
    assert f'[Player0 "{written}"]\n' in record.format()
    assert f'[Event "{written}"]\n' in record.format()
    assert pw.Record.parse(record.format()) == record


@pytest.mark.parametrize(
    ("length", "text"),
    [
        # "1. A {...} 2. A" is to end in column 80 or one beyond; the comment needs two braces.
        (68, f"1. A {{{'x' * 68}}} 2. A\n*\n"),
        (67, f"1. A {{{'x' * 67}}} 2. A\n*\n"),
        (66, f"1. A {{{'x' * 66}}} 2. A *\n"),
        (69, f"1. A {{{'x' * 69}}}\n2. A *\n"),
        (73, f"1. A {{{'x' * 73}}}\n2. A *\n"),
        (74, f"1. A\n{{{'x' * 74}}}\n2. A *\n"),
        (90, f"1. A\n{{{'x' * 90}}}\n2. A *\n"),
        (72, f"1. A {{{'x' * 72}}}\n2. A *\n"),
    ],
)
def test_lines_are_wrapped_at_80_columns(length: int, text: str) -> None:
    plies = (Ply(pw.Advance(), comment="x" * length), Ply(pw.Advance()))
    record = pw.Record(SETUP, Line(plies))
    assert movetext_of(record) == text
    assert WIDTH == 80
    for line in text.splitlines():
        assert len(line) <= 80 or " " not in line


def test_lines_after_a_comment_with_line_breaks() -> None:
    """The gap after a comment depends on its last line, the gap before it on its whole length."""
    inside = f"{'y' * 40}\n{'x' * 73}"
    record = pw.Record(SETUP, Line((Ply(pw.Advance(), comment=inside), Ply(pw.Advance()))))
    assert movetext_of(record) == f"1. A\n{{{inside}}} 2. A\n*\n"
    first = pw.Record(SETUP, Line((Ply(pw.Advance()),), f"{'y' * 90}\n{'x' * 74}"))
    assert movetext_of(first) == f"{{{'y' * 90}\n{'x' * 74}}} 1. A\n*\n"
    first = pw.Record(SETUP, Line((Ply(pw.Advance()),), f"{'y' * 90}\n{'x' * 75}"))
    assert movetext_of(first) == f"{{{'y' * 90}\n{'x' * 75}}}\n1. A *\n"
    short = pw.Record(SETUP, Line((Ply(pw.Advance(), comment="y\nx"), Ply(pw.Advance()))))
    assert movetext_of(short) == "1. A {y\nx} 2. A *\n"


def test_wrapping_counts_brackets_and_whole_words() -> None:
    variation = Line((Ply(pw.Advance(), comment="x" * 62),))
    record = pw.Record(SETUP, Line((Ply(pw.Advance(), variations=(variation,)),)))
    assert movetext_of(record) == f"1. A (1. A {{{'x' * 62}}}) *\n"
    game = played("saver")
    text = movetext_of(pw.Record.of(game))
    assert text.splitlines()[0] == " ".join(f"{number}. A" for number in range(1, 16))
    assert len(text.splitlines()[0]) == 80
    assert all(len(line) <= 80 for line in text.splitlines())
    assert re.sub(r"\d+\. ", "", text).split() == [*map(str, game.moves), "0-1"]


def test_numbers_go_on_in_variations() -> None:
    record = record_of("A A A (A A (A) A) *")
    assert movetext_of(record) == "1. A 2. A 3. A (3. A 4. A (4. A) 5. A) *\n"


# Round trips


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**53 - 1),
    edition=st.sampled_from([pw.CLASSIC, pw.REVISED]),
    first=st.sampled_from([0, 1]),
    stop=st.one_of(st.none(), st.integers(0, 40)),
)
def test_games_round_trip(seed: int, edition: pw.Edition, first: int, stop: int | None) -> None:
    rng, game = Random(seed), pw.Game(pw.Setup.random(seed, edition, first))
    while game.position.outcome is None and len(game.moves) != stop:
        game.push(rng.choice(game.position.legal_moves()))
    record = pw.Record.of(game)
    text = record.format()
    again = pw.Record.parse(text)
    assert again == record
    assert again.format() == text
    assert again.game.moves == game.moves
    assert again.game.position == game.position


COMMENTS = st.one_of(
    st.just(""), st.text(max_size=12), st.text('{}\\"[]();\n\r $1-0*A', max_size=8)
)
NAGS = st.lists(st.integers(0, 999), max_size=3).map(tuple)


@st.composite
def lines(draw: st.DrawFn, position: pw.Position, depth: int = 0) -> Line:
    """A random tree of legal moves with annotations."""
    plies = []
    for _ in range(draw(st.integers(0, 5 if depth == 0 else 2))):
        moves = position.legal_moves()
        if not moves:
            break
        variations: list[Line] = []
        if depth < 3 and draw(st.integers(0, 3)) == 0:
            count = draw(st.integers(1, 2))
            variations = [draw(lines(position, depth + 1)) for _ in range(count)]
        move = moves[draw(st.integers(0, len(moves) - 1))]
        plies.append(Ply(move, draw(NAGS), draw(COMMENTS), tuple(variations)))
        position = position.play(move)
    return Line(tuple(plies), draw(COMMENTS))


VALUES = st.text(max_size=10).filter(lambda value: len(f"{value}.".splitlines()) == 1)


DATES = st.builds(
    lambda day, known: "".join(
        mark if mark == "." or keep else "?"
        for mark, keep in zip(f"{day:%Y.%m.%d}", known, strict=True)
    ),
    st.dates(min_value=date(1000, 1, 1)),
    st.lists(st.booleans(), min_size=10, max_size=10),
)
"""Dates with some unknown digits."""


@st.composite
def records(draw: st.DrawFn) -> pw.Record:
    """A random record with every kind of annotation that ended early for any reason."""
    setup = pw.Setup.random(
        draw(st.integers(0, 2**53 - 1)),
        draw(st.sampled_from([pw.CLASSIC, pw.REVISED])),
        draw(st.sampled_from([0, 1])),
    )
    winner = draw(st.sampled_from([0, 1, None]))
    decided = [Termination.RESIGNED, Termination.TIME, Termination.LEFT]
    undecided = [Termination.ABORTED, Termination.UNFINISHED]
    return pw.Record(
        setup,
        draw(lines(setup.start())),
        (draw(VALUES), draw(VALUES)),
        draw(DATES),
        draw(st.sampled_from(undecided if winner is None else decided)),
        winner,
        draw(
            st.dictionaries(
                st.from_regex("[A-Za-z0-9_]{1,8}", fullmatch=True).filter(lambda n: n not in TAGS),
                VALUES,
                max_size=3,
            )
        ),
    )


@settings(max_examples=150, deadline=None)
@given(records())
def test_annotated_records_round_trip(record: pw.Record) -> None:
    text = record.format()
    again = pw.Record.parse(text)
    assert again == record
    assert again.format() == text
    assert text.encode().decode() == text


@settings(max_examples=30, deadline=None)
@given(st.lists(records(), max_size=4), st.sampled_from(["", "\n", "\n\n; a remark\n", "{x}\n"]))
def test_many_records_round_trip(some: list[pw.Record], gap: str) -> None:
    text = gap + gap.join(record.format() for record in some) + gap
    assert pw.Record.parse_all(text) == some
