"""What may happen in a game: every action in every state by everybody, undo, clocks, rematches."""

from collections.abc import Callable
from typing import Any

import pytest

from patchwork.notation.record import Termination
from patchwork.rules.moves import Reason
from patchwork.rules.position import Phase
from patchwork.server import wire
from patchwork.server.course import LONGEST, Course, Refusal
from patchwork.server.events import Kind
from patchwork.server.terms import DAY, SECOND, Clock, Opponent
from patchwork.server.wire import Code
from server.courses import (
    ANN,
    BOB,
    COMPUTER,
    EVE,
    FRIEND,
    NOW,
    SCREEN,
    action,
    decide,
    decisions,
    do,
    played_out,
    seated,
    terms,
    waiting,
)

MINUTE_CLOCK = Clock(60 * SECOND, 5 * SECOND)
DAYS = Clock(2 * DAY, renewed=True)
BOTH_GONE = frozenset({0, 1})

# Who asks: Ann against the computer, Ann for both seats, Ann on seat 0, Bob on seat 1.
ASKERS = ((COMPUTER, ANN), (SCREEN, ANN), (FRIEND, ANN), (FRIEND, BOB))


def asked(course: Course) -> Course:
    """Ann has moved, Bob too, and in a game of two people Ann would like to take hers back."""
    decisions(course, 2)
    if course.terms.opponent is FRIEND:
        do(course, wire.Undo)
    return course


def resigned(course: Course) -> Course:
    do(course, wire.Resign)
    return course


def out_of_time(course: Course) -> Course:
    late = course.overdue(NOW + 3 * DAY)
    assert late is not None
    course.apply(late)
    return course


def claimed(course: Course) -> Course:
    do(course, wire.Claim, gone=frozenset({1}))
    return course


def aborted(course: Course) -> Course:
    do(course, wire.Abort)
    return course


def wished(course: Course) -> Course:
    do(resigned(course), wire.Rematch)
    return course


def begun(opponent: Opponent) -> Course:
    return seated(terms(opponent))


