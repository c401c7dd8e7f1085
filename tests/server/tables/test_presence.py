"""Which players are present, and when the win may be claimed from an absent one."""

import pytest

from patchwork.server import wire
from patchwork.server.game import actions
from patchwork.server.game.clocks import Pauses
from patchwork.server.game.match import Match
from patchwork.server.game.terms import DAY, MINUTE, SECOND, Clock, Opponent
from patchwork.server.settings import Settings
from patchwork.server.tables.presence import Presence
from server.support.matches import (
    ANN,
    BOB,
    COMPUTER,
    FRIEND,
    NOW,
    SCREEN,
    decide,
    do,
    seated,
    terms,
    waiting,
)

LATER = NOW + DAY
"""A time long after the game began."""


def playing(clock: Clock | None = None, opponent: Opponent = FRIEND) -> Match:
    return seated(terms(opponent, clock=clock))


def both_present(settings: Settings | None = None) -> Presence:
    presence = Presence(settings or Settings(), NOW, Pauses())
    presence.arrive([0, 1])
    return presence


def claim(match: Match, presence: Presence, seat: int, now: int) -> int | None:
    view = presence.message(match, 0, now)
    assert (seat in presence.gone(match, now)) == (view.claim[seat] == 0)
    return view.claim[seat]


CLOCKS = [
    (Clock(15 * SECOND), 1),
    (Clock(3 * MINUTE - SECOND), 1),
    (Clock(MINUTE, 2 * SECOND), 1),
    (Clock(3 * MINUTE), 2),
    (Clock(MINUTE, 3 * SECOND), 2),
    (Clock(5 * MINUTE, 3 * SECOND), 2),
    (Clock(8 * MINUTE), 4),
    (Clock(15 * MINUTE, 10 * SECOND), 4),
    (Clock(25 * MINUTE), 10),
    (Clock(180 * MINUTE, 180 * SECOND), 10),
    (None, 10),
]


def test_a_pause_of_the_server_does_not_count_as_absence() -> None:
    pauses = Pauses(NOW)
    match, presence = playing(Clock(MINUTE)), Presence(Settings(), NOW, pauses)
    assert claim(match, presence, 1, NOW + 10 * SECOND) == 20 * SECOND
    pauses.add(NOW + 10 * SECOND, NOW + DAY)
    assert claim(match, presence, 1, NOW + DAY) == 20 * SECOND
    assert claim(match, presence, 1, NOW + DAY + 20 * SECOND) == 0


@pytest.mark.parametrize(("clock", "factor"), CLOCKS, ids=str)
def test_the_grace_period_after_a_lost_connection_grows_with_the_clock(
    clock: Clock | None, factor: int
) -> None:
    match, presence = playing(clock), both_present()
    presence.leave([1], LATER, on_purpose=False)
    grace = factor * 30 * SECOND
    assert claim(match, presence, 1, LATER) == grace
    assert claim(match, presence, 1, LATER + grace - 1) == 1
    assert presence.gone(match, LATER + grace) == {1}
    assert claim(match, presence, 0, LATER + DAY) is None


@pytest.mark.parametrize("clock", [clock for clock, _ in CLOCKS], ids=str)
def test_the_grace_period_after_leaving_on_purpose_is_ten_seconds(clock: Clock | None) -> None:
    match, presence = playing(clock), both_present()
    presence.leave([0], LATER, on_purpose=True)
    assert claim(match, presence, 0, LATER + 10 * SECOND - 1) == 1
    assert presence.gone(match, LATER + 10 * SECOND) == {0}


@pytest.mark.parametrize("on_purpose", [False, True])
def test_daily_games_have_a_grace_period_of_thirty_days(on_purpose: bool) -> None:
    match, presence = playing(Clock(14 * DAY, renewed=True)), both_present()
    presence.leave([0], LATER, on_purpose=on_purpose)
    assert claim(match, presence, 0, NOW + 30 * DAY - 1) == 1
    assert presence.gone(match, NOW + 30 * DAY) == {0}


def test_a_player_who_comes_back_is_present() -> None:
    match, presence = playing(), both_present()
    presence.leave([1], LATER, on_purpose=True)
    assert presence.message(match, 3, LATER) == wire.Presence(
        present=(True, False), claim=(None, 10 * SECOND), watchers=3
    )
    presence.arrive([1])
    assert presence.message(match, 3, LATER + DAY) == wire.Presence(
        present=(True, True), claim=(None, None), watchers=3
    )
    assert presence.gone(match, LATER + DAY) == set()


def test_grace_periods_are_configurable() -> None:
    presence = both_present(Settings(gone_left=0.5, gone_lost=2.0))
    presence.leave([0], LATER, on_purpose=True)
    presence.leave([1], LATER, on_purpose=False)
    match = playing(Clock(MINUTE))
    assert presence.message(match, 0, LATER).claim == (500, 2 * SECOND)


@pytest.mark.parametrize("opponent", [COMPUTER, SCREEN])
def test_the_win_cannot_be_claimed_without_a_human_opponent(opponent: Opponent) -> None:
    match, presence = playing(opponent=opponent), Presence(Settings(), NOW, Pauses())
    assert presence.gone(match, NOW + 99 * DAY) == set()
    assert presence.message(match, 0, NOW + 99 * DAY).claim == (None, None)


def test_the_computer_is_always_present() -> None:
    view = Presence(Settings(), NOW, Pauses()).message(playing(opponent=COMPUTER), 0, NOW)
    assert view.present == (False, True)


def test_the_win_cannot_be_claimed_before_or_after_the_game() -> None:
    presence = Presence(Settings(), NOW, Pauses())
    assert presence.gone(waiting(), LATER) == set()
    match = playing()
    do(match, actions.Resign)
    assert presence.gone(match, LATER) == set()


def test_a_restart_gives_all_players_a_grace_period() -> None:
    match, presence = playing(Clock(MINUTE)), Presence(Settings(), LATER, Pauses())
    assert presence.gone(match, LATER) == set()
    assert presence.message(match, 0, LATER).claim == (30 * SECOND, 30 * SECOND)


def test_a_player_who_joins_late_gets_a_full_grace_period() -> None:
    presence = Presence(Settings(), NOW, Pauses())
    match = waiting(clock=Clock(MINUTE))
    presence.arrive([0])
    match.apply(match.join(BOB, "Bob", LATER))
    assert claim(match, presence, 1, LATER) == 30 * SECOND
    assert presence.gone(match, LATER + 30 * SECOND) == {1}


def test_a_move_without_a_connection_counts_as_presence() -> None:
    """A program may send its moves over HTTP without ever opening a stream."""
    match, presence = playing(Clock(MINUTE)), Presence(Settings(), NOW, Pauses())
    presence.arrive([1])
    decide(match, now=NOW + 29 * SECOND)
    assert match.events[-1].player == ANN
    assert claim(match, presence, 0, NOW + 30 * SECOND) == 29 * SECOND
    decide(match, now=NOW + 40 * SECOND)
    assert claim(match, presence, 0, NOW + 59 * SECOND) == 0
