"""New games: from the request of a player, or as the rematch of a game."""

from collections.abc import Iterable
from dataclasses import replace
from random import SystemRandom
from secrets import choice

from patchwork.rules.setup import Setup
from patchwork.rules.timeboard import EDITION_BY_NAME
from patchwork.server import wire
from patchwork.server.game.events import Event, Kind
from patchwork.server.game.match import Match, Occupant
from patchwork.server.game.terms import DAY, SECOND, Clock, Opponent, Terms
from patchwork.server.store import StoredGame

_ID_LETTERS = "23456789abcdefghijkmnpqrstuvwxyz"
"""32 letters and digits that are not easily confused."""
_ID_LENGTH = 12
"""60 random bits: too many to guess, and short enough to read out."""


def new_game(new: wire.NewTable, player: str, now: int) -> StoredGame:
    """Returns the game that a player asks for, with the player in a seat."""
    seat = SystemRandom().randrange(2) if new.seat == "random" else new.seat
    occupants = {seat: Occupant(player, new.name)}
    if new.opponent is Opponent.SCREEN:
        occupants[1 - seat] = Occupant(player, new.other_name)
    return _game(_terms(new, seat), occupants.items(), now)


def next_game(game: str, match: Match, circle: str, now: int) -> StoredGame:
    """Returns the rematch of a game, with seats swapped.

    Args:
        game: the id of the game that was played.
        match: that game.
        circle: ``same`` to play with the same circle of patches, or ``new``.
        now: the time.
    """
    terms = replace(
        match.terms,
        circle=match.terms.circle if circle == "same" else Setup.random().circle,
        computer=None if match.terms.computer is None else 1 - match.terms.computer,
        first=match.first,
    )
    swapped = [(1 - seat, occupant) for seat, occupant in enumerate(match.seats) if occupant]
    return replace(_game(terms, swapped, now), rematch_of=game)


def _game(terms: Terms, occupants: Iterable[tuple[int, Occupant]], now: int) -> StoredGame:
    people = [(seat, occupant) for seat, occupant in occupants if occupant.player is not None]
    events = tuple(
        Event(seq, Kind.JOIN, seat, now, occupant.name, player=occupant.player)
        for seq, (seat, occupant) in enumerate(people, 1)
    )
    return StoredGame("".join(choice(_ID_LETTERS) for _ in range(_ID_LENGTH)), terms, now, events)


def _terms(new: wire.NewTable, seat: int) -> Terms:
    computer = new.opponent is Opponent.COMPUTER
    first = SystemRandom().randrange(2) if new.first == "random" else new.first
    return Terms(
        opponent=new.opponent,
        edition=EDITION_BY_NAME[new.edition],
        circle=tuple(new.circle) if new.circle else Setup.random(new.seed).circle,
        first=None if first == "needle" else first,
        clock=_clock(new.clock),
        computer=1 - seat if computer else None,
        level=new.level if computer else None,
    )


def _clock(clock: wire.ClockTerms | None) -> Clock | None:
    if clock is None:
        return None
    if clock.days is not None:
        return Clock(clock.days * DAY, renewed=True)
    assert clock.minutes is not None
    return Clock(round(clock.minutes * 60) * SECOND, clock.increment * SECOND)