STATES: dict[str, Callable[[Opponent], Course]] = {
    "who begins": lambda opponent: seated(terms(opponent, first=None)),
    "start": begun,
    "one moved": lambda opponent: decisions(begun(opponent), 1),
    "both moved": lambda opponent: decisions(begun(opponent), 2),
    "leather": lambda opponent: decisions(seated(terms(opponent, first=1)), 20),
    "asked": lambda opponent: asked(begun(opponent)),
    "played out": lambda opponent: played_out(begun(opponent)),
    "resigned": lambda opponent: resigned(begun(opponent)),
    "time": lambda opponent: out_of_time(seated(terms(opponent, clock=MINUTE_CLOCK))),
    "aborted": lambda opponent: aborted(begun(opponent)),
    "aborted early": lambda opponent: aborted(seated(terms(opponent, first=None))),
    "wished": lambda opponent: wished(begun(opponent)),
}
ACTIONS: dict[str, tuple[type[wire.AnyAction], dict[str, Any]]] = {
    "advance": (wire.Move, {"move": "A"}),
    "leather": (wire.Move, {"move": "La1"}),
    "begin": (wire.Begin, {"first": 1}),
    "undo": (wire.Undo, {}),
    "accept": (wire.Accept, {}),
    "decline": (wire.Decline, {}),
    "resign": (wire.Resign, {}),
    "abort": (wire.Abort, {}),
    "claim": (wire.Claim, {}),
    "flag": (wire.Flag, {}),
    "rematch": (wire.Rematch, {}),
}
ENDED = """
    advance over over over over
    leather over over over over
    begin   over over over over
    undo    over over over over
    accept  over over over over
    decline over over over over
    resign  over over over over
    abort   over over over over
    claim   over over over over
    flag    over over over over
"""
OPEN = ENDED + "rematch NEXT NEXT REMATCH REMATCH"
# In capitals the event that comes of it, otherwise the code of the refusal.
EXPECTED = {
    "who begins": """
        advance not-begun   not-begun   not-begun   not-begun
        leather not-begun   not-begun   not-begun   not-begun
        begin   BEGIN       BEGIN       BEGIN       BEGIN
        undo    not-begun   not-begun   not-begun   not-begun
        accept  not-begun   not-begun   not-begun   not-begun
        decline not-begun   not-begun   not-begun   not-begun
        resign  not-begun   not-begun   not-begun   not-begun
        abort   ABORT       ABORT       ABORT       ABORT
        claim   not-begun   not-begun   not-begun   not-begun
        flag    not-begun   not-begun   not-begun   not-begun
        rematch not-over    not-over    not-over    not-over
    """,
    "start": """
        advance MOVE            MOVE            MOVE            not-your-turn
        leather illegal-move    illegal-move    illegal-move    not-your-turn
        begin   already-begun   already-begun   already-begun   already-begun
        undo    nothing-to-undo nothing-to-undo nothing-to-undo nothing-to-undo
        accept  not-asked       not-asked       not-asked       not-asked
        decline not-asked       not-asked       not-asked       not-asked
        resign  RESIGN          RESIGN          RESIGN          RESIGN
        abort   ABORT           ABORT           ABORT           ABORT
        claim   not-gone        not-gone        not-gone        not-gone
        flag    time-left       time-left       time-left       time-left
        rematch not-over        not-over        not-over        not-over
    """,
    "one moved": """
        advance not-your-turn   MOVE            not-your-turn   MOVE
        leather not-your-turn   illegal-move    not-your-turn   illegal-move
        begin   already-begun   already-begun   already-begun   already-begun
        undo    TAKEBACK        TAKEBACK        ASK             nothing-to-undo
        accept  not-asked       not-asked       not-asked       not-asked
        decline not-asked       not-asked       not-asked       not-asked
        resign  RESIGN          RESIGN          RESIGN          RESIGN
        abort   ABORT           ABORT           ABORT           ABORT
        claim   not-gone        not-gone        not-gone        not-gone
        flag    time-left       time-left       time-left       time-left
        rematch not-over        not-over        not-over        not-over
    """,
    "both moved": """
        advance MOVE              MOVE              MOVE              not-your-turn
        leather illegal-move      illegal-move      illegal-move      not-your-turn
        begin   already-begun     already-begun     already-begun     already-begun
        undo    TAKEBACK          TAKEBACK          ASK               ASK
        accept  not-asked         not-asked         not-asked         not-asked
        decline not-asked         not-asked         not-asked         not-asked
        resign  RESIGN            RESIGN            RESIGN            RESIGN
        abort   too-late-to-abort too-late-to-abort too-late-to-abort too-late-to-abort
        claim   not-gone          not-gone          not-gone          not-gone
        flag    time-left         time-left         time-left         time-left
        rematch not-over          not-over          not-over          not-over
    """,
    "leather": """
        advance illegal-move      illegal-move      illegal-move      not-your-turn
        leather MOVE              MOVE              MOVE              not-your-turn
        begin   already-begun     already-begun     already-begun     already-begun
        undo    TAKEBACK          TAKEBACK          ASK               ASK
        accept  not-asked         not-asked         not-asked         not-asked
        decline not-asked         not-asked         not-asked         not-asked
        resign  RESIGN            RESIGN            RESIGN            RESIGN
        abort   too-late-to-abort too-late-to-abort too-late-to-abort too-late-to-abort
        claim   not-gone          not-gone          not-gone          not-gone
        flag    time-left         time-left         time-left         time-left
        rematch not-over          not-over          not-over          not-over
    """,
    "asked": """
        advance MOVE              MOVE              MOVE              not-your-turn
        leather illegal-move      illegal-move      illegal-move      not-your-turn
        begin   already-begun     already-begun     already-begun     already-begun
        undo    TAKEBACK          TAKEBACK          already-asked     already-asked
        accept  not-asked         not-asked         not-asked         TAKEBACK
        decline not-asked         not-asked         not-asked         DECLINE
        resign  RESIGN            RESIGN            RESIGN            RESIGN
        abort   too-late-to-abort too-late-to-abort too-late-to-abort too-late-to-abort
        claim   not-gone          not-gone          not-gone          not-gone
        flag    time-left         time-left         time-left         time-left
        rematch not-over          not-over          not-over          not-over
    """,
    "played out": OPEN,
    "resigned": OPEN,
    "time": OPEN,
    "aborted": OPEN,
    "aborted early": OPEN,
    "wished": ENDED + "rematch stale stale already-asked NEXT",
}


