"""Games of the server as records of the notation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from patchwork.notation.record import Record, Termination
from patchwork.rules.timeboard import REVISED
from patchwork.server import wire
from patchwork.server.game import actions
from patchwork.server.game.match import Match
from patchwork.server.game.record import record
from patchwork.server.game.terms import DAY, SECOND, Clock
from server.support.matches import (
    ANN,
    BOB,
    COMPUTER,
    FRIEND,
    NOW,
    SCREEN,
    decisions,
    do,
    played_out,
    seated,
    terms,
    waiting,
)

NAME: TypeAdapter[str] = TypeAdapter(wire.Name)


def written(match: Match) -> Record:
    made = record("abcdefghjkmn", NOW, match)
    text = made.format()
    assert Record.parse(text) == made
    assert Record.parse(text).format() == text
    assert Record.parse(text.encode().decode()) == made
    return made


def out_of_time() -> Match:
    match = decisions(seated(terms(FRIEND, clock=Clock(60 * SECOND))), 3)
    late = match.overdue(NOW + DAY)
    assert late is not None
    match.apply(late)
    return match


def after(kind: type[actions.Action], moves: int) -> Match:
    match = decisions(seated(terms(FRIEND)), moves)
    do(match, kind, ANN, gone=frozenset({1}))
    return match


ENDINGS = [
    (played_out(seated(terms(FRIEND))), Termination.PLAYED_OUT),
    (after(actions.Resign, 0), Termination.RESIGNED),
    (after(actions.Resign, 20), Termination.RESIGNED),
    (out_of_time(), Termination.TIME),
    (after(actions.ClaimWin, 5), Termination.LEFT),
    (after(actions.Abort, 0), Termination.ABORTED),
    (after(actions.Abort, 1), Termination.ABORTED),
    (decisions(seated(terms(FRIEND)), 7), Termination.UNFINISHED),
]


@pytest.mark.parametrize(("match", "termination"), ENDINGS)
def test_every_ending_can_be_written_down(match: Match, termination: Termination) -> None:
    made = written(match)
    assert made.termination is termination
    assert made.winner == match.status().winner
    assert match.game is not None
    assert made.game == match.game
    assert made.players == ("Ann", "Bob")


@pytest.mark.parametrize("first", [None, 0, 1])
@pytest.mark.parametrize("aborted", [False, True])
def test_a_game_that_never_began_can_be_written_down(first: int | None, aborted: bool) -> None:
    for match in (waiting(first=first), seated(terms(SCREEN, first=first))):
        if aborted:
            do(match, actions.Abort)
        made = written(match)
        assert made.line.plies == ()
        assert made.setup.first == (first or 0)
        expected = Termination.ABORTED if aborted else Termination.UNFINISHED
        assert (made.termination, made.winner) == (expected, None)


def test_moves_taken_back_are_not_written_down() -> None:
    match = decisions(seated(terms(SCREEN)), 4)
    do(match, actions.Undo)
    assert len(written(match).line.plies) == 3


def test_tags_tell_the_game_its_clock_and_its_day() -> None:
    match = seated(terms(COMPUTER, computer=0, clock=Clock(300 * SECOND, 5 * SECOND)))
    made = written(match)
    assert made.tags == {"Game": "abcdefghjkmn", "Clock": "300+5"}
    assert made.players == ("level:3", "Ann")
    assert made.date == "2027.01.15"
    assert written(seated(terms(FRIEND))).tags == {"Game": "abcdefghjkmn"}
    days = seated(terms(FRIEND, clock=Clock(3 * DAY, renewed=True), edition=REVISED))
    assert written(days).tags["Clock"] == "3d"
    assert written(days).setup.edition is REVISED


@pytest.mark.parametrize("created", [0, 1, 951_782_400_000, 4_102_444_800_000])
def test_every_day_can_be_written_down(created: int) -> None:
    Record.parse(record("g", created, waiting()).format())


@pytest.mark.parametrize(
    "name",
    [
        'Grace "Amazing" Hopper',
        "back\\slash",
        'ends with \\"',
        "\\",
        '"',
        '"]',
        "[Result]",
        "{comment}",
        "; comment",
        "$1",
        "עדה לאבלייס",
        "\u061c\u200fRTL\u200e",
        "<img src=x onerror=alert(1)>",
        "\N{SPOOL OF THREAD}" * 40,
        "\ufeff",
        "e\u0301\u0301\u0301",
        "1-0",
        "*",
    ],
)
def test_odd_names_can_be_written_down(name: str) -> None:
    match = Match(terms(FRIEND))
    match.apply(match.join(ANN, name, NOW))
    joined = wire.Join(name=name).name
    match.apply(match.join(BOB, joined, NOW))
    assert written(match).players == (name, joined or "?")


def test_who_has_no_name_is_unknown() -> None:
    match = Match(terms(FRIEND))
    match.apply(match.join(ANN, "", NOW))
    assert written(match).players == ("?", "?")


@settings(max_examples=300)
@given(st.text(max_size=45))
def test_every_name_that_is_accepted_can_be_written_down(name: str) -> None:
    try:
        accepted = NAME.validate_python(name)
    except ValidationError:
        return
    match = Match(terms(FRIEND))
    match.apply(match.join(ANN, accepted, NOW))
    assert written(match).players[0] == (accepted or "?")
