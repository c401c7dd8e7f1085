"""Reading game records: texts that are not canonical, and several games in one text."""

import re
from random import Random

import pytest

import patchwork as pw
from patchwork.notation.errors import NotationError
from patchwork.notation.reader import read_tags
from patchwork.notation.record import TAGS, Termination
from support.records import (
    ANNOTATED,
    CIRCLE,
    HEAD,
    SETUP,
    annotated,
    movetext_of,
    played,
    record_of,
)

# Leniency


@pytest.mark.parametrize(
    "text",
    [
        ANNOTATED.replace("\n\n", "\n"),
        ANNOTATED.replace("\n\n", "\n\n\n\n"),
        "\ufeff" + ANNOTATED,
        "\n  \t" + ANNOTATED + "\n\n",
        ANNOTATED.replace("\n", " ").replace(' " on two', ' "\non two'),
        re.sub(r"(?<=[ (])\d+\. ", "", ANNOTATED.replace("\n5. ", " 5. ")),
        re.sub(r"(\d+)\. ", r"\1.", ANNOTATED),
        re.sub(r"(\d+)\. ", r"\1... ", ANNOTATED),
        re.sub(r"(\d+)\. ", r"\1 ", ANNOTATED),
        re.sub(r"(\d+)\. ", "7. ", ANNOTATED),
        ANNOTATED.replace(" $1 $14", "! $14").replace(" $2", "?").replace(" $6", "?!"),
        ANNOTATED.replace("3Aa1", "3aA1").replace(". A", ". a").replace("3. 21A", "3. 21c"),
        ANNOTATED.replace("{Slow.}", ";  Slow. \n"),
        ANNOTATED.replace("{Slow.}", "; Slow.\r\n"),
        ANNOTATED.replace("{Cheap, and 26", "{Cheap, and} {26"),
        ANNOTATED.replace("{Slow.}", "{} {Slow.} ;\n"),
        ANNOTATED.replace("{Cheap, and 26 is out", "{Cheap, and 26} ;is\n{out"),
        ANNOTATED.replace("3Aa1 $1 $14 {Cheap", "3Aa1 $01 {Cheap").replace("reach.}", "reach.}$14"),
        ANNOTATED.replace('[Event "', '[ Event"').replace('9"]', '9" ]'),
        ANNOTATED.replace('"classic"', '"Classic"').replace('"resigned"', '"RESIGNED"'),
        ANNOTATED.replace('"2026.11.15"', '"2026-11-15"'),
        ANNOTATED.replace('"0-1"', '" 0 - 1 "').replace('"-131,-142"', '"-131, -142"'),
        ANNOTATED.replace(CIRCLE, CIRCLE.replace(",", " ")),
        ANNOTATED.replace(CIRCLE, f" {CIRCLE.replace(',', ', ')}, "),
        ANNOTATED.replace(CIRCLE, CIRCLE.replace(",3,", ",003,")),
        "{before} ; and more\n" + ANNOTATED + "{after}",
        ANNOTATED.replace(' "', '\n"', 1),
    ],
)
def test_reading_is_lenient(text: str) -> None:
    """Each text differs from the canonical one but means the same."""
    assert text != ANNOTATED
    assert pw.Record.parse(text) == annotated()


def test_line_ends_of_either_kind() -> None:
    one_line = ANNOTATED.replace('"\non two', '" on two')
    assert pw.Record.parse(one_line.replace("\n", "\r\n")) == pw.Record.parse(one_line)


def test_tags_may_come_in_any_order() -> None:
    head, _, moves = ANNOTATED.partition("\n\n")
    tags = head.split("\n")
    for seed in range(5):
        shuffled = Random(seed).sample(tags, len(tags))
        assert pw.Record.parse("\n".join((*shuffled, "", moves))) == annotated()