def grid() -> list[tuple[str, str, Opponent, str, str]]:
    cases = []
    for state, text in EXPECTED.items():
        rows = dict(line.split(maxsplit=1) for line in text.strip().splitlines())
        assert list(rows) == list(ACTIONS)
        for name, cells in rows.items():
            for (opponent, asker), expected in zip(ASKERS, cells.split(), strict=True):
                cases.append((state, name, opponent, asker, expected))
    return cases


def snapshot(course: Course) -> object:
    return (
        tuple(course.events),
        None if course.game is None else (course.game.setup, course.game.moves),
        tuple(course.seats),
        (course.first, course.asking, course.ending, dict(course.wishes), course.next),
        (course.clocks(NOW), course.clocks(NOW + 7 * SECOND), course.deadline),
        course.standing(),
    )


@pytest.mark.parametrize(("state", "name", "opponent", "asker", "expected"), grid())
def test_every_action_in_every_state(
    state: str, name: str, opponent: Opponent, asker: str, expected: str
) -> None:
    course = STATES[state](opponent)
    kind, data = ACTIONS[name]
    wanted = action(course, kind, **data)
    before = snapshot(course)
    if expected.isupper():
        event = course.respond(wanted, asker, NOW)
        assert snapshot(course) == before
        assert event.kind is Kind[expected]
        assert (event.player, event.action, event.seq) == (asker, wanted.id, course.seq + 1)
        assert event.seat in course.seats_of(asker)
        course.apply(event)
        assert course.answered(asker, wanted.id) == event.seq
    else:
        with pytest.raises(Refusal) as refused:
            course.respond(wanted, asker, NOW)
        assert refused.value.code is Code(expected)
        assert snapshot(course) == before


@pytest.mark.parametrize("asker", [None, EVE])
@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("opponent", Opponent)
def test_who_does_not_sit_at_the_table_may_do_nothing(
    opponent: Opponent, state: str, name: str, asker: str | None
) -> None:
    course = STATES[state](opponent)
    kind, data = ACTIONS[name]
    with pytest.raises(Refusal) as refused:
        course.respond(action(course, kind, **data), asker, NOW + 9 * DAY, BOTH_GONE)
    assert refused.value.code is Code.NOT_SEATED


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("advance", Code.NOT_BEGUN),
        ("leather", Code.NOT_BEGUN),
        ("begin", Code.ALREADY_BEGUN),
        ("undo", Code.NOT_BEGUN),
        ("accept", Code.NOT_BEGUN),
        ("decline", Code.NOT_BEGUN),
        ("resign", Code.NOT_BEGUN),
        ("claim", Code.NOT_BEGUN),
        ("flag", Code.NOT_BEGUN),
        ("rematch", Code.NOT_OVER),
    ],
)
def test_who_waits_for_a_friend_cannot_play(name: str, expected: Code) -> None:
    course = waiting(clock=MINUTE_CLOCK)
    kind, data = ACTIONS[name]
    with pytest.raises(Refusal) as refused:
        course.respond(action(course, kind, **data), ANN, NOW + DAY, BOTH_GONE)
    assert refused.value.code is expected
    assert course.overdue(NOW + 9 * DAY) is None
    assert course.clocks(NOW + DAY) == (60 * SECOND, 60 * SECOND)


def test_who_waits_for_a_friend_may_close_the_table() -> None:
    course = aborted(waiting())
    assert course.ending is not None
    with pytest.raises(Refusal) as refused:
        course.join(BOB, "Bob", NOW)
    assert refused.value.code is Code.OVER
    with pytest.raises(Refusal) as refused:
        do(course, wire.Rematch)
    assert refused.value.code is Code.NOT_BEGUN


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("said_early", [False, True])
def test_the_game_begins_when_both_sit_and_it_is_said_who_begins(
    first: int, said_early: bool
) -> None:
    course = waiting(first=None)
    if said_early:
        do(course, wire.Begin, first=first)
    course.apply(course.join(BOB, "Bob", NOW))
    if not said_early:
        assert course.game is None
        do(course, wire.Begin, BOB, first=first)
    assert course.turn == course.first == first
    with pytest.raises(Refusal) as refused:
        course.join(EVE, "Eve", NOW)
    assert refused.value.code is Code.SEATS_TAKEN


