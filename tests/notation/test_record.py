"""Game records as values: records of games, the ways a game ends, and invalid records."""

import pickle
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

import patchwork as pw
from patchwork.notation.errors import Problem
from patchwork.notation.record import DEEPEST, TAGS, Line, Ply, Termination
from support.records import HEAD, SETUP, annotated, movetext_of, played, refusal

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


def test_of_a_game_in_progress() -> None:
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


# Invalid records


def test_illegal_moves_cannot_be_recorded() -> None:
    with pytest.raises(pw.IllegalMove) as caught:
        pw.Record(SETUP, Line((Ply(pw.Advance()), Ply(pw.Leather(0)))))
    assert caught.value.reason is pw.Reason.NOT_IN_THIS_PHASE
    variation = Line((Ply(pw.Advance()), Ply(pw.Buy(99, 1))))
    with pytest.raises(pw.IllegalMove) as caught:
        pw.Record(SETUP, Line((Ply(pw.Advance(), variations=(variation,)),)))
    assert caught.value.reason is pw.Reason.NOT_ON_OFFER


def test_variations_replace_their_move() -> None:
    """A variation starts from the position before the move that it follows, not after it."""
    buy = pw.parse_move(SETUP.start(), "3Aa1")
    record = pw.Record(SETUP, Line((Ply(buy, variations=(Line((Ply(buy),)),)),)))
    assert movetext_of(record) == "1. 3Aa1 (1. 3Aa1) *\n"


def nested(depth: int) -> Line:
    line = Line((Ply(pw.Advance()),))
    for _ in range(depth):
        line = Line((Ply(pw.Advance(), variations=(line,)),))
    return line


def test_variations_are_nested_at_most_32_deep() -> None:
    assert DEEPEST == 32
    record = pw.Record(SETUP, nested(32))
    assert pw.Record.parse(record.format()) == record
    for depth in (33, 500):
        with pytest.raises(pw.NotationError) as caught:
            pw.Record(SETUP, nested(depth))
        assert str(caught.value) == "variations are nested more than 32 deep (too-deep)"
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
        "2026.13.45",
        "2026.00.01",
        "2026.01.00",
        "2026.01.32",
        "2026.04.31",
        "2026.02.30",
        "2026.02.29",
        "1900.02.29",
        "20??.02.30",
        "2026.2?.01",
        "2026.??.4?",
        "2026.02.3?",
    ],
)
def test_dates_have_one_form(date: str) -> None:
    with pytest.raises(pw.NotationError) as caught:
        pw.Record(SETUP, date=date)
    assert caught.value.problem is Problem.BAD_TAG
    assert caught.value.detail == f"Date must be a date such as 2026.11.15, not {date!r}"


@pytest.mark.parametrize(
    "date",
    [
        *("2026.11.15", "2026.12.31", "2026.01.31", "2028.02.29", "2000.02.29"),
        *("????.??.??", "202?.1?.??", "2026.11.??", "????.02.29", "190?.02.29", "2026.?2.?9"),
    ],
)
def test_dates_may_be_partly_unknown(date: str) -> None:
    record = pw.Record(SETUP, date=date)
    assert f'[Date "{date}"]' in record.format()
    assert pw.Record.parse(record.format()) == record


@pytest.mark.parametrize("name", [*TAGS, "", "two words", "a-b", "\u00e9", 'q"', "a\n", "a]"])
def test_further_tags_have_names_of_their_own(name: str) -> None:
    with pytest.raises(pw.NotationError) as caught:
        pw.Record(SETUP, tags={"Event": "fine", name: "x"})
    assert caught.value.problem is Problem.BAD_TAG
    assert caught.value.detail == f"{name!r} cannot be the name of another tag"


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
        assert caught.value.detail == f"the value of a tag must be one line, not {value!r}"


@pytest.mark.parametrize("nag", [-1, 1000])
def test_annotations_that_cannot_be_written(nag: int) -> None:
    """An annotation is written with at most three digits, so a record can contain no other."""
    main = Line((Ply(pw.Advance(), (1, nag)),))
    for line in (main, Line((Ply(pw.Advance(), variations=(main,)),))):
        with pytest.raises(pw.NotationError) as caught:
            pw.Record(SETUP, line)
        assert str(caught.value) == f"annotations are numbers from 0 to 999, not {nag} (unexpected)"


@pytest.mark.parametrize("players", [("a",), (), ("a", "b", "c")])
def test_there_are_two_players(players: Any) -> None:
    with pytest.raises(pw.NotationError) as caught:
        pw.Record.of(pw.Game(SETUP), players)
    assert str(caught.value) == f"players must be two names, not {players!r} (bad-tag)"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"players": (1, 2)}, "Player0 must be a str, not 1"),
        ({"players": ("a", None)}, "Player1 must be a str, not None"),
        ({"date": date(2026, 11, 15)}, "Date must be a str, not datetime.date(2026, 11, 15)"),
        ({"tags": {"Round": 3}}, "Round must be a str, not 3"),
    ],
)
def test_tags_are_text(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        pw.Record.of(pw.Game(SETUP), **fields)
    assert str(caught.value) == message


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
    assert error.detail == "a record has at most 100000 words"


def test_a_record_keeps_tags_of_its_own() -> None:
    tags = {"Event": "here"}
    record = pw.Record(SETUP, tags=tags)
    tags["Event"] = "there"
    assert record.tags == {"Event": "here"}


def test_a_termination_may_be_given_as_text() -> None:
    plain: Any = "aborted"
    record = pw.Record(SETUP, termination=plain)
    assert pw.Record.parse(record.format()) == record


def test_players_may_be_given_as_a_list() -> None:
    names: Any = ["Ada", "Grace"]
    assert pw.Record(SETUP, players=names) == pw.Record(SETUP, players=("Ada", "Grace"))


def test_a_record_is_shown_as_its_text() -> None:
    assert str(annotated()) == annotated().format()


def test_records_can_be_members_of_sets() -> None:
    other = replace(annotated(), tags={})
    assert hash(annotated()) == hash(annotated())
    assert {annotated(), annotated(), other} == {other, annotated()}


def test_records_are_values() -> None:
    assert pickle.loads(pickle.dumps(annotated())) == annotated()
    assert annotated() != pw.Record(SETUP)
    with pytest.raises(AttributeError):
        annotated().winner = 0  # type: ignore[misc]
