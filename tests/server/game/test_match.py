"""What may happen in a game: every action, by every requester, in every state."""

from collections.abc import Callable
from typing import Any

import pytest

from patchwork.rules.moves import Reason
from patchwork.server.game import actions
from patchwork.server.game.events import Kind
from patchwork.server.game.match import Match
from patchwork.server.game.refusals import Code, Refusal
from patchwork.server.game.terms import DAY, SECOND, Opponent
from server.support.matches import (
    ANN,
    BOB,
    BOTH_GONE,
    COMPUTER,
    EVE,
    FRIEND,
    MINUTE_CLOCK,
    NOW,
    SCREEN,
    aborted,
    action,
    asked,
    begun,
    decisions,
    do,
    played_out,
    resigned,
    seated,
    terms,
    waiting,
)

# Who acts: Ann against the computer, Ann for both seats, Ann on seat 0, Bob on seat 1.
REQUESTERS = ((COMPUTER, ANN), (SCREEN, ANN), (FRIEND, ANN), (FRIEND, BOB))


def out_of_time(match: Match) -> Match:
    late = match.overdue(NOW + 3 * DAY)
    assert late is not None
    match.apply(late)
    return match


def claimed(match: Match) -> Match:
    do(match, actions.ClaimWin, gone=frozenset({1}))
    return match


def rematch_asked(match: Match) -> Match:
    do(resigned(match), actions.Rematch)
    return match


STATES: dict[str, Callable[[Opponent], Match]] = {
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
    "rematch asked": lambda opponent: rematch_asked(begun(opponent)),
}
ACTIONS: dict[str, tuple[type[actions.Action], dict[str, Any]]] = {
    "advance": (actions.PlayMove, {"move": "A"}),
    "leather": (actions.PlayMove, {"move": "La1"}),
    "begin": (actions.ChooseFirst, {"first": 1}),
    "undo": (actions.Undo, {}),
    "accept": (actions.AcceptUndo, {}),
    "decline": (actions.DeclineUndo, {}),
    "resign": (actions.Resign, {}),
    "abort": (actions.Abort, {}),
    "claim": (actions.ClaimWin, {}),
    "flag": (actions.FlagTimeout, {}),
    "rematch": (actions.Rematch, {}),
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
# In capitals, the resulting event; otherwise, the code of the refusal.
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
    "rematch asked": ENDED + "rematch stale stale already-asked NEXT",
}


def grid() -> list[tuple[str, str, Opponent, str, str]]:
    cases = []
    for state, text in EXPECTED.items():
        rows = dict(line.split(maxsplit=1) for line in text.strip().splitlines())
        assert list(rows) == list(ACTIONS)
        for name, cells in rows.items():
            for (opponent, requester), expected in zip(REQUESTERS, cells.split(), strict=True):
                cases.append((state, name, opponent, requester, expected))
    return cases


def snapshot(match: Match) -> object:
    return (
        tuple(match.events),
        None if match.game is None else (match.game.setup, match.game.moves),
        tuple(match.seats),
        (match.first, match.asking, match.ending, dict(match.rematch_requests), match.next),
        (match.clocks(NOW), match.clocks(NOW + 7 * SECOND), match.deadline),
        match.status(),
    )


@pytest.mark.parametrize(("state", "name", "opponent", "requester", "expected"), grid())
def test_every_action_in_every_state(
    state: str, name: str, opponent: Opponent, requester: str, expected: str
) -> None:
    match = STATES[state](opponent)
    kind, data = ACTIONS[name]
    wanted = action(match, kind, **data)
    before = snapshot(match)
    if expected.isupper():
        event = match.respond(wanted, requester, NOW)
        assert snapshot(match) == before
        assert event.kind is Kind[expected]
        assert (event.player, event.action, event.seq) == (requester, wanted.id, match.seq + 1)
        assert event.seat in match.seats_of(requester)
        match.apply(event)
        assert match.answered(requester, wanted.id) == event.seq
    else:
        with pytest.raises(Refusal) as refused:
            match.respond(wanted, requester, NOW)
        assert refused.value.code is Code(expected)
        assert snapshot(match) == before