@pytest.mark.parametrize("opponent", [COMPUTER, SCREEN])
def test_nobody_joins_who_is_not_expected(opponent: Opponent) -> None:
    with pytest.raises(Refusal) as refused:
        begun(opponent).join(EVE, "Eve", NOW)
    assert refused.value.code is Code.SEATS_TAKEN


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", None),
        ("B", None),
        ("33Aa1", None),
        ("A A", None),
        ("Ä", None),
        ("3Aa1\x00", None),
        ("La1", Reason.NOT_IN_THIS_PHASE),
        ("26Aa1", Reason.CANNOT_AFFORD),
        ("0Aa1", Reason.NOT_ON_OFFER),
        ("3Ai9", Reason.OFF_THE_BOARD),
    ],
)
def test_a_refused_move_says_what_the_rules_say(text: str, reason: Reason | None) -> None:
    course = begun(FRIEND)
    with pytest.raises(Refusal) as refused:
        do(course, wire.Move, move=text)
    assert (refused.value.code, refused.value.reason) == (Code.ILLEGAL_MOVE, reason)


def test_a_move_is_stored_in_canonical_text() -> None:
    assert do(begun(FRIEND), wire.Move, move=" 3dA1 ").data == "3Da1"


# What an action answers


def test_an_action_that_answers_something_unknown_or_superseded_is_stale() -> None:
    course = decisions(begun(FRIEND), 3)
    for seq in (*range(course.seq), course.seq + 1, 2**31 - 1):
        with pytest.raises(Refusal) as refused:
            do(course, wire.Move, BOB, seq=seq, move="A")
        assert refused.value.code is Code.STALE, seq
    do(course, wire.Move, BOB, move="A")


def test_a_move_that_crosses_a_request_is_not_stale_and_ends_the_request() -> None:
    course = decisions(begun(FRIEND), 1)
    known = course.seq
    do(course, wire.Undo, ANN)
    do(course, wire.Decline, BOB)
    do(course, wire.Undo, ANN)
    do(course, wire.Move, BOB, seq=known, move="A")
    assert course.asking is None
    for answer in (wire.Accept, wire.Decline):
        with pytest.raises(Refusal) as refused:
            do(course, answer, BOB)
        assert refused.value.code is Code.NOT_ASKED


def test_two_wishes_for_a_rematch_that_cross_make_a_game() -> None:
    course = resigned(begun(FRIEND))
    known = course.seq
    do(course, wire.Rematch, ANN, seq=known, circle="same")
    assert do(course, wire.Rematch, BOB, seq=known, circle="new").kind is Kind.NEXT


@pytest.mark.parametrize("opponent", Opponent)
def test_after_the_next_game_is_opened_nothing_happens_any_more(opponent: Opponent) -> None:
    course = resigned(begun(opponent))
    for player in (ANN, BOB):
        if course.next is None:
            do(course, wire.Rematch, player)
    assert course.next is not None
    for kind, data in ACTIONS.values():
        with pytest.raises(Refusal) as refused:
            do(course, kind, **data)
        assert refused.value.code in (Code.OVER, Code.STALE)


def test_an_answered_action_is_remembered_for_its_player_alone() -> None:
    course = begun(FRIEND)
    event = do(course, wire.Move, id="mine", move="A")
    rebuilt = Course(course.terms, course.events)
    for known in (course, rebuilt):
        assert known.answered(ANN, "mine") == event.seq
        assert known.answered(BOB, "mine") is None
        assert known.answered(ANN, "other") is None
        assert known.answered(EVE, "mine") is None


# Undo


def test_undo_against_the_computer_goes_back_over_its_replies() -> None:
    course = seated(terms(COMPUTER))
    decide(course)
    assert course.computer_decides
    decide(course)
    decide(course)
    moves = course.game.moves if course.game else ()
    decide(course)  # the computer
    event = do(course, wire.Undo)
    assert (event.kind, event.data) == (Kind.TAKEBACK, "2")
    assert course.game is not None
    assert course.game.moves == moves[:2]
    assert course.turn == 0
    assert do(course, wire.Undo).data == "0"
    with pytest.raises(Refusal) as refused:
        do(course, wire.Undo)
    assert refused.value.code is Code.NOTHING_TO_UNDO


def test_undo_while_the_computer_thinks_takes_the_last_decision_back() -> None:
    course = decisions(begun(COMPUTER), 1)
    assert course.computer_decides
    do(course, wire.Undo)
    assert course.turn == 0


