"""Records of the server's games."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from patchwork.notation.record import Record, Termination
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import REVISED
from patchwork.server import wire
from patchwork.server.game import actions
from patchwork.server.game.match import Match
from patchwork.server.game.record import players, record
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


def checked_record(match: Match) -> Record:
    found = record("abcdefghjkmn", NOW, match)
    text = found.format()
    assert Record.parse(text) == found
    assert Record.parse(text).format() == text
    assert Record.parse(text.encode().decode()) == found
    return found


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
def test_every_ending_has_a_record(match: Match, termination: Termination) -> None:
    found = checked_record(match)
    assert found.termination is termination
    assert found.winner == match.status().winner
    assert match.game is not None
    assert found.game == match.game
    assert found.players == ("Ann", "Bob")


@pytest.mark.parametrize("first", [None, 0, 1])
@pytest.mark.parametrize("aborted", [False, True])
def test_a_game_that_never_began_has_a_record(first: int | None, aborted: bool) -> None:
    for match in (waiting(first=first), seated(terms(SCREEN, first=first))):
        if aborted:
            do(match, actions.Abort)
        found = checked_record(match)
        assert found.line.plies == ()
        assert found.setup.first == (first or 0)
        expected = Termination.ABORTED if aborted else Termination.UNFINISHED
        assert (found.termination, found.winner) == (expected, None)


def test_a_record_omits_moves_that_were_taken_back() -> None:
    match = decisions(seated(terms(SCREEN)), 4)
    do(match, actions.Undo)
    assert len(checked_record(match).line.plies) == 3


def test_tags_name_the_game_its_clock_and_its_date() -> None:
    match = seated(terms(COMPUTER, computer=0, clock=Clock(300 * SECOND, 5 * SECOND)))
    found = checked_record(match)
    assert found.tags == {"Game": "abcdefghjkmn", "Clock": "300+5"}
    assert found.players == ("level:3", "Ann")
    assert found.date == "2027.01.15"
    assert checked_record(seated(terms(FRIEND))).tags == {"Game": "abcdefghjkmn"}
    days = seated(terms(FRIEND, clock=Clock(3 * DAY, renewed=True), edition=REVISED))
    assert checked_record(days).tags["Clock"] == "3d"
    assert checked_record(days).setup.edition is REVISED


@pytest.mark.parametrize("created", [0, 1, 951_782_400_000, 4_102_444_800_000])
def test_every_date_has_a_record(created: int) -> None:
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
def test_records_keep_odd_names(name: str) -> None:
    match = Match(terms(FRIEND))
    match.apply(match.join(ANN, name, NOW))
    joined = wire.Join(name=name).name
    match.apply(match.join(BOB, joined, NOW))
    assert checked_record(match).players == (name, joined or "?")


def test_players_without_a_name_are_unknown() -> None:
    match = Match(terms(FRIEND))
    match.apply(match.join(ANN, "", NOW))
    assert checked_record(match).players == ("?", "?")


@settings(max_examples=300)
@given(st.text(max_size=45))
def test_records_keep_every_accepted_name(name: str) -> None:
    try:
        accepted = NAME.validate_python(name)
    except ValidationError:
        return
    match = Match(terms(FRIEND))
    match.apply(match.join(ANN, accepted, NOW))
    assert checked_record(match).players[0] == (accepted or "?")


@pytest.mark.parametrize(
    ("name", "player"),
    [
        ("Ann", "Ann"),
        ('"\\}', '"\\}'),
        ("?", ""),
        ("level:8", 8),
        ("level:88", "level:88"),
        ("\u202e B\u0301\u0301\u0301\u0301\u0301ob ", "B\u0301\u0301\u0301ob"),
    ],
)
def test_a_record_says_who_played(name: str, player: str | int) -> None:
    text = Record(Setup.random(1), players=(name, "Bob")).format()
    assert players(text) == (player, "Bob")