@pytest.mark.parametrize("requester", [None, EVE])
@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("opponent", Opponent)
def test_every_action_of_a_player_without_a_seat_is_refused(
    opponent: Opponent, state: str, name: str, requester: str | None
) -> None:
    match = STATES[state](opponent)
    kind, data = ACTIONS[name]
    with pytest.raises(Refusal) as refused:
        match.respond(action(match, kind, **data), requester, NOW + 9 * DAY, BOTH_GONE)
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
def test_actions_before_the_friend_joins_are_refused(name: str, expected: Code) -> None:
    match = waiting(clock=MINUTE_CLOCK)
    kind, data = ACTIONS[name]
    with pytest.raises(Refusal) as refused:
        match.respond(action(match, kind, **data), ANN, NOW + DAY, BOTH_GONE)
    assert refused.value.code is expected
    assert match.overdue(NOW + 9 * DAY) is None
    assert match.clocks(NOW + DAY) == (60 * SECOND, 60 * SECOND)


def test_a_waiting_player_may_abort_the_game() -> None:
    match = aborted(waiting())
    assert match.ending is not None
    with pytest.raises(Refusal) as refused:
        match.join(BOB, "Bob", NOW)
    assert refused.value.code is Code.OVER
    with pytest.raises(Refusal) as refused:
        do(match, actions.Rematch)
    assert refused.value.code is Code.NOT_BEGUN


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("chosen_early", [False, True])
def test_the_game_begins_once_both_have_joined_and_the_first_player_is_chosen(
    first: int, chosen_early: bool
) -> None:
    match = waiting(first=None)
    if chosen_early:
        do(match, actions.ChooseFirst, first=first)
    match.apply(match.join(BOB, "Bob", NOW))
    if not chosen_early:
        assert match.game is None
        do(match, actions.ChooseFirst, BOB, first=first)
    assert match.turn == match.first == first
    with pytest.raises(Refusal) as refused:
        match.join(EVE, "Eve", NOW)
    assert refused.value.code is Code.SEATS_TAKEN


@pytest.mark.parametrize("opponent", [COMPUTER, SCREEN])
def test_joining_a_game_without_a_free_seat_is_refused(opponent: Opponent) -> None:
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
def test_an_illegal_move_is_refused_with_the_reason_of_the_rules(
    text: str, reason: Reason | None
) -> None:
    match = begun(FRIEND)
    with pytest.raises(Refusal) as refused:
        do(match, actions.PlayMove, move=text)
    assert (refused.value.code, refused.value.reason) == (Code.ILLEGAL_MOVE, reason)


def test_a_move_is_stored_in_canonical_text() -> None:
    assert do(begun(FRIEND), actions.PlayMove, move=" 3dA1 ").data == "3Da1"


# The event that an action follows


def test_an_action_that_does_not_follow_the_last_event_is_stale() -> None:
    match = decisions(begun(FRIEND), 3)
    for seq in (*range(match.seq), match.seq + 1, 2**31 - 1):
        with pytest.raises(Refusal) as refused:
            do(match, actions.PlayMove, BOB, seq=seq, move="A")
        assert refused.value.code is Code.STALE, seq
    do(match, actions.PlayMove, BOB, move="A")


def test_a_move_that_crosses_an_undo_request_is_accepted_and_ends_the_request() -> None:
    match = decisions(begun(FRIEND), 1)
    known = match.seq
    do(match, actions.Undo, ANN)
    do(match, actions.DeclineUndo, BOB)
    do(match, actions.Undo, ANN)
    do(match, actions.PlayMove, BOB, seq=known, move="A")
    assert match.asking is None
    for answer in (actions.AcceptUndo, actions.DeclineUndo):
        with pytest.raises(Refusal) as refused:
            do(match, answer, BOB)
        assert refused.value.code is Code.NOT_ASKED


def test_two_crossing_rematch_requests_open_one_game() -> None:
    match = resigned(begun(FRIEND))
    known = match.seq
    do(match, actions.Rematch, ANN, seq=known, circle="same")
    assert do(match, actions.Rematch, BOB, seq=known, circle="new").kind is Kind.NEXT


@pytest.mark.parametrize("opponent", Opponent)
def test_every_action_after_the_rematch_is_opened_is_refused(opponent: Opponent) -> None:
    match = resigned(begun(opponent))
    for player in (ANN, BOB):
        if match.next is None:
            do(match, actions.Rematch, player)
    assert match.next is not None
    for kind, data in ACTIONS.values():
        with pytest.raises(Refusal) as refused:
            do(match, kind, **data)
        assert refused.value.code in (Code.OVER, Code.STALE)


def test_the_id_of_an_action_is_remembered_per_player() -> None:
    match = begun(FRIEND)
    event = do(match, actions.PlayMove, id="mine", move="A")
    rebuilt = Match(match.terms, match.events)
    for known in (match, rebuilt):
        assert known.answered(ANN, "mine") == event.seq
        assert known.answered(BOB, "mine") is None
        assert known.answered(ANN, "other") is None
        assert known.answered(EVE, "mine") is None