@pytest.mark.parametrize("opponent", [SCREEN, FRIEND])
def test_no_log_grows_without_end(opponent: Opponent) -> None:
    course = decisions(begun(opponent), 1)
    while course.seq < LONGEST:
        do(course, wire.Undo)
        if opponent is FRIEND:
            do(course, wire.Decline, BOB)
        else:
            decide(course)
    with pytest.raises(Refusal) as refused:
        do(course, wire.Undo)
    assert refused.value.code is Code.TOO_MANY
    assert LONGEST <= played_out(course).seq < LONGEST + 100


def test_what_the_computer_alone_has_decided_cannot_be_undone() -> None:
    course = decisions(seated(terms(COMPUTER, first=1)), 1)
    with pytest.raises(Refusal) as refused:
        do(course, wire.Undo)
    assert refused.value.code is Code.NOTHING_TO_UNDO


def test_undo_on_one_screen_takes_the_last_decision_back_whosever_it_was() -> None:
    course = decisions(begun(SCREEN), 5)
    for left in range(4, -1, -1):
        assert do(course, wire.Undo).data == str(left)
        assert course.turn == left % 2
    with pytest.raises(Refusal):
        do(course, wire.Undo)


@pytest.mark.parametrize("opponent", [COMPUTER, SCREEN])
def test_a_leather_patch_is_taken_back_without_the_move_that_brought_it(opponent: Opponent) -> None:
    course = decisions(seated(terms(opponent, first=1)), 20)
    assert course.game is not None
    position = course.game.position
    assert (position.phase, position.turn) == (Phase.LEATHER, 0)
    decide(course)
    assert do(course, wire.Undo).data == "20"
    assert course.game.position == position
    assert do(course, wire.Undo).data == "19"
    assert (course.game.position.phase, course.turn) == (Phase.TURN, 0)


def test_with_a_friend_the_askers_last_decision_is_taken_back_over_all_that_followed() -> None:
    course = decisions(begun(FRIEND), 4)
    assert course.turn == 0
    do(course, wire.Undo, ANN)
    assert course.asking == 0
    event = do(course, wire.Accept, BOB)
    assert (event.kind, event.seat, event.data) == (Kind.TAKEBACK, 1, "2")
    assert course.turn == 0
    assert course.asking is None


def test_a_declined_request_may_be_repeated() -> None:
    course = decisions(begun(FRIEND), 2)
    do(course, wire.Undo, BOB)
    do(course, wire.Decline, ANN)
    assert course.asking is None
    do(course, wire.Undo, BOB)
    assert do(course, wire.Accept, ANN).data == "1"


def test_a_request_ends_with_the_game() -> None:
    course = asked(begun(FRIEND))
    do(course, wire.Resign, BOB)
    assert course.asking is None


# Clocks


def test_the_clock_of_the_seat_to_decide_runs_though_players_do_not_alternate() -> None:
    course = seated(terms(FRIEND, clock=Clock(60 * SECOND, 5 * SECOND)))
    do(course, wire.Move, ANN, NOW + 10 * SECOND, move="3Aa1")  # one space ahead
    assert course.clocks(NOW + 10 * SECOND) == (55 * SECOND, 60 * SECOND)
    assert course.turn == 1
    do(course, wire.Move, BOB, NOW + 12 * SECOND, move="13Aa1")  # three spaces
    assert course.turn == 0
    assert course.clocks(NOW + 13 * SECOND) == (54 * SECOND, 63 * SECOND)
    do(course, wire.Move, ANN, NOW + 14 * SECOND, move="21Ae5")  # two: level, on top, so again
    assert course.turn == 0
    assert course.clocks(NOW + 14 * SECOND) == (58 * SECOND, 63 * SECOND)
    assert course.clocks(NOW + 24 * SECOND) == (48 * SECOND, 63 * SECOND)


def test_days_are_renewed_at_each_decision() -> None:
    course = seated(terms(FRIEND, clock=DAYS))
    assert course.deadline == NOW + 2 * DAY
    decide(course, now=NOW + DAY)
    assert course.clocks(NOW + DAY) == (2 * DAY, 2 * DAY)
    assert course.deadline == NOW + 3 * DAY
    decide(course, now=NOW + 3 * DAY - 1)
    assert course.clocks(NOW + 3 * DAY) == (2 * DAY - 1, 2 * DAY)