def test_tags_can_be_read_without_the_moves() -> None:
    head, _, _ = ANNOTATED.partition("\n\n")
    record = pw.Record.parse(ANNOTATED)
    for text in (ANNOTATED, f"\ufeff{head}\nno moves", head):
        tags = read_tags(text)
        assert (tags["Player0"], tags["Player1"], tags["Date"]) == (*record.players, record.date)
        assert record.tags.items() <= tags.items()
    assert read_tags("") == {}
    with pytest.raises(NotationError, match="Player0 is given twice"):
        read_tags('[Player0 "Ann"][Player0 "Bob"]')


@pytest.mark.parametrize("name", sorted(set(TAGS) - {"Circle", "Termination"}))
def test_tags_may_be_missing(name: str) -> None:
    text, count = re.subn(rf'\[{name} ".*"\]\n', "", ANNOTATED)
    assert count == 1
    record = pw.Record.parse(text)
    assert record.setup == SETUP
    assert record.line == annotated().line
    assert record.winner == 1
    assert record.players == (
        "?" if name == "Player0" else 'Ada "Countess" L.',
        "?" if name == "Player1" else "C:\\Grace",
    )
    assert record.date == ("????.??.??" if name == "Date" else "2026.11.15")


def test_the_circle_is_enough() -> None:
    assert pw.Record.parse(f"{HEAD}*") == pw.Record(SETUP)


def test_the_termination_is_inferred_from_the_end() -> None:
    game = played("saver")
    text = pw.Record.of(game).format().replace('[Termination "played out"]\n', "")
    assert pw.Record.parse(text).termination is Termination.PLAYED_OUT
    assert record_of("A *").termination is Termination.UNFINISHED
    assert record_of("A 1-0", '[Termination "Left"]').termination is Termination.LEFT


@pytest.mark.parametrize(
    ("glyph", "nag"), [("!", 1), ("?", 2), ("!!", 3), ("??", 4), ("!?", 5), ("?!", 6)]
)
def test_glyphs_are_annotations(glyph: str, nag: int) -> None:
    assert movetext_of(record_of(f"A{glyph} *")) == f"1. A ${nag} *\n"
    assert movetext_of(record_of(f"A {glyph} A*")) == f"1. A ${nag} 2. A *\n"


def test_annotations_have_up_to_three_digits() -> None:
    record = record_of("A $0 $00 $255 $999$1 *")
    assert record.line.plies[0].nags == (0, 0, 255, 999, 1)
    assert movetext_of(record) == "1. A $0 $0 $255 $999 $1 *\n"


def test_words_need_no_separator() -> None:
    record = record_of("{a}1.A$1{b}(1.A(A{c})){d}2.3Aa1!*".replace("3Aa1", "A"))
    assert movetext_of(record) == "{a} 1. A $1 {b d} (1. A (1. A {c})) 2. A $1 *\n"


def test_comments_in_one_place_are_joined() -> None:
    record = record_of("{a} ; b\n {} A {c} (A) {d} ;e\n *")
    assert record.line.comment == "a b"
    assert record.line.plies[0].comment == "c d e"
    assert len(record.line.plies[0].variations) == 1


def test_comments_between_records_are_dropped() -> None:
    text = f"; one\n{{two}}\n{HEAD} * {{three}} ; four\n{HEAD} A * ;five"
    assert [len(record.line.plies) for record in pw.Record.parse_all(text)] == [0, 1]


def test_remarks_are_stripped_and_may_hold_anything() -> None:
    assert record_of('A ;  } " \\ [ ( {  \n*').line.plies[0].comment == '} " \\ [ ( {'


def test_other_backslashes_are_kept() -> None:
    record = record_of("{C:\\new} *", '[Event "a\\b\\}"]')
    assert record.line.comment == "C:\\new"
    assert record.tags == {"Event": "a\\b}"}
    assert pw.Record.parse(record.format()) == record


# Several games


def test_many_games_in_one_text() -> None:
    some = [annotated(), pw.Record(SETUP), pw.Record.of(played())]
    assert pw.Record.parse_all("\n".join(record.format() for record in some)) == some
    assert pw.Record.parse_all("".join(record.format() for record in some)) == some
