"""Game records: canonical text, leniency, refusals with their place, and what cannot be built."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchwork as pw
from patchwork.notation.errors import Problem
from patchwork.notation.record import DEEPEST, TAGS, WIDTH, Line, Ply, Termination
from patchwork.rules.moves import Move

SPECIFICATION = Path(__file__).parents[2] / "docs" / "notation.md"
SETUP = pw.Setup.random(seed=1)
CIRCLE = "26,14,3,13,25,32,21,22,10,15,28,23,29,7,12,4,19,20,27,5,17,8,11,30,9,18,31,6,16,1,24,2,0"
HEAD = f'[Circle "{CIRCLE}"]'

ANNOTATED = """\
[Player0 "Ada \\"Countess\\" L."]
[Player1 "C:\\\\Grace"]
[Date "2026.11.15"]
[Edition "classic"]
[Circle "@"]
[First "0"]
[Result "0-1"]
[Scores "-131,-142"]
[Termination "resigned"]
[Event "Caf\u00e9"]
[round "2"]

{The circle of seed 1.} 1. 3Aa1 $1 $14 {Cheap, and 26 is out of reach.} 2. 13Ba2
(2. A {Slow.} 3. A (3. 13Ba2 $2)) (2. 25Aa1) 3. 21Af1 ({Or:} 3. A) () 4. 22Bh6
$6 5. A {a \\} and a \\\\ and a "
on two lines} 0-1
""".replace("@", CIRCLE)


def annotated() -> pw.Record:
    """The record whose canonical text is ``ANNOTATED``, built by hand."""

    def move(text: str, *before: str) -> Move:
        position = SETUP.start()
        for played in before:
            position = position.play(pw.parse_move(position, played))
        return pw.parse_move(position, text)

    advance = pw.Advance()
    third = Ply(advance, variations=(Line((Ply(move("13Ba2", "3Aa1"), (2,)),)),))
    return pw.Record(
        SETUP,
        Line(
            (
                Ply(move("3Aa1"), (1, 14), "Cheap, and 26 is out of reach."),
                Ply(
                    move("13Ba2", "3Aa1"),
                    variations=(
                        Line((Ply(advance, comment="Slow."), third)),
                        Line((Ply(move("25Aa1", "3Aa1")),)),
                    ),
                ),
                Ply(
                    move("21Af1", "3Aa1", "13Ba2"),
                    variations=(Line((Ply(advance),), "Or:"), Line()),
                ),
                Ply(move("22Bh6", "3Aa1", "13Ba2", "21Af1"), (6,)),
                Ply(advance, comment='a } and a \\ and a "\non two lines'),
            ),
            "The circle of seed 1.",
        ),
        players=('Ada "Countess" L.', "C:\\Grace"),
        date="2026.11.15",
        termination=Termination.RESIGNED,
        winner=1,
        tags={"round": "2", "Event": "Caf\u00e9"},
    )


def played(style: str = "whim", seed: int = 1, setup: pw.Setup = SETUP) -> pw.Game:
    """A game played out, at random or by advances alone."""
    rng, game = Random(seed), pw.Game(setup)
    while game.position.outcome is None:
        moves = game.position.legal_moves()
        game.push(moves[0] if style == "saver" else rng.choice(moves))
    return game


def record_of(movetext: str, *tags: str) -> pw.Record:
    return pw.Record.parse("\n".join((HEAD, *tags, "", movetext)))


def movetext_of(record: pw.Record) -> str:
    return record.format().partition("\n\n")[2]


def refusal(text: str) -> pw.NotationError:
    with pytest.raises(pw.NotationError) as caught:
        pw.Record.parse(text)
    return caught.value


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
    """The column counts from the last line break; the decision before, with the whole comment."""
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
    """A random annotated tree of legal moves."""
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


@st.composite
def records(draw: st.DrawFn) -> pw.Record:
    """A random record, annotated all over, that stopped before the end for any reason."""
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
        draw(st.from_regex(r"[0-9?]{4}\.[0-9?]{2}\.[0-9?]{2}", fullmatch=True)),
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


# Record.of, game and the ways a game ends


def test_of_a_game_that_was_played_out() -> None:
    game = played("saver")
    outcome = game.position.outcome
    assert outcome is not None
    record = pw.Record.of(game, ("Ada", "Grace"), "2026.11.15", {"Event": "Final"})
    assert record.setup == game.setup
    assert record.players == ("Ada", "Grace")
    assert record.date == "2026.11.15"
    assert record.tags == {"Event": "Final"}
    assert record.termination is Termination.PLAYED_OUT
    assert record.winner == outcome.winner == 1
    assert record.line.comment == ""
    assert [ply.move for ply in record.line.plies] == list(game.moves)
    assert record.game.moves == game.moves
    assert record.game is not record.game
    scores = ",".join(map(str, outcome.scores))
    assert f'[Result "0-1"]\n[Scores "{scores}"]\n[Termination "played out"]' in record.format()


def test_of_a_game_that_goes_on() -> None:
    game = pw.Game(SETUP)
    game.push(pw.Advance())
    record = pw.Record.of(game)
    game.push(pw.Advance())
    assert record == pw.Record(SETUP, Line((Ply(pw.Advance()),)))
    assert (record.players, record.date, record.tags) == (("?", "?"), "????.??.??", {})
    assert (record.termination, record.winner) == (Termination.UNFINISHED, None)


def test_seat_0_can_win() -> None:
    setup = pw.Setup.random(seed=1, first=1)
    record = pw.Record.of(played("saver", setup=setup))
    assert record.winner == 0
    assert record.format().endswith(" 1-0\n")
    assert pw.Record.parse(record.format()) == record


@pytest.mark.parametrize("winner", [0, 1, None])
@pytest.mark.parametrize("termination", Termination)
@pytest.mark.parametrize("over", [False, True])
def test_terminations_fit_the_result_and_the_moves(
    termination: Termination, winner: int | None, over: bool
) -> None:
    line = pw.Record.of(played("saver")).line if over else Line((Ply(pw.Advance()),))
    fits = {
        Termination.PLAYED_OUT: over and winner == 1,
        Termination.RESIGNED: not over and winner is not None,
        Termination.TIME: not over and winner is not None,
        Termination.LEFT: not over and winner is not None,
        Termination.ABORTED: not over and winner is None,
        Termination.UNFINISHED: not over and winner is None,
    }[termination]
    result = {0: "1-0", 1: "0-1", None: "*"}[winner]
    if fits:
        record = pw.Record(SETUP, line, termination=termination, winner=winner)
        assert pw.Record.parse(record.format()) == record
        assert f'[Result "{result}"]' in record.format()
        assert f'[Termination "{termination.value}"]' in record.format()
    else:
        with pytest.raises(pw.NotationError) as caught:
            pw.Record(SETUP, line, termination=termination, winner=winner)
        state = "was won by seat 1" if over else "goes on"
        assert str(caught.value) == (
            f"termination '{termination.value}' and result '{result}' do not fit a game that"
            f" {state} (contradiction)"
        )


def test_the_terminations_are_these() -> None:
    assert [termination.value for termination in Termination] == [
        "played out",
        "resigned",
        "time",
        "left",
        "aborted",
        "unfinished",
    ]


# What a record cannot be built from


def test_illegal_moves_cannot_be_recorded() -> None:
    with pytest.raises(pw.IllegalMove) as caught:
        pw.Record(SETUP, Line((Ply(pw.Advance()), Ply(pw.Leather(0)))))
    assert caught.value.reason is pw.Reason.NOT_IN_THIS_PHASE
    variation = Line((Ply(pw.Advance()), Ply(pw.Buy(99, 1))))
    with pytest.raises(pw.IllegalMove) as caught:
        pw.Record(SETUP, Line((Ply(pw.Advance(), variations=(variation,)),)))
    assert caught.value.reason is pw.Reason.NOT_ON_OFFER


def test_variations_replace_their_move() -> None:
    """The first move of a variation is played before the move it follows, not after it."""
    buy = pw.parse_move(SETUP.start(), "3Aa1")
    record = pw.Record(SETUP, Line((Ply(buy, variations=(Line((Ply(buy),)),)),)))
    assert movetext_of(record) == "1. 3Aa1 (1. 3Aa1) *\n"


def nested(depth: int) -> Line:
    line = Line((Ply(pw.Advance()),))
    for _ in range(depth):
        line = Line((Ply(pw.Advance(), variations=(line,)),))
    return line


def test_variations_lie_32_deep_at_most() -> None:
    assert DEEPEST == 32
    record = pw.Record(SETUP, nested(32))
    assert pw.Record.parse(record.format()) == record
    for depth in (33, 500):
        with pytest.raises(pw.NotationError) as caught:
            pw.Record(SETUP, nested(depth))
        assert str(caught.value) == "more than 32 variations lie inside one another (too-deep)"
        assert caught.value.problem is Problem.TOO_DEEP


@pytest.mark.parametrize(
    "date",
    [
        "",
        "2026-11-15",
        "2026.11",
        "2026.11.1",
        "26.11.15",
        "2026.11.15.",
        "2026.11.15\n",
        "2026.11.xx",
        "2026x11x15",
        "\u0662\u0660\u0662\u0666.11.15",
    ],
)
def test_dates_have_one_form(date: str) -> None:
    with pytest.raises(pw.NotationError) as caught:
        pw.Record(SETUP, date=date)
    assert caught.value.problem is Problem.BAD_TAG
    assert caught.value.detail == f"Date is written 2026.11.15, not {date!r}"


@pytest.mark.parametrize("date", ["2026.11.15", "????.??.??", "202?.1?.??"])
def test_dates_may_be_partly_unknown(date: str) -> None:
    record = pw.Record(SETUP, date=date)
    assert f'[Date "{date}"]' in record.format()
    assert pw.Record.parse(record.format()) == record


@pytest.mark.parametrize("name", [*TAGS, "", "two words", "a-b", "\u00e9", 'q"', "a\n", "a]"])
def test_further_tags_have_names_of_their_own(name: str) -> None:
    with pytest.raises(pw.NotationError) as caught:
        pw.Record(SETUP, tags={"Event": "fine", name: "x"})
    assert caught.value.problem is Problem.BAD_TAG
    assert caught.value.detail == f"{name!r} cannot name a further tag"


@pytest.mark.parametrize("value", ["a\nb", "a\n", "\n", "a\r", "a\r\nb", "a\rb"])
def test_tags_are_one_line(value: str) -> None:
    fields: list[dict[str, Any]] = [
        {"players": (value, "?")},
        {"players": ("?", value)},
        {"tags": {"Event": value}},
    ]
    for values in fields:
        with pytest.raises(pw.NotationError) as caught:
            pw.Record(SETUP, **values)
        assert caught.value.problem is Problem.BAD_TAG
        assert caught.value.detail == f"a tag is one line, not {value!r}"


@pytest.mark.parametrize("nag", [-1, 1000])
def test_annotations_that_cannot_be_written(nag: int) -> None:
    """An annotation is written with three digits at most, so no other can be kept."""
    main = Line((Ply(pw.Advance(), (1, nag)),))
    for line in (main, Line((Ply(pw.Advance(), variations=(main,)),))):
        with pytest.raises(pw.NotationError) as caught:
            pw.Record(SETUP, line)
        assert str(caught.value) == f"annotations are 0 to 999, not {nag} (unexpected)"


@pytest.mark.parametrize("termination", [Termination.RESIGNED, Termination.UNFINISHED])
def test_the_winner_is_a_seat(termination: Termination) -> None:
    with pytest.raises(pw.NotationError) as caught:
        pw.Record(SETUP, termination=termination, winner=2)
    assert str(caught.value) == (
        f"termination '{termination.value}' and result 2 do not fit a game that goes on"
        " (contradiction)"
    )


def test_the_termination_is_one_of_six() -> None:
    unknown: Any = "gone"
    with pytest.raises(pw.NotationError) as caught:
        pw.Record(SETUP, termination=unknown)
    assert str(caught.value) == (
        "termination 'gone' and result '*' do not fit a game that goes on (contradiction)"
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"players": ("\ud800", "?")},
        {"players": ("?", "\ud800")},
        {"tags": {"Event": "\ud800"}},
        {"line": Line((), "\ud800")},
        {"line": Line((Ply(pw.Advance(), comment="\ud800"),))},
        {"line": Line((Ply(pw.Advance(), variations=(Line((), "\ud800"),)),))},
    ],
)
def test_text_that_utf_8_cannot_hold(fields: dict[str, Any]) -> None:
    """The canonical bytes of a record are UTF-8, which has no lone surrogates."""
    with pytest.raises(pw.NotationError) as caught:
        pw.Record(SETUP, **fields)
    assert str(caught.value) == "'\\ud800' cannot be written as UTF-8 (unexpected)"


def test_a_record_may_be_long_but_not_endless() -> None:
    """The words of each record are counted: tags, the move, annotations and the result."""
    long = f"{HEAD} A {'$1' * 99_997} *"
    assert len(pw.Record.parse(long).line.plies[0].nags) == 99_997
    assert len(pw.Record.parse_all(long + long)) == 2
    error = refusal(f"{HEAD} A {'$1' * 99_998} *")
    assert error.problem is Problem.TOO_LONG
    assert error.detail == "a record has 100000 words at most"


def test_a_record_keeps_tags_of_its_own() -> None:
    tags = {"Event": "here"}
    record = pw.Record(SETUP, tags=tags)
    tags["Event"] = "there"
    assert record.tags == {"Event": "here"}


def test_a_termination_may_be_given_as_text() -> None:
    plain: Any = "aborted"
    record = pw.Record(SETUP, termination=plain)
    assert pw.Record.parse(record.format()) == record


def test_records_are_values() -> None:
    assert pickle.loads(pickle.dumps(annotated())) == annotated()
    assert annotated() != pw.Record(SETUP)
    with pytest.raises(AttributeError):
        annotated().winner = 0  # type: ignore[misc]


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
    """Each text differs from the canonical one, and means the same."""
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


def test_the_end_tells_the_termination() -> None:
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


def test_nothing_need_stand_between_words() -> None:
    record = record_of("{a}1.A$1{b}(1.A(A{c})){d}2.3Aa1!*".replace("3Aa1", "A"))
    assert movetext_of(record) == "{a} 1. A $1 {b d} (1. A (1. A {c})) 2. A $1 *\n"


def test_comments_of_a_place_become_one() -> None:
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


# Refusals


ILLEGAL = Problem.ILLEGAL_MOVE


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("1. A 2. 3Aa1 3. Q *", "'Q' is not a move", (3, 17, 3)),
        ("1. A 2. 33Aa1 *", "'33Aa1' is not a move", (3, 9, 2)),
        ("\n\n  123456789012345678901x *", "'12345678901234567890' is not a move", (5, 3, 1)),
        ("1. A (1. A\n2. Z) *", "'Z' is not a move", (4, 4, 2)),
        ("x*", "'x' is not a move", (3, 1, 1)),
        ("17 Bc4 *", "'Bc4' is not a move", (3, 4, 1)),
    ],
)
def test_what_is_not_a_move(text: str, message: str, place: tuple[int, int, int]) -> None:
    error = refusal(f"{HEAD}\n\n{text}")
    assert error.problem is Problem.NOT_A_MOVE
    assert error.detail == message + (
        "; moves look like A (advance), Lc4 (leather) or 17Bc4"
        " (patch, orientation A-H, column a-i and row 1-9 of the corner)"
    )
    assert (error.line, error.column, error.number, error.reason) == (*place, None)


@pytest.mark.parametrize(
    ("text", "message", "place", "reason"),
    [
        (
            "1. A 2. 3Ai9 3. A *",
            "3Ai9: the patch would lie off the board",
            (3, 9, 2),
            pw.Reason.OFF_THE_BOARD,
        ),
        (
            "1. 3Aa1 2. A\n3. 3ac3 4. A *",
            "3Ac3: patch 3 is not on offer, only 13, 25, 32",
            (4, 4, 3),
            pw.Reason.NOT_ON_OFFER,
        ),
        ("26Ba1 *", "26Ba1: patch 26 costs 7, seat 0 has 5", (3, 1, 1), pw.Reason.CANNOT_AFFORD),
        (
            "1. 3Aa1 2. 13Ba2 3. 21Ha1 *",
            "21Fa1: patch 21 would overlap another patch",
            (3, 21, 3),
            pw.Reason.OVERLAPS,
        ),
        (
            "1. A 2. Lc4 *",
            "Lc4: seat 1 has to advance or buy",
            (3, 9, 2),
            pw.Reason.NOT_IN_THIS_PHASE,
        ),
        (
            f"{'A ' * 20} A *",
            "A: seat 1 has to place the leather patch",
            (3, 42, 21),
            pw.Reason.NOT_IN_THIS_PHASE,
        ),
        (
            f"{'A ' * 20}\nLa1{' A' * 6}\nLa1 *",
            "La1: cell 0 is already filled",
            (5, 1, 28),
            pw.Reason.CELL_TAKEN,
        ),
        (
            "1. 3Aa1 (1. A 2. 3Aa1 3. 3Ab4) 2. A *",
            "3Ab4: patch 3 is not on offer, only 13, 25, 32",
            (3, 26, 3),
            pw.Reason.NOT_ON_OFFER,
        ),
    ],
)
def test_illegal_moves_are_refused_where_they_stand(
    text: str, message: str, place: tuple[int, int, int], reason: pw.Reason
) -> None:
    error = refusal(f"{HEAD}\n\n{text}")
    assert (error.problem, error.detail, error.reason) == (ILLEGAL, message, reason)
    assert (error.line, error.column, error.number) == place
    assert str(error) == (
        f"line {place[0]}, column {place[1]}, move {place[2]}: {message} (illegal-move)"
    )


def test_a_move_after_the_end_is_refused() -> None:
    text = pw.Record.of(played("saver")).format()
    error = refusal(text.replace(" 0-1\n", " A 0-1\n"))
    assert (error.problem, error.reason) == (ILLEGAL, pw.Reason.GAME_OVER)
    assert error.detail == "A: the game is over"
    assert error.number == len(played("saver").moves) + 1


def test_one_illegal_move_in_the_middle() -> None:
    game = played(seed=3)
    texts = [f"{number}. {move}" for number, move in enumerate(game.moves, 1)]
    texts[20] = f"21. {game.moves[0]}"
    error = refusal("\n".join((HEAD, *texts, "*")))
    assert error.problem is ILLEGAL
    assert (error.line, error.column, error.number) == (22, 5, 21)
    assert error.reason is not None


@pytest.mark.parametrize("after", ["{", "[", "\x00"])
def test_the_first_mistake_is_the_one_reported(after: str) -> None:
    """An illegal move comes before whatever stands behind it."""
    error = refusal(f"{HEAD}\n\n1. Lc4 {after} *")
    assert (error.problem, error.line, error.column, error.number) == (ILLEGAL, 3, 4, 1)


LONG = "9" * 5000
SETUP_MISTAKES = [
    ("1,2,x", "Circle is the patch ids, separated by commas"),
    ("", "Circle is the patch ids, separated by commas"),
    ("-1,2", "Circle is the patch ids, separated by commas"),
    ("\u0661,2", "Circle is the patch ids, separated by commas"),
    (",", "circle holds 0 patches; all 33 are needed"),
    ("1,2,3", "circle holds 3 patches; all 33 are needed"),
    (CIRCLE.replace("14", "26"), "circle holds patch 26 twice"),
    (CIRCLE.replace("14", "33"), "circle holds 33; patch ids are 0 to 32"),
    (CIRCLE.replace("14", "999"), "circle holds 999; patch ids are 0 to 32"),
    (CIRCLE.replace("14", "1000"), "Circle is the patch ids, separated by commas"),
    (
        ",".join(map(str, range(33))),
        "circle ends with patch 32; the 1 x 2 patch 0 must be last",
    ),
]


@pytest.mark.parametrize(("circle", "message"), SETUP_MISTAKES)
def test_bad_circles(circle: str, message: str) -> None:
    error = refusal(f'[Player0 "x"]\n [Circle "{circle}"]\n*')
    assert (error.problem, error.detail) == (Problem.BAD_TAG, message)
    assert (error.line, error.column, error.number, error.reason) == (2, 2, None, None)


@pytest.mark.parametrize("circle", [LONG, f"1,{LONG}", CIRCLE.replace("14", LONG)])
def test_ids_of_thousands_of_digits(circle: str) -> None:
    error = refusal(f'[Circle "{circle}"]\n*')
    assert (error.problem, error.line, error.column) == (Problem.BAD_TAG, 1, 1)


@pytest.mark.parametrize(
    ("tag", "message", "column"),
    [
        ('[Edition "new"]', "Edition is classic or revised, not 'new'", 3),
        ('[Edition ""]', "Edition is classic or revised, not ''", 3),
        ('[First "2"]', "First is 0 or 1, not '2'", 3),
        ('[First " 1"]', "First is 0 or 1, not ' 1'", 3),
        ('[Player0 "a"][Player0 "a"]', "Player0 is given twice", 16),
        ('[x "a"] [x "b"]', "x is given twice", 11),
        (HEAD, "Circle is given twice", 3),
        ("[Player0 x]", 'a tag is written [Name "value"]', 3),
        ('[Player0 "x]', 'a tag is written [Name "value"]', 3),
        ('[Player0 "x"', 'a tag is written [Name "value"]', 3),
        ('["x"]', 'a tag is written [Name "value"]', 3),
        ('[Player0 "x" "y"]', 'a tag is written [Name "value"]', 3),
        ('[Player-0 "x"]', 'a tag is written [Name "value"]', 3),
        ('[Player\u00e9 "x"]', 'a tag is written [Name "value"]', 3),
        ('[Player0 "a\nb"]', 'a tag is written [Name "value"]', 3),
        ('[Player0 "a\\\nb"]', 'a tag is written [Name "value"]', 3),
        ("[]", 'a tag is written [Name "value"]', 3),
        ("[", 'a tag is written [Name "value"]', 3),
    ],
)
def test_bad_tags_are_refused_where_they_stand(tag: str, message: str, column: int) -> None:
    error = refusal(f"{HEAD}\n  {tag}\n\n*")
    assert (error.problem, error.detail) == (Problem.BAD_TAG, message)
    assert (error.line, error.column, error.number, error.reason) == (2, column, None, None)
    assert str(error) == f"line 2, column {column}: {message} (bad-tag)"


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ('[Date "15.11.2026"]', "Date is written 2026.11.15, not '15.11.2026'"),
        ('[Date "2026/11/15"]', "Date is written 2026.11.15, not '2026/11/15'"),
        ('[Player0 "a\rb"]', "a tag is one line, not 'a\\rb'"),
        (
            '[Termination "gone"]',
            "Termination is one of played out, resigned, time, left, aborted, unfinished,"
            " not 'gone'",
        ),
    ],
)
def test_bad_values_are_refused_with_their_record(tag: str, message: str) -> None:
    error = refusal(f"{HEAD} A *\n {HEAD}\n{tag}\n\n*")
    assert (error.problem, error.detail) == (Problem.BAD_TAG, message)
    assert (error.line, error.column) == (2, 2)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("A *", "a record needs the tag Circle", (1, 1)),
        ('\n [Player0 "x"]\n*', "a record needs the tag Circle", (2, 2)),
        (f"{HEAD} *\nA *", "a record needs the tag Circle", (2, 1)),
        (f"{HEAD} **", "a record needs the tag Circle", (1, len(HEAD) + 3)),
        (f" {HEAD} A 1-0", "the game goes on, so 1-0 needs the tag Termination", (1, 2)),
        (f"{HEAD} A 0-1", "the game goes on, so 0-1 needs the tag Termination", (1, 1)),
    ],
)
def test_missing_tags(text: str, message: str, place: tuple[int, int]) -> None:
    error = refusal(text)
    assert (error.problem, error.detail) == (Problem.MISSING_TAG, message)
    assert (error.line, error.column, error.number) == (*place, None)


@pytest.mark.parametrize(
    ("text", "stray", "place"),
    [
        ("$1 A *", "1", (3, 1)),
        ("! A *", "!", (3, 1)),
        ("(A) A *", "(", (3, 1)),
        ("A (!) *", "!", (3, 4)),
        ("A ($7 A) *", "7", (3, 4)),
        ("A ((A)) *", "(", (3, 4)),
        ("A ) *", ")", (3, 3)),
        (")", ")", (3, 1)),
        ("A (A *) *", "*", (3, 6)),
        ("A (A 1-0) *", "1-0", (3, 6)),
        ("A # *", "#", (3, 3)),
        ("A } *", "}", (3, 3)),
        ('A " *', '"', (3, 3)),
        ("A ] *", "]", (3, 3)),
        ("A $ *", "$", (3, 3)),
        ("A $x *", "$", (3, 3)),
        ("A\n - *", "-", (4, 2)),
        ("A . *", ".", (3, 3)),
        ("A \u00a0 *", "\u00a0", (3, 3)),
        ("A \u00e9 *", "\u00e9", (3, 3)),
        ("A \x00 *", "\x00", (3, 3)),
        ("A \ufeff *", "\ufeff", (3, 3)),
        ("A \u0661. A *", "\u0661", (3, 3)),
    ],
)
def test_what_does_not_belong_there(text: str, stray: str, place: tuple[int, int]) -> None:
    error = refusal(f"{HEAD}\n\n{text}")
    assert (error.problem, error.detail) == (Problem.UNEXPECTED, f"{stray!r} does not belong here")
    assert (error.line, error.column, error.number, error.reason) == (*place, None, None)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("A {", (3, 3)),
        ("A {x", (3, 3)),
        ("A {x\\} *", (3, 3)),
        ("{x} A {y\n{z\n\n", (3, 7)),
        ("A (A {", (3, 6)),
    ],
)
def test_comments_have_to_be_closed(text: str, place: tuple[int, int]) -> None:
    error = refusal(f"{HEAD}\n\n{text}")
    assert (error.problem, error.detail) == (Problem.UNCLOSED, "the comment is not closed")
    assert (error.line, error.column) == place


@pytest.mark.parametrize("depth", [33, 34, 1000])
def test_variations_deeper_than_32_are_refused(depth: int) -> None:
    assert len(record_of("A(" * 32 + "A" + ")" * 32 + "*").line.plies) == 1
    error = refusal(f"{HEAD}\n\n" + "A(" * depth + "A" + ")" * depth + "*")
    assert error.problem is Problem.TOO_DEEP
    assert error.detail == "more than 32 variations lie inside one another"
    assert (error.line, error.column) == (3, 66)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (HEAD, (1, len(HEAD) + 1)),
        (f"{HEAD}\n\n1. A 2. A", (3, 10)),
        (f"{HEAD}\n\n1. A 2. A\n", (4, 1)),
        (f"{HEAD}\n\n1. A (2. A", (3, 11)),
        (f"{HEAD}\n\n1. A\n{HEAD} *", (4, 1)),
        (f"{HEAD}\n\n1. A (A\n {HEAD} *", (4, 2)),
        (f'{HEAD} {{x}} [Date "2026.11.15"] *', (1, len(HEAD) + 6)),
        (ANNOTATED.removesuffix("0-1\n"), (16, 15)),
    ],
)
def test_records_that_are_cut_off(text: str, place: tuple[int, int]) -> None:
    error = refusal(text)
    assert (error.problem, error.detail) == (Problem.CUT_OFF, "the record stops without a result")
    assert (error.line, error.column, error.number) == (*place, None)


def test_every_truncation_is_refused() -> None:
    for length in range(len(ANNOTATED) - 4):
        with pytest.raises(pw.NotationError):
            pw.Record.parse(ANNOTATED[:length])


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ('[Result "0-1"]', '[Result "1-0"]', "Result is 0-1 by the moves", 7),
        ('[Result "0-1"]', '[Result "*"]', "Result is 0-1 by the moves", 7),
        ('[Result "0-1"]', '[Result ""]', "Result is 0-1 by the moves", 7),
        ("lines} 0-1", "lines} 1-0", "Result is 1-0 by the moves", 7),
        ("lines} 0-1", "lines} *", "Result is * by the moves", 7),
        ('"-131,-142"', '"-131,-141"', "Scores is -131,-142 by the moves", 8),
        ('"-131,-142"', '"-142,-131"', "Scores is -131,-142 by the moves", 8),
        ('"-131,-142"', '"-131;-142"', "Scores is -131,-142 by the moves", 8),
        (
            '"resigned"',
            '"played out"',
            "termination 'played out' and result '0-1' do not fit a game that goes on",
            1,
        ),
        (
            '"resigned"',
            '"aborted"',
            "termination 'aborted' and result '0-1' do not fit a game that goes on",
            1,
        ),
    ],
)
def test_contradictions(old: str, new: str, message: str, line: int) -> None:
    assert ANNOTATED.count(old) == 1
    error = refusal(ANNOTATED.replace(old, new))
    assert (error.problem, error.detail) == (Problem.CONTRADICTION, message)
    assert (error.line, error.column, error.number) == (line, 1, None)


def test_a_finished_game_cannot_be_resigned() -> None:
    text = pw.Record.of(played("saver")).format()
    error = refusal("\n" + text.replace('"played out"', '"resigned"'))
    assert error.problem is Problem.CONTRADICTION
    assert error.detail == (
        "termination 'resigned' and result '0-1' do not fit a game that was won by seat 1"
    )
    assert (error.line, error.column) == (2, 1)
    error = refusal(re.sub(r"\[Result.*\n|\[Termination.*\n", "", text).replace(" 0-1\n", " *\n"))
    assert error.detail == (
        "termination 'played out' and result '*' do not fit a game that was won by seat 1"
    )


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), (" \n", 0), ("{x};y", 0), (f"{HEAD}*" * 2, 2)]
)
def test_one_record_is_expected(text: str, count: int) -> None:
    assert len(pw.Record.parse_all(text)) == count
    error = refusal(text)
    assert error.problem is Problem.NOT_ONE_RECORD
    assert error.detail == f"one record was expected, and there are {count}"
    assert (error.line, error.column) == (None, None)


def test_many_games_in_one_text() -> None:
    some = [annotated(), pw.Record(SETUP), pw.Record.of(played())]
    assert pw.Record.parse_all("\n".join(record.format() for record in some)) == some
    assert pw.Record.parse_all("".join(record.format() for record in some)) == some


def test_a_mistake_in_a_later_game_has_its_own_place() -> None:
    with pytest.raises(pw.NotationError) as caught:
        pw.Record.parse_all(f"{ANNOTATED}\n{HEAD}\n\n1. A 2. 0Aa1 *\n")
    error = caught.value
    assert (error.line, error.column, error.number) == (len(ANNOTATED.splitlines()) + 4, 9, 2)


# The error itself


def test_the_error_names_what_it_knows() -> None:
    problem = Problem.UNEXPECTED
    assert str(pw.NotationError(problem, "odd")) == "odd (unexpected)"
    assert str(pw.NotationError(problem, "odd", line=2)) == "line 2: odd (unexpected)"
    assert str(pw.NotationError(problem, "odd", column=3)) == "column 3: odd (unexpected)"
    assert str(pw.NotationError(problem, "odd", number=0)) == "move 0: odd (unexpected)"
    error = pw.NotationError(problem, "odd", line=2, column=3, number=4)
    assert str(error) == "line 2, column 3, move 4: odd (unexpected)"
    assert error.args == (problem, "odd")
    assert isinstance(error, ValueError)


def test_the_error_can_be_pickled() -> None:
    error = refusal(f"{HEAD}\n\n1. A 2. Lc4 *")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is pw.NotationError
    assert vars(again) == vars(error)
    assert str(again) == (
        "line 3, column 9, move 2: Lc4: seat 1 has to advance or buy (illegal-move)"
    )


def test_the_problems_are_these() -> None:
    errors = SPECIFICATION.read_text("utf-8").partition("## Errors")[2]
    documented = re.findall(r"^\| `([a-z-]+)` \|", errors, re.MULTILINE)
    assert [problem.value for problem in Problem] == documented