@pytest.mark.parametrize("clock", [MINUTE_CLOCK, DAYS])
@pytest.mark.parametrize("by", ["server", ANN, BOB])
def test_time_is_over_exactly_at_the_deadline(clock: Clock, by: str) -> None:
    course = decisions(seated(terms(FRIEND, clock=clock)), 1)
    deadline = course.deadline
    assert deadline == NOW + course.clocks(NOW)[1]
    assert course.overdue(deadline - 1) is None
    with pytest.raises(Refusal) as refused:
        do(course, wire.Flag, now=deadline - 1)
    assert refused.value.code is Code.TIME_LEFT
    if by == "server":
        late = course.overdue(deadline)
        assert late is not None
        course.apply(late)
    else:
        do(course, wire.Flag, by, deadline)
    event = course.events[-1]
    assert (event.kind, event.seat) == (Kind.FLAG, 1)
    assert course.standing().winner == 0
    assert course.standing().ending is Termination.TIME
    assert course.clocks(deadline)[1] == 0
    assert course.overdue(deadline + DAY) is None


@pytest.mark.parametrize("ending", [wire.Resign, wire.Abort, wire.Claim])
@pytest.mark.parametrize("clock", [MINUTE_CLOCK, DAYS])
def test_when_a_game_ends_the_clock_stops_where_it_is(
    ending: type[wire.AnyAction], clock: Clock
) -> None:
    course = seated(terms(FRIEND, clock=clock))
    do(course, ending, ANN, NOW + 7 * SECOND, gone=frozenset({1}))
    left = (clock.allowance - 7 * SECOND, clock.allowance)
    assert course.clocks(NOW + 8 * SECOND) == left
    assert Course(course.terms, course.events, resumed=NOW + DAY).clocks(NOW + 2 * DAY) == left


def test_after_the_last_move_the_clock_stops() -> None:
    course = played_out(seated(terms(FRIEND, clock=MINUTE_CLOCK)))
    assert course.deadline is None
    assert course.clocks(NOW) == course.clocks(NOW + DAY)


def test_what_passed_before_the_server_came_back_is_on_nobodys_clock() -> None:
    course = decisions(seated(terms(FRIEND, clock=MINUTE_CLOCK)), 1)
    back = NOW + 50 * SECOND
    resumed = Course(course.terms, course.events, resumed=back)
    assert resumed.clocks(back) == (65 * SECOND, 60 * SECOND)
    assert resumed.deadline == back + 60 * SECOND
    decide(resumed, now=back + 10 * SECOND)
    assert resumed.clocks(back + 10 * SECOND) == (65 * SECOND, 55 * SECOND)
    later = Course(course.terms, course.events, resumed=NOW - DAY)
    assert later.deadline == course.deadline


def test_days_go_on_while_the_server_is_away() -> None:
    course = decisions(seated(terms(FRIEND, clock=DAYS)), 1)
    resumed = Course(course.terms, course.events, resumed=NOW + DAY)
    assert resumed.deadline == course.deadline == NOW + 2 * DAY


def test_taking_back_gives_no_time_back() -> None:
    course = seated(terms(SCREEN, clock=Clock(60 * SECOND)))
    decide(course, now=NOW + 20 * SECOND)
    do(course, wire.Undo, now=NOW + 30 * SECOND)
    assert course.clocks(NOW + 30 * SECOND) == (40 * SECOND, 50 * SECOND)
    assert course.turn == 0
    assert course.clocks(NOW + 35 * SECOND) == (35 * SECOND, 50 * SECOND)


def test_taking_back_renews_days() -> None:
    course = decisions(seated(terms(FRIEND, clock=DAYS)), 1, NOW + DAY)
    do(course, wire.Undo, ANN, NOW + 2 * DAY)
    do(course, wire.Accept, BOB, NOW + 2 * DAY)
    assert course.clocks(NOW + 2 * DAY) == (2 * DAY, 2 * DAY)


def test_clocks_never_fall_below_zero_nor_rise_when_the_time_of_day_is_put_back() -> None:
    course = seated(terms(FRIEND, clock=Clock(60 * SECOND, 5 * SECOND)))
    assert course.clocks(NOW + DAY) == (0, 60 * SECOND)
    assert course.clocks(NOW - DAY) == (60 * SECOND, 60 * SECOND)
    decide(course, now=NOW - DAY)
    assert course.clocks(NOW - DAY) == (65 * SECOND, 60 * SECOND)


