"""Matches in any state, for the tests of the core."""

from itertools import count
from typing import Any

from patchwork.rules.moves import ADVANCE, Move
from patchwork.rules.position import Phase
from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import CLASSIC, Edition
from patchwork.server.game import actions
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Match
from patchwork.server.game.terms import SECOND, Clock, Opponent, Terms

NOW = 1_800_000_000_000
ANN, BOB, EVE = "ann", "bob", "eve"
COMPUTER, SCREEN, FRIEND = Opponent
MINUTE_CLOCK = Clock(60 * SECOND, 5 * SECOND)
BOTH_GONE = frozenset({0, 1})

_ids = count(1)


def terms(
    opponent: Opponent,
    *,
    first: int | None = 0,
    clock: Clock | None = None,
    computer: int = 1,
    edition: Edition = CLASSIC,
    seed: int = 1,
) -> Terms:
    against = opponent is COMPUTER
    return Terms(
        opponent=opponent,
        edition=edition,
        circle=Setup.random(seed).circle,
        first=first,
        clock=clock,
        computer=computer if against else None,
        level=3 if against else None,
    )


def waiting(first: int | None = 0, clock: Clock | None = None) -> Match:
    """Ann waits for a friend on seat 0."""
    return Match(
        terms(FRIEND, first=first, clock=clock), [Event(1, Kind.JOIN, 0, NOW, "Ann", player=ANN)]
    )


def seated(agreed: Terms, now: int = NOW) -> Match:
    """All seats are taken: Ann is there, and Bob if she plays against a friend."""
    match = Match(agreed)
    for seat in (0, 1):
        if seat != agreed.computer:
            player, name = (BOB, "Bob") if agreed.opponent is FRIEND and seat else (ANN, "Ann")
            match.apply(Event(match.seq + 1, Kind.JOIN, seat, now, name, player=player))
    return match


def do(
    match: Match,
    kind: type[actions.Action],
    player: str = ANN,
    now: int = NOW,
    *,
    gone: frozenset[int] = frozenset(),
    **data: object,
) -> Event:
    """Carries out an action that follows the last event, and returns the new event."""
    event = match.respond(action(match, kind, **data), player, now, gone)
    match.apply(event)
    return event


def action(match: Match, kind: type[actions.Action], **data: object) -> actions.Action:
    known: dict[str, Any] = {"id": f"x{next(_ids)}", "seq": match.seq, **data}
    return kind(**known)


def decide(match: Match, move: Move | None = None, now: int = NOW) -> Event:
    """Makes a move for the seat to decide: the given one, or else an advance if possible."""
    assert match.game is not None
    position = match.game.position
    if move is None:
        move = ADVANCE if position.phase is Phase.TURN else position.legal_moves()[0]
    if match.computer_decides:
        event = match.computer_move(move, now)
        match.apply(event)
        return event
    occupant = match.seats[position.turn]
    assert occupant is not None
    assert occupant.player is not None
    return do(match, actions.PlayMove, occupant.player, now, move=str(move))


def decisions(match: Match, number: int, now: int = NOW) -> Match:
    for _ in range(number):
        decide(match, now=now)
    return match


def played_out(match: Match) -> Match:
    while match.running:
        decide(match)
    return match


def begun(opponent: Opponent) -> Match:
    return seated(terms(opponent))


def asked(match: Match) -> Match:
    """Both have moved, and in a game against a friend Ann asks to take her move back."""
    decisions(match, 2)
    if match.terms.opponent is FRIEND:
        do(match, actions.Undo)
    return match


def resigned(match: Match) -> Match:
    do(match, actions.Resign)
    return match


def aborted(match: Match) -> Match:
    do(match, actions.Abort)
    return match