def test_asking_and_declining_leave_the_clock_running() -> None:
    course = decisions(seated(terms(FRIEND, clock=MINUTE_CLOCK)), 1)
    do(course, wire.Undo, ANN, NOW + 10 * SECOND)
    do(course, wire.Decline, BOB, NOW + 20 * SECOND)
    assert course.clocks(NOW + 30 * SECOND) == (65 * SECOND, 30 * SECOND)


def test_without_a_clock_there_is_no_deadline() -> None:
    course = begun(FRIEND)
    assert course.deadline is None
    assert course.overdue(NOW + 1000 * DAY) is None
    assert all(event.clocks is None for event in played_out(course).events)


# Endings


@pytest.mark.parametrize(("resigning", "winner"), [(ANN, 1), (BOB, 0)])
@pytest.mark.parametrize("moves", [0, 1, 2])
def test_who_resigns_loses_whosever_turn_it_is(resigning: str, winner: int, moves: int) -> None:
    course = decisions(begun(FRIEND), moves)
    do(course, wire.Resign, resigning)
    standing = course.standing()
    assert (standing.ending, standing.winner) == (Termination.RESIGNED, winner)
    assert (standing.turn, standing.deadline, standing.tie_break) == (None, None, False)


@pytest.mark.parametrize("moves", [0, 1, 2])
def test_before_one_screen_the_seat_to_decide_resigns(moves: int) -> None:
    course = decisions(begun(SCREEN), moves)
    turn = course.turn
    assert do(course, wire.Resign).seat == turn
    assert course.standing().winner != turn


@pytest.mark.parametrize(
    ("gone", "asker", "allowed"),
    [
        ({1}, ANN, True),
        ({0}, BOB, True),
        ({0}, ANN, False),
        ({1}, BOB, False),
        (set(), ANN, False),
        ({0, 1}, ANN, True),
    ],
)
def test_the_win_is_claimed_from_a_seat_that_is_gone(
    gone: set[int], asker: str, allowed: bool
) -> None:
    course = decisions(begun(FRIEND), 3)
    if allowed:
        event = do(course, wire.Claim, asker, gone=frozenset(gone))
        assert course.standing().winner == event.seat == (0 if asker == ANN else 1)
        assert course.standing().ending is Termination.LEFT
    else:
        with pytest.raises(Refusal) as refused:
            do(course, wire.Claim, asker, gone=frozenset(gone))
        assert refused.value.code is Code.NOT_GONE


def test_before_one_screen_nothing_can_be_claimed() -> None:
    with pytest.raises(Refusal) as refused:
        do(begun(SCREEN), wire.Claim, gone=BOTH_GONE)
    assert refused.value.code is Code.NOT_GONE


def test_an_aborted_game_has_no_winner() -> None:
    standing = aborted(decisions(begun(FRIEND), 1)).standing()
    assert (standing.ending, standing.winner) == (Termination.ABORTED, None)


def test_both_have_moved_only_while_their_moves_stand() -> None:
    course = decisions(begun(SCREEN), 2)
    do(course, wire.Undo)
    assert do(course, wire.Abort).kind is Kind.ABORT


def test_a_game_played_out_stands_as_the_rules_say() -> None:
    course = played_out(begun(FRIEND))
    assert course.game is not None
    outcome = course.game.position.outcome
    assert outcome is not None
    standing = course.standing()
    assert (standing.winner, standing.scores) == (outcome.winner, outcome.scores)
    assert standing.tie_break is outcome.tie_break
    assert standing.ending is Termination.PLAYED_OUT


# Rematch


@pytest.mark.parametrize("circle", ["same", "new"])
@pytest.mark.parametrize("opponent", [COMPUTER, SCREEN])
def test_alone_one_has_a_rematch_at_once(opponent: Opponent, circle: str) -> None:
    event = do(resigned(begun(opponent)), wire.Rematch, circle=circle)
    assert (event.kind, event.data) == (Kind.NEXT, circle)


@pytest.mark.parametrize("circle", ["same", "new"])
def test_with_a_friend_the_wish_of_the_one_who_asks_first_counts(circle: str) -> None:
    course = resigned(begun(FRIEND))
    other = "new" if circle == "same" else "same"
    assert do(course, wire.Rematch, BOB, circle=circle).kind is Kind.REMATCH
    assert course.wishes == {1: circle}
    event = do(course, wire.Rematch, ANN, circle=other)
    assert (event.kind, event.data) == (Kind.NEXT, circle)
